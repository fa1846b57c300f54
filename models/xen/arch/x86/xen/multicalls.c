// SPDX-License-Identifier: MIT
/* Requests to the hypervisor are gathered on each CPU and issued together. Model code, written for TLBScope. */
#include <linux/smp.h>
#include <xen/mmuext.h>

/* Operations that fit into the arguments of one call. */
#define MC_OPS	21

struct mc_buffer {
	unsigned long count;
	unsigned long irq_flags;
	struct mmuext_op ops[MC_OPS];
};
static DEFINE_PER_CPU(struct mc_buffer, mc_buffer);

static void xen_mc_flush(struct mc_buffer *b)
{
	if (b->count)
		hypercall_mmuext_op(b->ops, b->count);
	b->count = 0;
}

/* From here to the issue, this CPU's buffer is ours. */
void xen_mc_batch(void)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(mc_buffer.irq_flags, flags);
}

/* A batch, and its first operation. */
struct mmuext_op *xen_mc_entry(void)
{
	struct mc_buffer *b;

	xen_mc_batch();
	b = this_cpu_ptr(&mc_buffer);
	if (b->count == MC_OPS)
		xen_mc_flush(b);
	b->count++;
	return &b->ops[b->count - 1];
}

/* One more operation of the batch that has begun. */
void xen_extend_mmuext_op(unsigned long cmd, unsigned long addr)
{
	struct mc_buffer *b = this_cpu_ptr(&mc_buffer);

	if (b->count == MC_OPS)
		xen_mc_flush(b);
	b->ops[b->count].cmd = cmd;
	b->ops[b->count].linear_addr = addr;
	b->count++;
}

void xen_mc_issue(void)
{
	struct mc_buffer *b = this_cpu_ptr(&mc_buffer);
	unsigned long flags = b->irq_flags;

	xen_mc_flush(b);
	local_irq_restore(flags);
}
