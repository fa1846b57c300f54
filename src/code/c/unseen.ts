/** Names that the repair of fragments makes up. */

/** Stands for an expression that the hunk does not show. */
export const unseen = '__unseen';
/** Stands for the callee of a call whose beginning the hunk does not show. */
export const unseenCall = '__unseen_call';
/** Why the value of such an expression is unknown. */
export const notShown = 'not shown by the hunk';
