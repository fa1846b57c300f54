/** From how many pages on a change pays: where its cycles, linear in `n`, change their sign. */
import { evaluate, parse } from '../../cost/polynomial';
import type { Operations } from '../../protocol/report';
import type { ShownMachine } from './machine';
import type { Cycles, Values } from './prices';

export interface Crossover {
  /** Pages at which before and after cost the same, with the range of the figures. */
  readonly pages: Cycles;
  /** Whether the change is cheaper above that, or below it. */
  readonly cheaper: 'above' | 'below';
}

interface Parts {
  readonly constant: Cycles;
  readonly slope: Cycles;
}

const scaled = (times: number, value: number, low: number, high: number): Cycles => ({
  value: times * value,
  low: Math.min(times * low, times * high),
  high: Math.max(times * low, times * high),
});

const sum = (a: Cycles, b: Cycles): Cycles => ({
  value: a.value + b.value,
  low: a.low + b.low,
  high: a.high + b.high,
});

/** Constant part and slope of the cycles in `n`; null if they are not linear or not known. */
function linearParts(operations: Operations, machine: ShownMachine, values: Values): Parts | null {
  let parts: Parts = { constant: { value: 0, low: 0, high: 0 }, slope: { value: 0, low: 0, high: 0 } };
  for (const [operation, text] of Object.entries(operations)) {
    const count = parse(text);
    const figure = machine.figure(operation);
    if (!count || !figure || figure.cycles === null) return null;
    const at = (n: number): number | null => evaluate(count, { ...values, n });
    const [zero, one, two] = [at(0), at(1), at(2)];
    if (zero === null || one === null || two === null || two - one !== one - zero) return null;
    const price = [figure.cycles, figure.low ?? figure.cycles, figure.high ?? figure.cycles] as const;
    parts = {
      constant: sum(parts.constant, scaled(zero, ...price)),
      slope: sum(parts.slope, scaled(one - zero, ...price)),
    };
  }
  return parts;
}

/** null where one side wins whatever `n` is, or where the figures do not settle it. */
export function crossover(operations: Operations, machine: ShownMachine, values: Values): Crossover | null {
  const parts = linearParts(operations, machine, values);
  if (!parts) return null;
  const { constant, slope } = parts;
  const signed = (cycles: Cycles): number => (cycles.low > 0 ? 1 : cycles.high < 0 ? -1 : 0);
  if (signed(constant) * signed(slope) !== -1) return null;
  const size = (value: number): number => Math.abs(value);
  const bounds = (cycles: Cycles): [number, number] => {
    const [a, b] = [size(cycles.low), size(cycles.high)];
    return [Math.min(a, b), Math.max(a, b)];
  };
  const [constantLow, constantHigh] = bounds(constant);
  const [slopeLow, slopeHigh] = bounds(slope);
  return {
    pages: {
      value: size(constant.value / slope.value),
      low: constantLow / slopeHigh,
      high: constantHigh / slopeLow,
    },
    cheaper: slope.value < 0 ? 'above' : 'below',
  };
}
