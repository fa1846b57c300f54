/* SPDX-License-Identifier: MIT */
/* The x86 part of an address space. Model code, written for TLBScope. */
#ifndef MODEL_ASM_MMU_H
#define MODEL_ASM_MMU_H

typedef struct {
	/* Identity of the address space: from a counter, never used twice. */
	u64 ctx_id;
	/* Newest generation of the page tables. */
	atomic64_t tlb_gen;
} mm_context_t;

#endif
