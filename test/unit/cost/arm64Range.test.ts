/** arm64: the macro that issues the TLBIs of a range, given the operation by name. */
import { strict as assert } from 'node:assert';
import { patchOf, priced, shown } from './support';

const flush = (operation: string, user: string): string =>
  patchOf(
    'arch/arm64/include/asm/tq.h',
    `
 static inline void tq_flush(struct vm_area_struct *vma, unsigned long start, unsigned long pages)
 {
 	unsigned long asid = ASID(vma->vm_mm);
 
+	dsb(ishst);
+	__flush_tlb_range_op(${operation}, start, pages, PAGE_SIZE, asid, 3, ${user}, lpa2_is_enabled());
+	dsb(ish);
 }`,
  );

const on = async (patch: string, features: readonly string[] = []) =>
  (await priced(patch, { features, machine: 'neoverse-n1' })).hunks[0]!;

describe('__flush_tlb_range_op', function () {
  this.timeout(60_000);

  // One TLBI per stride; the macro has no DSB of its own.
  it('issues one TLBI per stride', async () => {
    for (const name of ['vale1is', 'vae1is', 'vaale1is'])
      assert.deepEqual(shown((await on(flush(name, 'false'))).delta), { DSB: '2', TLBI_VA_IS: 'n' });
    assert.deepEqual(shown((await on(flush('vale1', 'false'))).delta), { DSB: '2', TLBI_VA: 'n' });
  });

  it('issues each twice where the user’s ASID goes too and the kernel is unmapped', async () => {
    assert.deepEqual(shown((await on(flush('vale1is', 'true'), ['KPTI'])).delta), {
      DSB: '2',
      TLBI_VA_IS: '2*n',
    });
    assert.deepEqual(shown((await on(flush('vale1is', 'false'), ['KPTI'])).delta), {
      DSB: '2',
      TLBI_VA_IS: 'n',
    });
    assert.deepEqual(shown((await on(flush('vale1is', 'true'))).delta), { DSB: '2', TLBI_VA_IS: 'n' });
  });

  it('has no number with range TLBIs, nor for an operation that is not known', async () => {
    const ranged = await on(flush('vale1is', 'false'), ['TLBIRANGE']);
    const strange = await on(flush('op', 'false'));
    for (const hunk of [ranged, strange])
      assert.ok(hunk.unknown.some(({ name }) => name === '__flush_tlb_range_op'));
  });
});
