/* SPDX-License-Identifier: MIT */
/* Memory management: what the files of mm know of each other. Model code, written for TLBScope. */
#ifndef MODEL_LINUX_MM_H
#define MODEL_LINUX_MM_H

#include <linux/mm_types.h>
#include <linux/pgtable.h>

#define MADV_DONTNEED	4
#define PROT_WRITE	2
#define MAP_HUGETLB	0x40000

/* Memory itself: frames are numbers of pages, tables are zero when they come. */
unsigned long alloc_frame(void);
/* The first of the frames of a page of 2M, which stands for all of them. */
unsigned long alloc_huge_frame(void);
void get_frame(unsigned long pfn);
void put_frame(unsigned long pfn);
/* The page is written back: a write that its entry does not record from now on is lost. */
void frame_cleaned(unsigned long pfn);
int frame_users(unsigned long pfn);
unsigned long alloc_table(void);
void free_table(unsigned long table);

struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long addr);
int split_areas(struct mm_struct *mm, unsigned long start, unsigned long end);
pte_t *walk_to_pte(struct mm_struct *mm, unsigned long addr);
pte_t *alloc_to_pte(struct mm_struct *mm, unsigned long addr);
pmd_t *walk_to_pmd(struct mm_struct *mm, unsigned long addr);
pmd_t *alloc_to_pmd(struct mm_struct *mm, unsigned long addr);
int hugetlb_fault(struct mm_struct *mm, struct vm_area_struct *vma, unsigned long addr, bool write);
unsigned long hugetlb_change_protection(struct vm_area_struct *vma, unsigned long addr, unsigned long end,
					bool writable);

static inline bool mm_tlb_flush_pending(struct mm_struct *mm)
{
	return atomic_read(&mm->tlb_flush_pending) != 0;
}

static inline bool mm_tlb_flush_nested(struct mm_struct *mm)
{
	return atomic_read(&mm->tlb_flush_pending) > 1;
}

static inline void inc_tlb_flush_pending(struct mm_struct *mm)
{
	atomic_inc(&mm->tlb_flush_pending);
}

static inline void dec_tlb_flush_pending(struct mm_struct *mm)
{
	atomic_dec(&mm->tlb_flush_pending);
}

#endif
