/**
 * A change that only touches what a range over the ceiling leads to. A range is taken to stay under the ceiling, but a
 * condition that is there already and guards all that changes is taken so that the pass reaches it.
 */
import { no, support, type Guard } from './guard';
import type { Comparison } from './resolve';

/** Atoms of conditions that stand on changed lines. */
function newlyTested({ before, after }: Comparison): Set<number> {
  const found = new Set<number>();
  for (const { conditions } of [...before, ...after])
    for (const { truth, at } of conditions)
      if (at.unit.lines[at.line]?.changed) for (const atom of support(truth)) found.add(atom);
  return found;
}

/**
 * Of the atoms that ranges settle (`byRange`), those that keep the pass from changed lines and that no changed line
 * tests. To be asked where nothing differs under what is settled; `restrict` settles a guard by some atoms.
 */
export function ceilingsInTheWay(
  comparison: Comparison,
  fixed: ReadonlyMap<number, boolean>,
  byRange: readonly number[],
  restrict: (guard: Guard, fixed: ReadonlyMap<number, boolean>) => Guard,
): number[] {
  const blocked = comparison.reached.filter(guard => restrict(guard, fixed) === no);
  if (!blocked.length) return [];
  const tested = newlyTested(comparison);
  const free = byRange.filter(atom => !tested.has(atom));
  const without = new Map(fixed);
  for (const atom of free) without.delete(atom);
  const opened = blocked.filter(guard => restrict(guard, without) !== no);
  return free.filter(atom => opened.some(guard => support(guard).has(atom)));
}
