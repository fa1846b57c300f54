/** Entry code as patches show it: deferred flushes, a no-flush bit, hunks with gaps. */
import assert from 'node:assert/strict';
import { branches, file, find, hunks, lower, operations, run, unknowns } from './support';

const exitMacro = `.macro TQ_LEAVE reg:req
	ALTERNATIVE "jmp .Ltq_out_\\@", "", X86_FEATURE_PTI
	movq	PER_CPU_VAR(tq_root), \\reg
	mov	\\reg, %cr3
	btr	$3, PER_CPU_VAR(tq_flag)
	jnc	.Ltq_out_\\@
	movq	PER_CPU_VAR(tq_from), \\reg
.Ltq_again_\\@:
	invlpg	(\\reg)
	addq	$PAGE_SIZE, \\reg
	cmpq	PER_CPU_VAR(tq_to), \\reg
	jb	.Ltq_again_\\@
	lfence
.Ltq_out_\\@:
.endm`;

describe('entry code', () => {
  it('runs a loop of INVLPG over a pending range behind the CR3 write', () => {
    const macro = find(lower(hunks([{ at: 40, text: exitMacro }])), 'TQ_LEAVE');
    assert.equal(macro.kind, 'asm-macro');
    assert.deepEqual(macro.parameters, [{ name: 'reg', type: 'register' }]);
    assert.equal(macro.partial, false);
    assert.deepEqual(unknowns(macro), []);
    const addresses = { tq_root: 0x1000n, tq_flag: 0x1008n, tq_from: 0x1010n, tq_to: 0x1018n };
    const memory = new Map([
      [0x1000n, 0x8000000000abc801n],
      [0x1008n, 0x1fn],
      [0x1010n, 0x40000n],
      [0x1018n, 0x43000n],
    ]);
    // Three pages from 0x40000 up to 0x43000; bit 3 of the flag word goes.
    const taken = run(macro, { addresses, memory, features: ['PTI'] });
    assert.deepEqual(taken.trace, [
      'CR3_WRITE 8000000000abc801',
      'INVLPG 40000',
      'INVLPG 41000',
      'INVLPG 42000',
      'LFENCE',
    ]);
    assert.equal(taken.memory.get(0x1008n), 0x17n);
    const clear = run(macro, { addresses, memory: new Map(memory).set(0x1008n, 0x17n), features: ['PTI'] });
    assert.deepEqual(clear.trace, ['CR3_WRITE 8000000000abc801']);
    assert.deepEqual(run(macro, { addresses, memory }).trace, []);
  });

  it('leaves the loop a branch of its two registers, with the condition as text', () => {
    const macro = find(lower(hunks([{ at: 40, text: exitMacro }])), 'TQ_LEAVE');
    assert.deepEqual(branches(macro), [
      'X86_FEATURE_PTI',
      'bit 3 of PER_CPU_VAR(tq_flag) is clear',
      '\\reg < PER_CPU_VAR(tq_to)',
    ]);
  });

  it('sets bit 63 of CR3 only where the feature is there', () => {
    const text = `SYM_CODE_START(tq_in)
	movq	%cr3, %rax
	andq	$~(TQ_MASK), %rax
	ALTERNATIVE "", "bts $63, %rax", X86_FEATURE_PCID
	movq	%rax, %cr3
	ret
SYM_CODE_END(tq_in)`;
    const fn = find(lower(hunks([{ at: 1, text }])), 'tq_in');
    assert.equal(fn.kind, 'asm-routine');
    assert.equal(fn.partial, false);
    const state = { registers: { CR3_READ: 0x7801n }, addresses: { TQ_MASK: 0x1800n } };
    assert.deepEqual(run(fn, state).trace, ['CR3_READ', 'CR3_WRITE 6001']);
    assert.deepEqual(run(fn, { ...state, features: ['PCID'] }).trace, [
      'CR3_READ',
      'CR3_WRITE 8000000000006001',
    ]);
  });

  it('joins the hunks of a macro and keeps the unseen lines as an unknown step', () => {
    const unit = hunks([
      { at: 10, text: '.macro TQ_A reg:req other:req\n	mov	%cr3, \\reg\n' },
      { at: 20, text: '	btr	\\reg, TQ_MASK_WORD\n	jmp	.Lwrite_\\@\n+	lfence\n.Lkeep_\\@:\n	bts	$63, \\other' },
      { at: 30, text: '.Lend_\\@:\n.endm' },
    ]);
    const macro = find(lower(unit), 'TQ_A');
    assert.equal(macro.partial, true);
    assert.deepEqual(operations(macro), ['CR3_READ', 'LFENCE']);
    assert.deepEqual(unknowns(macro), ['unseen lines', 'unseen lines']);
    // The jump to a label that is not shown goes to the lines that are not shown.
    const jump = macro.code.findIndex(instruction => instruction.op === 'jump' && instruction.line === 4);
    const target = macro.code[jump]!;
    assert.ok(target.op === 'jump');
    assert.equal(macro.code[target.target]!.op, 'unknown');
    // Nothing shown jumps to .Lkeep: the unseen lines may.
    assert.ok(branches(macro).includes('a jump from lines that the patch does not show'));
  });

  it('reports a required parameter without a use and a register overwritten unasked', () => {
    const unit = hunks([
      {
        at: 10,
        text: `.macro TQ_INNER scratch_reg:req scratch_reg2:req
	mov	%cr3, \\scratch_reg
	mov	\\scratch_reg, \\scratch_reg2
.endm

+.macro TQ_OUTER scratch_reg:req scratch_reg2:req
+	TQ_INNER scratch_reg=\\scratch_reg scratch_reg2=%rax
+.endm

+.macro TQ_SAVING scratch_reg:req
+	pushq	%rax
+	TQ_INNER scratch_reg=\\scratch_reg scratch_reg2=%rax
+	popq	%rax
+.endm`,
      },
    ]);
    const { findings } = lower(unit);
    assert.deepEqual(
      findings.map(({ kind, line }) => [kind, line]),
      [
        ['unused-parameter', 5],
        ['clobbered-register', 6],
      ],
    );
    assert.match(findings[0]!.message, /TQ_OUTER requires the parameter scratch_reg2/);
    assert.match(findings[1]!.message, /TQ_OUTER overwrites %rax/);
  });

  it('takes the branch of .if that an argument decides and leaves open what the caller decides', () => {
    const text = `.macro TQ_F reg:req has_stack:req
.if \\has_stack
	invlpg	(\\reg)
.else
	mov	\\reg, %cr3
.endif
.endm
.macro TQ_G
	TQ_F %rdi 1
.endm
.macro TQ_H
	TQ_F reg=%rdi, has_stack=0
.endm`;
    const module = lower(file(text));
    assert.deepEqual(operations(find(module, 'TQ_G')), ['INVLPG']);
    assert.deepEqual(operations(find(module, 'TQ_H')), ['CR3_WRITE']);
    assert.deepEqual(find(module, 'TQ_G').expands, ['TQ_F']);
    const open = find(module, 'TQ_F');
    assert.deepEqual(open.parameters, [
      { name: 'reg', type: 'register' },
      { name: 'has_stack', type: 'value' },
    ]);
    assert.deepEqual(branches(open), ['\\has_stack']);
    assert.deepEqual(run(open, { registers: { reg: 5n, has_stack: 1n } }).trace, ['INVLPG 5']);
    assert.deepEqual(run(open, { registers: { reg: 5n } }).trace, ['CR3_WRITE 5']);
  });
});
