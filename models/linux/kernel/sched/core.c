// SPDX-License-Identifier: MIT
/* A switch from one task to another. Model code, written for TLBScope. */
#include <linux/mm_types.h>

void switch_mm_irqs_off(struct mm_struct *prev, struct mm_struct *next, struct task_struct *tsk);
void enter_lazy_tlb(struct mm_struct *mm, struct task_struct *tsk);

DEFINE_PER_CPU(struct task_struct *, current_task);

/* With interrupts off. A task without an address space of its own borrows that of the one before. */
void context_switch(struct task_struct *prev, struct task_struct *next)
{
	if (next->mm) {
		switch_mm_irqs_off(prev->active_mm, next->mm, next);
		next->active_mm = next->mm;
	} else {
		next->active_mm = prev->active_mm;
		enter_lazy_tlb(prev->active_mm, next);
	}
	if (!prev->mm)
		prev->active_mm = NULL;
	this_cpu_write(current_task, next);
}
