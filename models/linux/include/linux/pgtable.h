/* SPDX-License-Identifier: MIT */
/*
 * Page tables of four levels. Memory of the model is mapped one to one: the number in an entry is the address of the
 * table. Model code, written for TLBScope.
 */
#ifndef MODEL_LINUX_PGTABLE_H
#define MODEL_LINUX_PGTABLE_H

#include <linux/mm_types.h>

#define _PAGE_PRESENT	0x1UL
#define _PAGE_RW	0x2UL
#define _PAGE_USER	0x4UL
#define _PAGE_ACCESSED	0x20UL
#define _PAGE_DIRTY	0x40UL
#define _PAGE_PSE	0x80UL
#define PTE_PFN_MASK	0x000ffffffffff000UL
#define PGDIR_SHIFT	39
#define PTRS_PER_TABLE	512
#define PGDIR_SIZE	(1UL << PGDIR_SHIFT)
#define TABLE_FLAGS	(_PAGE_PRESENT | _PAGE_RW | _PAGE_USER | _PAGE_ACCESSED)

#define table_index(addr, shift)	(((addr) >> (shift)) & (PTRS_PER_TABLE - 1))
#define level_end(addr, end, size)	min(((addr) + (size)) & ~((size) - 1), (end))

static inline pgd_t *pgd_offset(struct mm_struct *mm, unsigned long addr)
{
	return mm->pgd + table_index(addr, PGDIR_SHIFT);
}

static inline pud_t *pud_offset(pgd_t *pgd, unsigned long addr)
{
	pud_t *table = (pud_t *)(pgd->pgd & PTE_PFN_MASK);

	return table + table_index(addr, PUD_SHIFT);
}

static inline pmd_t *pmd_offset(pud_t *pud, unsigned long addr)
{
	pmd_t *table = (pmd_t *)(pud->pud & PTE_PFN_MASK);

	return table + table_index(addr, PMD_SHIFT);
}

static inline pte_t *pte_offset_map(pmd_t *pmd, unsigned long addr)
{
	pte_t *table = (pte_t *)(pmd->pmd & PTE_PFN_MASK);

	return table + table_index(addr, PAGE_SHIFT);
}

/* Under PTI each top-level table is a pair: user mode runs on the second, which maps what user mode may see. */
static inline void set_pgd(pgd_t *pgd, unsigned long value)
{
	if (static_cpu_has(X86_FEATURE_PTI)) {
		pgd_t *user = pgd + PTRS_PER_TABLE;

		user->pgd = value;
	}
	pgd->pgd = value;
}

/* The entry as it was; the hardware may set its accessed and dirty bits at any time, so this is one step. */
static inline unsigned long ptep_get_and_clear(pte_t *ptep)
{
	return xchg(&ptep->pte, 0UL);
}

static inline void ptep_set_wrprotect(pte_t *ptep)
{
	clear_bit(1, &ptep->pte);
}

#endif
