/** Where a count alone must not be turned into cycles, because what it leaves out may be all there is. */
import type { UnknownItem } from './priced';
import { callsItself } from './record';
import type { Counts } from './resolve';
import { unseenLines } from './shape';

/**
 * Why a part has no cycles although each of its operations has a price: nothing was counted while something changed that
 * is not known, what was counted stands in a recursion of unknown depth, or lines that the patch does not show are reached
 * on one side only (a new early return), so that even the sign is open. Null if none is so.
 */
export function doubtOf({
  delta,
  unknown,
}: {
  readonly delta: Counts;
  readonly unknown: readonly UnknownItem[];
}): string | null {
  const found = unknown.find(({ why }) => delta.size === 0 || why === callsItself || why === unseenLines.why);
  return found ? `${found.name}: ${found.why}` : null;
}
