/** Operations to cycles on one machine, for given values of the symbols. What has no price makes the sum unknown. */
import type { Figure } from '../../machine/profile';
import { evaluate, parse, symbolsOf, symbolsWithoutValue } from '../../cost/polynomial';
import type { LineAnnotation, Operations, TotalReport } from '../../protocol/report';
import type { ShownMachine } from './machine';

/** Values of symbols: `n`, `c`, …. */
export type Values = Readonly<Record<string, number>>;

/** Cycles with the range that the profile's sources allow. */
export interface Cycles {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** One operation of a sum. */
export interface PriceRow {
  readonly operation: string;
  /** The count as a polynomial in text, and its value; null if a symbol has none. */
  readonly count: string;
  readonly times: number | null;
  readonly figure: Figure | null;
  /** count × figure, or null. */
  readonly cycles: Cycles | null;
  /** Why `cycles` is null; '' otherwise. */
  readonly why: string;
}

export interface Price {
  /** null if any counted operation has no price. */
  readonly cycles: Cycles | null;
  readonly rows: readonly PriceRow[];
  /** Symbols that the counts contain. */
  readonly symbols: readonly string[];
}

function row(operation: string, count: string, machine: ShownMachine, values: Values): PriceRow {
  const polynomial = parse(count);
  const times = polynomial && evaluate(polynomial, values);
  const figure = machine.figure(operation);
  const base = { operation, count, times, figure };
  if (polynomial === null) return { ...base, cycles: null, why: 'the count cannot be read' };
  if (times === null) {
    const open = symbolsWithoutValue(polynomial, values).join(', ');
    return { ...base, cycles: null, why: `${open} has no value` };
  }
  if (!figure) return { ...base, cycles: null, why: 'the profile has no figure' };
  if (figure.cycles === null) return { ...base, cycles: null, why: figure.note || 'no figure is known' };
  const low = times * (figure.low ?? figure.cycles);
  const high = times * (figure.high ?? figure.cycles);
  const cycles = { value: times * figure.cycles, low: Math.min(low, high), high: Math.max(low, high) };
  return { ...base, cycles, why: '' };
}

export function price(operations: Operations, machine: ShownMachine, values: Values): Price {
  const rows = Object.entries(operations).map(([operation, count]) => row(operation, count, machine, values));
  const symbols = new Set(rows.flatMap(({ count }) => symbolsOf(parse(count) ?? { terms: new Map() })));
  let sum: Cycles | null = { value: 0, low: 0, high: 0 };
  for (const { cycles } of rows)
    sum = sum &&
      cycles && { value: sum.value + cycles.value, low: sum.low + cycles.low, high: sum.high + cycles.high };
  return { cycles: sum, rows, symbols: [...symbols].sort() };
}

/** {@link price} with a range that covers the other answer too, where there are two. */
function priceEither(
  operations: Operations,
  other: Operations | null,
  machine: ShownMachine,
  values: Values,
): Price {
  const first = price(operations, machine, values);
  if (!other) return first;
  const second = price(other, machine, values);
  const [a, b] = [first.cycles, second.cycles];
  const cycles = a && b && { value: a.value, low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
  return { ...first, cycles, symbols: [...new Set([...first.symbols, ...second.symbols])].sort() };
}

/** The price of a line; none where the report says why there can be none. */
export function linePrice(line: LineAnnotation, machine: ShownMachine, values: Values): Price {
  const priced = priceEither(line.operations, line.operationsOther, machine, values);
  return line.noCycles ? { ...priced, cycles: null } : priced;
}

/** A difference of operations, of a hunk or of a function. */
export interface Changed {
  readonly delta: Operations;
  readonly deltaOther: Operations | null;
  readonly noCycles: string;
}

/** The price of a difference; none where the report says why there can be none. */
export function changePrice(
  { delta, deltaOther, noCycles }: Changed,
  machine: ShownMachine,
  values: Values,
): Price {
  const priced = priceEither(delta, deltaOther, machine, values);
  return noCycles ? { ...priced, cycles: null } : priced;
}

/** What a patch changes: its roots together, each with the range of its own open conditions. */
export function totalPrice(total: TotalReport, machine: ShownMachine, values: Values): Price {
  const whole = changePrice(total, machine, values);
  let sum = whole.cycles && { value: whole.cycles.value, low: 0, high: 0 };
  for (const root of total.roots) {
    const { cycles } = changePrice(root, machine, values);
    sum = sum && cycles && { value: sum.value, low: sum.low + cycles.low, high: sum.high + cycles.high };
  }
  return { ...whole, cycles: sum };
}
