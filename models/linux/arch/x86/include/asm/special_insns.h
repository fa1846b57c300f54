/* SPDX-License-Identifier: MIT */
/* Control registers. Model code, written for TLBScope. */
#ifndef MODEL_ASM_SPECIAL_INSNS_H
#define MODEL_ASM_SPECIAL_INSNS_H

static inline unsigned long __native_read_cr3(void)
{
	unsigned long value;

	asm volatile("mov %%cr3, %0" : "=r" (value));
	return value;
}

static inline void native_write_cr3(unsigned long value)
{
	asm volatile("mov %0, %%cr3" : : "r" (value) : "memory");
}

static inline void native_write_cr4(unsigned long value)
{
	asm volatile("mov %0, %%cr4" : : "r" (value) : "memory");
}

#endif
