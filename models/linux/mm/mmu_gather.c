// SPDX-License-Identifier: MIT
/* First the TLBs, then the tables, then the pages. Model code, written for TLBScope. */
#include <asm-generic/tlb.h>

void tlb_gather_mmu(struct mmu_gather *tlb, struct mm_struct *mm)
{
	tlb->mm = mm;
	tlb->nr = 0;
	tlb->nr_tables = 0;
	__tlb_reset_range(tlb);
	inc_tlb_flush_pending(mm);
}

static void tlb_flush_mmu_tlbonly(struct mmu_gather *tlb)
{
	if (!tlb->end)
		return;
	flush_tlb_mm_range(tlb->mm, tlb->start, tlb->end, tlb_get_unmap_shift(tlb), tlb->freed_tables);
	__tlb_reset_range(tlb);
}

void tlb_flush_mmu(struct mmu_gather *tlb)
{
	unsigned int at;

	tlb_flush_mmu_tlbonly(tlb);
	for (at = 0; at < tlb->nr_tables; at++)
		free_table(tlb->tables[at]);
	tlb->nr_tables = 0;
	for (at = 0; at < tlb->nr; at++)
		put_frame(tlb->pages[at]);
	tlb->nr = 0;
}

/* Queues a page; the entry is clear already. True: the bundle is full, and has to be flushed. */
bool __tlb_remove_page(struct mmu_gather *tlb, unsigned long pfn)
{
	tlb->pages[tlb->nr] = pfn;
	tlb->nr = tlb->nr + 1;
	return tlb->nr == MMU_GATHER_BUNDLE;
}

/* Queues a table that nothing points to any more. Whoever caches entries that lead to it has to drop those too. */
void tlb_remove_table(struct mmu_gather *tlb, unsigned long table, unsigned long addr)
{
	__tlb_adjust_range(tlb, addr, PAGE_SIZE);
	tlb->freed_tables = 1;
	tlb->cleared_pmds = 1;
	tlb->tables[tlb->nr_tables] = table;
	tlb->nr_tables = tlb->nr_tables + 1;
	if (tlb->nr_tables == MMU_GATHER_TABLES)
		tlb_flush_mmu(tlb);
}

void tlb_finish_mmu(struct mmu_gather *tlb)
{
	/*
	 * Another gather or change of protection of this mm is under way: it may have cleared entries that this one found
	 * empty and did not count, so the range says nothing.
	 */
	if (mm_tlb_flush_nested(tlb->mm)) {
		bool freed_tables = tlb->freed_tables;

		__tlb_reset_range(tlb);
		tlb->freed_tables = freed_tables;
		tlb->start = 0;
		tlb->end = TLB_FLUSH_ALL;
	}
	tlb_flush_mmu(tlb);
	dec_tlb_flush_pending(tlb->mm);
}
