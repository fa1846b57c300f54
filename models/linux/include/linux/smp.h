/* SPDX-License-Identifier: MIT */
/* Calls from CPU to CPU. Model code, written for TLBScope. */
#ifndef MODEL_LINUX_SMP_H
#define MODEL_LINUX_SMP_H

#include <linux/cpumask.h>

void generic_smp_call_function_interrupt(void);
void on_each_cpu(void (*func)(void *info), void *info, int wait);
void on_each_cpu_mask(const struct cpumask *mask, void (*func)(void *info), void *info, bool wait);
void on_each_cpu_cond_mask(bool (*cond)(int cpu, void *info), void (*func)(void *info), void *info, bool wait,
			   const struct cpumask *mask);
void smp_call_function_many(const struct cpumask *mask, void (*func)(void *info), void *info, bool wait);

#endif
