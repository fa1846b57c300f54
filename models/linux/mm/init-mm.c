// SPDX-License-Identifier: MIT
/* The kernel's own address space. Model code, written for TLBScope. */
#include <linux/mm_types.h>

struct mm_struct init_mm = {
	.context = { .ctx_id = 1 },
};
