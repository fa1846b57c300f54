// SPDX-License-Identifier: MIT
/* Advice about memory. Model code, written for TLBScope. */
#include <linux/mm.h>

void zap_page_range(struct mm_struct *mm, unsigned long start, unsigned long end);

int do_madvise(struct mm_struct *mm, unsigned long start, unsigned long len, int behavior)
{
	if (behavior != MADV_DONTNEED || !len)
		return -1;
	/* The area stays: the next access gets a new page. */
	zap_page_range(mm, start, start + len);
	return 0;
}
