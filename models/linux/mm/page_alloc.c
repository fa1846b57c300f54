// SPDX-License-Identifier: MIT
/*
 * Pages of the direct map come and go, and the kernel works on them. Who gets which page is said by the caller; what the
 * kernel does when user space faults one in, or reads a file into it, is prep_new_page and copy_user_highpage. Model
 * code, written for TLBScope.
 */
#include <linux/xpfo.h>

struct page mem_map[DIRECT_MAP_PAGES];
static spinlock_t zone_lock;

void prep_new_page(unsigned long nr, bool for_user)
{
	sync_direct_map(PAGE_OFFSET);
	clear_bit(PG_free_list, &mem_map[nr].flags);
	xpfo_alloc_pages(&mem_map[nr], 0, for_user ? GFP_HIGHUSER : GFP_KERNEL);
}

void free_page_prepare(unsigned long nr)
{
	sync_direct_map(PAGE_OFFSET);
	xpfo_free_pages(&mem_map[nr], 0);
}

/* A page's contents are written by way of its kernel mapping. */
void copy_user_highpage(unsigned long nr)
{
	struct page *page = &mem_map[nr];
	unsigned long kaddr = page_address(page);

	sync_direct_map(kaddr);
	xpfo_kmap(kaddr, page);
	world_kernel_access(kaddr, 1);
	xpfo_kunmap(kaddr, page);
}

/* An access of the kernel that asks nobody: to a page of its own, or because an attacker has led it there. */
void read_direct_map(unsigned long nr)
{
	sync_direct_map(PAGE_OFFSET);
	world_kernel_access(page_address(&mem_map[nr]), 0);
}

/* What the flags of the pages promise to whoever gets them. */
static void close_unmapped_pages(unsigned long first, unsigned long count)
{
	unsigned long nr;

	for (nr = first; nr < first + count; nr++) {
		if (test_bit(PG_xpfo_unmapped, &mem_map[nr].flags))
			direct_map_closed(page_address(&mem_map[nr]));
	}
}

/* The list of free pages of a CPU is filled with pages that user space will get. */
void rmqueue_bulk(unsigned long first, unsigned long count)
{
	unsigned long nr;

	sync_direct_map(PAGE_OFFSET);
	spin_lock(&zone_lock);
	for (nr = first; nr < first + count; nr++)
		set_bit(PG_free_list, &mem_map[nr].flags);
	spin_unlock(&zone_lock);
	close_unmapped_pages(first, count);
}
