/** memcpy and its kin on slots, pointer differences, calls through pointers between C and assembly. Values by C's rules. */
import assert from 'node:assert/strict';
import { loadParser } from '../code/c/support';
import { assembled, call, lowered, machineFor, resultOf } from './support';
import type { Vm } from '../../../src/vm/vm';

const stopped = (vm: Vm): string => {
  vm.run(100_000);
  return `${vm.ending.verdict}: ${vm.ending.name}${vm.ending.why}`;
};
const stop = (text: string, name = 'tq_f'): string =>
  stopped(machineFor([lowered(text)], { tasks: [[{ function: name }]] }));

describe('memory as bytes', () => {
  before(loadParser);

  const record = `
struct tq_r { u64 a; u16 b; u32 c; bool d; };
struct tq_r tq_x, tq_y;
u16 tq_s[4];
u64 tq_l[4];
`;

  it('a struct is copied whole where the size is its sizeof', () =>
    assert.equal(
      call(
        `${record}
unsigned long tq_f(void)
{
	tq_x.a = 5; tq_x.b = 6; tq_x.c = 7; tq_x.d = true;
	memcpy(&tq_y, &tq_x, sizeof(tq_y));
	return tq_y.a * 1000 + tq_y.b * 100 + tq_y.c * 10 + tq_y.d;
}`,
        'tq_f',
      ),
      5671n,
    ));

  it('an array has its elements, whatever a slot takes: 8 bytes are four u16', () =>
    assert.equal(
      call(
        `${record}
unsigned long tq_f(void)
{
	tq_s[3] = 9;
	memset(tq_s, 0x12, 6);
	return tq_s[0] + tq_s[2] + tq_s[3];
}`,
        'tq_f',
      ),
      0x1212n * 2n + 9n,
    ));

  it('sizes are signed and cut as the elements are', () =>
    assert.equal(
      call('s8 tq_b[4]; long tq_f(void) { memset(tq_b, 0xfe, sizeof(tq_b)); return tq_b[3]; }', 'tq_f'),
      BigInt.asUintN(64, -2n),
    ));

  it('copies that overlap', () =>
    assert.equal(
      call(
        `${record}
unsigned long tq_f(void)
{
	unsigned long i, sum = 0;
	for (i = 0; i < 4; i++) tq_l[i] = i + 1;
	memmove(&tq_l[1], &tq_l[0], 3 * sizeof(u64));
	for (i = 0; i < 4; i++) sum = sum * 10 + tq_l[i];
	return sum;
}`,
        'tq_f',
      ),
      1123n,
    ));

  it('comparing goes by the lowest byte first, as memory does', () => {
    const compared = (a: string, b: string): bigint =>
      BigInt.asIntN(
        64,
        call(
          `${record} long tq_f(void) { tq_l[0] = ${a}; tq_l[1] = ${b}; return memcmp(&tq_l[0], &tq_l[1], 8); }`,
          'tq_f',
        ),
      );
    assert.equal(compared('0x0102', '0x0201'), 1n);
    assert.equal(compared('0x0100000000000000UL', '0x0200000000000000UL'), -1n);
    assert.equal(compared('7', '7'), 0n);
  });

  it('what is not set stays not set', () =>
    assert.match(
      stop('unsigned long tq_f(void) { u64 a[2], b[2]; a[0] = 1; memcpy(b, a, sizeof(a)); return b[1]; }'),
      /^unknown: .*nothing has set it/,
    ));

  const unknownBytes = /^unknown: .*nothing says which fields they make up/;
  it('bytes that make no whole fields stop the run', () => {
    assert.match(stop(`${record} void tq_f(void) { memset(tq_s, 0, 3); }`), unknownBytes);
    assert.match(stop(`${record} void tq_f(void) { memset(&tq_x, 0, 12); }`), unknownBytes);
    assert.match(stop(`${record} void tq_f(void) { memcpy(tq_s, tq_l, 8); }`), unknownBytes);
    assert.match(
      stop(`${record} void tq_g(void *p, long n) { memset(p, 0, n); } void tq_f(void) { tq_g(tq_l, 16); }`),
      unknownBytes,
    );
  });

  it('a truth value has no byte but 0 and 1', () =>
    assert.match(stop('bool tq_b[2]; void tq_f(void) { memset(tq_b, 0xff, 2); }'), unknownBytes));

  it('past the end of memory', () =>
    assert.match(stop(`${record} void tq_f(void) { memset(tq_l, 0, 8UL << 20); }`), /^fault: /));

  it('a tree that defines memcpy runs its own', () =>
    assert.equal(
      call(
        'long memcpy(long a, long b, long n) { return a + b + n; } long tq_f(void) { return memcpy(1, 2, 3); }',
        'tq_f',
      ),
      6n,
    ));
});

describe('differences of pointers', () => {
  before(loadParser);
  for (const type of ['u8', 'u16', 'int', 'u64', 'void *', 'struct tq_p'])
    it(`${type}: in elements`, () =>
      assert.equal(
        call(
          `struct tq_p { u64 a; u16 b; u8 c[3]; }; ${type} tq_e[8];
long tq_f(void) { ${type} *p = &tq_e[6], *q = &tq_e[1]; struct tq_p s; s.a = 0; s.b = 0; s.c[0] = 0; return p - q + s.a + s.b + s.c[0]; }`,
          'tq_f',
        ),
        5n,
      ));

  it('a difference added to a pointer leads back', () =>
    assert.equal(
      call(
        'u16 tq_e[8]; long tq_f(void) { u16 *p = tq_e; *(p + (&tq_e[5] - p)) = 7; return tq_e[5]; }',
        'tq_f',
      ),
      7n,
    ));
});

describe('calls through pointers between C and assembly', () => {
  before(loadParser);

  const routine = assembled(`
SYM_FUNC_START(tq_sum)
	leaq	(%rdi,%rsi), %rax
	RET
SYM_FUNC_END(tq_sum)
SYM_FUNC_START(tq_through)
	call	*%rdx
	addq	$100, %rax
	RET
SYM_FUNC_END(tq_through)
`);

  it('C calls a routine', () => {
    const text = lowered(`
long tq_sum(long a, long b);
struct tq_ops { long (*op)(long a, long b); };
struct tq_ops tq_ops = { .op = tq_sum };
long tq_f(void) { return tq_ops.op(30, 12); }
`);
    assert.equal(resultOf(machineFor([text, routine], { tasks: [[{ function: 'tq_f' }]] })), 42n);
  });

  it('assembly calls a C function, whose result it uses; the stack is as before', () => {
    const text = lowered(`
long tq_through(long a, long b, long (*f)(long a, long b));
static long tq_diff(long a, long b) { return a - b; }
long tq_f(void) { return tq_through(9, 4, tq_diff) + 1000 * tq_through(2, 1, tq_diff); }
`);
    const vm = machineFor([text, routine], { tasks: [[{ function: 'tq_f' }]] });
    const rsp = vm.core.program.machineRegisters.indexOf('rsp');
    const before = rsp < 0 ? 0 : vm.core.machineRegisters[2 * rsp];
    assert.equal(resultOf(vm), 101_105n);
    assert.equal(rsp < 0 ? 0 : vm.core.machineRegisters[2 * rsp], before);
  });
});
