/** How often a loop goes round, from the test that leaves it and how its variables change. */
import { ceilOf, constant, symbol, type Polynomial } from './polynomial';
import { findInside, mentions } from './machineState';
import { isStride, lastName, pageSize } from './quantity';
import { strides, type WalkHints } from './strides';
import { symbolText } from './show';
import type { Value } from './value';
import type { ValueSpace } from './values';

/** A variable or memory cell that changes in a loop. */
export interface Cell {
  /** Its value at the start of some turn, as a symbol. */
  readonly symbol: Value;
  /** Before the first turn. */
  readonly initial: Value;
  /** What one turn adds; null if that is not the same every time. */
  readonly step: Value | null;
  /** The most pages that one turn takes, where it takes what is left of a range up to a limit. */
  readonly chunk?: Value | null;
}

export interface TripContext {
  readonly space: ValueSpace;
  readonly cells: readonly Cell[];
  /** Address-wide variables: the loop may walk addresses. */
  readonly wide: boolean;
  /** The loop's counter is used times a page. */
  readonly byPages: boolean;
}

/**
 * `turns`: how often the test says "again" before it says "leave". `how` tells what it rests on:
 * `counted` from start, end and step; `mask` over a CPU mask; `unknown` when it cannot be told.
 */
export interface Trip {
  readonly turns: Polynomial;
  readonly how: 'counted' | 'mask' | 'unknown';
}

const maskWalk = /^_*(cpumask_(next|first|any|empty|weight|last)|for_each_(\w+_)?cpu|bitmap_next_cpu)/;
const cpuCount = /^(nr_cpu_ids|NR_CPUS|nr_cpumask_bits|small_cpumask_bits|num_(online|possible)_cpus)$/;

type Order = 'lt' | 'le' | 'gt' | 'ge' | 'eq' | 'ne';

const negated: Readonly<Record<Order, Order>> = {
  lt: 'ge',
  ge: 'lt',
  le: 'gt',
  gt: 'le',
  eq: 'ne',
  ne: 'eq',
};

/** Splits a test into a comparison of two values. */
function comparison(space: ValueSpace, test: Value): { order: Order; a: Value; b: Value } {
  if (test.kind === 'binary' && ['lt', 'ge', 'eq', 'ne'].includes(test.operator))
    return { order: test.operator as Order, a: test.a, b: test.b };
  return { order: 'ne', a: test, b: space.constant(0) };
}

/** 1, -1, or 0 where a value may be either; strides with names count as positive. */
function signOf(value: Value): number {
  if (value.kind === 'constant') return value.value > 0n ? 1 : value.value < 0n ? -1 : 0;
  if (value.kind !== 'linear') return 1;
  const signs = new Set(value.terms.map(([, factor]) => (factor > 0n ? 1 : -1)));
  if (value.constant !== 0n) signs.add(value.constant > 0n ? 1 : -1);
  return signs.size === 1 ? [...signs][0]! : 0;
}

const none: Trip = { turns: constant(0), how: 'unknown' };

/** `again`: the value of the test for which the loop goes on. */
export function tripOf(context: TripContext, test: Value, again: boolean): Trip {
  const { space, cells } = context;
  const mask = findInside(
    test,
    v =>
      (v.kind === 'call' && maskWalk.test(v.name)) ||
      ((v.kind === 'symbol' || v.kind === 'load') && cpuCount.test(lastName(v))),
  );
  if (mask) return { turns: symbol('c'), how: 'mask' };
  if (test.kind === 'constant')
    return (test.value !== 0n) === again ? none : { turns: constant(0), how: 'counted' };
  const { order, a, b } = comparison(space, test);
  const goesOn = again ? order : negated[order];
  const difference = space.linear([[a, 1n], [b, -1n]], 0n); // prettier-ignore
  const terms = difference.kind === 'linear' ? difference.terms : [[difference, 1n] as const];
  const rest =
    difference.kind === 'linear'
      ? difference.constant
      : difference.kind === 'constant'
        ? difference.value
        : 0n;
  const start: (readonly [Value, bigint])[] = [];
  const slope: (readonly [Value, bigint])[] = [];
  const changing = new Set(cells.map(cell => cell.symbol));
  for (const [term, factor] of terms) {
    const cell = cells.find(c => c.symbol === term);
    if (cell) {
      if (!cell.step) return cell.chunk ? { turns: chunks(cell.chunk), how: 'counted' } : none;
      start.push([cell.initial, factor]);
      slope.push([cell.step, factor]);
    } else if (mentions(term, changing)) return none;
    else start.push([term, factor]);
  }
  const first = space.linear(start, rest);
  const step = space.linear(slope, 0n);
  const sign = signOf(step);
  if (sign === 0) return none;
  const up = sign > 0;
  const stride = up ? step : space.linear([[step, -1n]], 0n);
  // The distance still to go, counted upwards in both directions.
  const far = (plus: bigint): Value => space.linear([[first, up ? -1n : 1n]], plus);
  const hints: WalkHints = {
    byPages: context.byPages || cells.some(cell => cell.step && isStride(cell.step)),
    wide: context.wide,
  };
  const counted = (distance: Value): Trip => ({
    turns: strides(space, distance, stride, hints),
    how: 'counted',
  });
  if (goesOn === 'ne') return counted(far(0n));
  if (goesOn === (up ? 'lt' : 'gt')) return counted(far(0n));
  if (goesOn === (up ? 'le' : 'ge')) return counted(far(endsInclusively(first) ? 0n : 1n));
  return none;
}

const limiting = /^(clamp|clamp_t|clamp_val|min|min_t|min3|umin)$/;

/**
 * The limit in a step such as `min(pages_left, limit) << PAGE_SHIFT`: the part that stays the same while the rest
 * depends on what the loop changes. Null if the step is not of that form.
 */
export function chunkOf(step: Value, changing: ReadonlySet<Value>): Value | null {
  if (step.kind === 'linear') {
    const inner = step.terms.find(([, factor]) => factor % pageSize === 0n);
    return inner && step.terms.length === 1 ? limitOf(inner[0], changing) : null;
  }
  if (step.kind === 'binary' && (step.operator === 'shl' || step.operator === 'mul'))
    return limitOf(step.a, changing) ?? limitOf(step.b, changing);
  if (step.kind === 'choice') {
    const [a, b] = [chunkOf(step.a, changing), chunkOf(step.b, changing)];
    if (a || b) return a ?? b;
    const fixed = [step.a, step.b].filter(part => !mentions(part, changing));
    return fixed.length === 1 ? withoutUnit(fixed[0]!) : null;
  }
  return null;
}

/** `limit * PAGE_SIZE`, `limit << shift` → limit. */
function withoutUnit(step: Value): Value | null {
  if (step.kind === 'linear') return step.terms.length === 1 ? step.terms[0]![0] : null;
  if (step.kind === 'binary' && (step.operator === 'shl' || step.operator === 'mul')) return step.a;
  return null;
}

function limitOf(value: Value, changing: ReadonlySet<Value>): Value | null {
  if (value.kind === 'choice') {
    const fixed = [value.a, value.b].filter(part => !mentions(part, changing));
    return fixed.length === 1 ? fixed[0]! : (limitOf(value.a, changing) ?? limitOf(value.b, changing));
  }
  if (value.kind !== 'call' || !limiting.test(value.name)) return null;
  return value.args.findLast(arg => !mentions(arg, changing)) ?? null;
}

/** `addr <= last`: the bound is the last address or page of the range, so the range is `last + 1 - start`. */
function endsInclusively(first: Value): boolean {
  return first.kind === 'linear' && first.terms.some(([term]) => isLast(term));
}

/**
 * The last address of a range, or of its last page: `(end - 1) & PAGE_MASK`, `(end - 1) >> PAGE_SHIFT`. Of one that
 * comes from elsewhere only the name can tell.
 */
function isLast(value: Value): boolean {
  if (value.kind === 'choice') return isLast(value.a) && isLast(value.b);
  if (value.kind !== 'binary') return /last|incl/i.test(lastName(value));
  const inner = [value.a, value.b].find(part => part.kind === 'linear');
  return ['and', 'shr', 'div'].includes(value.operator) && inner?.kind === 'linear' && inner.constant < 0n;
}

/** ⌈n / limit⌉ turns over a range of n pages; the limit of INVLPGB is the machine's. */
function chunks(limit: Value): Polynomial {
  if (limit.kind === 'constant') return ceilOf(symbol('n'), limit.value.toString());
  return ceilOf(symbol('n'), /invlpgb_count_max/.test(lastName(limit)) ? 'max' : symbolText(limit));
}
