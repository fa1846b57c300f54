/** Which lines make which routine, in whole files and in hunks. */
import assert from 'node:assert/strict';
import { branches, file, find, hunks, lower, operations, run, unknowns } from './support';

const names = (module: ReturnType<typeof lower>): string[] => module.functions.map(({ name }) => name);

describe('routines', () => {
  it('go from start to end macro, with labels inside', () => {
    const text = `SYM_CODE_START_LOCAL(tq_a)
	lfence
tq_inside:
	ret
SYM_CODE_END(tq_a)
ENTRY(tq_b)
	mfence
	ret
ENDPROC(tq_b)
FUNC(tq_c)
	ret
END(tq_c)`;
    const module = lower(file(text));
    assert.deepEqual(names(module), ['tq_a', 'tq_b', 'tq_c']);
    assert.deepEqual([find(module, 'tq_b').firstLine, find(module, 'tq_b').lastLine], [5, 7]);
    assert.ok(
      module.functions.every(fn => fn.kind === 'asm-routine' && !fn.partial && fn.language === 'asm'),
    );
  });

  it('begin at plain labels where nothing closes them, and run into the next', () => {
    const text = 'tq_one:\n	testq %rax, %rax\n	jz .Lskip\n	lfence\n.Lskip:\ntq_two:\n	mfence\n	ret';
    const module = lower(file(text, 'xen/arch/x86/x86_64/entry.S'));
    assert.deepEqual(names(module), ['tq_one', 'tq_two']);
    assert.deepEqual(run(find(module, 'tq_one'), { registers: { rax: 1n } }).trace, [
      'LFENCE',
      'call tq_two',
    ]);
  });

  it('jump to other routines by a call and a return', () => {
    const text =
      'SYM_CODE_START(tq_a)\n	testq %rax, %rax\n	jnz tq_other\n	lfence\n	jmp tq_third\nSYM_CODE_END(tq_a)';
    const fn = find(lower(file(text)), 'tq_a');
    assert.deepEqual(run(fn, { registers: { rax: 1n } }).trace, ['call tq_other']);
    assert.deepEqual(run(fn).trace, ['LFENCE', 'call tq_third']);
  });

  it('have second entries that other code jumps to, or that the start does not reach', () => {
    const text = `SYM_CODE_START(tq_a)
	lfence
SYM_INNER_LABEL(tq_second, SYM_L_GLOBAL)
	mfence
	jmp .Lout
SYM_INNER_LABEL(tq_third, SYM_L_GLOBAL)
	mov %rax, %cr3
.Lout:
	iretq
SYM_CODE_END(tq_a)
SYM_CODE_START(tq_b)
	jmp tq_second
SYM_CODE_END(tq_b)`;
    const module = lower(file(text));
    assert.deepEqual(names(module), ['tq_a', 'tq_second', 'tq_third', 'tq_b']);
    assert.deepEqual(run(find(module, 'tq_a')).trace, ['LFENCE', 'MFENCE', 'iretq']);
    assert.deepEqual(run(find(module, 'tq_second')).trace, ['MFENCE', 'iretq']);
    assert.deepEqual(run(find(module, 'tq_third')).trace, ['CR3_WRITE 0', 'iretq']);
    assert.deepEqual(find(module, 'tq_a').expands, ['tq_second']);
    // The piece that only the third entry reaches is not in the others.
    assert.deepEqual(operations(find(module, 'tq_second')), ['MFENCE']);
  });

  it('reach local labels of another routine of the file', () => {
    const text = `SYM_CODE_START(tq_a)
	ret
.Lshared:
	lfence
	ret
SYM_CODE_END(tq_a)
SYM_CODE_START(tq_b)
	jmp .Lshared
SYM_CODE_END(tq_b)`;
    const module = lower(file(text));
    assert.deepEqual(run(find(module, 'tq_b')).trace, ['call .Lshared']);
    assert.deepEqual(run(find(module, '.Lshared')).trace, ['LFENCE']);
  });

  it('take their name from the hunk heading, or from the hunk', () => {
    const unit = hunks([
      { at: 100, heading: 'tq_restore_all:', text: '	lfence\n+	mov %rax, %cr3\n.Ltq_keep:' },
      { at: 200, heading: 'SYM_CODE_START(tq_paranoid)', text: '	mfence' },
      { at: 300, heading: 'some words that are no code', text: '	cpuid' },
    ]);
    const module = lower(unit);
    assert.deepEqual(names(module), ['tq_restore_all', 'tq_paranoid', 'hunk 3 of tq_entry.S']);
    for (const fn of module.functions) assert.deepEqual([fn.partial, fn.repaired], [true, true]);
    assert.deepEqual(operations(find(module, 'tq_restore_all')), ['LFENCE', 'CR3_WRITE']);
  });

  it('go on over unseen lines where the end macro or the heading says so', () => {
    const unit = hunks([
      { at: 100, text: 'SYM_CODE_START(tq_a)\n	lfence' },
      { at: 200, heading: 'SYM_CODE_START(tq_a)', text: '	mfence' },
      { at: 300, text: '	cpuid\nSYM_CODE_END(tq_a)' },
      { at: 400, heading: 'SYM_CODE_START(tq_b)', text: '	vmcall' },
    ]);
    const module = lower(unit);
    assert.deepEqual(names(module), ['tq_a', 'tq_b']);
    assert.deepEqual(operations(find(module, 'tq_a')), ['LFENCE', 'MFENCE', 'SERIALIZE']);
    assert.deepEqual(unknowns(find(module, 'tq_a')), ['unseen lines', 'unseen lines']);
    assert.equal(find(module, 'tq_a').partial, true);
  });

  it('have no gap between hunks that touch', () => {
    const unit = hunks([
      { at: 100, text: 'SYM_CODE_START(tq_a)\n	lfence' },
      { at: 102, text: '	mfence\nSYM_CODE_END(tq_a)' },
    ]);
    const fn = find(lower(unit), 'tq_a');
    assert.deepEqual(unknowns(fn), []);
    assert.equal(fn.partial, false);
  });

  it('drop the tail of a statement that began before the hunk', () => {
    const unit = hunks([{ at: 100, heading: 'tq_a:', text: '		TQ_LAST - 1) * 8, %rdi\n	lfence' }]);
    const fn = find(lower(unit), 'tq_a');
    assert.deepEqual(unknowns(fn), []);
    assert.deepEqual(operations(fn), ['LFENCE']);
    assert.ok(fn.code.every(instruction => instruction.op !== 'call'));
  });

  it('jump forward past the end of a hunk as if they ended there', () => {
    const unit = hunks([{ at: 100, heading: 'tq_a:', text: '	testq %rax, %rax\n	jz .Lbelow\n	lfence' }]);
    const fn = find(lower(unit), 'tq_a');
    assert.deepEqual(unknowns(fn), []);
    assert.deepEqual(run(fn).trace, []);
    assert.deepEqual(run(fn, { registers: { rax: 1n } }).trace, ['LFENCE']);
  });

  it('may be entered from unseen lines above at a label that nothing shown leads to', () => {
    const unit = hunks([{ at: 100, heading: 'tq_a:', text: '	jmp .Lbelow\n+.Lslow:\n+	lfence' }]);
    const fn = find(lower(unit), 'tq_a');
    assert.deepEqual(branches(fn), ['a jump from lines that the patch does not show']);
    assert.deepEqual(run(fn, { registers: { 'unseen jump': 1n } }).trace, ['LFENCE']);
    assert.deepEqual(run(fn).trace, []);
  });

  it('make a macro of an .endm whose heading is not shown', () => {
    const unit = hunks([
      { at: 100, text: '	mov %cr3, \\reg\n+	mov \\reg, %cr3\n.endm\n\n.macro tq_next\n	lfence\n.endm' },
    ]);
    const module = lower(unit);
    assert.deepEqual(names(module), ['macro of hunk 1 of tq_entry.S', 'tq_next']);
    const headless = find(module, 'macro of hunk 1 of tq_entry.S');
    assert.deepEqual(headless.parameters, [{ name: 'reg', type: 'register' }]);
    assert.deepEqual(operations(headless), ['CR3_READ', 'CR3_WRITE']);
    assert.equal(headless.partial, true);
  });

  it('do not join a macro with lines that use other parameters', () => {
    const unit = hunks([
      { at: 100, text: '.macro tq_a reg\n	lfence' },
      { at: 150, text: '	mov \\other, %cr3\n.endm' },
    ]);
    const module = lower(unit);
    assert.deepEqual(operations(find(module, 'tq_a')), ['LFENCE']);
    assert.deepEqual(operations(find(module, 'macro of hunk 2 of tq_entry.S')), ['CR3_WRITE']);
  });

  it('are unreadable where an .else is shown without its .if', () => {
    const unit = hunks([{ at: 100, heading: 'tq_a:', text: '	lfence\n.else\n	mfence\n.endif' }]);
    const fn = find(lower(unit), 'tq_a');
    assert.match(fn.unreadable ?? '', /\.else without \.if/);
    assert.equal(fn.code.length, 1);
    assert.equal(fn.code[0]!.op, 'unknown');
  });
});
