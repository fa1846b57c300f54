// SPDX-License-Identifier: MIT
/* The direct map: entries of 4K, made when they are first asked for. Model code, written for TLBScope. */
#include <linux/xpfo.h>

#define _PAGE_GLOBAL	0x100UL

/* Kernel pages are global, unless user mode must not have them in its TLB. */
unsigned long direct_map_flags(void)
{
	unsigned long flags = _PAGE_PRESENT | _PAGE_RW | _PAGE_ACCESSED | _PAGE_DIRTY;

	if (boot_cpu_has(X86_FEATURE_PGE) && !static_cpu_has(X86_FEATURE_PTI))
		flags |= _PAGE_GLOBAL;
	return flags;
}

/* Tables below the kernel's root, which all address spaces share. User roots under PTI do not have them. */
pte_t *direct_map_pte(unsigned long kaddr)
{
	pgd_t *root = pgd_offset(&init_mm, kaddr);
	pud_t *middle;
	pmd_t *lower;

	if (!root->pgd)
		root->pgd = alloc_table() | TABLE_FLAGS;
	middle = pud_offset(root, kaddr);
	if (!middle->pud)
		middle->pud = alloc_table() | TABLE_FLAGS;
	lower = pmd_offset(middle, kaddr);
	if (!lower->pmd) {
		unsigned long at;
		pte_t *first;

		lower->pmd = alloc_table() | TABLE_FLAGS;
		first = pte_offset_map(lower, PAGE_OFFSET);
		for (at = 0; at < DIRECT_MAP_PAGES; at++)
			first[at].pte = ((DIRECT_MAP_PFN + at) << PAGE_SHIFT) | direct_map_flags();
	}
	return pte_offset_map(lower, kaddr);
}

static spinlock_t direct_map_lock;

/* The root that is loaded gets the kernel's entry, if it has none yet. */
void sync_direct_map(unsigned long kaddr)
{
	struct mm_struct *mm = current->active_mm ? current->active_mm : &init_mm;
	pgd_t *mine = pgd_offset(mm, kaddr);

	if (READ_ONCE(mine->pgd))
		return;
	spin_lock(&direct_map_lock);
	direct_map_pte(kaddr);
	mine->pgd = pgd_offset(&init_mm, kaddr)->pgd;
	spin_unlock(&direct_map_lock);
}
