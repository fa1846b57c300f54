/** Runs functions before and after a change in one value space, under one set of features. */
import type { IrFunction } from '../code/ir';
import type { SourceUnit } from '../code/source';
import type { FeatureSet } from './features';
import { TooManyConditions, yes, type Guard } from './guard';
import type { Program } from './program';
import { Recording } from './record';
import type { Comparison } from './resolve';
import { BeyondBound, onceWeight } from './frame';
import { one } from './polynomial';
import { unseenLines } from './shape';
import { Runner } from './runner';
import { Work } from './work';
import { queueCell } from './xenQueue';
import type { Value } from './value';
import { TooManyValues, ValueSpace } from './values';

/** One function before and after; null where it is not there. */
export interface FunctionPair {
  readonly before: IrFunction | null;
  readonly after: IrFunction | null;
  /** `before` has hunks of the patch applied already: its calls go where those of `after` go. */
  readonly halfway?: boolean;
}

/** Which changed lines a price is about. */
export type LineFilter = (unit: SourceUnit, line: number) => boolean;

/** A function that could not be priced, and why. */
export interface Failure {
  readonly name: string;
  readonly unit: SourceUnit;
  readonly line: number;
  readonly why: string;
}

export interface Compared {
  readonly comparison: Comparison;
  readonly failures: readonly Failure[];
}

/** Names for the parameters, the same before and after where they stand for each other. */
function parameterKeys({ before, after }: FunctionPair): { before: string[]; after: string[] } {
  const old = before?.parameters.map(parameter => parameter.name) ?? [];
  const now = after?.parameters.map(parameter => parameter.name) ?? [];
  const keys = now.map((name, at) => {
    if (old.includes(name)) return name;
    const other = old[at];
    return old.length === now.length && other !== undefined && !now.includes(other) ? other : name;
  });
  return { before: old, after: keys };
}

function run(
  space: ValueSpace,
  features: FeatureSet,
  program: Program,
  fn: IrFunction,
  keys: readonly string[],
  pointers: Set<Value>,
  work: Work,
): { recording: Recording; failure: Failure | null } {
  const failure = (why: string): { recording: Recording; failure: Failure } => ({
    recording: new Recording(),
    failure: { name: fn.name, unit: fn.unit, line: fn.firstLine, why },
  });
  if (fn.unreadable !== null) return failure(fn.unreadable);
  const runner = new Runner(space, features, program, work);
  const args = fn.parameters.map((parameter, at) => {
    const value = space.symbol(parameter.name, `param:${keys[at] ?? parameter.name}`);
    if (parameter.type.includes('*')) pointers.add(value);
    return value;
  });
  try {
    runner.call(
      fn,
      args,
      { guard: yes, slots: [], memory: new Map([[queueCell(space), space.constant(0)]]) },
      onceWeight,
      [],
      null,
    );
  } catch (error) {
    if (error instanceof BeyondBound || error instanceof TooManyConditions || error instanceof TooManyValues)
      return failure(`not followed to its end: ${error.message}`);
    throw error;
  }
  return { recording: runner.recording, failure: null };
}

/**
 * The other side of a fragment whose lines all changed: the function is there too, and what the patch does not show of it is
 * run. Where the shown lines return early it no longer is.
 */
function notShown(fn: IrFunction): Recording {
  const recording = new Recording();
  const at = { unit: fn.unit, line: fn.firstLine };
  recording.unknown.push({ ...unseenLines, given: '', guard: yes, count: one, at });
  return recording;
}

/** A changed line that only leaves the function: a condition in front of it may go either way. */
const onlyLeaves = (unit: SourceUnit, line: number): boolean =>
  /^\s*(?:(?:return\b[^()]*|goto\s+\w+\s*);|(?:jmp|b)\s+[.\w\\@]+|(?:ret|retq|RET))\s*$/.test(
    unit.lines[line]?.text.slice(0, 200) ?? '',
  );

/** The code before and after a change, run; which changed lines count has not been looked at. */
export interface PairsRun {
  readonly comparison: Omit<Comparison, 'reached'>;
  readonly failures: readonly Failure[];
  /** Views of it: where the same guards are reached, what has been settled for one is settled for the other. */
  readonly views: Compared[];
}

/** Runs every pair. A pair of which one side fails is left out as a whole: half a difference is no answer. */
export function runPairs(
  pairs: readonly FunctionPair[],
  programs: { readonly before: Program; readonly after: Program },
  features: FeatureSet,
  work = new Work(),
): PairsRun {
  const space = new ValueSpace();
  const before: Recording[] = [];
  const after: Recording[] = [];
  const failures: Failure[] = [];
  const pointers = new Set<Value>();
  for (const pair of pairs) {
    const keys = parameterKeys(pair);
    const old =
      pair.before &&
      run(
        space,
        features,
        pair.halfway ? programs.after : programs.before,
        pair.before,
        keys.before,
        pointers,
        work,
      );
    const now = pair.after && run(space, features, programs.after, pair.after, keys.after, pointers, work);
    const failed = [old?.failure, now?.failure].filter(failure => failure !== null && failure !== undefined);
    failures.push(...failed);
    if (failed.length) continue;
    if (old) before.push(old.recording);
    else if (pair.after?.partial) before.push(notShown(pair.after));
    if (now) after.push(now.recording);
    else if (pair.before?.partial) after.push(notShown(pair.before));
  }
  return { comparison: { space, before, after, pointers }, failures, views: [] };
}

/** A run as seen by a hunk or a function: which of its changed lines are reached, and when. */
export function seenBy({ comparison, failures, views }: PairsRun, lines: LineFilter): Compared {
  const reached: Guard[] = [];
  for (const recording of [...comparison.before, ...comparison.after])
    for (const [unit, found] of recording.reached)
      for (const [line, guard] of found)
        if (lines(unit, line) && !onlyLeaves(unit, line)) reached.push(guard);
  const known = views.find(
    view =>
      view.comparison.reached.length === reached.length &&
      view.comparison.reached.every((guard, at) => guard === reached[at]),
  );
  if (known) return known;
  const made = { comparison: { ...comparison, reached }, failures };
  views.push(made);
  return made;
}

/** Runs the pairs and looks at the lines in one go. */
export const compare = (
  pairs: readonly FunctionPair[],
  programs: { readonly before: Program; readonly after: Program },
  features: FeatureSet,
  lines: LineFilter,
): Compared => seenBy(runPairs(pairs, programs, features), lines);
