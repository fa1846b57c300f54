/** What a variant changes: the runs of two variants under the same parameters, after minus before. */
import type { RunResult } from './run';

export interface RunComparison {
  readonly before: string;
  readonly after: string;
  readonly parameters: Readonly<Record<string, number>>;
  /** null where either side is not known. */
  readonly cycles: number | null;
  /** Operations whose count differs. */
  readonly counts: Readonly<Record<string, number>>;
  readonly misses: number;
  readonly verdicts: readonly [before: string, after: string];
}

const keyOf = (run: RunResult): string => JSON.stringify(run.parameters);

function compare(before: RunResult, after: RunResult): RunComparison {
  const counts: Record<string, number> = {};
  for (const name of [...new Set([...Object.keys(before.counts), ...Object.keys(after.counts)])].sort()) {
    const difference = (after.counts[name] ?? 0) - (before.counts[name] ?? 0);
    if (difference !== 0) counts[name] = difference;
  }
  const [from, to] = [before.cycles.total, after.cycles.total];
  return {
    before: before.variant,
    after: after.variant,
    parameters: after.parameters,
    cycles: from === null || to === null ? null : Math.round((to - from) * 1000) / 1000,
    counts,
    misses: after.misses - before.misses,
    verdicts: [before.verdict, after.verdict],
  };
}

/** Every later variant against the first. Runs that did not come to their end are not compared. */
export function compareRuns(runs: readonly RunResult[]): RunComparison[] {
  const first = runs[0]?.variant;
  const before = new Map(runs.filter(run => run.variant === first).map(run => [keyOf(run), run]));
  return runs.flatMap(after => {
    const one = after.variant === first ? undefined : before.get(keyOf(after));
    return one?.complete && after.complete ? [compare(one, after)] : [];
  });
}
