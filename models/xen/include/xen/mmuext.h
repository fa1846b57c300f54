/* SPDX-License-Identifier: MIT */
/* Operations that a guest's kernel asks for. Model code, written for TLBScope. */
#ifndef MODEL_XEN_MMUEXT_H
#define MODEL_XEN_MMUEXT_H

#define MMUEXT_NEW_BASEPTR	5
#define MMUEXT_TLB_FLUSH_LOCAL	6
#define MMUEXT_INVLPG_LOCAL	7

struct mmuext_op {
	unsigned long cmd;
	unsigned long linear_addr;
};

void hypercall_mmuext_op(struct mmuext_op *ops, unsigned long count);

void xen_mc_batch(void);
struct mmuext_op *xen_mc_entry(void);
void xen_extend_mmuext_op(unsigned long cmd, unsigned long addr);
void xen_mc_issue(void);

#endif
