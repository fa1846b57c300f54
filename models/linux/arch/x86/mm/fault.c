// SPDX-License-Identifier: MIT
/* Faults. Model code, written for TLBScope. */
#include <linux/mm.h>

#define X86_PF_WRITE	0x2

int handle_mm_fault(struct mm_struct *mm, unsigned long addr, bool write);

/* Returns after the cause is gone; a task that had no right to the access ends here. */
void do_page_fault(unsigned long address, unsigned long error_code)
{
	struct mm_struct *mm = current->mm;

	BUG_ON(!mm);
	local_irq_enable();
	BUG_ON(handle_mm_fault(mm, address, (error_code & X86_PF_WRITE) != 0));
	local_irq_disable();
}
