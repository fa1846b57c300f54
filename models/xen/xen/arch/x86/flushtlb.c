// SPDX-License-Identifier: MIT
/* Flushes of the hypervisor on one CPU, by a clock that all CPUs share. Model code, written for TLBScope. */
#include <asm-x86/flushtlb.h>

/* Counts flushes of whole TLBs; each CPU remembers its last one. */
static atomic_t tlbflush_clock;
static DEFINE_PER_CPU(unsigned int, tlbflush_time);

static unsigned int pre_flush(void)
{
	return atomic_inc_return(&tlbflush_clock);
}

static void post_flush(unsigned int time)
{
	this_cpu_write(tlbflush_time, time);
}

/* Another root, and nothing of the one before, global or not. */
void write_cr3(unsigned long cr3)
{
	unsigned long flags, cr4;
	unsigned int time;

	local_irq_save(flags);
	time = pre_flush();
	cr4 = read_cr4();
	write_cr4(cr4 & ~X86_CR4_PGE);
	native_write_cr3(cr3);
	write_cr4(cr4);
	post_flush(time);
	local_irq_restore(flags);
}

/* All that this CPU has cached. */
void do_tlb_flush(void)
{
	unsigned long flags, cr4;
	unsigned int time;

	local_irq_save(flags);
	time = pre_flush();
	cr4 = read_cr4();
	if (cr4 & X86_CR4_PGE) {
		write_cr4(cr4 & ~X86_CR4_PGE);
		write_cr4(cr4);
	} else {
		native_write_cr3(__native_read_cr3());
	}
	post_flush(time);
	local_irq_restore(flags);
}

/* A single page by itself; anything larger by flushing everything. */
void flush_area_local(unsigned long va, unsigned int order)
{
	if (order == 0)
		asm volatile("invlpg (%0)" : : "r" (va) : "memory");
	else
		do_tlb_flush();
}
