// SPDX-License-Identifier: MIT
/* Reclaim takes pages from address spaces and flushes them together. Model code, written for TLBScope. */
#include <linux/mm.h>
#include <asm/tlbflush.h>

void arch_tlbbatch_flush(struct arch_tlbflush_unmap_batch *batch);

/* Under the page-table lock, right after an entry was cleared. */
static void set_tlb_ubc_flush_pending(struct mm_struct *mm)
{
	struct tlbflush_unmap_batch *tlb_ubc = &current->tlb_ubc;

	arch_tlbbatch_add_mm(&tlb_ubc->arch, mm);
	tlb_ubc->flush_required = true;

	/* Whoever finds the entry empty under the lock must know that CPUs may still use it. */
	mm->tlb_flush_batched = true;
}

void try_to_unmap_flush(void)
{
	struct tlbflush_unmap_batch *batch = &current->tlb_ubc;

	if (batch->flush_required) {
		arch_tlbbatch_flush(&batch->arch);
		batch->flush_required = false;
	}
}

void flush_tlb_batched_pending(struct mm_struct *mm)
{
	if (!mm->tlb_flush_batched)
		return;
	flush_tlb_mm(mm);
	barrier();
	mm->tlb_flush_batched = false;
}

/* Takes a page away; what it was, so that it can be freed after the flush. 0: there was none. */
static unsigned long try_to_unmap_one(struct mm_struct *mm, unsigned long addr)
{
	unsigned long entry = 0;
	pte_t *pte;

	spin_lock(&mm->page_table_lock);
	pte = walk_to_pte(mm, addr);
	if (pte && (pte->pte & _PAGE_PRESENT)) {
		entry = ptep_get_and_clear(pte);
		set_tlb_ubc_flush_pending(mm);
	}
	spin_unlock(&mm->page_table_lock);
	return entry;
}

#define RECLAIM_BATCH	32

/* Reclaims the pages of a range, in batches. */
void shrink_range(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	unsigned long taken[RECLAIM_BATCH];
	unsigned long addr = start;
	unsigned long entry;
	int nr, at;

	while (addr < end) {
		for (nr = 0; addr < end && nr < RECLAIM_BATCH; addr += PAGE_SIZE) {
			entry = try_to_unmap_one(mm, addr);
			if (entry) {
				taken[nr] = entry;
				nr++;
			}
		}
		try_to_unmap_flush();
		for (at = 0; at < nr; at++) {
			unsigned long pfn = (taken[at] & PTE_PFN_MASK) >> PAGE_SHIFT;

			/* Only now: a CPU could write through its cached entry until the flush. */
			if (taken[at] & _PAGE_DIRTY)
				frame_cleaned(pfn);
			put_frame(pfn);
		}
	}
}
