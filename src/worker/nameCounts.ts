/** Counts of recognised names, gathered for a line: callbacks followed by their name, ceilings applied. */
import { countByName, type NamedCounts } from '../code/byName';
import type { LookupHints, OperationCounts } from '../code/catalogue/entry';
import { lookup } from '../code/catalogue/lookup';
import type { Recognised } from '../code/nameScanner';
import { add, isZero, multiply, one, parse, zero, type Polynomial } from '../cost/polynomial';

/** Operation → how often. No zero counts. */
export type Counts = ReadonlyMap<string, Polynomial>;

/** What the counting depends on. */
export interface CountOptions {
  /** Whether a feature is on, by its name on the command line. */
  readonly has: (feature: string) => boolean;
  /** Whether the flushed range is longer than so many pages. */
  readonly exceeds: (pages: number) => boolean;
  /** Pages up to which a kernel flushes page by page, where a row names no other number. */
  readonly ceiling: number;
  readonly hints: LookupHints;
}

/** What one place performs. */
export interface PlaceCount {
  readonly counts: Counts;
  /** The cheaper answer, where a condition that is no feature is open; else null. */
  readonly other: Counts | null;
  /** What has no count: never taken as nothing. */
  readonly unknown: readonly { readonly name: string; readonly why: string }[];
  readonly gates: readonly string[];
  /** Assumptions and open conditions, a sentence each. */
  readonly notes: readonly string[];
}

export function addCounts(a: Counts, b: Counts): Counts {
  const sum = new Map(a);
  for (const [name, count] of b) {
    const total = add(sum.get(name) ?? zero, count);
    if (isZero(total)) sum.delete(name);
    else sum.set(name, total);
  }
  return sum;
}

export const scaleCounts = (counts: Counts, by: Polynomial): Counts =>
  new Map([...counts].map(([name, count]) => [name, multiply(count, by)]));

/** Counts in text, such as `INVLPG, n INVPCID_ADDR`; '' for none. */
const countsText = (ops: OperationCounts): string =>
  Object.entries(ops)
    .map(([name, count]) => (count === '1' ? name : `${count} ${name}`))
    .join(', ');

/** The catalogue's counts as polynomials. Its own tests hold that every one of them can be read. */
function polynomials(ops: OperationCounts): Counts {
  const counts = new Map<string, Polynomial>();
  for (const [name, text] of Object.entries(ops)) {
    const count = parse(text);
    if (count && !isZero(count)) counts.set(name, count);
  }
  return counts;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function notesOf(found: Recognised, named: NamedCounts, full: boolean): string[] {
  const notes: string[] = [];
  if (found.assumption) notes.push(sentence(found.assumption));
  if (named.other)
    notes.push(
      `Only if ${named.condition || 'a condition holds'}; else ${countsText(named.other) || 'nothing'}.`,
    );
  if (full)
    notes.push('The range is longer than the ceiling: one full flush takes the place of single ones.');
  if (named.deferred)
    notes.push(`Leaves work for later: ${countsText(named.deferred.ops)}, ${named.deferred.where}.`);
  return notes;
}

/** The function that the call runs: its operations by its own name, or why they are not known. */
function callback(
  runs: NonNullable<NamedCounts['runs']>,
  { has, hints }: CountOptions,
): { counts: Counts; unknown: string | null } {
  const name = runs.name.replace(/^&/, '');
  const match = /^\w+$/.test(name) ? lookup(name, hints) : null;
  const nothing = {
    counts: new Map(),
    unknown: `the function that runs ${runs.times} times is not read by name`,
  };
  if (!match || match.entry.kind === 'value') return nothing;
  const named = countByName({ ...match, column: 0, args: [] }, has, hints.kernelVersion);
  if (named.unknown) return nothing;
  return { counts: scaleCounts(polynomials(named.ops), parse(runs.times) ?? one), unknown: null };
}

/** Counts one recognised place. */
export function countPlace(found: Recognised, options: CountOptions): PlaceCount {
  const named = countByName(found, options.has, options.hints.kernelVersion);
  const full = named.full && options.exceeds(named.ceiling ?? options.ceiling) ? named.full : null;
  const notes = notesOf(found, named, full !== null);
  if (named.unknown) {
    const unknown = [{ name: found.name, why: named.unknown }];
    return { counts: new Map(), other: null, unknown, gates: named.gates, notes };
  }
  let counts = polynomials(full ?? named.ops);
  let other = named.other && polynomials(named.other);
  const unknown: { name: string; why: string }[] = [];
  if (named.runs) {
    const run = callback(named.runs, options);
    counts = addCounts(counts, run.counts);
    other &&= addCounts(other, run.counts);
    if (run.unknown) unknown.push({ name: named.runs.name, why: run.unknown });
  }
  return { counts, other, unknown, gates: named.gates, notes };
}
