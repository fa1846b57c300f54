// SPDX-License-Identifier: MIT
/* Calls from CPU to CPU: the handler of the interrupt. Model code, written for TLBScope. */
#include <linux/smp.h>

void smp_call_function_interrupt(void)
{
	generic_smp_call_function_interrupt();
}
