// SPDX-License-Identifier: MIT
/* Areas, and what munmap does with the tables. Model code, written for TLBScope. */
#include <asm-generic/tlb.h>

#define AREAS_AT_MOST	256

void unmap_page_range(struct mmu_gather *tlb, unsigned long addr, unsigned long end);
void tlb_remove_table(struct mmu_gather *tlb, unsigned long table, unsigned long addr);

/* An area that ends at 0 is free. */
struct vm_area_struct vm_areas[AREAS_AT_MOST];

struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;

	for (vma = mm->mmap; vma; vma = vma->vm_next) {
		if (addr >= vma->vm_start && addr < vma->vm_end)
			return vma;
	}
	return NULL;
}

/* A new area of an mm, whose list is sorted by address; null when there are too many. */
struct vm_area_struct *insert_area(struct mm_struct *mm, unsigned long start, unsigned long end,
				   unsigned long flags)
{
	struct vm_area_struct **link = &mm->mmap;
	struct vm_area_struct *vma;
	int at;

	while (*link && (*link)->vm_start < start)
		link = &(*link)->vm_next;
	for (at = 0; at < AREAS_AT_MOST; at++) {
		vma = &vm_areas[at];
		if (cmpxchg(&vma->vm_end, 0UL, end) != 0UL)
			continue;
		vma->vm_start = start;
		vma->vm_flags = flags;
		vma->vm_mm = mm;
		vma->vm_next = *link;
		*link = vma;
		return vma;
	}
	return NULL;
}

static int split_area(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma = find_vma(mm, addr);
	unsigned long end;

	if (!vma || vma->vm_start == addr)
		return 0;
	end = vma->vm_end;
	vma->vm_end = addr;
	return insert_area(mm, addr, end, vma->vm_flags) ? 0 : -1;
}

/* So that areas begin or end at both ends of a range. */
int split_areas(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	if (split_area(mm, start))
		return -1;
	return split_area(mm, end);
}

static void remove_areas(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	struct vm_area_struct *before = NULL;
	struct vm_area_struct *vma = mm->mmap;
	struct vm_area_struct *next;

	for (; vma; vma = next) {
		next = vma->vm_next;
		if (vma->vm_start < start || vma->vm_end > end) {
			before = vma;
			continue;
		}
		if (before)
			before->vm_next = next;
		else
			mm->mmap = next;
		vma->vm_end = 0;
	}
}

/* Whether an area reaches into the reach of a table. */
static bool table_is_used(struct mm_struct *mm, unsigned long start, unsigned long size)
{
	struct vm_area_struct *vma;

	for (vma = mm->mmap; vma; vma = vma->vm_next) {
		if (vma->vm_start < start + size && vma->vm_end > start)
			return true;
	}
	return false;
}

static void free_pmd_range(struct mmu_gather *tlb, pud_t *pud, unsigned long addr, unsigned long end)
{
	unsigned long next, table;
	pmd_t *pmd;

	for (; addr < end; addr = next) {
		next = level_end(addr, end, PMD_SIZE);
		pmd = pmd_offset(pud, addr);
		if (!(pmd->pmd & _PAGE_PRESENT) || table_is_used(tlb->mm, addr & PMD_MASK, PMD_SIZE))
			continue;
		table = pmd->pmd & PTE_PFN_MASK;
		pmd->pmd = 0;
		tlb_remove_table(tlb, table, addr);
	}
}

static void free_pud_range(struct mmu_gather *tlb, pgd_t *pgd, unsigned long addr, unsigned long end)
{
	unsigned long next, table;
	pud_t *pud;

	for (; addr < end; addr = next) {
		next = level_end(addr, end, PUD_SIZE);
		pud = pud_offset(pgd, addr);
		if (!(pud->pud & _PAGE_PRESENT))
			continue;
		free_pmd_range(tlb, pud, addr, next);
		if (table_is_used(tlb->mm, addr & PUD_MASK, PUD_SIZE))
			continue;
		table = pud->pud & PTE_PFN_MASK;
		pud->pud = 0;
		tlb_remove_table(tlb, table, addr);
	}
}

/* Tables of a range that nothing uses any more. */
static void free_pgtables(struct mmu_gather *tlb, unsigned long addr, unsigned long end)
{
	unsigned long next, table;
	pgd_t *pgd;

	for (; addr < end; addr = next) {
		next = level_end(addr, end, PGDIR_SIZE);
		pgd = pgd_offset(tlb->mm, addr);
		if (!(pgd->pgd & _PAGE_PRESENT))
			continue;
		free_pud_range(tlb, pgd, addr, next);
		if (table_is_used(tlb->mm, addr & ~(PGDIR_SIZE - 1), PGDIR_SIZE))
			continue;
		table = pgd->pgd & PTE_PFN_MASK;
		set_pgd(pgd, 0);
		tlb_remove_table(tlb, table, addr);
	}
}

int do_munmap(struct mm_struct *mm, unsigned long start, unsigned long len)
{
	unsigned long end = start + len;
	struct mmu_gather tlb;

	if (split_areas(mm, start, end))
		return -1;
	remove_areas(mm, start, end);
	tlb_gather_mmu(&tlb, mm);
	unmap_page_range(&tlb, start, end);
	free_pgtables(&tlb, start, end);
	tlb_finish_mmu(&tlb);
	return 0;
}

/* Calls have three arguments here: @prot has MAP_HUGETLB in it. */
int do_mmap(struct mm_struct *mm, unsigned long start, unsigned long len, unsigned long prot)
{
	unsigned long flags = prot & PROT_WRITE ? VM_READ | VM_WRITE : VM_READ;

	if (prot & MAP_HUGETLB)
		flags |= VM_HUGETLB;
	return insert_area(mm, start, start + len, flags) ? 0 : -1;
}
