import assert from 'node:assert/strict';
import type { Hardware } from '../../../src/machine/hardware';
import { lowerC } from '../../../src/code/lowerC';
import { fileUnit, loadParser } from '../code/c/support';
import type { Primitive } from '../../../src/vm/primitives';
import { findFunction } from '../../../src/vm/program';
import { assembled, call, lowered, machineFor, operations, resultOf } from './support';

const ones = (1n << 64n) - 1n;

describe('C programs on the VM', () => {
  before(loadParser);

  it('adds the numbers of a loop', () => {
    const text =
      'unsigned long tq_sum(int n) { unsigned long s = 0; int i; for (i = 1; i <= n; i++) s += i; return s; }';
    assert.equal(call(text, 'tq_sum', [100n]), 5050n);
  });

  it('keeps C integers: promotion, wrap-around, sign, truncation on store', () => {
    const text = `
struct tq_s { u16 id; s8 small; bool flag; };
struct tq_s tq_it;
unsigned long tq_wrap(void) { tq_it.id = 0xffff; tq_it.id = tq_it.id + 1; return tq_it.id; }
unsigned long tq_promoted(u16 a, u16 b) { return a - b < 0; }
unsigned long tq_minus_one(void) { return -1UL; }
long tq_small(int v) { tq_it.small = v; return tq_it.small; }
unsigned long tq_bool(int v) { tq_it.flag = v; return tq_it.flag; }
unsigned long tq_shift(int n) { return 1UL << n; }
long tq_divide(long a, long b) { return a / b * 1000 + a % b; }
unsigned int tq_unsigned(unsigned int a) { return a - 1; }
`;
    assert.equal(call(text, 'tq_wrap'), 0n);
    assert.equal(call(text, 'tq_promoted', [1n, 2n]), 1n);
    assert.equal(call(text, 'tq_minus_one'), ones);
    assert.equal(call(text, 'tq_small', [200n]), ones - 55n);
    assert.equal(call(text, 'tq_bool', [256n]), 1n);
    assert.equal(call(text, 'tq_shift', [63n]), 1n << 63n);
    assert.equal(call(text, 'tq_divide', [ones - 6n, 2n]), BigInt.asUintN(64, -3n * 1000n - 1n));
    assert.equal(call(text, 'tq_unsigned', [0n]), 0xffff_ffffn);
  });

  it('follows pointers, arrays of structs, nested structs and functions', () => {
    const text = `
struct tq_inner { unsigned long gen; u32 id; };
struct tq_outer { int before; struct tq_inner in[4]; unsigned long after; };
struct tq_outer tq_all = { .after = 7, .in = { [2] = { .gen = 40 } } };
typedef unsigned long (*tq_fn)(struct tq_inner *i);
static unsigned long tq_read(struct tq_inner *i) { return i->gen + i->id; }
static unsigned long tq_through(tq_fn fn, struct tq_inner *i) { return fn(i); }
unsigned long tq_go(int at)
{
	struct tq_inner *p = &tq_all.in[at];
	p->id = at;
	return tq_through(tq_read, p) + tq_all.after;
}
unsigned long tq_distance(void) { return &tq_all.in[3] - &tq_all.in[0]; }
`;
    assert.equal(call(text, 'tq_go', [2n]), 40n + 2n + 7n);
    assert.equal(call(text, 'tq_distance'), 3n);
  });

  it('keeps variables whose address is taken in memory, a fresh one for each call', () => {
    const text = `
static void tq_put(unsigned long *where, unsigned long v) { *where = v; }
unsigned long tq_fact(unsigned long n)
{
	unsigned long r;
	if (n < 2) return 1;
	tq_put(&r, tq_fact(n - 1));
	return r * n;
}`;
    assert.equal(call(text, 'tq_fact', [20n]), 2432902008176640000n);
  });

  it('stops at a variable that was never set, and says which', () => {
    const text = `
unsigned long tq_bad(int c)
{
	unsigned long x;
	if (c)
		x = 5;
	return x + 1;
}`;
    assert.equal(call(text, 'tq_bad', [1n]), 6n);
    const vm = machineFor([lowered(text)], { tasks: [[{ function: 'tq_bad', args: [0n] }]] });
    vm.run(1000);
    const { verdict, name, position } = vm.ending;
    assert.deepEqual({ verdict, name, line: position.line }, { verdict: 'unknown', name: 'x', line: 7 });
  });

  it('stops at an unknown callee, at a null pointer and at a division by zero, with the line', () => {
    const text = `
struct tq_s { unsigned long a; };
unsigned long tq_call(int c)
{
	if (c)
		tq_nobody_knows(c);
	return 1;
}
unsigned long tq_null(struct tq_s *s)
{
	return s->a;
}
int tq_div(int a, int b) { return a / b; }
`;
    assert.equal(call(text, 'tq_call', [0n]), 1n);
    const stops = (fn: string, args: bigint[]): unknown => {
      const vm = machineFor([lowered(text)], { tasks: [[{ function: fn, args }]] });
      vm.run(1000);
      const { verdict, name, position } = vm.ending;
      return [verdict, name, position.line];
    };
    assert.deepEqual(stops('tq_call', [1n]), ['unknown', 'tq_nobody_knows', 6]);
    assert.deepEqual(stops('tq_null', [0n]), ['fault', '', 11]);
    assert.deepEqual(stops('tq_div', [1n, 0n]), ['fault', '', 13]);
  });

  it('answers features from the given set, static keys from theirs', () => {
    const text = `
DEFINE_STATIC_KEY_FALSE(tq_key);
int tq_features(void)
{
	int r = 0;
	if (static_cpu_has(X86_FEATURE_PTI)) r |= 1;
	if (this_cpu_has(X86_FEATURE_INVPCID)) r |= 2;
	if (static_branch_unlikely(&tq_key)) r |= 4;
	if (IS_ENABLED(CONFIG_SMP)) r |= 8;
	return r;
}`;
    assert.equal(call(text, 'tq_features', [], { features: new Set(['PTI']) }), 9n);
    assert.equal(
      call(text, 'tq_features', [], { features: new Set(['INVPCID']), keys: new Map([['tq_key', true]]) }),
      14n,
    );
    assert.equal(
      call(text, 'tq_features', [], {
        features: new Set(['tq_key']),
        config: new Map([['CONFIG_SMP', false]]),
      }),
      4n,
    );
  });

  it('gives each CPU its own per-CPU variables, reachable from others', () => {
    const text = `
struct tq_state { unsigned long own; u16 seen; };
DEFINE_PER_CPU(struct tq_state, tq_state);
void tq_set(unsigned long v) { this_cpu_write(tq_state.own, v + smp_processor_id()); }
unsigned long tq_other(int cpu) { return per_cpu(tq_state.own, cpu) * 100 + *per_cpu_ptr(&tq_state.own, 1); }
unsigned long tq_count(void) { this_cpu_inc(tq_state.seen); return this_cpu_add_return(tq_state.seen, 0xffff); }
`;
    const vm = machineFor([lowered(text)], {
      cpus: 2,
      tasks: [[{ function: 'tq_set', args: [10n] }], [{ function: 'tq_set', args: [20n] }]],
    });
    vm.run(1000);
    assert.equal(vm.read(['tq_state', 'own'], 0), 10n);
    assert.equal(vm.read(['tq_state', 'own'], 1), 21n);
    assert.equal(call(text, 'tq_count'), 0n);
    const both = machineFor([lowered(text)], {
      cpus: 2,
      tasks: [
        [
          { function: 'tq_set', args: [1n] },
          { function: 'tq_other', args: [0n] },
        ],
        [{ function: 'tq_set', args: [2n] }],
      ],
    });
    assert.equal(resultOf(both), 103n);
  });

  it('issues operations with their values', () => {
    const text = `
static inline void tq_invlpg(unsigned long addr) { asm volatile("invlpg (%0)" ::"r" (addr) : "memory"); }
void tq_go(void) { tq_invlpg(0x7000); asm volatile("mov %0,%%cr3" : : "r" (0x8000000000002001UL)); }
`;
    const vm = machineFor([lowered(text)], { tasks: [[{ function: 'tq_go' }]] });
    resultOf(vm);
    assert.deepEqual(operations(vm), ['INVLPG', 'CR3_WRITE']);
    assert.equal(vm.machine.x86!.cr3Lo(0), 0x2001);
    assert.equal(vm.machine.x86!.cr3Hi(0), 0);
  });
});

describe('primitives of other rooms', () => {
  before(loadParser);

  it('raise exceptions, whose handler runs before the primitive runs again', () => {
    const text = `
unsigned long tq_present;
unsigned long tq_faults;
void tq_fault(unsigned long addr) { tq_present = addr; tq_faults++; }
unsigned long tq_go(unsigned long addr) { return tq_access(addr, 0) + tq_access(addr, 0); }`;
    const access: Primitive = core => {
      const slot = vm.slot(['tq_present'])!;
      if (core.memoryLo[slot] === core.args[0]) return core.give(core.args[0]!, 0);
      return core.exception(findFunction(core.program, 'tq_fault'), true);
    };
    const primitives = new Map([['tq_access', access]]);
    const vm = machineFor([lowered(text)], {
      primitives,
      link: { primitives },
      tasks: [[{ function: 'tq_go', args: [0x5000n] }]],
    });
    assert.equal(resultOf(vm), 0xa000n);
    assert.equal(vm.read(['tq_faults']), 1n);
    assert.ok(vm.machine.interrupts.enabled(0));
  });
});

describe('AMD on the VM', () => {
  before(loadParser);

  it('INVLPGB takes address, count and PCID; nothing is complete before the TLBSYNC of the same CPU', () => {
    const text = `
static inline void tq_broadcast(unsigned long a, unsigned long c, unsigned long d)
{
	asm volatile(".byte 0x0f, 0x01, 0xfe" :: "a" (a), "c" (c), "d" (d));
}
void tq_go(void) { tq_broadcast(0x7003, 2, 5 << 16); }
void tq_sync(void) { asm volatile(".byte 0x0f, 0x01, 0xff" ::: "memory"); }`;
    const inFlight = (functions: readonly string[]): number => {
      const tasks = [functions.map(name => ({ function: name }))];
      const vm = machineFor([lowered(text)], { ...{ cpus: 3, hardware: {}, profile: 'zen4' }, tasks });
      resultOf(vm);
      return (vm.machine as Hardware).broadcasts.inFlight;
    };
    assert.equal(inFlight(['tq_go', 'tq_go']), 2);
    assert.equal(inFlight(['tq_go', 'tq_sync']), 0);
    assert.equal(inFlight(['tq_sync', 'tq_go']), 1);
  });

  it('INVLPGB is #UD on a machine without it, with its line', () => {
    const text = 'void tq_go(void) {\n\tasm volatile("invlpgb" :: "a" (0), "c" (0), "d" (0));\n}';
    const vm = machineFor([lowered(text)], { hardware: {}, tasks: [[{ function: 'tq_go' }]] });
    vm.run(100);
    assert.deepEqual([vm.ending.verdict, vm.ending.name, vm.ending.position.line], ['fault', '#UD', 2]);
  });
});

describe('arm64 on the VM', () => {
  before(loadParser);

  it('issues TLBIs and barriers in the form that the code spells', () => {
    const unit = fileUnit(
      'arch/arm64/mm/tq.c',
      `
void tq_page(unsigned long addr)
{
	dsb(ishst);
	__tlbi(vale1is, addr >> 12);
	asm volatile("tlbi aside1, %0" : : "r" (addr));
	dsb(ish);
	isb();
}`,
    );
    const module = lowerC([unit], { architecture: 'arm64', config: new Map() });
    const vm = machineFor([module], {
      ...{ cpus: 2, hardware: {}, profile: 'cortex-a72' },
      tasks: [[{ function: 'tq_page', args: [0x7000n] }]],
    });
    resultOf(vm);
    assert.deepEqual(operations(vm), ['DSB', 'TLBI_VA_IS', 'TLBI_ASID', 'DSB', 'ISB']);
    assert.deepEqual(vm.core.program.operationForms, ['ishst', 'vale1is', 'aside1', 'ish', '']);
  });

  it('calls assembly routines and is called by them', () => {
    const asm = assembled(
      `
SYM_FUNC_START(tq_double)
	add	x0, x0, x1
	b	tq_c
SYM_FUNC_END(tq_double)
`,
      'arch/arm64/kernel/tq.S',
    );
    const c = lowered(
      `
unsigned long tq_double(unsigned long a, unsigned long b);
unsigned long tq_c(unsigned long v) { return v * 10; }
unsigned long tq_go(unsigned long v) { return tq_double(v, 2) + 1; }`,
      'arch/arm64/mm/tq.c',
    );
    const vm = machineFor([c, asm], { tasks: [[{ function: 'tq_go', args: [5n] }]] });
    assert.equal(resultOf(vm), 71n);
  });

  it('calls instructions of the other architecture unknown', () => {
    const module = lowered('void tq_go(void) { asm volatile("invlpg (%0)" ::"r" (0x1000UL) : "memory"); }');
    const vm = machineFor([module], {
      hardware: {},
      profile: 'cortex-a72',
      tasks: [[{ function: 'tq_go' }]],
    });
    vm.run(100);
    assert.equal(vm.ending.verdict, 'unknown');
  });
});

describe('assembly on the VM', () => {
  before(loadParser);

  it('keeps the upper bits when a byte is moved into %cl', () => {
    const asm = assembled(`
SYM_FUNC_START(tq_partial)
	movq	%rdi, %rcx
	movb	$0x7f, %cl
	movq	%rcx, %rax
	RET
SYM_FUNC_END(tq_partial)
`);
    const c = lowered(
      'unsigned long tq_partial(unsigned long v);\nunsigned long tq_go(unsigned long v) { return tq_partial(v); }',
    );
    const vm = machineFor([c, asm], { tasks: [[{ function: 'tq_go', args: [0x1122_3344_5566_7788n] }]] });
    assert.equal(resultOf(vm), 0x1122_3344_5566_777fn);
  });

  it('pushes, pops, calls routines and C, and loops', () => {
    const asm = assembled(`
SYM_FUNC_START(tq_outer)
	pushq	%rbx
	movq	%rdi, %rbx
	xorl	%eax, %eax
.Lagain:
	addq	%rbx, %rax
	decq	%rbx
	jnz	.Lagain
	movq	%rax, %rdi
	call	tq_inner
	movq	8(%rsp), %rdx
	popq	%rbx
	RET
SYM_FUNC_END(tq_outer)
SYM_FUNC_START(tq_inner)
	pushq	%rdi
	call	tq_c
	popq	%rdi
	addq	%rdi, %rax
	RET
SYM_FUNC_END(tq_inner)
`);
    const c = lowered(`
unsigned long tq_c(unsigned long v) { return v * 1000; }
unsigned long tq_outer(unsigned long v);
unsigned long tq_go(unsigned long v) { return tq_outer(v); }`);
    const vm = machineFor([c, asm], { tasks: [[{ function: 'tq_go', args: [4n] }]] });
    // 4 + 3 + 2 + 1 = 10; then 10 × 1000 + 10.
    vm.run(10000);
    assert.equal(vm.ending.verdict, 'unknown');
  });

  it('gives what it computes to C, and takes what C returns', () => {
    const asm = assembled(`
SYM_FUNC_START(tq_outer)
	pushq	%rbx
	movq	%rdi, %rbx
	xorl	%eax, %eax
.Lagain:
	addq	%rbx, %rax
	decq	%rbx
	jnz	.Lagain
	movq	%rax, %rdi
	call	tq_inner
	popq	%rbx
	RET
SYM_FUNC_END(tq_outer)
SYM_FUNC_START(tq_inner)
	pushq	%rdi
	call	tq_c
	popq	%rdi
	addq	%rdi, %rax
	jmp	tq_last
SYM_FUNC_END(tq_inner)
SYM_FUNC_START(tq_last)
	addq	$1, %rax
	RET
SYM_FUNC_END(tq_last)
`);
    const c = lowered(`
unsigned long tq_c(unsigned long v) { return v * 1000; }
unsigned long tq_outer(unsigned long v);
unsigned long tq_go(unsigned long v) { return tq_outer(v) * 2; }`);
    const vm = machineFor([c, asm], { tasks: [[{ function: 'tq_go', args: [4n] }]] });
    // 4 + 3 + 2 + 1 = 10; then 10 × 1000 + 10 + 1.
    assert.equal(resultOf(vm), 2n * 10_011n);
  });

  it('takes constants that it is given, and stops at others', () => {
    const asm = assembled(`
SYM_FUNC_START(tq_constant)
	movq	$TQ_VALUE, %rax
	addq	$TQ_VALUE, %rax
	RET
SYM_FUNC_END(tq_constant)
`);
    const c = lowered(
      'unsigned long tq_constant(void);\nunsigned long tq_go(void) { return tq_constant(); }',
    );
    const tasks = [[{ function: 'tq_go' }]];
    const given = machineFor([c, asm], { tasks, link: { constants: new Map([['TQ_VALUE', 21n]]) } });
    assert.equal(resultOf(given), 42n);
    const missing = machineFor([c, asm], { tasks });
    missing.run(100);
    assert.deepEqual([missing.ending.verdict, missing.ending.name], ['unknown', 'TQ_VALUE']);
  });

  it('shows the hardware’s frame to an interrupt handler, which leaves by iretq', () => {
    const asm = assembled(`
SYM_CODE_START(tq_handler)
	pushq	%rax
	movq	$0x77, %rax
	call	tq_note
	popq	%rax
	iretq
SYM_CODE_END(tq_handler)
`);
    const c = lowered(`
unsigned long tq_seen;
void tq_note(void) { tq_seen++; }
unsigned long tq_work(unsigned long n) { unsigned long s = 0; while (n--) s += n; return s; }`);
    const vm = machineFor([c, asm], {
      tasks: [[{ function: 'tq_work', args: [200n] }]],
      handlers: new Map([[2, 'tq_handler']]),
    });
    const rsp = 2 * vm.core.program.machineRegisters.indexOf('rsp');
    const before = vm.core.machineRegisters[rsp];
    for (let times = 0; times < 3; times++) {
      vm.run(100);
      vm.machine.interrupts.raise(0, 2);
      vm.core.poke(0);
    }
    assert.equal(resultOf(vm), 19900n);
    assert.equal(vm.read(['tq_seen']), 3n);
    assert.equal(vm.core.machineRegisters[rsp], before);
  });
});
