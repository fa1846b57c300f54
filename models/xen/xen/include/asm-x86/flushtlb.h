/* SPDX-License-Identifier: MIT */
/* Control registers and flushes of the hypervisor. Model code, written for TLBScope. */
#ifndef MODEL_XEN_FLUSHTLB_H
#define MODEL_XEN_FLUSHTLB_H

#include <linux/smp.h>
#include <asm/special_insns.h>

/* CR3 of the hypervisor while a guest runs on its own root; 0 in the hypervisor. */
DECLARE_PER_CPU(unsigned long, xen_cr3);
/* CR3 with which the guest is entered; 0: that of the hypervisor. */
DECLARE_PER_CPU(unsigned long, pv_cr3);
/* The root of the guest's present mode, with all of the hypervisor in it. */
DECLARE_PER_CPU(unsigned long, vcpu_cr3);
DECLARE_PER_CPU(bool, root_pgt_changed);
/* What CR4 holds. */
DECLARE_PER_CPU(unsigned long, cpu_cr4);

/* Bit of CR3 that chooses the root of a pair for the guest. */
#define GUEST_ROOT	0x1000UL

static inline unsigned long read_cr4(void)
{
	return this_cpu_read(cpu_cr4);
}

static inline void write_cr4(unsigned long value)
{
	this_cpu_write(cpu_cr4, value);
	native_write_cr4(value);
}

void write_cr3(unsigned long cr3);
void do_tlb_flush(void);
void flush_area_local(unsigned long va, unsigned int order);
void write_ptbase(void);

#endif
