/** Stands for functions of other parts of a kernel that TLB code calls, where the tree at hand does not hold them. */

export const standInPath = 'world/elsewhere.c';

/** No local descriptor tables, no bits of CR4 to change, no mitigations at a switch: as in the model. */
export const standInText = `
struct mm_struct;
struct task_struct;

void cr4_update_irqsoff(unsigned long set, unsigned long clear)
{
	BUG_ON(set != 0);
}

void switch_ldt(struct mm_struct *prev, struct mm_struct *next)
{
}

void load_mm_cr4_irqsoff(struct mm_struct *mm)
{
}
`;
