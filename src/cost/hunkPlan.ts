/** Which functions a hunk changes, as they stand before and after it. */
import type { IrFunction } from '../code/ir';
import type { SourceUnit } from '../code/source';
import type { PatchFile } from '../patch/model';
import type { FileAnalysis, PatchAnalysis } from './analysis';
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

/** The names that one function has in the course of a patch. */
function namesOfOne(read: FileAnalysis, name: string): string[] {
  const found = [name];
  for (const { from, to } of renamingsOf(read.change)) {
    if (found.includes(from)) found.push(to);
    else if (found.includes(to)) found.push(from);
  }
  return found;
}

/** One function that a hunk changes, before and after it. */
function pairFor(read: FileAnalysis, index: number, names: readonly string[]): FunctionPair {
  const last = read.change.hunks.length;
  const named = (stage: number): IrFunction | null => {
    const all = (read.stages.get(stage) ?? []).filter(fn => names.includes(fn.name));
    return all.find(fn => hunksTouched(fn).has(index)) ?? all[0] ?? null;
  };
  const [first, final] = [named(0), named(last)];
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
    for (const fn of read.stages.get(stage) ?? [])
      if (hunksTouched(fn).has(index))
        names.set(fn.name, Math.min(names.get(fn.name) ?? Infinity, fn.firstLine));
  const ordered = [...names].sort(([, a], [, b]) => a - b).map(([name]) => name);
  const groups = new Map(ordered.map(name => [namesOfOne(read, name).sort().join(), namesOfOne(read, name)]));
  const pairs = joinRenamed([...groups.values()].map(group => pairFor(read, index, group)));
  const lines = (unit: SourceUnit, line: number): boolean =>
    unit.path === read.change.path && unit.lines[line]?.hunk === index;
  const unread = [0, last].flatMap(stage => [
    ...(read.unread.get(stage) ?? []),
    ...(read.stages.get(stage) ?? [])
      .filter(fn => fn.unreadable !== null && names.has(fn.name))
      .map(fn => ({ unit: fn.unit, firstLine: fn.firstLine, lastLine: fn.lastLine, why: fn.unreadable! })),
  ]);
  return {
    patch,
    file,
    index,
    names: ordered,
    pricer: new PairPricer(pairs, patch.programs, lines, work),
    unread: unread.filter(range => touches(range, index)),
    absent: pairs.length > 0 && pairs.every(pair => pair.before === null),
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
