/** Assembly or C. */
import assert from 'node:assert/strict';
import { isAssembly } from '../../../../src/code/asm/detect';

const judge = (text: string, path = 'arch/x86/entry/tq.h'): boolean => isAssembly(path, text.split('\n'));

describe('isAssembly', () => {
  it('goes by the ending where that says it', () => {
    assert.equal(isAssembly('arch/x86/entry/tq.S', []), true);
    assert.equal(isAssembly('arch/x86/mm/tq.c', ['.macro x', '.endm']), false);
  });

  it('finds assembly in a header by its lines', () => {
    assert.equal(judge('.macro TQ reg:req\n	mov %cr3, \\reg\n.endm'), true);
    assert.equal(judge('	movq	\\reg, \\other\n	jmp	.Ltq_\\@\n.Ltq_\\@:'), true);
    assert.equal(judge('	mov	%rax, %cr3\n	pushq	%rdi'), true);
  });

  it('does not take C for it, nor inline assembly', () => {
    assert.equal(
      judge('static inline void tq(void)\n{\n	asm volatile("mov %0, %%cr3" : : "r" (x));\n}'),
      false,
    );
    assert.equal(judge('#define TQ(x) \\\n	"mov %%rax, %0\\n"\nint tq;'), false);
    assert.equal(judge('	asm volatile(TQ(b, %w0, %1)\n	asm goto("1:"'), false);
    assert.equal(judge('#define TQ(reg) \\\n	mov %rax, reg; \\\n	ret\n'), false);
    assert.equal(isAssembly('arch/x86/kernel/tq.lds.S', ['SECTIONS', '{']), false);
    assert.equal(judge(''), false);
    assert.equal(judge('	a = b % c;\n	foo(a % 8);'), false);
  });

  it('weighs a header with both', () => {
    const assembly = '.macro TQ\n	lfence\n.endm\n';
    assert.equal(judge(`${assembly.repeat(3)}static int a;\n`), true);
    assert.equal(judge(`${assembly}${'static int a;\n'.repeat(20)}`), false);
  });
});
