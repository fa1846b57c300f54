/** Which functions a hunk changes, as they stand before and after it. */
import type { IrFunction } from '../code/ir';
import type { SourceUnit } from '../code/source';
import type { PatchFile } from '../patch/model';
import type { FileAnalysis, PatchAnalysis } from './analysis';
import { usersOf } from './constantUses';
import type { FunctionPair } from './compare';
import type { UnreadRange } from './nameFallback';
import { PairPricer } from './parts';
import { hunksTouched } from './patchReader';
import { renamingsOf } from './units';
import type { Work } from './work';

export interface HunkPlan {
  readonly patch: PatchAnalysis;
  readonly file: PatchFile;
  readonly index: number;
  readonly names: readonly string[];
  readonly pricer: PairPricer;
  /** Code of the hunk that could not be read. */
  readonly unread: readonly UnreadRange[];
  readonly absent: boolean;
}

/** A file's functions and unread ranges by hunk, and its functions by name, for each stage. */
interface FileIndex {
  readonly byName: Map<number, Map<string, IrFunction[]>>;
  readonly byHunk: Map<number, Map<number, IrFunction[]>>;
  readonly unread: Map<number, Map<number, UnreadRange[]>>;
}

const indexes = new WeakMap<FileAnalysis, FileIndex>();

function grouped<K, V>(items: readonly V[], keysOf: (item: V) => Iterable<K>): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const item of items)
    for (const key of keysOf(item)) {
      const known = groups.get(key);
      if (known) known.push(item);
      else groups.set(key, [item]);
    }
  return groups;
}

function indexOf(read: FileAnalysis): FileIndex {
  const known = indexes.get(read);
  if (known) return known;
  const made: FileIndex = { byName: new Map(), byHunk: new Map(), unread: new Map() };
  for (const [stage, functions] of read.stages) {
    made.byName.set(stage, grouped(functions, fn => [fn.name])); // prettier-ignore
    made.byHunk.set(stage, grouped(functions, hunksTouched));
  }
  for (const [stage, ranges] of read.unread) made.unread.set(stage, grouped(ranges, hunksIn));
  indexes.set(read, made);
  return made;
}

/** Hunks with a changed line in a range. */
function hunksIn({ unit, firstLine, lastLine }: UnreadRange): Set<number> {
  const found = new Set<number>();
  for (let line = firstLine; line <= lastLine; line++) {
    const at = unit.lines[line];
    if (at?.changed) found.add(at.hunk);
  }
  return found;
}

/** The names that one function has in the course of a patch. */
function namesOfOne(read: FileAnalysis, name: string): string[] {
  const found = [name];
  for (const { from, to } of renamingsOf(read.change)) {
    if (found.includes(from)) found.push(to);
    else if (found.includes(to)) found.push(from);
  }
  return found;
}

/** The one hunk whose changed lines are a function from its head to its end; null if there is none. */
function wholeIn(fn: IrFunction | null): number | null {
  if (!fn || fn.partial) return null;
  const hunk = fn.unit.lines[fn.firstLine]?.hunk ?? null;
  for (let line = fn.firstLine; line <= fn.lastLine; line++) {
    const at = fn.unit.lines[line];
    if (!at || (at.text.trim() !== '' && (!at.changed || at.hunk !== hunk))) return null;
  }
  return hunk;
}

/** One function that a hunk changes, before and after it. */
function pairFor(read: FileAnalysis, index: number, names: readonly string[]): FunctionPair {
  const last = read.change.hunks.length;
  const named = (stage: number): IrFunction | null => {
    const all = names.flatMap(name => indexOf(read).byName.get(stage)?.get(name) ?? []);
    return all.find(fn => hunksTouched(fn).has(index)) ?? all[0] ?? null;
  };
  const [first, final] = [named(0), named(last)];
  // Moved within the file: it goes in one hunk and comes in another, as it would between two files.
  const [goesIn, comesIn] = [wholeIn(first), wholeIn(final)];
  if (goesIn !== null && comesIn !== null && goesIn !== comesIn)
    return index === comesIn ? { before: null, after: final } : { before: first, after: null };
  const hunks = new Set([...(first ? hunksTouched(first) : []), ...(final ? hunksTouched(final) : [])]);
  if (hunks.size < 2) return { before: first, after: final };
  // Changed by several hunks: what this one adds to those before it, where the mixture can be read.
  const before = index === 0 ? first : named(index);
  const after = index + 1 === last ? final : named(index + 1);
  const readable = [before, after].every(fn => fn === null || fn.unreadable === null);
  if (!readable || (!before && !after)) return { before: first, after: final };
  return { before, after, halfway: index > 0 };
}

/** Prepares a hunk for pricing. */
export function planHunk(
  patch: PatchAnalysis,
  file: PatchFile,
  read: FileAnalysis,
  index: number,
  work: Work,
): HunkPlan {
  const last = read.change.hunks.length;
  const names = new Map<string, number>();
  for (const stage of [last, 0])
    for (const fn of indexOf(read).byHunk.get(stage)?.get(index) ?? [])
      names.set(fn.name, Math.min(names.get(fn.name) ?? Infinity, fn.firstLine));
  for (const name of usersOf(read, index)) if (!names.has(name)) names.set(name, Infinity);
  const ordered = [...names].sort(([, a], [, b]) => a - b).map(([name]) => name);
  const groups = new Map(ordered.map(name => [namesOfOne(read, name).sort().join(), namesOfOne(read, name)]));
  const pairs = joinRenamed([...groups.values()].map(group => pairFor(read, index, group)));
  const lines = (unit: SourceUnit, line: number): boolean =>
    unit.path === read.change.path && unit.lines[line]?.hunk === index;
  const unread = [0, last].flatMap(stage => [
    ...(indexOf(read).unread.get(stage)?.get(index) ?? []),
    ...[...names.keys()]
      .flatMap(name => indexOf(read).byName.get(stage)?.get(name) ?? [])
      .filter(fn => fn.unreadable !== null)
      .map(fn => ({ unit: fn.unit, firstLine: fn.firstLine, lastLine: fn.lastLine, why: fn.unreadable! })),
  ]);
  return {
    patch,
    file,
    index,
    names: ordered,
    pricer: new PairPricer(pairs, patch.programs, lines, work),
    unread: unread.filter(range => touches(range, index)),
    absent:
      pairs.length > 0 && pairs.every(({ before, after }) => before === null && after?.partial !== true),
  };
}

function touches(range: UnreadRange, hunk: number): boolean {
  for (let line = range.firstLine; line <= range.lastLine; line++) {
    const at = range.unit.lines[line];
    if (at?.changed && at.hunk === hunk) return true;
  }
  return false;
}

/** A function that goes and one that comes in the same hunk are one that was renamed. */
function joinRenamed(pairs: readonly FunctionPair[]): FunctionPair[] {
  const gone = pairs.filter(pair => pair.after === null);
  const come = pairs.filter(pair => pair.before === null);
  if (gone.length !== 1 || come.length !== 1) return [...pairs];
  const rest = pairs.filter(pair => pair !== gone[0] && pair !== come[0]);
  return [{ before: gone[0]!.before, after: come[0]!.after }, ...rest];
}
