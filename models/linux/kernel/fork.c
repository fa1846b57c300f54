// SPDX-License-Identifier: MIT
/* A copy of an address space. Model code, written for TLBScope. */
#include <linux/mm.h>
#include <asm/tlbflush.h>

struct vm_area_struct *insert_area(struct mm_struct *mm, unsigned long start, unsigned long end,
				   unsigned long flags);
void copy_page_range(struct mm_struct *to, struct mm_struct *from, struct vm_area_struct *vma);

int dup_mmap(struct mm_struct *mm, struct mm_struct *oldmm)
{
	struct vm_area_struct *vma;

	inc_tlb_flush_pending(oldmm);
	for (vma = oldmm->mmap; vma; vma = vma->vm_next) {
		if (!insert_area(mm, vma->vm_start, vma->vm_end, vma->vm_flags))
			return -1;
		copy_page_range(mm, oldmm, vma);
	}
	/* The parent lost the right to write: before anybody relies on it. */
	flush_tlb_mm(oldmm);
	dec_tlb_flush_pending(oldmm);
	return 0;
}
