// SPDX-License-Identifier: MIT
/* Filling, copying and clearing of page tables. Model code, written for TLBScope. */
#include <asm-generic/tlb.h>

bool __tlb_remove_page(struct mmu_gather *tlb, unsigned long pfn);
void flush_tlb_batched_pending(struct mm_struct *mm);

/* The entry of an address at the level of 2M, or null where a table is missing. */
pmd_t *walk_to_pmd(struct mm_struct *mm, unsigned long addr)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	pud_t *pud;

	if (!(pgd->pgd & _PAGE_PRESENT))
		return NULL;
	pud = pud_offset(pgd, addr);
	if (!(pud->pud & _PAGE_PRESENT))
		return NULL;
	return pmd_offset(pud, addr);
}

/* The entry of an address at the lowest level. */
pte_t *walk_to_pte(struct mm_struct *mm, unsigned long addr)
{
	pmd_t *pmd = walk_to_pmd(mm, addr);

	if (!pmd || !(pmd->pmd & _PAGE_PRESENT))
		return NULL;
	return pte_offset_map(pmd, addr);
}

/* The same two, with tables made where they are missing. */
pmd_t *alloc_to_pmd(struct mm_struct *mm, unsigned long addr)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	pud_t *pud;

	if (!(pgd->pgd & _PAGE_PRESENT))
		set_pgd(pgd, alloc_table() | TABLE_FLAGS);
	pud = pud_offset(pgd, addr);
	if (!(pud->pud & _PAGE_PRESENT))
		pud->pud = alloc_table() | TABLE_FLAGS;
	return pmd_offset(pud, addr);
}

pte_t *alloc_to_pte(struct mm_struct *mm, unsigned long addr)
{
	pmd_t *pmd = alloc_to_pmd(mm, addr);

	if (!(pmd->pmd & _PAGE_PRESENT))
		pmd->pmd = alloc_table() | TABLE_FLAGS;
	return pte_offset_map(pmd, addr);
}

static void zap_pte_range(struct mmu_gather *tlb, pmd_t *pmd, unsigned long addr, unsigned long end)
{
	struct mm_struct *mm = tlb->mm;
	bool force_flush;
	pte_t *pte;

again:
	force_flush = false;
	spin_lock(&mm->page_table_lock);
	flush_tlb_batched_pending(mm);
	for (; addr < end && !force_flush; addr += PAGE_SIZE) {
		unsigned long entry;

		pte = pte_offset_map(pmd, addr);
		if (!(READ_ONCE(pte->pte) & _PAGE_PRESENT))
			continue;
		entry = ptep_get_and_clear(pte);
		__tlb_adjust_range(tlb, addr, PAGE_SIZE);
		tlb->cleared_ptes = 1;
		force_flush = __tlb_remove_page(tlb, (entry & PTE_PFN_MASK) >> PAGE_SHIFT);
	}
	spin_unlock(&mm->page_table_lock);
	if (force_flush) {
		tlb_flush_mmu(tlb);
		if (addr < end)
			goto again;
	}
}

/* A page of 2M goes: what is left of the range says so by its stride. */
static void zap_huge_pmd(struct mmu_gather *tlb, pmd_t *pmd, unsigned long addr)
{
	unsigned long entry;

	spin_lock(&tlb->mm->page_table_lock);
	entry = xchg(&pmd->pmd, 0UL);
	spin_unlock(&tlb->mm->page_table_lock);
	__tlb_adjust_range(tlb, addr, PMD_SIZE);
	tlb->cleared_pmds = 1;
	if (__tlb_remove_page(tlb, (entry & PTE_PFN_MASK) >> PAGE_SHIFT))
		tlb_flush_mmu(tlb);
}

static void zap_pmd_range(struct mmu_gather *tlb, pud_t *pud, unsigned long addr, unsigned long end)
{
	unsigned long next;
	pmd_t *pmd;

	for (; addr < end; addr = next) {
		next = level_end(addr, end, PMD_SIZE);
		pmd = pmd_offset(pud, addr);
		if (!(pmd->pmd & _PAGE_PRESENT))
			continue;
		if (pmd->pmd & _PAGE_PSE)
			zap_huge_pmd(tlb, pmd, addr);
		else
			zap_pte_range(tlb, pmd, addr, next);
	}
}

void unmap_page_range(struct mmu_gather *tlb, unsigned long addr, unsigned long end)
{
	unsigned long next;
	pgd_t *pgd;
	pud_t *pud;

	for (; addr < end; addr = next) {
		next = level_end(addr, end, PUD_SIZE);
		pgd = pgd_offset(tlb->mm, addr);
		if (!(pgd->pgd & _PAGE_PRESENT))
			continue;
		pud = pud_offset(pgd, addr);
		if (pud->pud & _PAGE_PRESENT)
			zap_pmd_range(tlb, pud, addr, next);
	}
}

void zap_page_range(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	struct mmu_gather tlb;

	tlb_gather_mmu(&tlb, mm);
	unmap_page_range(&tlb, start, end);
	tlb_finish_mmu(&tlb);
}

/* The child gets the frame, and neither may write to it until it has a copy. */
static void copy_one_pte(pte_t *to, pte_t *from)
{
	if (from->pte & _PAGE_RW)
		ptep_set_wrprotect(from);
	get_frame((from->pte & PTE_PFN_MASK) >> PAGE_SHIFT);
	to->pte = from->pte & ~(_PAGE_RW | _PAGE_DIRTY | _PAGE_ACCESSED);
}

void copy_page_range(struct mm_struct *to, struct mm_struct *from, struct vm_area_struct *vma)
{
	unsigned long addr;
	pte_t *pte;

	spin_lock(&from->page_table_lock);
	for (addr = vma->vm_start; addr < vma->vm_end; addr += PAGE_SIZE) {
		pte = walk_to_pte(from, addr);
		if (pte && (pte->pte & _PAGE_PRESENT))
			copy_one_pte(alloc_to_pte(to, addr), pte);
	}
	spin_unlock(&from->page_table_lock);
}

static void do_wp_page(struct vm_area_struct *vma, unsigned long addr, pte_t *pte)
{
	unsigned long old = (pte->pte & PTE_PFN_MASK) >> PAGE_SHIFT;
	unsigned long flags = _PAGE_PRESENT | _PAGE_USER | _PAGE_RW | _PAGE_ACCESSED | _PAGE_DIRTY;

	/* Nobody shares it: more rights need no flush, at worst a CPU faults once more. */
	if (frame_users(old) == 1) {
		pte->pte = (old << PAGE_SHIFT) | flags;
		return;
	}

	/* Clear and flush first: no CPU may read the old page while another one writes to the copy. */
	ptep_get_and_clear(pte);
	flush_tlb_page(vma, addr);
	pte->pte = (alloc_frame() << PAGE_SHIFT) | flags;
	put_frame(old);
}

/* What a CPU finds at an address without rights. Returns 0, or -1 for a bad access. */
int handle_mm_fault(struct mm_struct *mm, unsigned long addr, bool write)
{
	struct vm_area_struct *vma = find_vma(mm, addr);
	unsigned long flags = _PAGE_PRESENT | _PAGE_USER | _PAGE_ACCESSED;
	pte_t *pte;

	if (!vma || (write && !(vma->vm_flags & VM_WRITE)))
		return -1;
	if (vma->vm_flags & VM_HUGETLB)
		return hugetlb_fault(mm, vma, addr, write);
	if (vma->vm_flags & VM_WRITE)
		flags |= _PAGE_RW;
	if (write)
		flags |= _PAGE_DIRTY;

	pte = alloc_to_pte(mm, addr);
	spin_lock(&mm->page_table_lock);
	if (!(pte->pte & _PAGE_PRESENT))
		pte->pte = (alloc_frame() << PAGE_SHIFT) | flags;
	else if (write && !(pte->pte & _PAGE_RW))
		do_wp_page(vma, addr, pte);
	spin_unlock(&mm->page_table_lock);
	return 0;
}
