/** Values of CR3 that go through a loop or a callee, arguments that say whether to flush, templates known in part. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

async function only(body: string, features: readonly string[] = []) {
  const patch = patchOf(
    'arch/x86/mm/tq.c',
    ` void tq(struct mm_struct *mm, unsigned long addr)\n {\n${body}\n }`,
  );
  return (await priced(patch, { features })).hunks[0]!;
}

describe('values that are followed, or said to be lost', function () {
  this.timeout(60_000);

  it('follows a bit that every turn of a loop sets', async () => {
    const body = ['-\twrite_cr3(build_cr3(mm->pgd, 1));', '+\tunsigned long v = build_cr3(mm->pgd, 1);', '+\tint i;', '+', '+\tfor (i = 0; i < 3; i++)', '+\t\tv |= X86_CR3_PCID_NOFLUSH;', '+\twrite_cr3(v);']; // prettier-ignore
    assert.deepEqual(shown((await only(body.join('\n'), ['PCID'])).delta), {
      CR3_FLUSH: '-1',
      CR3_NOFLUSH: '1',
    });
  });

  it('has no number where a callee may have changed what is written to CR3', async () => {
    const body = ['-\twrite_cr3(build_cr3(mm->pgd, 1));', '+\tunsigned long v = build_cr3(mm->pgd, 1);', '+', '+\ttq_mark(&v);', '+\twrite_cr3(v);']; // prettier-ignore
    const hunk = await only(body.join('\n'), ['PCID']);
    assert.equal(hunk.cycles, null);
    assert.ok(hunk.unknown.some(({ name }) => name === 'tq_mark'));
  });

  it('counts what it knows of a template, and lists the rest', async () => {
    const hunk = await only('+\tasm volatile("invlpg (%0)\\n\\tfrobnicate %0\\n\\tlfence" : : "r" (addr) : "memory");'); // prettier-ignore
    assert.deepEqual(shown(hunk.delta), { INVLPG: '1', LFENCE: '1' });
    assert.ok(hunk.unknown.some(({ name }) => name === 'frobnicate'));
  });
});
