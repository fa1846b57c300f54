/**
 * Changed lines that no reader understood, priced by the names on them: an added line counts for, a removed one against.
 * Loops, conditions and callees are not seen, so the result is marked as found by name.
 */
import { countByName } from '../code/byName';
import { recogniseLines } from '../code/recognise';
import type { SourceUnit } from '../code/source';
import type { PlaceHints } from './definitions';
import type { FeatureSet } from './features';
import { add, isZero, negate, parse, zero, type Polynomial } from './polynomial';
import type { UnknownItem } from './priced';

/** A stretch of a unit that could not be read. */
export interface UnreadRange {
  readonly unit: SourceUnit;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly why: string;
}

export interface NamePrice {
  readonly delta: ReadonlyMap<string, Polynomial>;
  readonly unknown: readonly UnknownItem[];
  /** Operations by line: unit, line, counts (removed lines too, as positive counts). */
  readonly lines: readonly {
    readonly unit: SourceUnit;
    readonly line: number;
    readonly counts: ReadonlyMap<string, Polynomial>;
  }[];
}

const none: readonly never[] = [];
const recognised = new WeakMap<SourceUnit, ReturnType<typeof recogniseLines>>();

/** The names on the lines of a unit. A unit is always asked about with the same hints. */
function namesIn(unit: SourceUnit, hints: PlaceHints): ReturnType<typeof recogniseLines> {
  let known = recognised.get(unit);
  if (!known) {
    const lines = unit.lines.map(line => line.text);
    // Most lines have none: they share one list.
    known = recogniseLines(lines, { ...hints, path: unit.path }).map(found => (found.length ? found : none));
    recognised.set(unit, known);
  }
  return known;
}

/** Prices the changed lines of one hunk inside ranges that could not be read. */
export function priceByName(
  ranges: readonly UnreadRange[],
  hunk: number,
  features: FeatureSet,
  hints: PlaceHints,
): NamePrice {
  const delta = new Map<string, Polynomial>();
  const unknown: UnknownItem[] = [];
  const lines: { unit: SourceUnit; line: number; counts: Map<string, Polynomial> }[] = [];
  const done = new Set<string>();
  for (const { unit, firstLine, lastLine } of ranges) {
    const found = namesIn(unit, hints);
    for (let at = firstLine; at <= lastLine; at++) {
      const line = unit.lines[at];
      const key = `${unit.side}${at}`;
      if (!line?.changed || line.hunk !== hunk || done.has(key)) continue;
      done.add(key);
      const counts = new Map<string, Polynomial>();
      for (const name of found[at] ?? []) {
        const counted = countByName(name, feature => features.has(feature));
        if (counted.unknown !== null) {
          unknown.push({ name: name.name, documentLine: line.documentLine || null, why: counted.unknown });
          continue;
        }
        for (const [operation, text] of Object.entries(counted.ops)) {
          const kind = operation === 'CR3_WRITE' ? 'CR3_FLUSH' : operation;
          counts.set(kind, add(counts.get(kind) ?? zero, parse(text) ?? zero));
        }
      }
      if (!counts.size) continue;
      lines.push({ unit, line: at, counts });
      for (const [operation, count] of counts) {
        const signed = unit.side === 'old' ? negate(count) : count;
        const sum = add(delta.get(operation) ?? zero, signed);
        if (isZero(sum)) delta.delete(operation);
        else delta.set(operation, sum);
      }
    }
  }
  return { delta, unknown, lines };
}
