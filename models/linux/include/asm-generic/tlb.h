/* SPDX-License-Identifier: MIT */
/* Gathering of pages and tables that are freed once the TLBs are clean. Model code, written for TLBScope. */
#ifndef MODEL_ASM_GENERIC_TLB_H
#define MODEL_ASM_GENERIC_TLB_H

#include <linux/mm.h>
#include <asm/tlbflush.h>

#define MMU_GATHER_BUNDLE	512
#define MMU_GATHER_TABLES	64

struct mmu_gather {
	struct mm_struct *mm;
	unsigned long start;
	unsigned long end;
	unsigned int freed_tables : 1;
	/* At which levels something was cleared. */
	unsigned int cleared_ptes : 1;
	unsigned int cleared_pmds : 1;
	unsigned int nr;
	unsigned int nr_tables;
	unsigned long pages[MMU_GATHER_BUNDLE];
	unsigned long tables[MMU_GATHER_TABLES];
};

void tlb_gather_mmu(struct mmu_gather *tlb, struct mm_struct *mm);
void tlb_flush_mmu(struct mmu_gather *tlb);
void tlb_finish_mmu(struct mmu_gather *tlb);

static inline void __tlb_reset_range(struct mmu_gather *tlb)
{
	tlb->end = 0;
	tlb->start = TLB_FLUSH_ALL;
	tlb->freed_tables = 0;
	tlb->cleared_ptes = 0;
	tlb->cleared_pmds = 0;
}

static inline void __tlb_adjust_range(struct mmu_gather *tlb, unsigned long addr, unsigned long size)
{
	tlb->start = min(tlb->start, addr);
	tlb->end = max(tlb->end, addr + size);
}

/* The smallest level that was cleared decides how far apart the entries of the range can lie. */
static inline unsigned int tlb_get_unmap_shift(struct mmu_gather *tlb)
{
	return tlb->cleared_pmds && !tlb->cleared_ptes ? PMD_SHIFT : PAGE_SHIFT;
}

#endif
