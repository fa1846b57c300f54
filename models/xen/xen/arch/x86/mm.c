// SPDX-License-Identifier: MIT
/* Roots of a guest's modes, and what its kernel asks for. Model code, written for TLBScope. */
#include <asm-x86/flushtlb.h>
#include <xen/mmuext.h>

DEFINE_PER_CPU(unsigned long, xen_cr3);
DEFINE_PER_CPU(unsigned long, pv_cr3);
DEFINE_PER_CPU(unsigned long, vcpu_cr3);
DEFINE_PER_CPU(bool, root_pgt_changed);
DEFINE_PER_CPU(unsigned long, cpu_cr4);

/* Loads the root of the guest's present mode. */
void write_ptbase(void)
{
	unsigned long cr3 = this_cpu_read(vcpu_cr3);

	if (boot_cpu_has(X86_FEATURE_XPTI)) {
		this_cpu_write(root_pgt_changed, true);
		this_cpu_write(pv_cr3, cr3 | GUEST_ROOT);
		native_write_cr3(cr3);
	} else {
		write_cr3(cr3);
	}
}

/*
 * User code of a 64-bit guest and its kernel have roots of their own, of which the model has one for both. Global pages are
 * those of user code, and stay.
 */
void toggle_guest_mode(void)
{
	unsigned long cr3 = this_cpu_read(vcpu_cr3);

	if (boot_cpu_has(X86_FEATURE_XPTI)) {
		this_cpu_write(root_pgt_changed, true);
		this_cpu_write(pv_cr3, cr3 | GUEST_ROOT);
	}
	native_write_cr3(cr3);
}

void do_mmuext_op(struct mmuext_op *ops, unsigned long count)
{
	unsigned long nr;

	for (nr = 0; nr < count; nr++) {
		if (ops[nr].cmd == MMUEXT_INVLPG_LOCAL) {
			flush_area_local(ops[nr].linear_addr, 0);
		} else if (ops[nr].cmd == MMUEXT_TLB_FLUSH_LOCAL) {
			do_tlb_flush();
		} else {
			this_cpu_write(vcpu_cr3, ops[nr].linear_addr);
			write_ptbase();
		}
	}
}
