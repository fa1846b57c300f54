/** What a file test/bench/NAME.bench.ts exports: `export const benches: readonly Bench[]`. */
export interface Bench {
  readonly name: string;
  run(): Promise<readonly BenchRow[]> | readonly BenchRow[];
}

/** One figure. Prefer ratios inside one run to times: they hold on any machine. */
export interface BenchRow {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The run fails past it. */
  readonly floor?: number;
  /** What we want to reach. */
  readonly goal?: number;
  /** For times and memory; otherwise higher is better. */
  readonly lowerIsBetter?: boolean;
}

/** Median of `runs` timings of `work`, in milliseconds, after one warm-up. */
export function medianTime(work: () => void, runs = 7): number {
  work();
  const times = Array.from({ length: runs }, () => {
    const from = performance.now();
    work();
    return performance.now() - from;
  }).sort((a, b) => a - b);
  return times[Math.floor(runs / 2)]!;
}
