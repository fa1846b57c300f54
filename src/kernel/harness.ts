/**
 * What stands around the tree in C and assembly: user code, and what hardware does before the first instruction of an
 * entry point. It is lowered like the tree itself, so that no state hides in the host.
 */

export const harnessPath = 'world/harness.c';
export const harnessEntryPath = 'arch/x86/entry/world_harness.S';

/** Vectors of interrupts besides that of calls between CPUs, which is the VM's. */
export const deviceVector = 2;

/** What handles each kind of interrupt. */
export const callHandlerName = 'world_call_interrupt';
export const deviceHandlerName = 'world_device_interrupt';
export const nmiHandlerName = 'world_nmi_interrupt';

export const harnessText = `
#include <linux/mm_types.h>

/* 1 while user code runs. */
DEFINE_PER_CPU(unsigned long, world_user_mode);
DEFINE_PER_CPU(unsigned long, world_stale[8]);
/* What the last call has promised: see promises.ts. */
DEFINE_PER_CPU(unsigned long, world_promise[4]);
/* Pages that the direct map must not reach: their addresses with bit 0 set. */
unsigned long world_closed[64];
unsigned long world_finished;
/* 1 while the CPU reclaims: tlb_flush_batched of an mm stays set behind it, and says nothing then. */
DEFINE_PER_CPU(unsigned long, world_reclaims);

void context_switch(struct task_struct *prev, struct task_struct *next);
void shrink_range(struct mm_struct *mm, unsigned long start, unsigned long end);
long do_syscall_64(unsigned long a, unsigned long b, unsigned long c, unsigned long nr);
void prep_new_page(unsigned long nr, bool for_user);
void free_page_prepare(unsigned long nr);
void copy_user_highpage(unsigned long nr);
void read_direct_map(unsigned long nr);
void rmqueue_bulk(unsigned long first, unsigned long count);

void generic_smp_call_function_interrupt(void)
{
	vm_call_interrupt();
}

void world_touch(unsigned long start, unsigned long end, unsigned long kind, unsigned long size)
{
	unsigned long addr, error;

	for (addr = start; addr < end; addr += size) {
		for (error = world_access(addr, kind); error; error = world_access(addr, kind)) {
			world_trap();
			world_enter_page_fault(addr, error);
		}
	}
}

void world_syscall(unsigned long a, unsigned long b, unsigned long c, unsigned long nr)
{
	world_call_begins(a, b, c, nr);
	world_trap();
	world_enter_syscall(a, b, c, nr);
	world_call_returns();
}

void world_syscall_nostack(unsigned long a, unsigned long b, unsigned long c, unsigned long nr)
{
	world_call_begins(a, b, c, nr);
	world_trap();
	world_enter_syscall_nostack(a, b, c, nr);
	world_call_returns();
}

void world_lazy(struct task_struct *idle)
{
	if (this_cpu_read(world_user_mode)) {
		world_trap();
		world_enter_kernel();
	}
	local_irq_disable();
	context_switch(this_cpu_read(current_task), idle);
	local_irq_enable();
}

void world_switch(struct task_struct *next)
{
	if (this_cpu_read(world_user_mode)) {
		world_syscall((unsigned long)next, 0, 0, 24);
	} else {
		local_irq_disable();
		context_switch(this_cpu_read(current_task), next);
		world_leave_kernel();
	}
}

/* Into the kernel; what follows is done there until one of the ways out. */
void world_begin(void)
{
	world_trap();
	world_enter_kernel();
	local_irq_enable();
}

void world_begin_paranoid(void)
{
	world_trap();
	world_enter_paranoid();
	local_irq_enable();
}

void world_end(void)
{
	local_irq_disable();
	world_leave_kernel();
}

void world_end_nostack(void)
{
	local_irq_disable();
	world_leave_kernel_nostack();
}

void world_end_paranoid(void)
{
	local_irq_disable();
	world_leave_paranoid();
}

/* The work of a system call, within an entry that does more. */
void world_work(unsigned long a, unsigned long b, unsigned long c, unsigned long nr)
{
	world_call_begins(a, b, c, nr);
	do_syscall_64(a, b, c, nr);
	world_call_returns();
	local_irq_enable();
}

/* The scheduler, on the way back to user mode: the kernel is left in the other task. */
void world_reschedule(struct task_struct *next)
{
	local_irq_disable();
	context_switch(this_cpu_read(current_task), next);
	local_irq_enable();
}

void world_reclaim(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	unsigned long from_user = this_cpu_read(world_user_mode);

	if (from_user) {
		world_trap();
		world_enter_kernel();
		local_irq_enable();
	}
	this_cpu_write(world_reclaims, 1);
	shrink_range(mm, start, end);
	this_cpu_write(world_reclaims, 0);
	if (from_user) {
		local_irq_disable();
		world_leave_kernel();
	}
}

/* What the kernel does with pages of its direct map, one after the other: see DirectWork in program.ts. */
static void world_direct_page(unsigned long nr, unsigned long what)
{
	if (what == 0)
		read_direct_map(nr);
	else if (what == 1)
		prep_new_page(nr, true);
	else if (what == 2)
		prep_new_page(nr, false);
	else if (what == 3)
		copy_user_highpage(nr);
	else
		free_page_prepare(nr);
}

void world_direct(unsigned long first, unsigned long count, unsigned long what)
{
	unsigned long from_user = this_cpu_read(world_user_mode);
	unsigned long nr;

	if (from_user) {
		world_trap();
		world_enter_kernel();
		local_irq_enable();
	}
	if (what == 5) {
		rmqueue_bulk(first, count);
	} else {
		for (nr = first; nr < first + count; nr++)
			world_direct_page(nr, what);
	}
	if (from_user) {
		local_irq_disable();
		world_leave_kernel();
	}
}

void world_paranoid(void)
{
	if (this_cpu_read(world_user_mode)) {
		world_trap();
		world_enter_debug();
	} else {
		local_irq_disable();
		world_debug_from_kernel();
		local_irq_enable();
	}
}

void world_call_interrupt(void)
{
	if (this_cpu_read(world_user_mode)) {
		world_trap();
		world_call_from_user();
	} else {
		world_call_from_kernel();
	}
}

void world_device_interrupt(void)
{
	if (this_cpu_read(world_user_mode)) {
		world_trap();
		world_device_from_user();
	} else {
		world_device_from_kernel();
	}
}

void world_nmi_interrupt(void)
{
	if (this_cpu_read(world_user_mode)) {
		world_trap();
		world_nmi_from_user();
	} else {
		world_nmi_from_kernel();
	}
}

void world_barrier(unsigned long *count, unsigned long parties)
{
	world_wait(count, world_arrive(count, parties));
}

void world_finish(void)
{
	world_arrive(&world_finished, 1);
}

void world_nmi_to(unsigned long cpu)
{
	world_send_nmi(cpu);
}

void world_interrupt_here(void)
{
	world_raise_interrupt();
}

void world_measure_from_here(void)
{
	world_measure();
}

void world_spin(unsigned long others)
{
	world_wait(&world_finished, others);
}
`;

/** The frame of the hardware: SS, RSP, RFLAGS (IF set), CS (user or kernel), RIP. */
const frame = (segment: 'user' | 'kernel'): string => `
	pushq	$0x2b
	pushq	$0
	pushq	$0x202
	pushq	$${segment === 'user' ? '0x33' : '0x10'}
	pushq	$0`;

const routine = (name: string, body: string): string =>
  `SYM_CODE_START(${name})${body}\nSYM_CODE_END(${name})\n`;

export const harnessEntryText = `
#include "calling.h"

${routine('world_enter_syscall', '\n\tmovq\t%rcx, %rax\n\tjmp\tentry_SYSCALL_64')}
${routine('world_enter_syscall_nostack', '\n\tmovq\t%rcx, %rax\n\tjmp\tentry_SYSCALL_compat')}
${routine('world_enter_page_fault', `${frame('user')}\n\tjmp\tpage_fault`)}
${routine('world_enter_debug', `${frame('user')}\n\tjmp\tdebug`)}
${routine('world_call_from_user', `${frame('user')}\n\tjmp\tcall_function_interrupt`)}
${routine('world_call_from_kernel', `${frame('kernel')}\n\tjmp\tcall_function_interrupt`)}
${routine('world_device_from_user', `${frame('user')}\n\tjmp\tcommon_interrupt`)}
${routine('world_device_from_kernel', `${frame('kernel')}\n\tjmp\tcommon_interrupt`)}
${routine('world_nmi_from_user', `${frame('user')}\n\tjmp\tnmi`)}
${routine('world_nmi_from_kernel', `${frame('kernel')}\n\tjmp\tnmi`)}
${routine('world_enter_kernel', '\n\tSWITCH_TO_KERNEL_CR3 scratch_reg=%r11\n\tRET')}
${routine('world_debug_from_kernel', `${frame('kernel')}\n\tjmp\tdebug`)}
${routine('world_enter_paranoid', '\n\tSAVE_AND_SWITCH_TO_KERNEL_CR3 scratch_reg=%rax save_reg=%r14\n\tRET')}
${routine('world_leave_paranoid', `${frame('user')}\n\tRESTORE_CR3 scratch_reg=%r15 save_reg=%r14\n\tiretq`)}
${routine(
  'world_leave_kernel_nostack',
  '\n\tSWITCH_TO_USER_CR3_NOSTACK scratch_reg=%r8 scratch_reg2=%r9\n\tswapgs\n\tsysretl',
)}
${routine('world_leave_kernel', `${frame('user')}\n\tpushq\t%rdi\n\tjmp\tswapgs_restore_regs_and_return_to_usermode`)}
`;
