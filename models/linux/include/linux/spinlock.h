/* SPDX-License-Identifier: MIT */
/* Model code, written for TLBScope. */
#ifndef MODEL_LINUX_SPINLOCK_H
#define MODEL_LINUX_SPINLOCK_H

/* 0: free; else who holds it. */
typedef struct { unsigned long owner; } spinlock_t;

#endif
