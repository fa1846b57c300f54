// SPDX-License-Identifier: MIT
/*
 * Exclusive ownership of pages. A page that user space gets stays in the direct map until the kernel has worked on it
 * for the first time; from then on it is there only while the kernel works on it. Model code, written for TLBScope.
 */
#include <linux/xpfo.h>

DEFINE_STATIC_KEY_TRUE(xpfo_inited);

/* Somebody gets the pages: user space, or the kernel itself. */
void xpfo_alloc_pages(struct page *page, int order, unsigned long gfp)
{
	bool was_kernel = false;
	int nr;

	if (!static_branch_unlikely(&xpfo_inited))
		return;

	for (nr = 0; nr < (1 << order); nr++) {
		if ((gfp & GFP_HIGHUSER) != GFP_HIGHUSER)
			clear_bit(PG_xpfo_user, &page[nr].flags);
		else if (!test_and_set_bit(PG_xpfo_user, &page[nr].flags))
			was_kernel = true;
	}

	/* Still in the direct map; but translations of the time when it was the kernel's go. */
	if (was_kernel)
		xpfo_flush_kernel_tlb(page, order);
}

/* What nobody owns is the kernel's again. No flush: there is nothing to be found where nothing was. */
void xpfo_free_pages(struct page *page, int order)
{
	int nr;

	if (!static_branch_unlikely(&xpfo_inited))
		return;

	for (nr = 0; nr < (1 << order); nr++) {
		unsigned long kaddr = page_address(page + nr);

		if (!test_and_clear_bit(PG_xpfo_user, &page[nr].flags))
			continue;
		clear_bit(PG_xpfo_unmapped, &page[nr].flags);
		direct_map_opened(kaddr);
		set_kpte(kaddr, page + nr, direct_map_flags());
	}
}

/* The kernel begins to work on a page. */
void xpfo_kmap(unsigned long kaddr, struct page *page)
{
	if (!static_branch_unlikely(&xpfo_inited) || !test_bit(PG_xpfo_user, &page->flags))
		return;

	spin_lock(&page->xpfo_lock);
	if (atomic_inc_return(&page->xpfo_mapcount) == 1 &&
	    test_and_clear_bit(PG_xpfo_unmapped, &page->flags)) {
		direct_map_opened(kaddr);
		set_kpte(kaddr, page, direct_map_flags());
	}
	spin_unlock(&page->xpfo_lock);
}

/* The kernel is done with it. The last one takes the page out of the direct map. */
void xpfo_kunmap(unsigned long kaddr, struct page *page)
{
	if (!static_branch_unlikely(&xpfo_inited) || !test_bit(PG_xpfo_user, &page->flags))
		return;

	spin_lock(&page->xpfo_lock);
	if (atomic_dec_return(&page->xpfo_mapcount) == 0) {
		set_bit(PG_xpfo_unmapped, &page->flags);
		set_kpte(kaddr, page, 0);
		xpfo_flush_kernel_tlb(page, 0);
		direct_map_closed(kaddr);
	}
	spin_unlock(&page->xpfo_lock);
}
