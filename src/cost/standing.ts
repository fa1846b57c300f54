/** Whether the answers that were chosen for some values of symbols are chosen for others too: only weights are worked out. */
import type { SymbolValues } from './polynomial';
import type { Counts } from './resolve';
import { weightOf } from './weights';

/** What an answer is ranked by. */
export interface Ranked {
  readonly before: Counts;
  readonly after: Counts;
  readonly delta: Counts;
}

/** A condition that was settled towards the dearer side. */
export interface Leaning {
  readonly whenTrue: Counts;
  readonly whenFalse: Counts;
  readonly value: boolean;
}

/** Every answer that was weighed, and which was taken. */
export interface Choice {
  readonly leanings: readonly Leaning[];
  readonly candidates: readonly Ranked[];
  /** Whether each changes something else than the best. */
  readonly differs: readonly boolean[];
  readonly best: number;
  /** The cheapest that differs, or -1. */
  readonly other: number;
}

/** The weight of counts, for the order of answers. */
function countsWeight(counts: Counts, values: SymbolValues): number {
  let total = 0;
  for (const [operation, count] of counts) total += weightOf(operation, count, values);
  return total;
}

export const leansTo = (whenTrue: Counts, whenFalse: Counts, values: SymbolValues): boolean =>
  countsWeight(whenTrue, values) >= countsWeight(whenFalse, values);

const rankOf = ({ after, before, delta }: Ranked, values: SymbolValues): readonly number[] =>
  [after, before, delta].map(counts => countsWeight(counts, values));

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!;
  return 0;
}

/** The dearest of several, the first of equals. */
export function dearest(ranks: readonly (readonly number[])[]): number {
  let best = 0;
  for (let at = 1; at < ranks.length; at++) if (compareRanks(ranks[at]!, ranks[best]!) > 0) best = at;
  return best;
}

/** The cheapest of those that differ, the last of equals; -1 if there is none. */
export function cheapest(ranks: readonly (readonly number[])[], differs: readonly boolean[]): number {
  let found = -1;
  for (let at = 0; at < ranks.length; at++)
    if (differs[at] && (found < 0 || compareRanks(ranks[at]!, ranks[found]!) <= 0)) found = at;
  return found;
}

export const ranksOf = (candidates: readonly Ranked[], values: SymbolValues): (readonly number[])[] =>
  candidates.map(one => rankOf(one, values));

/** Whether the same would be chosen. */
export function stillStands(choice: Choice, values: SymbolValues): boolean {
  const { leanings, candidates, differs, best, other } = choice;
  for (const { whenTrue, whenFalse, value } of leanings)
    if (leansTo(whenTrue, whenFalse, values) !== value) return false;
  if (candidates.length < 2) return true;
  const ranks = ranksOf(candidates, values);
  return dearest(ranks) === best && cheapest(ranks, differs) === other;
}
