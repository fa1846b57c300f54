/** Names that the repair of fragments makes up. */

/** Stands for an expression that the hunk does not show. */
export const unseen = '__unseen';
/** Stands for the head of a block of which the hunk shows only lines inside or the end. */
export const unseenHead = '__hidden_head';
/** Stands for the callee of a call whose beginning the hunk does not show. */
export const unseenCall = '__unseen_call';
/** Why the value of such an expression is unknown. */
export const notShown = 'not shown by the hunk';
/** The same of the head of a block: it may be that of a loop. */
export const headNotShown = 'the head of the block is not shown by the hunk';
