/* SPDX-License-Identifier: MIT */
/*
 * What a CPU knows about its own TLB, and how it drops entries. State of v5.3 with concurrent flushes: a CPU keeps six
 * address spaces apart by PCID; under PTI each has a second PCID for user mode. Model code, written for TLBScope.
 */
#ifndef MODEL_ASM_TLBFLUSH_H
#define MODEL_ASM_TLBFLUSH_H

#include <linux/mm_types.h>
#include <asm/special_insns.h>

#define TLB_FLUSH_ALL		(~0UL)
#define TLB_NR_DYN_ASIDS	6
#define LOADED_MM_SWITCHING	((struct mm_struct *)1UL)
#define USER_PCID		(1 << X86_CR3_PTI_PCID_USER_BIT)

struct tlb_context {
	u64 ctx_id;
	u64 tlb_gen;
};

struct tlb_state {
	/* The address space in CR3; LOADED_MM_SWITCHING while CR3 is being written. */
	struct mm_struct *loaded_mm;
	u16 loaded_mm_asid;
	u16 next_asid;
	/* A kernel thread runs, and CR3 holds a user address space that nobody uses. */
	bool is_lazy;
	/* Every slot but the loaded one holds stale kernel entries. */
	bool invalidate_other;
	/* Bit slot + 1: the user PCID of the slot has to be flushed on the next return to user mode. */
	unsigned short user_pcid_flush_mask;
	unsigned long cr4;
	struct tlb_context ctxs[TLB_NR_DYN_ASIDS];
};
DECLARE_PER_CPU_SHARED_ALIGNED(struct tlb_state, cpu_tlbstate);

struct flush_tlb_info {
	/* Null: whatever is loaded. Such a request has no generation: 0. */
	struct mm_struct *mm;
	u64 new_tlb_gen;
	/* Everything: end is TLB_FLUSH_ALL. */
	unsigned long start;
	unsigned long end;
	u8 stride_shift;
	bool freed_tables;
	unsigned int initiating_cpu;
};

extern unsigned long tlb_single_page_flush_ceiling;

void flush_tlb_mm_range(struct mm_struct *mm, unsigned long start, unsigned long end,
			unsigned int stride_shift, bool freed_tables);
void flush_tlb_kernel_range(unsigned long start, unsigned long end);
void flush_tlb_all(void);

#define flush_tlb_mm(mm)		flush_tlb_mm_range(mm, 0UL, TLB_FLUSH_ALL, 0UL, true)
#define flush_tlb_range(vma, a, b)	flush_tlb_mm_range((vma)->vm_mm, a, b, vma_page_shift(vma), false)
#define flush_tlb_page(vma, a)		flush_tlb_mm_range((vma)->vm_mm, a, (a) + PAGE_SIZE, PAGE_SHIFT, false)

/* How far apart the entries of an area lie. */
static inline unsigned int vma_page_shift(struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_HUGETLB ? PMD_SHIFT : PAGE_SHIFT;
}

static inline u64 inc_mm_tlb_gen(struct mm_struct *mm)
{
	/* Also the fence between the stores to the page tables and the look at who runs the mm. */
	return atomic64_inc_return(&mm->context.tlb_gen);
}

/* Reclaim has cleared an entry of @mm: every CPU that runs it now has to flush before the page is free. */
static inline void arch_tlbbatch_add_mm(struct arch_tlbflush_unmap_batch *batch, struct mm_struct *mm)
{
	inc_mm_tlb_gen(mm);
	cpumask_or(&batch->cpumask, &batch->cpumask, mm_cpumask(mm));
}

/* PCID 0 is left to code that knows nothing of PCIDs. */
static inline u16 kern_pcid(u16 asid)
{
	return asid + 1;
}

static inline u16 user_pcid(u16 asid)
{
	return kern_pcid(asid) | USER_PCID;
}

static inline unsigned long build_cr3(pgd_t *pgd, u16 asid)
{
	unsigned long root = __sme_pa(pgd);

	return static_cpu_has(X86_FEATURE_PCID) ? root | kern_pcid(asid) : root;
}

static inline void invpcid_flush_one(unsigned long pcid, unsigned long addr)
{
	struct { u64 words[2]; } descriptor = { { pcid, addr } };

	asm volatile("invpcid %[what], %[type]"
		     : : [what] "m" (descriptor), [type] "r" (0UL) : "memory");
}

static inline void invpcid_flush_all(void)
{
	struct { u64 words[2]; } descriptor = { { 0, 0 } };

	asm volatile("invpcid %[what], %[type]"
		     : : [what] "m" (descriptor), [type] "r" (2UL) : "memory");
}

/* Whoever returns to user mode in this slot flushes its user PCID. */
static inline void invalidate_user_asid(u16 asid)
{
	if (!IS_ENABLED(CONFIG_PAGE_TABLE_ISOLATION))
		return;
	if (!cpu_feature_enabled(X86_FEATURE_PCID) || !static_cpu_has(X86_FEATURE_PTI))
		return;
	__set_bit(kern_pcid(asid), (unsigned long *)this_cpu_ptr(&cpu_tlbstate.user_pcid_flush_mask));
}

/* Every entry of the loaded address space, apart from global ones. */
static inline void __native_flush_tlb(void)
{
	invalidate_user_asid(this_cpu_read(cpu_tlbstate.loaded_mm_asid));
	native_write_cr3(__native_read_cr3());
}

/* Every entry, global ones included. */
static inline void __native_flush_tlb_global(void)
{
	unsigned long cr4, flags;

	if (static_cpu_has(X86_FEATURE_INVPCID)) {
		invpcid_flush_all();
		return;
	}
	raw_local_irq_save(flags);
	cr4 = this_cpu_read(cpu_tlbstate.cr4);
	native_write_cr4(cr4 ^ X86_CR4_PGE);
	native_write_cr4(cr4);
	raw_local_irq_restore(flags);
}

/* One page of the loaded address space, in both of its PCIDs. */
static inline void __native_flush_tlb_one_user(unsigned long addr)
{
	u16 asid = this_cpu_read(cpu_tlbstate.loaded_mm_asid);

	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
	if (!static_cpu_has(X86_FEATURE_PTI))
		return;

	/* INVPCID faults on another PCID than 0 while CR4.PCIDE is clear, so early code owes the flush. */
	if (this_cpu_has(X86_FEATURE_INVPCID_SINGLE))
		invpcid_flush_one(user_pcid(asid), addr);
	else
		invalidate_user_asid(asid);
}

#define __flush_tlb()			__native_flush_tlb()
#define __flush_tlb_global()		__native_flush_tlb_global()
#define __flush_tlb_one_user(addr)	__native_flush_tlb_one_user(addr)

static inline void __flush_tlb_all(void)
{
	if (boot_cpu_has(X86_FEATURE_PGE))
		__flush_tlb_global();
	else
		__flush_tlb();
}

/* One page of the kernel. Under PTI it is not global: the other slots may hold it as well. */
static inline void __flush_tlb_one_kernel(unsigned long addr)
{
	__flush_tlb_one_user(addr);
	if (static_cpu_has(X86_FEATURE_PTI))
		this_cpu_write(cpu_tlbstate.invalidate_other, true);
}

#endif
