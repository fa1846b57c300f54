// SPDX-License-Identifier: MIT
/* Pages of 2M. They are not shared: there is no fork of them. Model code, written for TLBScope. */
#include <linux/mm.h>

/* The first access, or a write to a page that mprotect has given back its rights since. */
int hugetlb_fault(struct mm_struct *mm, struct vm_area_struct *vma, unsigned long addr, bool write)
{
	unsigned long flags = _PAGE_PRESENT | _PAGE_USER | _PAGE_ACCESSED | _PAGE_PSE;
	pmd_t *pmd = alloc_to_pmd(mm, addr);

	if (vma->vm_flags & VM_WRITE)
		flags |= _PAGE_RW;
	if (write)
		flags |= _PAGE_DIRTY;
	spin_lock(&mm->page_table_lock);
	if (!(pmd->pmd & _PAGE_PRESENT))
		pmd->pmd = (alloc_huge_frame() << PAGE_SHIFT) | flags;
	else if (write && !(pmd->pmd & _PAGE_RW))
		pmd->pmd = pmd->pmd | _PAGE_RW | _PAGE_DIRTY;
	spin_unlock(&mm->page_table_lock);
	return 0;
}

/* How many pages a TLB may hold with more rights than they have now. */
unsigned long hugetlb_change_protection(struct vm_area_struct *vma, unsigned long addr, unsigned long end,
					bool writable)
{
	unsigned long changed = 0;
	pmd_t *pmd;

	spin_lock(&vma->vm_mm->page_table_lock);
	for (; addr < end; addr += PMD_SIZE) {
		pmd = walk_to_pmd(vma->vm_mm, addr);
		if (!pmd || !(pmd->pmd & _PAGE_PRESENT))
			continue;
		if (!writable && (pmd->pmd & _PAGE_RW))
			clear_bit(1, &pmd->pmd);
		changed++;
	}
	spin_unlock(&vma->vm_mm->page_table_lock);
	return changed;
}
