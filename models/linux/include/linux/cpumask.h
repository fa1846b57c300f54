/* SPDX-License-Identifier: MIT */
/* Sets of CPUs. Model code, written for TLBScope. */
#ifndef MODEL_LINUX_CPUMASK_H
#define MODEL_LINUX_CPUMASK_H

#define nr_cpu_ids vm_cpus()

struct cpumask {
	unsigned long bits[4];
};

static inline void cpumask_set_cpu(unsigned int cpu, struct cpumask *mask)
{
	set_bit(cpu, mask->bits);
}

static inline void cpumask_clear_cpu(int cpu, struct cpumask *mask)
{
	clear_bit(cpu, mask->bits);
}

static inline bool cpumask_test_cpu(int cpu, const struct cpumask *mask)
{
	return test_bit(cpu, mask->bits);
}

static inline void cpumask_clear(struct cpumask *mask)
{
	bitmap_zero(mask->bits, nr_cpu_ids);
}

static inline void cpumask_or(struct cpumask *to, const struct cpumask *a, const struct cpumask *b)
{
	bitmap_or(to->bits, a->bits, b->bits, nr_cpu_ids);
}

/* The first CPU of the set that is not @but; nr_cpu_ids or more if there is none. */
static inline unsigned int cpumask_any_but(const struct cpumask *mask, unsigned int but)
{
	unsigned int cpu = find_first_bit(mask->bits, nr_cpu_ids);

	if (cpu == but)
		cpu = find_next_bit(mask->bits, nr_cpu_ids, cpu + 1);
	return cpu;
}

#endif
