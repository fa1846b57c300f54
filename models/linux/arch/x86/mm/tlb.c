// SPDX-License-Identifier: MIT
/*
 * Switching address spaces, and dropping translations on one CPU or on all that run an address space. State of v5.3
 * with concurrent flushes: the CPU that asks flushes while the others do. Model code, written for TLBScope.
 */
#include <linux/mm_types.h>
#include <asm/tlbflush.h>

/* More strides than this are flushed as a whole. */
unsigned long tlb_single_page_flush_ceiling = 33;

DEFINE_PER_CPU_SHARED_ALIGNED(struct tlb_state, cpu_tlbstate);

/* A request is read by other CPUs until they have answered: each CPU that asks has one. */
static DEFINE_PER_CPU_SHARED_ALIGNED(struct flush_tlb_info, flush_tlb_info);

/* Nobody owns the slots but the loaded one any more. */
static void clear_asid_other(void)
{
	u16 loaded = this_cpu_read(cpu_tlbstate.loaded_mm_asid);
	u16 slot;

	for (slot = 0; slot < TLB_NR_DYN_ASIDS; slot++) {
		if (slot != loaded)
			this_cpu_write(cpu_tlbstate.ctxs[slot].ctx_id, 0);
	}
	this_cpu_write(cpu_tlbstate.invalidate_other, false);
}

/* The slot that @next gets, and whether what it holds has to go. */
static void choose_new_asid(struct mm_struct *next, u64 next_tlb_gen, u16 *new_asid, bool *need_flush)
{
	u16 slot;

	/* Until somebody is found whose entries can be kept. */
	*need_flush = true;
	if (!static_cpu_has(X86_FEATURE_PCID)) {
		*new_asid = 0;
		return;
	}
	if (this_cpu_read(cpu_tlbstate.invalidate_other))
		clear_asid_other();

	for (slot = 0; slot < TLB_NR_DYN_ASIDS; slot++) {
		if (this_cpu_read(cpu_tlbstate.ctxs[slot].ctx_id) == next->context.ctx_id) {
			*need_flush = this_cpu_read(cpu_tlbstate.ctxs[slot].tlb_gen) < next_tlb_gen;
			*new_asid = slot;
			return;
		}
	}

	/* A stranger: it takes the place of the one whose turn it is. */
	slot = this_cpu_read(cpu_tlbstate.next_asid);
	if (slot >= TLB_NR_DYN_ASIDS)
		slot = 0;
	this_cpu_write(cpu_tlbstate.next_asid, slot + 1);
	*new_asid = slot;
}

static void load_new_mm_cr3(pgd_t *pgd, u16 new_asid, bool need_flush)
{
	unsigned long cr3 = build_cr3(pgd, new_asid);

	if (need_flush)
		invalidate_user_asid(new_asid);
	else if (static_cpu_has(X86_FEATURE_PCID))
		cr3 |= X86_CR3_PCID_NOFLUSH;
	native_write_cr3(cr3);
}

void switch_mm_irqs_off(struct mm_struct *prev, struct mm_struct *next, struct task_struct *tsk)
{
	struct mm_struct *real_prev = this_cpu_read(cpu_tlbstate.loaded_mm);
	u16 new_asid = this_cpu_read(cpu_tlbstate.loaded_mm_asid);
	bool was_lazy = this_cpu_read(cpu_tlbstate.is_lazy);
	unsigned int cpu = smp_processor_id();
	bool need_flush = true;
	u64 next_tlb_gen;

	this_cpu_write(cpu_tlbstate.is_lazy, false);

	if (real_prev == next) {
		/* Another thread of the process that runs here. */
		if (!was_lazy)
			return;

		/* Flushes passed this CPU by while it was lazy: no longer lazy first, then look. */
		smp_mb();
		next_tlb_gen = atomic64_read(&next->context.tlb_gen);
		if (this_cpu_read(cpu_tlbstate.ctxs[new_asid].tlb_gen) == next_tlb_gen)
			return;
	} else {
		if (real_prev != &init_mm)
			cpumask_clear_cpu(cpu, mm_cpumask(real_prev));

		/* Visible in the mask first, then the generation: a flush sees this CPU, or this CPU sees the flush. */
		if (next != &init_mm)
			cpumask_set_cpu(cpu, mm_cpumask(next));
		next_tlb_gen = atomic64_read(&next->context.tlb_gen);
		choose_new_asid(next, next_tlb_gen, &new_asid, &need_flush);

		/* An NMI from here on must not trust CR3. */
		this_cpu_write(cpu_tlbstate.loaded_mm, LOADED_MM_SWITCHING);
		barrier();
	}

	if (need_flush) {
		this_cpu_write(cpu_tlbstate.ctxs[new_asid].ctx_id, next->context.ctx_id);
		this_cpu_write(cpu_tlbstate.ctxs[new_asid].tlb_gen, next_tlb_gen);
	}
	load_new_mm_cr3(next->pgd, new_asid, need_flush);

	barrier();
	this_cpu_write(cpu_tlbstate.loaded_mm, next);
	this_cpu_write(cpu_tlbstate.loaded_mm_asid, new_asid);
}

void switch_mm(struct mm_struct *prev, struct mm_struct *next, struct task_struct *tsk)
{
	unsigned long flags;

	local_irq_save(flags);
	switch_mm_irqs_off(prev, next, tsk);
	local_irq_restore(flags);
}

/* Drops the user address space that a kernel thread has kept. */
void leave_mm(int cpu)
{
	if (this_cpu_read(cpu_tlbstate.loaded_mm) != &init_mm)
		switch_mm(NULL, &init_mm, NULL);
}

/* A kernel thread begins: it has no user memory, so CR3 can stay. */
void enter_lazy_tlb(struct mm_struct *mm, struct task_struct *tsk)
{
	if (this_cpu_read(cpu_tlbstate.loaded_mm) != &init_mm)
		this_cpu_write(cpu_tlbstate.is_lazy, true);
}

/* Handles one request on one CPU, with interrupts off. */
static void flush_tlb_func(void *info)
{
	const struct flush_tlb_info *f = info;
	struct mm_struct *loaded_mm = this_cpu_read(cpu_tlbstate.loaded_mm);
	u16 loaded_mm_asid = this_cpu_read(cpu_tlbstate.loaded_mm_asid);
	u64 local_tlb_gen, mm_tlb_gen;

	if (f->mm && f->mm != loaded_mm)
		return;
	if (loaded_mm == &init_mm)
		return;

	/* Cheaper than flushing for a kernel thread, and it takes this CPU out of the mask. */
	if (this_cpu_read(cpu_tlbstate.is_lazy)) {
		switch_mm_irqs_off(NULL, &init_mm, NULL);
		return;
	}

	/* Read before the flush: what is filled after the flush is at least as new. */
	local_tlb_gen = this_cpu_read(cpu_tlbstate.ctxs[loaded_mm_asid].tlb_gen);
	mm_tlb_gen = atomic64_read(&loaded_mm->context.tlb_gen);
	if (local_tlb_gen == mm_tlb_gen)
		return;

	if (f->end != TLB_FLUSH_ALL &&
	    f->new_tlb_gen == local_tlb_gen + 1 && f->new_tlb_gen == mm_tlb_gen) {
		unsigned long addr;

		for (addr = f->start; addr < f->end; addr += 1UL << f->stride_shift)
			__flush_tlb_one_user(addr);
	} else {
		__flush_tlb();
	}

	this_cpu_write(cpu_tlbstate.ctxs[loaded_mm_asid].tlb_gen, mm_tlb_gen);
}

static bool tlb_is_not_lazy(int cpu, void *data)
{
	return !per_cpu(cpu_tlbstate.is_lazy, cpu);
}

/* On every CPU of the set, this one included if it is in it. A lazy CPU looks at the generation when it wakes up. */
void flush_tlb_multi(const struct cpumask *cpumask, const struct flush_tlb_info *info)
{
	if (info->freed_tables)
		on_each_cpu_mask(cpumask, flush_tlb_func, (void *)info, true);
	else
		on_each_cpu_cond_mask(tlb_is_not_lazy, flush_tlb_func, (void *)info, true, cpumask);
}

static struct flush_tlb_info *get_flush_tlb_info(struct mm_struct *mm, unsigned long start, unsigned long end,
						 unsigned int stride_shift, bool freed_tables, u64 new_tlb_gen)
{
	struct flush_tlb_info *info = this_cpu_ptr(&flush_tlb_info);

	info->mm = mm;
	info->start = start;
	info->end = end;
	info->new_tlb_gen = new_tlb_gen;
	info->stride_shift = stride_shift;
	info->freed_tables = freed_tables;
	info->initiating_cpu = smp_processor_id();
	return info;
}

void flush_tlb_mm_range(struct mm_struct *mm, unsigned long start, unsigned long end,
			unsigned int stride_shift, bool freed_tables)
{
	struct flush_tlb_info *info;
	u64 new_tlb_gen;
	int cpu = get_cpu();

	if (end == TLB_FLUSH_ALL || ((end - start) >> stride_shift) > tlb_single_page_flush_ceiling) {
		start = 0;
		end = TLB_FLUSH_ALL;
	}

	new_tlb_gen = inc_mm_tlb_gen(mm);
	info = get_flush_tlb_info(mm, start, end, stride_shift, freed_tables, new_tlb_gen);

	if (cpumask_any_but(mm_cpumask(mm), cpu) < nr_cpu_ids) {
		flush_tlb_multi(mm_cpumask(mm), info);
	} else if (this_cpu_read(cpu_tlbstate.loaded_mm) == mm) {
		local_irq_disable();
		flush_tlb_func(info);
		local_irq_enable();
	}
	put_cpu();
}

static void do_flush_tlb_all(void *info)
{
	__flush_tlb_all();
}

void flush_tlb_all(void)
{
	on_each_cpu(do_flush_tlb_all, NULL, 1);
}

static void do_kernel_range_flush(void *info)
{
	const struct flush_tlb_info *f = info;
	unsigned long addr = f->start;

	while (addr < f->end) {
		__flush_tlb_one_kernel(addr);
		addr += PAGE_SIZE;
	}
}

/* Kernel memory is mapped everywhere: no masks, no generations, nobody is left out. */
void flush_tlb_kernel_range(unsigned long start, unsigned long end)
{
	struct flush_tlb_info *info;

	if (end == TLB_FLUSH_ALL || ((end - start) >> PAGE_SHIFT) > tlb_single_page_flush_ceiling) {
		flush_tlb_all();
		return;
	}
	preempt_disable();
	info = get_flush_tlb_info(NULL, start, end, PAGE_SHIFT, false, 0);
	on_each_cpu(do_kernel_range_flush, info, 1);
	preempt_enable();
}

/* What reclaim has gathered of several address spaces: everything, on the CPUs of all of them. */
void arch_tlbbatch_flush(struct arch_tlbflush_unmap_batch *batch)
{
	int cpu = get_cpu();
	struct flush_tlb_info *info = get_flush_tlb_info(NULL, 0UL, TLB_FLUSH_ALL, 0, false, 0);

	if (cpumask_any_but(&batch->cpumask, cpu) < nr_cpu_ids) {
		flush_tlb_multi(&batch->cpumask, info);
	} else if (cpumask_test_cpu(cpu, &batch->cpumask)) {
		local_irq_disable();
		flush_tlb_func(info);
		local_irq_enable();
	}
	cpumask_clear(&batch->cpumask);
	put_cpu();
}
