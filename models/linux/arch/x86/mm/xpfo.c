// SPDX-License-Identifier: MIT
/* XPFO: entries of the direct map, and their flush. Model code, written for TLBScope. */
#include <linux/xpfo.h>
#include <asm/tlbflush.h>

/* All entries of the model are of 4K already: nothing has to be split. */
void set_kpte(unsigned long kaddr, struct page *page, unsigned long prot)
{
	pte_t *pte = direct_map_pte(kaddr);

	pte->pte = prot ? ((DIRECT_MAP_PFN + (page - mem_map)) << PAGE_SHIFT) | prot : 0UL;
}

/* No CPU may keep a translation of the page in the direct map. */
void xpfo_flush_kernel_tlb(struct page *page, int order)
{
	unsigned long kaddr = page_address(page);

	flush_tlb_kernel_range(kaddr, kaddr + (PAGE_SIZE << order));
}
