import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { lowerC } from '../../../../src/code/lowerC';
import { lowerLines } from './fragmentLines';
import { defaults, functionNamed, hunkUnit, loadParser } from './support';

const lower = (text: string) => lowerC([hunkUnit('arch/x86/mm/tq.c', text)], defaults);
/** Names of called functions, in the order of the code. */
const calls = (text: string, name: string): string[] =>
  functionNamed(lower(text), name).code.flatMap(one => (one.op === 'call' ? [one.callee ?? '*'] : []));
const conditions = (text: string, name: string): string[] =>
  functionNamed(lower(text), name).code.flatMap(one => (one.op === 'branch' ? [one.text] : []));

describe('hunks as fragments of C', function () {
  this.timeout(60_000);
  before(loadParser);

  it('a body without its head belongs to the function after @@, with its parameters', () => {
    const text = `@@ 40 static void tq_flush(struct tq_mm *mm, u16 asid, unsigned lo
	tq_begin(mm);
	if (asid)
		tq_one(asid);
}`;
    const found = functionNamed(lower(text), 'tq_flush');
    assert.deepEqual(calls(text, 'tq_flush'), ['tq_begin', 'tq_one']);
    assert.equal(found.partial, true);
    assert.equal(found.repaired, true);
    assert.deepEqual(found.parameters, [
      { name: 'mm', type: 'struct tq_mm *' },
      { name: 'asid', type: 'u16' },
    ]);
    assert.deepEqual([found.firstLine, found.lastLine], [0, 3]);
  });

  it('a whole function is neither partial nor repaired, whatever stands around it', () => {
    const text = `@@ 40 void tq_before(void)
	return;
}

void tq_whole(void)
{
	tq_call();
}

void tq_after(int a)
{
	if (a)`;
    const module = lower(text);
    const { partial, repaired } = functionNamed(module, 'tq_whole');
    assert.deepEqual([partial, repaired], [false, false]);
    assert.equal(functionNamed(module, 'tq_before').partial, true);
    assert.equal(functionNamed(module, 'tq_after').partial, true);
    assert.equal(module.unread.length, 0);
  });

  it('halves of comments at both ends are comments', () => {
    const text = `@@ 10 void tq(void)
	 * the end of a comment; tq_not_called();
	 */
	tq_called();
	/*
	 * the beginning of one: tq_not_called();`;
    assert.deepEqual(calls(text, 'tq'), ['tq_called']);
  });

  it('lines inside a comment only', () => {
    const module = lower(`@@ 10 void tq(void)
	 * nothing but comment;
	 * tq_not_called();
	 * more of it`);
    assert.deepEqual(module.functions, []);
    assert.deepEqual(module.unread, []);
  });

  it('blocks that only close are conditions that are not shown', () => {
    const text = `@@ 10 void tq(int a)
		tq_inner(a);
	}
	tq_outer();
}`;
    assert.deepEqual(conditions(text, 'tq'), ['…']);
    assert.deepEqual(calls(text, 'tq'), ['tq_inner', 'tq_outer']);
  });

  it('an else, a case and a do block whose heads are not shown', () => {
    const text = `@@ 10 void tq(int a)
			tq_first();
		} else {
			tq_second();
		}
		tq_third();
	} while (a--);
	switch (a) {
	case 1:
		tq_fourth();
	}
}
@@ 90 void tq2(int a)
		tq_fifth();
		break;
	case 7:
		tq_sixth();
	}
}`;
    assert.deepEqual(calls(text, 'tq'), ['tq_first', 'tq_second', 'tq_third', 'tq_fourth']);
    assert.deepEqual(calls(text, 'tq2'), ['tq_fifth', 'tq_sixth']);
    assert.deepEqual(conditions(text, 'tq2'), ['… == 7']);
  });

  it('the tail of a condition, of a call and of an assignment', () => {
    const text = `@@ 10 void tq(int a)
	    a == 2 &&
	    tq_test(a)) {
		tq_inner();
	}
@@ 90 void tq2(int a)
			 a, tq_value(a));
	tq_after();
@@ 190 void tq3(int a)
		= tq_value(a);
	tq_after();`;
    assert.deepEqual(calls(text, 'tq'), ['tq_test', 'tq_inner']);
    assert.deepEqual(conditions(text, 'tq'), ['…', 'a == 2', 'tq_test(a)']);
    assert.deepEqual(calls(text, 'tq2'), ['tq_value', 'tq_after']);
    assert.deepEqual(calls(text, 'tq3'), ['tq_value', 'tq_after']);
  });

  it('a block whose head is not shown, with an else', () => {
    const text = `@@ 10 void tq(int a)
	{
		tq_first();
	} else
		tq_second();
	tq_third();`;
    assert.deepEqual(calls(text, 'tq'), ['tq_first', 'tq_second', 'tq_third']);
    assert.deepEqual(conditions(text, 'tq'), ['…']);
  });

  it('the tail of an asm statement is unknown assembly', () => {
    const text = `@@ 10 void tq(int a)
			     : : "m" (*tq_where(a)) : "memory");
	tq_after();
@@ 300 void tq2(int a)
		     "mov %0, %%cr3" : : "r" (a));
	tq_after();`;
    for (const name of ['tq', 'tq2']) {
      const { code } = functionNamed(lower(text), name);
      assert.deepEqual(
        code.flatMap(one => (one.op === 'unknown' ? [one.name] : [])),
        ['asm'],
      );
      assert.deepEqual(calls(text, name), ['tq_after']);
    }
  });

  it('types that are arguments, structs that a hunk cuts, heads without a type', () => {
    const text = `@@ 10 tq_bare(int a)
	tq_alloc(struct tq *, a);
	tq_alloc_array(tq_mask_t *, a);
}
@@ 100 int tq_cut(int a)
int tq_cut(int a)
{
	union tq_input {
		u64 raw;
		struct {
			u16 code;
@@ 140 int tq_cut(int a)

	switch (a) {
	case 1:
		tq_one();`;
    assert.deepEqual(calls(text, 'tq_bare'), ['tq_alloc', 'tq_alloc_array']);
    assert.deepEqual(calls(text, 'tq_cut'), ['tq_one']);
  });

  it('heads and statements cut at the end', () => {
    for (const end of [
      '\tif (tq_test(a) &&',
      '\tif (tq_test(a))',
      '\tfor (a = tq_test(a); a <',
      '\twhile (tq_test(a)) {',
      '\tdo {\n\t\ttq_test(a);',
      '\ta = tq_test(a) ?',
      '\tif (tq_test(a)) {\n\t\ta = 1;\n\t} else',
      '\treturn tq_test(a) +',
      '\ttq_test(tq_other(a,',
      '\tswitch (tq_test(a)) {\n\tcase 1:',
      '\tswitch (tq_test(a))',
      '\tstruct tq_s s = {\n\t\t.a = tq_test(a),',
    ]) {
      const text = `@@ 10 void tq(int a)\n\ttq_first();\n${end}`;
      assert.deepEqual(
        calls(text, 'tq').filter(name => name !== 'tq_other'),
        ['tq_first', 'tq_test'],
        end,
      );
    }
  });

  it('a parameter list cut by the start of the hunk', () => {
    const text = `@@ 10 static int tq_range(struct tq_mm *mm, unsigned long start,
			unsigned long end, u8 shift)
{
	return tq_do(mm, start, end, shift);
}`;
    const found = functionNamed(lower(text), 'tq_range');
    assert.deepEqual(
      found.parameters.map(one => one.name),
      ['mm', 'start', 'end', 'shift'],
    );
    assert.deepEqual(calls(text, 'tq_range'), ['tq_do']);
  });

  it('joins the hunks of one function in order; a loop around the gap stays a loop', () => {
    const text = `@@ 10 void tq_other(void)
 */
void tq(struct tq_zone *z, int n)
{
	int i;

	for (i = 0; i < n; ++i) {
		tq_first(z);
@@ 30 void tq(struct tq_zone *z, int n)
		tq_second(z);
	}

	/*
@@ 44 void tq(struct tq_zone *z, int n)
	 */
	tq_last(z);
}`;
    const module = lower(text);
    assert.equal(module.functions.length, 1);
    const { code, partial } = functionNamed(module, 'tq');
    assert.equal(partial, true);
    const at = (callee: string) => code.findIndex(one => one.op === 'call' && one.callee === callee);
    const back = code.findLastIndex((one, index) => one.op === 'jump' && one.target < index);
    assert.ok(at('tq_first') < at('tq_second') && at('tq_second') < back && back < at('tq_last'));
    assert.deepEqual(
      module.findings.map(one => [one.kind, one.line]),
      [
        ['gap', 7],
        ['gap', 12],
      ],
    );
  });

  it('does not join a block across a long gap', () => {
    const text = `@@ 10 void tq(int n)
void tq(int n)
{
	while (n--) {
		tq_first();
@@ 500 void tq(int n)
		tq_second();
	}
}`;
    assert.deepEqual(conditions(text, 'tq'), ['n--', '…']);
  });

  it('a return inside a block that only indentation shows does not end the function', () => {
    const text = `@@ 10 void tq(int n)
			tq_deep();
			return;
@@ 60 void tq(int n)
	tq_last();
}`;
    const { code } = functionNamed(lower(text), 'tq');
    const last = code.findIndex(one => one.op === 'call' && one.callee === 'tq_last');
    assert.ok(
      code.some(one => (one.op === 'jump' || one.op === 'branch') && one.target <= last && one.target > 2),
    );
  });

  it('code behind a gap can be reached though what is shown before it returns', () => {
    const text = `@@ 10 int tq(int n)
int tq(int n)
{
	tq_first();
	return 0;
@@ 60 int tq(int n)
	tq_last();
	return 1;
}`;
    const { code } = functionNamed(lower(text), 'tq');
    const last = code.findIndex(one => one.op === 'call' && one.callee === 'tq_last');
    assert.ok(code.some(one => one.op === 'branch' && one.text === '…' && one.target === last));
    assert.ok(code.some(one => one.op === 'call' && one.callee === 'tq_first'));
  });

  it('break and goto whose target is not shown are unknown, not a guess', () => {
    const text = `@@ 10 void tq(int n)
	if (n)
		goto tq_out;
	if (n == 2)
		break;
	tq_call();`;
    const names = functionNamed(lower(text), 'tq').code.flatMap(one =>
      one.op === 'unknown' ? [one.name] : [],
    );
    assert.deepEqual(names.sort(), ['break', 'tq_out']);
  });

  it('conditionals without their #if or #endif', () => {
    const text = `@@ 10 void tq(void)
	tq_first();
#endif
	tq_second();
#ifdef CONFIG_X86_64
	tq_third();
#else
	tq_not_called();
#endif
#ifdef CONFIG_X86_32
	tq_not_called();`;
    assert.deepEqual(calls(text, 'tq'), ['tq_first', 'tq_second', 'tq_third']);
    assert.equal(lower(text).assumedConfig.get('CONFIG_X86_32'), false);
  });

  it('definitions behind an #else without #if give way to others', () => {
    const text = `@@ 10 
#else
static inline void tq_flush(void) { }
#endif
@@ 80 
static inline void tq_flush(void)
{
	tq_real();
}
void tq_user(void)
{
	tq_flush();
}`;
    const module = lower(text);
    assert.equal(module.functions.filter(one => one.name === 'tq_flush').length, 2);
  });

  it('initialisers and structs cut on both sides', () => {
    const text = `@@ 10 struct tq_ops tq_table = {
	.first = tq_one,
	.mmu.second = tq_two,
	.third = 3,
};
@@ 60 struct tq_info {
	unsigned int cpu;
	u8 shift;
	u8 freed;
@@ 100 void tq_user(struct tq_info *info)
	tq_use(info->shift);
}`;
    const module = lower(text);
    const table = module.variables?.find(one => one.name === 'tq_table');
    assert.equal(table?.partial, true);
    assert.deepEqual(
      table.initialisers.map(one => [
        one.path.join('.'),
        one.value.kind === 'constant' ? one.value.value : one.value,
      ]),
      [
        ['first', { kind: 'address', of: 'function', name: 'tq_one' }],
        ['mmu.second', { kind: 'address', of: 'function', name: 'tq_two' }],
        ['third', 3n],
      ],
    );
    const load = functionNamed(module, 'tq_user').code.find(one => one.op === 'load');
    assert.deepEqual(load?.op === 'load' && load.type, { bits: 8, signed: false });
  });

  it('lines of a macro whose #define is not shown are listed as unread', () => {
    const module = lower(`@@ 10 static void tq(void)
	tq_step(a);						\\
	tq_more(b);						\\
} while (0)

void tq_next(void)
{
	tq_call();
}`);
    assert.deepEqual(
      module.unread.map(one => [one.firstLine, one.lastLine]),
      [[0, 2]],
    );
    assert.equal(functionNamed(module, 'tq_next').unreadable, null);
  });

  it('text that lost its indentation', () => {
    const text = `@@ 10 void tq_load(unsigned long cr3)
tq_flags(flags);

if ( tq_read() & TQ_PGE )
tq_write(cr3);
}

void tq_next(void)
{
tq_call();
}`;
    assert.deepEqual(calls(text, 'tq_load'), ['tq_flags', 'tq_read', 'tq_write']);
    assert.deepEqual(calls(text, 'tq_next'), ['tq_call']);
  });

  it('any stretch of lines of a file is read without a crash, and nothing is half-read', () => {
    fc.assert(
      fc.property(fc.nat(lowerLines.length - 1), fc.nat(40), fc.boolean(), (first, length, heading) => {
        const lines = lowerLines.slice(first, first + length + 1);
        const module = lower(
          `@@ ${first + 1} ${heading ? 'static int tq_sample(struct tq_mm *mm, int n)' : ''}\n${lines.join('\n')}`,
        );
        for (const fn of module.functions) {
          assert.equal(fn.code.length > 0, true);
          if (fn.unreadable !== null)
            assert.deepEqual(
              fn.code.map(one => one.op),
              ['unknown'],
            );
          for (const one of fn.code)
            if (one.op === 'jump' || one.op === 'branch')
              assert.ok(one.target >= 0 && one.target < fn.code.length);
        }
      }),
      { numRuns: 400, seed: 7 },
    );
  });

  it('most stretches of lines of a file can be read', () => {
    let readable = 0;
    let all = 0;
    for (let first = 0; first < lowerLines.length; first++) {
      for (const length of [3, 7, 12]) {
        const text = lowerLines.slice(first, first + length).join('\n');
        const module = lower(`@@ ${first + 1} static int tq_sample(struct tq_mm *mm, int n)\n${text}`);
        all++;
        if (!module.unread.length) readable++;
      }
    }
    assert.ok(readable / all > 0.94, `${readable} of ${all}`);
  });
});
