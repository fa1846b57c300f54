/** What a loop leaves in a variable that does not move by the same step in every turn. */
import { findInside, rewrite } from './machineState';
import type { Runner } from './runner';
import type { ChangingCell } from './survey';
import type { Value } from './value';

/**
 * The value after one turn, where further turns no longer change it: `v |= bit`, `flag = true`. Null if they do. A loop
 * over a range is taken to run at least once.
 */
export function settledBySecondTurn({ space }: Runner, cell: ChangingCell): Value | null {
  const { symbol, back, initial } = cell;
  const varies = (value: Value): boolean =>
    value.kind === 'choice' || (value.kind === 'symbol' && value !== symbol && isOfLoop(value.key));
  if (findInside(back, varies)) return null;
  const after = (start: Value): Value => rewrite(space, back, new Map([[symbol, start]]), new Map());
  return after(back) === back ? after(initial) : null;
}

/** Stands for a variable that a loop changes. */
const isOfLoop = (key: string): boolean => /^(?:loop|iv|lv):/.test(key);
