/* SPDX-License-Identifier: MIT */
/*
 * Exclusive ownership of pages: a page of user space is not in the kernel's own map of memory (the direct map) unless
 * the kernel works on it. Model code, written for TLBScope.
 */
#ifndef MODEL_LINUX_XPFO_H
#define MODEL_LINUX_XPFO_H

#include <linux/mm.h>

/* Where the direct map begins, the frame of its first page, and how many pages the model has of it. */
#define PAGE_OFFSET		0xffff888000000000UL
#define DIRECT_MAP_PFN		0x200000UL
#define DIRECT_MAP_PAGES	64

/* Bits of page->flags. */
#define PG_xpfo_user		0
#define PG_xpfo_unmapped	1
/* On a CPU's list of free pages. */
#define PG_free_list		2

struct page {
	unsigned long flags;
	/* Users of the kernel's mapping of a user page. */
	atomic_t xpfo_mapcount;
	spinlock_t xpfo_lock;
};

extern struct page mem_map[DIRECT_MAP_PAGES];

#define GFP_KERNEL	0xcc0UL
#define GFP_HIGHUSER	0x100cc2UL

static inline unsigned long page_address(struct page *page)
{
	return PAGE_OFFSET + ((unsigned long)(page - mem_map) << PAGE_SHIFT);
}

void xpfo_alloc_pages(struct page *page, int order, unsigned long gfp);
void xpfo_free_pages(struct page *page, int order);
void xpfo_kmap(unsigned long kaddr, struct page *page);
void xpfo_kunmap(unsigned long kaddr, struct page *page);
void set_kpte(unsigned long kaddr, struct page *page, unsigned long prot);
void xpfo_flush_kernel_tlb(struct page *page, int order);

pte_t *direct_map_pte(unsigned long kaddr);
unsigned long direct_map_flags(void);
void sync_direct_map(unsigned long kaddr);

/* The promise that the kernel cannot reach the page any more, and its end; an access through the direct map. */
void direct_map_closed(unsigned long kaddr);
void direct_map_opened(unsigned long kaddr);
unsigned long world_kernel_access(unsigned long kaddr, unsigned long kind);

#endif
