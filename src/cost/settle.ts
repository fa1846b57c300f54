/**
 * Conditions that are settled by what they test: a range is under the full-flush ceiling unless `n` is given and exceeds
 * it; bit 63 of a CR3 value that was never set is clear; PGE is on.
 */
import { findInside } from './machineState';
import { evaluate, parse, symbol, type Polynomial, type SymbolValues } from './polynomial';
import { isDifference, lastName, pageSize, pagesIn } from './quantity';
import type { Atom, Value } from './value';
import type { ValueSpace } from './values';

export interface RangeAssumption {
  readonly values: SymbolValues;
  /** `n` was given, not only assumed. */
  readonly nGiven: boolean;
  /** Pages above which the kernel flushes everything. */
  readonly ceiling: number;
}

const ceilingName = /ceiling|MAX_TLBI_OPS|MAX_DVM_OPS|MAX_TLB_RANGE|FLUSH_LIMIT|_CEIL(_|$)/i;
/** Linux/arm64: as many TLBI as there are entries in one table of 4 KiB. */
const arm64Ceiling = 512;
/** A limit below this is not a ceiling: the test tells one page (or few) from many. */
const smallest = 8n;

const counts = new WeakMap<Value, { readonly pages: Polynomial | null }>();

/** The pages that a `count:` symbol is named after. */
function pagesNamed(value: Value & { readonly kind: 'symbol' }): Polynomial | null {
  let known = counts.get(value);
  if (!known) counts.set(value, (known = { pages: parse(value.name) }));
  return known.pages;
}

/** A length in pages and whether it is given in bytes. */
function pagesOf(space: ValueSpace, value: Value): { pages: Polynomial; unit: bigint } | null {
  if (value.kind === 'symbol' && value.key.startsWith('count:')) {
    const pages = pagesNamed(value);
    return pages ? { pages, unit: 1n } : null;
  }
  const shifted = pagesIn(space, value);
  if (shifted) return { pages: shifted, unit: 1n };
  if (isDifference(value)) return { pages: symbol('n'), unit: pageSize };
  if (value.kind === 'linear' && value.terms.length === 1 && value.terms[0]![1] === 1n) {
    const inner = pagesOf(space, value.terms[0]![0]);
    return inner;
  }
  return null;
}

const namesCeiling = (value: Value): boolean =>
  findInside(value, inner => ceilingName.test(lastName(inner))) !== null;

const namedLimit = (value: Value, assumption: RangeAssumption): number => {
  const found = findInside(value, inner => /MAX_TLBI|MAX_DVM/.test(lastName(inner)));
  return found ? arm64Ceiling : assumption.ceiling;
};

/** Whether the range is longer than a limit; null when the limit is so small that it is no ceiling. */
function exceeds(
  space: ValueSpace,
  length: Value,
  limit: Value,
  assumption: RangeAssumption,
): { readonly over: (strict: boolean) => boolean } | null {
  const { values, nGiven } = assumption;
  const range = pagesOf(space, length);
  if (namesCeiling(limit)) {
    const at = namedLimit(limit, assumption);
    const n = values['n'] ?? 0;
    return { over: strict => nGiven && (strict ? n > at : n >= at) };
  }
  if (!range) return null;
  const n = evaluate(range.pages, values);
  if (limit.kind !== 'constant') return { over: () => false };
  const pages = limit.value / range.unit;
  if (pages >= smallest && !nGiven) return { over: () => false };
  if (n === null) return null;
  const bytes = BigInt(Math.round(n)) * range.unit;
  return { over: strict => (strict ? bytes > limit.value : bytes >= limit.value) };
}

const allOnes = (value: Value): boolean =>
  value.kind === 'constant' && BigInt.asUintN(64, value.value) === 0xffff_ffff_ffff_ffffn;

/** The value of an atom that follows from what it tests, or null if it is open. */
export function settledBy(space: ValueSpace, atom: Atom, assumption: RangeAssumption): boolean | null {
  if (atom.bit === 63) return false;
  if (atom.bit === 7) return true;
  const { value } = atom;
  if (value.kind === 'symbol' && value.key.startsWith('count:')) {
    const count = pagesNamed(value);
    return count ? (evaluate(count, assumption.values) ?? 1) !== 0 : null;
  }
  if (atom.bit !== null || value.kind !== 'binary') return null;
  const { a, b, operator } = value;
  if (operator === 'lt') {
    // a < b: "b exceeds a", strictly; or "a does not reach b".
    const right = exceeds(space, b, a, assumption);
    if (right) return right.over(true);
    const left = exceeds(space, a, b, assumption);
    return left ? !left.over(false) : null;
  }
  if (operator === 'eq') {
    if (allOnes(a) || allOnes(b)) {
      const other = allOnes(a) ? b : a;
      // A full flush asked for by "end is all ones": what a range over the ceiling was turned into.
      if (other.kind === 'constant') return null;
      return assumption.nGiven && (assumption.values['n'] ?? 0) > assumption.ceiling;
    }
    const [length, limit] = a.kind === 'constant' ? [b, a] : [a, b];
    const range = pagesOf(space, length);
    if (!range || limit.kind !== 'constant') return null;
    const n = evaluate(range.pages, assumption.values);
    return n === null ? null : BigInt(Math.round(n)) * range.unit === limit.value;
  }
  return null;
}
