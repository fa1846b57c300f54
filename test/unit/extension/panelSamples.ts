/** Reports of runs whose prices can be worked out by hand. */
import type { RunReport } from '../../../src/protocol/run';

/** INVLPG costs 100 (90 to 160), INVPCID_ADDR 258 (228 to 300); CR3_READ has no price. */
const prices = { INVLPG: [100, 90, 160], INVPCID_ADDR: [258, 228, 300] } as const;

export function reportOf(variant: string, counts: Readonly<Record<string, number>>, n = 10): RunReport {
  const byOperation = Object.fromEntries(
    Object.entries(counts).map(([name, count]) => {
      const price = prices[name as keyof typeof prices] as readonly number[] | undefined;
      return [
        name,
        price ? { cycles: price[0]! * count, low: price[1]! * count, high: price[2]! * count } : null,
      ];
    }),
  );
  const priced = Object.values(byOperation).reduce<{ cycles: number; low: number; high: number }>(
    (sum, one) => ({
      cycles: sum.cycles + (one?.cycles ?? 0),
      low: sum.low + (one?.low ?? 0),
      high: sum.high + (one?.high ?? 0),
    }),
    { cycles: 0, low: 0, high: 0 },
  );
  const whole = Object.values(byOperation).every(one => one !== null);
  return {
    ...{ variant, parameters: { n, c: 3 }, machine: 'broadwell-ep-e5-2660v4', features: ['PTI'], priced },
    ...{ total: whole ? priced.cycles : null, low: priced.low, high: whole ? priced.high : null },
    ...{ byOperation, counts, misses: 0, verdict: 'safe', complete: true, why: [], assumed: [], unknown: [] },
    expect: [],
  };
}
