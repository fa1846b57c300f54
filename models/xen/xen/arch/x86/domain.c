// SPDX-License-Identifier: MIT
/* A CPU goes from one guest to another. Model code, written for TLBScope. */
#include <asm-x86/flushtlb.h>

/* What CR4 holds while a guest runs. */
unsigned long pv_guest_cr4_to_real_cr4(void)
{
	return read_cr4() | (boot_cpu_has(X86_FEATURE_PGE) ? X86_CR4_PGE : 0UL);
}

void paravirt_ctxt_switch_to(void)
{
	unsigned long cr4 = pv_guest_cr4_to_real_cr4();

	if (cr4 != read_cr4())
		write_cr4(cr4);
}
