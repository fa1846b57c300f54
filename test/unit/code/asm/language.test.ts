/** The assembler's language and the C preprocessor above it: macros, conditionals, repetitions, alternatives. */
import assert from 'node:assert/strict';
import { branches, file, find, hunks, lower, operations, routine, run, unknowns } from './support';

const traceOf = (body: string, registers: Readonly<Record<string, bigint>> = {}, features: string[] = []) =>
  run(routine(body), { registers: { rsp: 0x8000n, ...registers }, features }).trace;

describe('assembler macros', () => {
  it('take arguments by comma, blank, name and default', () => {
    const macro =
      '.macro tq_m a, b=$2 c:req\nmovq \\a, %rax\naddq \\b, %rax\naddq \\c, %rax\nmov %rax, %cr3\n.endm\n';
    const values = [
      'tq_m $1 $20 $300',
      'tq_m $1, $20, $300',
      'tq_m c=$300 a=$1 b=$20',
      'tq_m $1, c=$300, b=$20',
    ];
    for (const call of values) assert.deepEqual(traceOf(`${macro}${call}`), ['CR3_WRITE 141'], call);
    assert.deepEqual(traceOf(`${macro}tq_m $1 c=$3`), ['CR3_WRITE 6']);
    assert.deepEqual(traceOf(`${macro}tq_m $1 , , $3`), ['CR3_WRITE 6']);
  });

  it('keep quoted, bracketed and computed arguments together', () => {
    const macro = '.macro tq_m a:req b:req\nmovq $(\\a), %rax\nmovq \\b, %rbx\nmov %rax, %cr3\n.endm\n';
    assert.deepEqual(traceOf(`${macro}tq_m 8 | 2, 8(%rsp)`), ['CR3_WRITE a']);
    assert.deepEqual(traceOf(`${macro}tq_m (1 + 2) (%rsp, %rax, 8)`), ['CR3_WRITE 3']);
    assert.deepEqual(traceOf(`${macro}tq_m "4 + 4" %rax`), ['CR3_WRITE 8']);
  });

  it('substitute \\@, \\() and names inside strings, and number expansions apart', () => {
    const macro = `.macro tq_m reg:req n:req
	ALTERNATIVE "jmp .Lskip_\\@", "movq $\\n, \\reg", X86_FEATURE_PTI
	mov %r\\()di, %cr3
.Lskip_\\@:
.endm
tq_m %rdi 1
tq_m %rdi 2`;
    assert.deepEqual(traceOf(macro, {}, ['PTI']), ['CR3_WRITE 1', 'CR3_WRITE 2']);
    assert.deepEqual(traceOf(macro), []);
  });

  it('build register names from arguments', () => {
    const macro = '.macro tq_m reg:req\nmovl $5, %e\\reg\nmov %r\\reg, %cr3\n.endm\ntq_m di';
    assert.deepEqual(traceOf(macro, { rdi: 0xffffffff00000000n }), ['CR3_WRITE 5']);
    const own = find(lower(file('.macro tq_m reg:req\nmovl $5, %e\\reg\nmov %r\\reg, %cr3\n.endm')), 'tq_m');
    assert.deepEqual(run(own).trace, ['CR3_WRITE 5']);
  });

  it('take the rest as a vararg and reach each other', () => {
    const macros = `.macro tq_all first rest:vararg
	invlpg (\\first)
	.ifnb \\rest
	tq_all \\rest
	.endif
.endm
tq_all %rax, %rbx, %rcx`;
    assert.deepEqual(traceOf(macros, { rax: 1n, rbx: 2n, rcx: 3n }), ['INVLPG 1', 'INVLPG 2', 'INVLPG 3']);
  });

  it('that call themselves as an argument says are unknown there', () => {
    const text = `.macro tq_for from to
.if \\from < \\to
	lfence
	tq_for "(\\from + 1)", \\to
.endif
.endm
SYM_CODE_START(tq_it)
	tq_for 0 3
SYM_CODE_END(tq_it)`;
    const module = lower(file(text));
    assert.deepEqual(unknowns(find(module, 'tq_for')), ['tq_for']);
    assert.deepEqual(operations(find(module, 'tq_it')), ['LFENCE', 'LFENCE', 'LFENCE']);
    assert.deepEqual(module.findings, []);
  });

  it('that are not in sight become calls by name, with the registers they are given', () => {
    const fn = routine('movq $1, %rdi\nTQ_UNSEEN scratch=%rdi, n=3\nmov %rdi, %cr3');
    const call = fn.code.find(instruction => instruction.op === 'call');
    assert.ok(call?.op === 'call');
    assert.equal(call.callee, 'TQ_UNSEEN');
    assert.equal(fn.names[call.args[0]!], 'rdi');
    assert.equal(call.dst, call.args[0]);
    assert.deepEqual(unknowns(fn), []);
  });

  it('that are units of their own name what they expand', () => {
    const text = '.macro tq_a\nlfence\n.endm\n.macro tq_b\ntq_a\n.endm\n.macro tq_c\ntq_b\n.endm';
    const module = lower(file(text));
    assert.deepEqual(find(module, 'tq_c').expands, ['tq_a', 'tq_b']);
    assert.equal(find(module, 'tq_a').expands, undefined);
    assert.deepEqual([find(module, 'tq_b').firstLine, find(module, 'tq_b').lastLine], [3, 5]);
    assert.equal(find(module, 'tq_b').code[0]!.line, 4);
  });

  it('come from the context but are not lowered from there', () => {
    const context = [file('.macro tq_far\nmfence\n.endm\n#define TQ_BIT 3', 'arch/x86/include/asm/tq.h')];
    const module = lower(
      file('SYM_CODE_START(tq_it)\ntq_far\nbts $TQ_BIT, %rax\nmov %rax, %cr3\nSYM_CODE_END(tq_it)'),
      { context },
    );
    assert.deepEqual(
      module.functions.map(({ name }) => name),
      ['tq_it'],
    );
    assert.deepEqual(run(find(module, 'tq_it')).trace, ['MFENCE', 'CR3_WRITE 8']);
  });

  it('know SET_NOFLUSH_BIT and ADJUST_KERNEL_CR3 where their definitions are not in sight', () => {
    assert.deepEqual(traceOf('SET_NOFLUSH_BIT %rax\nmov %rax, %cr3', { rax: 1n }), [
      'CR3_WRITE 8000000000000001',
    ]);
    const adjust = 'ADJUST_KERNEL_CR3 %rax\nmov %rax, %cr3';
    assert.deepEqual(traceOf(adjust, { rax: 0x5802n }), ['CR3_WRITE 4002']);
    assert.deepEqual(traceOf(adjust, { rax: 0x5802n }, ['PCID']), ['CR3_WRITE 8000000000004002']);
    assert.deepEqual(
      traceOf('.macro SET_NOFLUSH_BIT r\nbtr $0, \\r\n.endm\nSET_NOFLUSH_BIT %rax\nmov %rax, %cr3', {
        rax: 3n,
      }),
      ['CR3_WRITE 2'],
    );
  });
});

describe('macros of Xen', () => {
  it('write CR3 with global pages off around it', () => {
    const state = { registers: { CR4_READ: 0x2a0n, rcx: 0x77000n } };
    assert.deepEqual(run(routine('write_cr3 rcx, rdi, rsi'), state).trace, [
      ...['CR4_READ', 'CR4_WRITE 220', 'CR3_WRITE 77000', 'CR4_WRITE 2a0'],
    ]);
  });
});

describe('assembler conditionals and repetitions', () => {
  it('are decided where the operands are known', () => {
    const body = (condition: string): string => `.set tq_x, 4\n${condition}\nlfence\n.else\nmfence\n.endif`;
    const holds: readonly [string, boolean][] = [
      ['.if tq_x == 4', true],
      ['.if tq_x - 4', false],
      ['.ifne tq_x', true],
      ['.ifeq tq_x', false],
      ['.ifgt tq_x', true],
      ['.iflt tq_x', false],
      ['.ifb', true],
      ['.ifnb', false],
      ['.ifc %rax, %rax', true],
      ['.ifnc a, b', true],
      ['.ifeqs "a", "b"', false],
      ['.ifdef tq_x', true],
      ['.ifndef tq_x', false],
      ['.ifdef tq_y', false],
      ['.if 1 + 2 << 1 == 5', true],
      ['.if (tq_x > 3) && (tq_x < 9)', true],
    ];
    for (const [condition, value] of holds)
      assert.deepEqual(operations(routine(body(condition))), [value ? 'LFENCE' : 'MFENCE'], condition);
  });

  it('go through .elseif in order', () => {
    const text = `.macro tq_pick n
.if \\n == 1
	lfence
.elseif \\n == 2
	mfence
.else
	cpuid
.endif
.endm
tq_pick 1
tq_pick 2
tq_pick 7`;
    assert.deepEqual(operations(routine(text)), ['LFENCE', 'MFENCE', 'SERIALIZE']);
    const own = find(lower(file(text.slice(0, text.indexOf('tq_pick 1')))), 'tq_pick');
    assert.deepEqual(branches(own), ['\\n == 1', '\\n == 2']);
    assert.deepEqual(run(own, { registers: { n: 2n } }).trace, ['MFENCE']);
    assert.deepEqual(run(own, { registers: { n: 3n } }).trace.slice(0, 1), ['SERIALIZE']);
  });

  it('repeat with .rept, .irp and .irpc', () => {
    assert.equal(operations(routine('.rept 2 + 1\nlfence\n.endr')).length, 3);
    assert.deepEqual(traceOf('.irp r, %rax, %rbx\ninvlpg (\\r)\n.endr', { rax: 1n, rbx: 2n }), [
      'INVLPG 1',
      'INVLPG 2',
    ]);
    assert.deepEqual(traceOf('.irpc r, ab\ninvlpg (%r\\r\\()x)\n.endr', { rax: 1n, rbx: 2n }), [
      'INVLPG 1',
      'INVLPG 2',
    ]);
  });
});

describe('assembler expressions', () => {
  it('have the values that GNU as 2.40 gives them', () => {
    const values: readonly [string, bigint][] = [
      ['1 + 2 << 1', 5n],
      ['1 | 2 + 4', 7n],
      ['010 - 0x10 <= 0x10 + 4096', -1n],
      ['2 || 2', 1n],
      ['1 - !4096', 1n],
      ['-2 >> 63', 1n],
      ['~0x10 >> 2', 0x3ffffffffffffffbn],
      ['7 << 64', 0n],
      ['-7 / 2', -3n],
      ['63 & 4096 * 1 - 010 == 0b101 + 2', 0n],
    ];
    for (const [text, value] of values) {
      const expected = BigInt.asUintN(64, value).toString(16);
      assert.deepEqual(traceOf(`movabs $${text}, %rax\nmov %rax, %cr3`), [`CR3_WRITE ${expected}`], text);
    }
  });
});

describe('alternatives', () => {
  it('let the later feature win', () => {
    const body = 'ALTERNATIVE_2 "lfence", "mfence", X86_FEATURE_TQ_A, "cpuid", X86_FEATURE_TQ_B';
    assert.deepEqual(traceOf(body), ['LFENCE']);
    assert.deepEqual(traceOf(body, {}, ['TQ_A']), ['MFENCE']);
    assert.equal(traceOf(body, {}, ['TQ_B'])[0], 'SERIALIZE');
    assert.equal(traceOf(body, {}, ['TQ_A', 'TQ_B'])[0], 'SERIALIZE');
  });

  it('hold several instructions, macros, jumps, nothing, and text that is not quoted', () => {
    const macro = '.macro tq_one\nlfence\n.endm\n';
    assert.deepEqual(traceOf(`${macro}ALTERNATIVE "", "tq_one; mfence", X86_FEATURE_TQ`, {}, ['TQ']), [
      'LFENCE',
      'MFENCE',
    ]);
    assert.deepEqual(traceOf(`${macro}ALTERNATIVE "", tq_one, X86_FEATURE_TQ`, {}, ['TQ']), ['LFENCE']);
    const jump = 'ALTERNATIVE "", "jmp 1f", X86_FEATURE_TQ\nlfence\n1:\nmfence';
    assert.deepEqual(traceOf(jump), ['LFENCE', 'MFENCE']);
    assert.deepEqual(traceOf(jump, {}, ['TQ']), ['MFENCE']);
    const lines = 'ALTERNATIVE "lfence", \\\n	"mfence", \\\n	X86_FEATURE_TQ';
    assert.deepEqual(traceOf(lines), ['LFENCE']);
    const stringified = '#define TQ_SEQ lfence; mfence\nALTERNATIVE "", __stringify(TQ_SEQ), X86_FEATURE_TQ';
    assert.deepEqual(traceOf(stringified, {}, ['TQ']), ['LFENCE', 'MFENCE']);
  });

  it('ask for the absence of a feature, or for none', () => {
    const absent = 'ALTERNATIVE "", "lfence", ALT_NOT(X86_FEATURE_XENPV)';
    assert.deepEqual(traceOf(absent), ['LFENCE']);
    assert.deepEqual(traceOf(absent, {}, ['XENPV']), []);
    const ternary = 'ALTERNATIVE_TERNARY("nop", X86_FEATURE_TQ, "lfence", "mfence")';
    assert.deepEqual(traceOf(ternary), ['MFENCE']);
    assert.deepEqual(traceOf(ternary, {}, ['TQ']), ['LFENCE']);
    assert.deepEqual(
      traceOf('ALTERNATIVE_2 "lfence", "mfence", X86_FEATURE_ALWAYS, "cpuid", X86_FEATURE_TQ'),
      ['MFENCE'],
    );
  });

  it('become feature tests without their prefix', () => {
    const fn = routine(
      'ALTERNATIVE "", "mfence", X86_BUG_TQ_FENCE\nALTERNATIVE "", "lfence", X86_FEATURE_PTI',
    );
    const features = fn.code.flatMap(instruction =>
      instruction.op === 'feature' ? [instruction.feature] : [],
    );
    assert.deepEqual(features, ['X86_BUG_TQ_FENCE', 'PTI']);
  });
});

describe('labels', () => {
  it('of digits go back and forth', () => {
    const loop = 'movl $3, %ecx\n1: invlpg (%rcx)\ndecl %ecx\njz 1f\njmp 1b\n1: lfence';
    assert.deepEqual(traceOf(loop), ['INVLPG 3', 'INVLPG 2', 'INVLPG 1', 'LFENCE']);
  });

  it('out of line are entered by their condition only (Xen)', () => {
    const text = `	testq %rax, %rax
UNLIKELY_START(nz, tq_tag)
	lfence
UNLIKELY_END(tq_tag)
	mfence`;
    assert.deepEqual(traceOf(text, { rax: 1n }), ['LFENCE', 'MFENCE']);
    assert.deepEqual(traceOf(text), ['MFENCE']);
  });

  it('in another section are not run into', () => {
    const text = 'jnz 2f\nlfence\n.pushsection .text.tq, "ax"\n2: mfence\njmp 3f\n.popsection\n3: cpuid';
    assert.deepEqual(run(routine(`testq %rax, %rax\n${text}`)).trace[0], 'LFENCE');
    assert.deepEqual(traceOf('lfence\n.pushsection .tq_data, "a"\n.long 1, 2\nmfence\n.popsection'), [
      'LFENCE',
    ]);
  });

  it('of the stack end (Xen) are computed from RSP', () => {
    const fn = routine('GET_STACK_END(14)\nmov STACK_CPUINFO_FIELD(xen_cr3)(%r14), %rcx\nmov %rcx, %cr3');
    assert.deepEqual(unknowns(fn), []);
    assert.deepEqual(operations(fn), ['CR3_WRITE']);
    assert.ok(fn.names.includes('r14'));
  });
});

describe('preprocessor', () => {
  it('follows conditionals under the configuration and says what it assumed', () => {
    const text = `SYM_CODE_START(tq_it)
#ifdef CONFIG_TQ_ON
	lfence
#else
	mfence
#endif
#if defined(CONFIG_TQ_A) && !IS_ENABLED(CONFIG_TQ_B)
	cpuid
#elif 0
	vmcall
#endif
#ifndef __ASSEMBLY__
	tlbsync
#endif
SYM_CODE_END(tq_it)`;
    const config = new Map([['CONFIG_TQ_B', false]]);
    const on = lower(file(text), { config });
    assert.deepEqual(operations(find(on, 'tq_it')), ['LFENCE', 'SERIALIZE']);
    assert.equal(on.assumedConfig.get('CONFIG_TQ_ON'), true);
    assert.equal(on.assumedConfig.get('CONFIG_TQ_B'), false);
    const off = lower(file(text), { config: new Map([['CONFIG_TQ_ON', false]]) });
    assert.deepEqual(operations(find(off, 'tq_it')), ['MFENCE']);
  });

  it('expands macros like objects and functions, with # and ##', () => {
    const text = `#define TQ_SHIFT 4
#define TQ_MASK (1 << TQ_SHIFT)
#define TQ_LOAD(reg, val) movq $(val), %r##reg; \\
	mov %r##reg, %cr3
SYM_CODE_START(tq_it)
	TQ_LOAD(ax, TQ_MASK | 1)
SYM_CODE_END(tq_it)`;
    assert.deepEqual(run(find(lower(file(text)), 'tq_it')).trace, ['CR3_WRITE 11']);
  });

  it('does not expand a name inside its own expansion, also not as an argument', () => {
    const text = `#define TQ_SELF(x) TQ_SELF x, TQ_SELF
#define TQ_SAME(x) x
SYM_CODE_START(tq_it)
	TQ_SAME(TQ_SELF(%rax))
SYM_CODE_END(tq_it)`;
    const call = find(lower(file(text)), 'tq_it').code[0];
    assert.ok(call?.op === 'call');
    assert.equal(call.text, 'TQ_SELF %rax, TQ_SELF');
  });

  it('does not take the $ of an immediate for a part of the name', () => {
    assert.deepEqual(traceOf('#define TQ_BIT 63\nbts $TQ_BIT, %rax\nmov %rax, %cr3'), [
      'CR3_WRITE 8000000000000000',
    ]);
  });

  it('reads comments of every kind, over several lines', () => {
    const text =
      '/* mfence\n mfence */ lfence # mfence\n// mfence\n# mfence\nlfence /* a */ // b\n/* x */ lfence ; /* ; */ lfence';
    assert.equal(operations(routine(text)).join(), 'LFENCE,LFENCE,LFENCE,LFENCE');
  });

  it('starts inside a comment where a hunk does', () => {
    const unit = hunks([
      { at: 40, heading: 'tq_routine:', text: ' * mfence is bad\n */\n	lfence\n/* mfence\n	mfence' },
    ]);
    assert.deepEqual(operations(find(lower(unit), 'tq_routine')), ['LFENCE']);
  });

  it('lists changed lines behind an #else whose #if is not shown', () => {
    const unit = hunks([
      { at: 9, text: '.macro tq_m\n	lfence\n.endm\n#else\n+.macro tq_m\n+	mfence\n+.endm\n#endif' },
    ]);
    const module = lower(unit);
    assert.deepEqual(operations(find(module, 'tq_m')), ['LFENCE']);
    assert.deepEqual(
      module.unread.map(({ firstLine, lastLine }) => [firstLine, lastLine]),
      [[3, 7]],
    );
  });

  it('uses a definition that only a later hunk shows', () => {
    const unit = hunks([
      { at: 1, text: 'SYM_CODE_START(tq_it)\n	bts $TQ_BIT, %rax\n	mov %rax, %cr3\nSYM_CODE_END(tq_it)' },
      { at: 90, text: '#define TQ_BIT 1' },
    ]);
    assert.deepEqual(run(find(lower(unit), 'tq_it')).trace, ['CR3_WRITE 2']);
  });
});
