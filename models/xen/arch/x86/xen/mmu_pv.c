// SPDX-License-Identifier: MIT
/* What a guest asks the hypervisor to flush and to load. Model code, written for TLBScope. */
#include <linux/mm_types.h>
#include <xen/mmuext.h>

static void xen_one_op(unsigned long cmd, unsigned long addr)
{
	struct mmuext_op *op = xen_mc_entry();

	op->cmd = cmd;
	op->linear_addr = addr;
	xen_mc_issue();
}

void xen_flush_tlb(void)
{
	xen_one_op(MMUEXT_TLB_FLUSH_LOCAL, 0);
}

void xen_flush_tlb_one_user(unsigned long addr)
{
	xen_one_op(MMUEXT_INVLPG_LOCAL, addr);
}

void xen_write_cr3(unsigned long cr3)
{
	xen_one_op(MMUEXT_NEW_BASEPTR, cr3);
}
