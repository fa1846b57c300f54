/* SPDX-License-Identifier: MIT */
/* Address spaces, their areas and tasks: what flushing needs of them. Model code, written for TLBScope. */
#ifndef MODEL_LINUX_MM_TYPES_H
#define MODEL_LINUX_MM_TYPES_H

#include <linux/cpumask.h>
#include <linux/spinlock.h>
#include <asm/mmu.h>

typedef struct { unsigned long pte; } pte_t;
typedef struct { unsigned long pmd; } pmd_t;
typedef struct { unsigned long pud; } pud_t;
typedef struct { unsigned long pgd; } pgd_t;

#define VM_READ		0x1UL
#define VM_WRITE	0x2UL
/* Pages of 2M: each is an entry of the level above. */
#define VM_HUGETLB	0x400000UL

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_flags;
	struct mm_struct *vm_mm;
	struct vm_area_struct *vm_next;
};

struct mm_struct {
	struct vm_area_struct *mmap;
	pgd_t *pgd;
	spinlock_t page_table_lock;
	mm_context_t context;
	/* How many operations have cleared entries that they have not flushed yet. */
	atomic_t tlb_flush_pending;
	/* Reclaim owes this address space a flush. */
	bool tlb_flush_batched;
	struct cpumask cpu_bitmap;
};

#define mm_cpumask(mm)	(&(mm)->cpu_bitmap)

/* CPUs that have to flush what reclaim has cleared. */
struct arch_tlbflush_unmap_batch {
	struct cpumask cpumask;
};

struct tlbflush_unmap_batch {
	struct arch_tlbflush_unmap_batch arch;
	bool flush_required;
};

struct task_struct {
	struct mm_struct *mm;
	struct mm_struct *active_mm;
	struct tlbflush_unmap_batch tlb_ubc;
};

DECLARE_PER_CPU(struct task_struct *, current_task);
extern struct mm_struct init_mm;

#define current	this_cpu_read(current_task)

#endif
