// SPDX-License-Identifier: MIT
/* System calls, devices, NMIs and debug traps. Model code, written for TLBScope. */
#include <linux/mm.h>

#define __NR_mmap	9
#define __NR_mprotect	10
#define __NR_munmap	11
#define __NR_sched_yield	24
#define __NR_madvise	28
#define __NR_getpid	39
#define __NR_fork	57

void context_switch(struct task_struct *prev, struct task_struct *next);
int do_mmap(struct mm_struct *mm, unsigned long start, unsigned long len, unsigned long prot);
int do_munmap(struct mm_struct *mm, unsigned long start, unsigned long len);
int do_mprotect(struct mm_struct *mm, unsigned long start, unsigned long len, unsigned long prot);
int do_madvise(struct mm_struct *mm, unsigned long start, unsigned long len, int behavior);
int dup_mmap(struct mm_struct *mm, struct mm_struct *oldmm);

/* The caller of the model says who runs next. */
static long yield_to(struct task_struct *next)
{
	local_irq_disable();
	context_switch(current, next);
	local_irq_enable();
	return 0;
}

/* @nr comes last: the arguments stay in the registers in which user code left them. Of fork, @a is the new mm. */
long do_syscall_64(unsigned long a, unsigned long b, unsigned long c, unsigned long nr)
{
	struct mm_struct *mm = current->mm;
	long result = -1;

	local_irq_enable();
	if (nr == __NR_madvise)
		result = do_madvise(mm, a, b, c);
	else if (nr == __NR_munmap)
		result = do_munmap(mm, a, b);
	else if (nr == __NR_mprotect)
		result = do_mprotect(mm, a, b, c);
	else if (nr == __NR_mmap)
		result = do_mmap(mm, a, b, c);
	else if (nr == __NR_fork)
		result = dup_mmap((struct mm_struct *)a, mm);
	else if (nr == __NR_sched_yield)
		result = yield_to((struct task_struct *)a);
	else if (nr == __NR_getpid)
		result = 1;
	local_irq_disable();
	return result;
}

void do_IRQ(void)
{
}

void do_debug(void)
{
}

void do_nmi(void)
{
}
