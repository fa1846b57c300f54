/** How often a walk over a range goes round: its length in pages, and how many of them a step takes. */
import { add, ceilOf, constant, symbol, zero, type Polynomial } from './polynomial';
import { countOf, isDifference, isOrder, isStride, pageSize } from './quantity';
import { symbolText } from './show';
import type { Value } from './value';
import type { ValueSpace } from './values';

/** The number of strides in a distance when it is a whole multiple of the stride, else null. */
function exactQuotient(space: ValueSpace, distance: Value, stride: Value): Value | null {
  if (distance === stride) return space.constant(1);
  if (stride.kind === 'constant') {
    if (distance.kind === 'constant')
      return distance.value % stride.value === 0n ? space.constant(distance.value / stride.value) : null;
    if (stride.value === 1n) return distance;
    if (distance.kind !== 'linear' || stride.value === 0n) return null;
    if (distance.constant % stride.value !== 0n) return null;
    if (!distance.terms.every(([, factor]) => factor % stride.value === 0n)) return null;
    return space.linear(
      distance.terms.map(([v, f]) => [v, f / stride.value] as const),
      distance.constant / stride.value,
    );
  }
  // k · stride, or x << shift against 1 << shift.
  if (distance.kind === 'linear' && distance.constant === 0n && distance.terms.length === 1) {
    const [term, factor] = distance.terms[0]!;
    if (term === stride) return space.constant(factor);
    if (stride.kind === 'linear' && stride.terms.length === 1 && stride.constant === 0n) {
      const [inner, by] = stride.terms[0]!;
      if (inner === term && factor % by === 0n) return space.constant(factor / by);
    }
  }
  if (distance.kind === 'binary' && distance.operator === 'mul')
    return distance.a === stride ? distance.b : distance.b === stride ? distance.a : null;
  if (
    distance.kind === 'binary' &&
    distance.operator === 'shl' &&
    stride.kind === 'binary' &&
    stride.operator === 'shl' &&
    distance.b === stride.b &&
    stride.a.kind === 'constant' &&
    stride.a.value === 1n
  )
    return distance.a;
  return null;
}

/** What is known of a loop besides the distance that is walked. */
export interface WalkHints {
  /** The loop steps an address by pages, or uses its counter times a page. */
  readonly byPages: boolean;
  /** The compared values are as wide as an address. */
  readonly wide: boolean;
}

/** The range itself, the whole strides beside it, and the odd bytes: `distance = range + strides·stride + odd`. */
function splitDistance(
  space: ValueSpace,
  distance: Value,
  stride: Value,
): { range: Value; strides: bigint; odd: bigint } {
  if (distance.kind !== 'linear') return { range: distance, strides: 0n, odd: 0n };
  if (stride.kind === 'constant')
    return { range: space.linear(distance.terms, 0n), strides: 0n, odd: distance.constant };
  const whole = distance.terms.find(([term]) => term === stride)?.[1] ?? 0n;
  const rest = distance.terms.filter(([term]) => term !== stride);
  return { range: space.linear(rest, 0n), strides: whole, odd: distance.constant };
}

const ceilDivide = (a: bigint, b: bigint): bigint => (a > 0n ? (a + b - 1n) / b : -(-a / b));

/** Pages (or strides of a size that has a name) that one step takes: a number, or the text of a symbol. */
export interface PagesPerStep {
  readonly factor: bigint;
  readonly name: string | null;
}

const singleStep: PagesPerStep = { factor: 1n, name: null };

/** Sizes that are a page of their own: PMD and PUD of x86 and arm64 on 4 KiB pages. */
const hugePages = [1n << 30n, 1n << 21n] as const;

/** A size in pages, or in huge pages where it is a multiple of them. */
function pagesInBytes(bytes: bigint): bigint {
  const page = [...hugePages, pageSize].find(size => bytes >= size && bytes % size === 0n);
  return page === undefined ? 1n : bytes / page;
}

/**
 * How many pages a step takes. A step by one huge page, by a named stride or by `1 << shift` is a step by one: the pages
 * of a range are counted in strides.
 */
export function pagesPerStep(stride: Value): PagesPerStep {
  if (stride.kind === 'constant') return { factor: pagesInBytes(stride.value), name: null };
  if (stride.kind === 'linear' && stride.terms.length === 1 && stride.constant === 0n) {
    const [term, factor] = stride.terms[0]!;
    if (factor <= 0n) return singleStep;
    if (isStride(term)) return scaled(pagesPerStep(term), factor);
    if (factor % pageSize !== 0n) return singleStep;
    return { factor: pagesInBytes(factor), name: symbolText(term) };
  }
  if (stride.kind === 'binary' && stride.operator === 'shl') {
    if (stride.a.kind !== 'constant' || stride.a.value <= 0n) return pagesPerStep(stride.a);
    if (stride.a.value % pageSize !== 0n) return { factor: stride.a.value, name: null };
    return isOrder(stride.b)
      ? { ...pagesPerStep(stride.a), name: `2^${symbolText(stride.b)}` }
      : pagesPerStep(stride.a);
  }
  if (stride.kind === 'binary' && stride.operator === 'mul') {
    const [size, times] = isStride(stride.a) ? [stride.a, stride.b] : [stride.b, stride.a];
    if (isStride(size) && pagesPerStep(size).name === null)
      return { ...pagesPerStep(size), name: symbolText(times) };
  }
  return singleStep;
}

const scaled = (step: PagesPerStep, by: bigint): PagesPerStep => ({ ...step, factor: step.factor * by });

/** ⌈pages / step⌉. */
export function inSteps(pages: Polynomial, { factor, name }: PagesPerStep): Polynomial {
  const whole = factor === 1n ? pages : ceilOf(pages, factor.toString());
  return name === null ? whole : ceilOf(whole, name);
}

/** ⌈distance / stride⌉: how often a walk of `distance` in steps of `stride` goes round. */
export function strides(space: ValueSpace, distance: Value, stride: Value, hints: WalkHints): Polynomial {
  if (distance.kind === 'constant' && stride.kind === 'constant')
    return distance.value <= 0n ? zero : constant(ceilDivide(distance.value, stride.value));
  const exact = exactQuotient(space, distance, stride);
  if (exact?.kind === 'constant') return exact.value > 0n ? constant(exact.value) : zero;
  const { range, strides: whole, odd } = splitDistance(space, distance, stride);
  // A counter of pages that goes up by several.
  if (stride.kind === 'constant' && stride.value > 1n && stride.value < pageSize) {
    const pages = countOf(space, distance);
    if (isSettledCount(pages)) return ceilOf(pages, stride.value.toString());
  }
  const step = pagesPerStep(stride);
  // The range is a whole number of strides, so odd bytes add one more, or none where they are missing.
  const extra = constant(
    whole + (stride.kind === 'constant' ? ceilDivide(odd, stride.value) : odd > 0n ? 1n : 0n),
  );
  const walk =
    step.factor === 1n && step.name === null
      ? add(symbol('n'), extra)
      : walkInSteps(step, stride, whole, odd);
  if (exact) {
    const count = countOf(space, exact);
    if (isSettledCount(count)) return count;
    const counter = stride.kind === 'constant' && stride.value === 1n && !hints.byPages;
    if (counter && !(isDifference(range) && hints.wide)) return count;
    return walk;
  }
  if (isStride(stride) || hints.byPages || (isDifference(range) && hints.wide)) return walk;
  return symbol(`ceil(${symbolText(distance)}/${symbolText(stride)})`);
}

/** A walk in steps of several pages: whole steps beside the range stay outside, odd pages go into the quotient. */
function walkInSteps(step: PagesPerStep, stride: Value, whole: bigint, odd: bigint): Polynomial {
  if (stride.kind !== 'constant')
    return add(inSteps(symbol('n'), step), constant(whole + (odd > 0n ? 1n : 0n)));
  const rest = odd % stride.value;
  const unit = stride.value / step.factor;
  const pages = add(symbol('n'), constant(ceilDivide(rest, unit)));
  return add(inSteps(pages, step), constant(odd / stride.value));
}

/** Made of numbers, `n` and powers of two only: no text of the source is left. */
const isSettledCount = (count: Polynomial): boolean =>
  [...count.terms.keys()].every(monomial =>
    monomial === '' ? true : monomial.split('*').every(factor => factor === 'n' || factor.startsWith('2^')),
  );
