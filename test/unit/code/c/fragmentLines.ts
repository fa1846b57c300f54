/** A file of our own with what fragments are cut from: comments, conditionals, blocks, tables, macros. */
export const lowerLines: readonly string[] = `/*
 * Sample file: flushes ranges of invented address spaces.
 */
#include <linux/tq.h>

#define TQ_MAX	33
#define tq_step(mm, n)					\\
	do {						\\
		tq_one((mm), (n));			\\
	} while (0)

#ifdef CONFIG_X86_64
static DEFINE_PER_CPU(struct tq_state, tq_state);
#else
static struct tq_state tq_state;
#endif

struct tq_info {
	struct tq_mm	*mm;
	unsigned long	start, end;
	u8		shift;
	bool		freed;
};

static const struct tq_ops tq_table = {
	.flush	= tq_flush,
	.range	= {
		.low	= 1,
		.high	= TQ_MAX,
	},
};

/*
 * Flush a range, page by page unless it is long.
 */
static int tq_sample(struct tq_mm *mm, int n)
{
	struct tq_info info = {
		.mm	= mm,
		.start	= 0,
	};
	unsigned long addr;
	int i, done = 0;

	if (!mm)
		return -1;

	/* Nothing is loaded yet. */
	if (mm->first == NULL &&
	    mm->last == NULL) {
		tq_note("nothing to do for %d\\n",
			n);
		return 0;
	}

	for (addr = mm->start; addr < mm->end;
	     addr += PAGE_SIZE) {
		if (tq_skip(mm, addr))
			continue;
		tq_one(mm, addr);
#ifdef CONFIG_TQ_STATS
		done++;
#endif
	}

	switch (n) {
	case 1:
	case 2:
		done += tq_some(mm,
				n);
		break;
	case 3: {
		int twice = 2 * n;

		done += twice;
		break;
	}
	default:
		goto out;
	}

	do {
		done--;
		if (done < 0)
			break;
	} while (tq_more(mm));

	i = mm->flags & TQ_LAZY ? tq_lazy(mm) :
	    n > 3 ? 1 : 0;
	if (i) {
		this_cpu_write(tq_state.lazy, true);
	} else if (n == 4) {
		asm volatile("invlpg (%0)" ::"r" (mm->start) : "memory");
	} else {
		tq_step(mm, n);
	}
	list_for_each_entry(mm, &info.mm->list, list) {
		tq_one(mm, 0);
	}
out:
	return done;
}
EXPORT_SYMBOL_GPL(tq_sample);

static void tq_flush(void *data)
{
	const struct tq_info *info = data;

	while (info->start < info->end)
		tq_one(info->mm, info->start);
}`.split('\n');
