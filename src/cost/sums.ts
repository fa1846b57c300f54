/** Sums of parts: of roots to a patch, of patches to a document. */
import { doubtOf } from './confidence';
import type { Cycles, PricedHunk, PricedPart, UnknownItem } from './priced';
import { addCounts, type Counts } from './resolve';
import type { PatchEntry } from './series';

/** A sum, with what it leaves out. */
export interface Sum {
  readonly delta: Counts;
  readonly cycles: Cycles | null;
  readonly noCycles: string;
  /** What changed and is not counted. */
  readonly unknown: readonly UnknownItem[];
  /** See {@link PricedPart.onlyUnknown}. */
  readonly onlyUnknown: boolean;
}

type Addend = Pick<PricedPart, 'delta' | 'cycles' | 'noCycles' | 'unknown' | 'onlyUnknown'>;

const emptyCounts: Counts = new Map();
const noCyclesAtAll: Cycles = { before: 0, after: 0, delta: 0, low: 0, high: 0 };

const plus = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

const addCycles = (a: Cycles, b: Cycles): Cycles => ({
  before: plus(a.before, b.before),
  after: plus(a.after, b.after),
  delta: a.delta + b.delta,
  low: a.low + b.low,
  high: a.high + b.high,
});

/** Each thing once, in order. */
function once(items: readonly UnknownItem[]): UnknownItem[] {
  const found = new Map<string, UnknownItem>();
  for (const item of items) {
    const key = `${item.name},${item.why},${item.documentLine}`;
    if (!found.has(key)) found.set(key, item);
  }
  return [...found.values()];
}

/**
 * Sums deltas and cycles. No cycles as soon as one part has none; but a part of which only unknown callees changed is
 * left out, and listed, as long as anything was counted. `beside`: what changed in no part and is not known.
 */
export function sumParts(parts: readonly Addend[], beside: readonly UnknownItem[] = []): Sum {
  let delta: Counts = emptyCounts;
  let cycles: Cycles | null = noCyclesAtAll;
  let noCycles = '';
  for (const part of parts) {
    delta = addCounts(delta, part.delta);
    if (part.onlyUnknown) continue;
    if (!part.cycles) noCycles ||= part.noCycles;
    cycles = cycles && part.cycles && addCycles(cycles, part.cycles);
  }
  const unknown = once([...parts.flatMap(part => part.unknown), ...beside]);
  const doubt = cycles ? doubtOf({ delta, unknown }) : null;
  if (doubt === null) return { delta, cycles, noCycles, unknown, onlyUnknown: false };
  return { delta, cycles: null, noCycles: doubt, unknown, onlyUnknown: delta.size === 0 };
}

/** The hunks that count in the total of a patch: not those of files that a reply revises. */
export function countedHunks(
  { files, supersededFiles }: PatchEntry,
  hunks: readonly PricedHunk[],
): readonly PricedHunk[] {
  if (!hunks.length) return hunks;
  const paths = new Set(
    files.filter(file => !supersededFiles.has(file)).map(file => file.newPath ?? file.oldPath ?? ''),
  );
  return hunks.filter(hunk => paths.has(hunk.file));
}

/** A total that leaves out what was only read by name has no cycles. */
export function withoutUnread(sum: Sum, counted: readonly PricedHunk[]): Sum {
  const named = sum.cycles ? counted.find(hunk => hunk.byName) : undefined;
  if (!named) return sum;
  const line = named.documentLine === null ? named.file : `line ${named.documentLine}`;
  return {
    ...sum,
    cycles: null,
    noCycles: `the hunk at ${line} was read by name only and is not in the total`,
  };
}
