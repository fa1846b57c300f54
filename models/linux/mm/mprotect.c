// SPDX-License-Identifier: MIT
/* Changes of rights. Model code, written for TLBScope. */
#include <linux/mm.h>
#include <asm/tlbflush.h>

void flush_tlb_batched_pending(struct mm_struct *mm);

static unsigned long change_pte_range(struct vm_area_struct *vma, unsigned long addr, unsigned long end,
				      bool writable)
{
	unsigned long changed = 0;
	pte_t *pte;

	spin_lock(&vma->vm_mm->page_table_lock);
	flush_tlb_batched_pending(vma->vm_mm);
	for (; addr < end; addr += PAGE_SIZE) {
		pte = walk_to_pte(vma->vm_mm, addr);
		if (!pte || !(pte->pte & _PAGE_PRESENT))
			continue;

		/* More rights come with the next fault: a page may still be shared after a fork. */
		if (!writable && (pte->pte & _PAGE_RW))
			ptep_set_wrprotect(pte);
		changed++;
	}
	spin_unlock(&vma->vm_mm->page_table_lock);
	return changed;
}

unsigned long change_protection(struct vm_area_struct *vma, unsigned long start, unsigned long end,
				bool writable)
{
	struct mm_struct *mm = vma->vm_mm;
	unsigned long changed;

	inc_tlb_flush_pending(mm);
	if (vma->vm_flags & VM_HUGETLB)
		changed = hugetlb_change_protection(vma, start, end, writable);
	else
		changed = change_pte_range(vma, start, end, writable);
	/* Only where there was something that a TLB can hold. */
	if (changed)
		flush_tlb_range(vma, start, end);
	dec_tlb_flush_pending(mm);
	return changed;
}

int do_mprotect(struct mm_struct *mm, unsigned long start, unsigned long len, unsigned long prot)
{
	struct vm_area_struct *vma;
	unsigned long end = start + len;
	bool writable = (prot & PROT_WRITE) != 0;

	if (split_areas(mm, start, end))
		return -1;
	for (vma = mm->mmap; vma; vma = vma->vm_next) {
		if (vma->vm_start < start || vma->vm_end > end)
			continue;
		vma->vm_flags = (vma->vm_flags & VM_HUGETLB) | (writable ? VM_READ | VM_WRITE : VM_READ);
		change_protection(vma, vma->vm_start, vma->vm_end, writable);
	}
	return 0;
}
