/** What is reported about macros, and what is not. */
import assert from 'node:assert/strict';
import { file, hunks, lower } from './support';

const messages = (text: string): string[] => lower(file(text)).findings.map(({ message }) => message);

describe('findings on assembly', () => {
  it('speak of registers that a macro with scratch parameters overwrites besides', () => {
    assert.deepEqual(messages('.macro tq_m scratch:req\n	mov %cr3, \\scratch\n	movq \\scratch, %rcx\n.endm'), [
      'tq_m overwrites %rcx, which its caller did not hand over and which it does not save.',
    ]);
    assert.equal(
      messages('.macro tq_m scratch:req\n	mov %cr3, \\scratch\n	TQ_UNSEEN scratch_reg=%rdx\n.endm').length,
      1,
    );
  });

  it('are silent about registers that are saved, handed over by default, or documented', () => {
    const quiet = [
      // Saved on the stack or in another register.
      '.macro tq_m scratch:req\n	pushq %rcx\n	movq \\scratch, %rcx\n	movq %rcx, \\scratch\n	popq %rcx\n.endm',
      '.macro tq_m scratch:req\n	movq %rcx, \\scratch\n	xorl %ecx, %ecx\n	movq \\scratch, %rcx\n.endm',
      // The parameter names it.
      '.macro tq_m reg=%rcx\n	mov %cr3, \\reg\n.endm',
      // A comment says so.
      '/* Clobbers rcx. */\n.macro tq_m scratch:req\n	mov %cr3, \\scratch\n	movq \\scratch, %rcx\n.endm',
      '.macro tq_m scratch:req /* clob: cx */\n	mov %cr3, \\scratch\n	movq \\scratch, %rcx\n.endm',
      // Macros that work in fixed registers by convention.
      '.macro tq_clear\n	xorl %esi, %esi\n	xorl %edx, %edx\n.endm',
      '.macro tq_push save=0\n	pushq %rdi\n	pushq %rsi\n	xorl %esi, %esi\n.if \\save\n	pushq %rax\n.endif\n.endm',
      '.macro tq_pop\n	popq %rdi\n	popq %rsi\n.endm',
      '.macro tq_set val:req\n	movl $\\val, %ecx\n	wrmsr\n.endm',
    ];
    for (const text of quiet) assert.deepEqual(messages(text), [], text);
  });

  it('speak of required parameters without a use, but not of stubs', () => {
    assert.deepEqual(messages('.macro tq_m a:req b:req\n	invlpg (\\a)\n.endm'), [
      'tq_m requires the parameter b and never uses it.',
    ]);
    const quiet = [
      '.macro tq_m a:req b:req\n.endm',
      '.macro tq_m a:req b\n	invlpg (\\a)\n.endm',
      '.macro tq_m a:req b:req\n	ALTERNATIVE "", "invlpg (\\a)", \\b\n.endm',
      '.macro tq_m a:req\n	invlpg (%r\\a\\()x)\n.endm',
      '.macro tq_m a:req\n	tq_other reg=\\a\n.endm',
    ];
    for (const text of quiet) assert.deepEqual(messages(text), [], text);
  });

  it('speak of directives that do not pair up', () => {
    const nesting = (text: string) => lower(file(text)).findings.map(({ kind, line }) => [kind, line]);
    assert.deepEqual(nesting('.macro tq_m\n	lfence'), [['nesting', 0]]);
    assert.deepEqual(nesting('	lfence\n.endm'), [['nesting', 1]]);
    assert.deepEqual(nesting('.macro tq_m\n.if 1\n	lfence\n.endm'), [['nesting', 1]]);
    assert.deepEqual(nesting('.macro tq_m\n	lfence\n.endif\n.endm'), [['nesting', 2]]);
    assert.deepEqual(nesting('.macro tq_m\n.if 1\n.else\n.else\n.endif\n.endm'), [['nesting', 3]]);
    assert.deepEqual(nesting('.macro tq_m\n.rept 2\n.endif\n.endr\n.endm').length, 1);
  });

  it('stay with the lines of the change', () => {
    const macro = '.macro tq_m scratch:req unused:req\n	mov %cr3, \\scratch\n	movq \\scratch, %rcx\n.endm';
    assert.deepEqual(lower(hunks([{ at: 1, text: macro }])).findings, []);
    const changed = macro.replace('	movq', '+	movq');
    assert.deepEqual(
      lower(hunks([{ at: 1, text: changed }])).findings.map(({ kind, line }) => [kind, line]),
      [
        ['unused-parameter', 0],
        ['clobbered-register', 2],
      ],
    );
    // Part of the macro is not shown, so nothing can be said.
    const partial = hunks([
      { at: 1, text: '+.macro tq_m scratch:req unused:req\n+	mov %cr3, \\scratch\n+	movq \\scratch, %rcx' },
      { at: 20, text: '.endm' },
    ]);
    assert.deepEqual(lower(partial).findings, []);
  });
});
