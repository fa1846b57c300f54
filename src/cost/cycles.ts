/** From counts to cycles on a machine, with the range of its figures. */
import { priceOf, type PricedFigure } from '../machine/price';
import type { MachineProfile } from '../machine/profile';
import { cr4WithoutFlush } from './record';
import { evaluate, symbolsWithoutValue, type SymbolValues } from './polynomial';
import type { Cycles, Difference } from './priced';
import type { Counts } from './resolve';

/** What a machine charges for one operation. */
export type PriceList = (operation: string) => PricedFigure | { readonly unknown: string };

/** The prices of a machine; each is made once. */
export function priceList(machine: MachineProfile): PriceList {
  const known = new Map<string, ReturnType<PriceList>>();
  return operation => {
    let price = known.get(operation);
    if (!price) {
      price =
        operation === cr4WithoutFlush
          ? { unknown: 'no published figure for a CR4 write that leaves PGE alone is known' }
          : priceOf(machine, operation);
      known.set(operation, price);
    }
    return price;
  };
}

interface Sum {
  readonly cycles: number;
  readonly low: number;
  readonly high: number;
}

/** Operations that are left out of cycles: ordinary instructions. */
const free = 'PLAIN';

/** Cycles of counts, or why there are none. Negative counts turn the range round. */
export function cyclesOfCounts(
  counts: Counts,
  prices: PriceList,
  values: SymbolValues,
): Sum | { readonly unknown: string } {
  let [cycles, low, high] = [0, 0, 0];
  for (const [operation, count] of counts) {
    if (operation === free) continue;
    const times = evaluate(count, values);
    if (times === null) {
      const [name] = symbolsWithoutValue(count, values);
      return { unknown: `${name ?? 'a symbol'} has no value (set it with --set)` };
    }
    if (times === 0) continue;
    const price = prices(operation);
    if ('unknown' in price) return { unknown: price.unknown };
    cycles += times * price.cycles;
    low += Math.min(times * price.low, times * price.high);
    high += Math.max(times * price.low, times * price.high);
  }
  return { cycles, low, high };
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Cycles of a difference; its range covers the other answer. */
export function cyclesOf(
  difference: Difference,
  other: Difference | null,
  prices: PriceList,
  values: SymbolValues,
): { readonly cycles: Cycles | null; readonly why: string } {
  const delta = cyclesOfCounts(difference.delta, prices, values);
  if ('unknown' in delta) return { cycles: null, why: delta.unknown };
  const second = other ? cyclesOfCounts(other.delta, prices, values) : delta;
  if ('unknown' in second) return { cycles: null, why: second.unknown };
  const whole = (counts: Counts): number | null => {
    const sum = cyclesOfCounts(counts, prices, values);
    return 'unknown' in sum ? null : round(sum.cycles);
  };
  return {
    cycles: {
      before: whole(difference.before),
      after: whole(difference.after),
      delta: round(delta.cycles),
      low: round(Math.min(delta.low, second.low)),
      high: round(Math.max(delta.high, second.high)),
    },
    why: '',
  };
}
