/** What running a function symbolically leaves behind: operations with their guards, and what was met on the way. */
import type { SourceUnit } from '../code/source';
import type { Guard } from './guard';
import type { Polynomial } from './polynomial';
import type { Value } from './value';

/** A line of a unit, by its index in `unit.lines`. */
export interface Place {
  readonly unit: SourceUnit;
  readonly line: number;
}

/**
 * A CR4 write that leaves PGE as it was flushes nothing and has no published price; it is kept apart under this name
 * until it is priced, and counts as `CR4_WRITE`.
 */
export const cr4WithoutFlush = 'CR4_WRITE_SAME_PGE';

/** Why a call back into a function that is being run is unknown. */
export const callsItself = 'it calls itself: its operations are counted for one call';

/** An operation that is performed `count` times where `guard` holds. */
export interface OperationRecord {
  readonly operation: string;
  readonly count: Polynomial;
  readonly guard: Guard;
  /** The line of the priced function that causes it. */
  readonly at: Place;
  /** The line where it stands; differs from `at` inside a callee. */
  readonly inner: Place;
  /** Callees from the priced function to the one that performs it. */
  readonly via: readonly string[];
  /** Where the count comes from: the code, or the catalogue row of a name. */
  readonly source: string;
}

export interface UnknownRecord {
  readonly name: string;
  readonly why: string;
  /** Of a callee: what it is given, as text. */
  readonly given: string;
  readonly guard: Guard;
  readonly count: Polynomial;
  readonly at: Place;
}

/** A branch that was not settled by features or constants. */
export interface ConditionRecord {
  /** When the condition, as written, is true. */
  readonly truth: Guard;
  readonly context: Guard;
  readonly text: string;
  readonly at: Place;
  readonly depth: number;
}

/** Work that a store leaves for later. */
export interface DeferredRecord {
  /** The call or the name stored to. */
  readonly name: string;
  readonly where: string;
  /** What it costs whoever pays it; empty where that is not known. */
  readonly operations: ReadonlyMap<string, Polynomial>;
  readonly count: Polynomial;
  readonly guard: Guard;
  readonly at: Place;
}

export interface ReturnRecord {
  readonly guard: Guard;
  readonly value: Value | null;
}

/** One function body that was run: its returns, and when it was entered. */
export interface FrameRecord {
  readonly name: string;
  readonly entered: Guard;
  readonly returns: readonly ReturnRecord[];
}

export class Recording {
  readonly operations: OperationRecord[] = [];
  readonly unknown: UnknownRecord[] = [];
  readonly conditions: ConditionRecord[] = [];
  readonly deferred: DeferredRecord[] = [];
  readonly frames: FrameRecord[] = [];
  /** Guards under which changed lines are reached. */
  readonly reached = new Map<SourceUnit, Map<number, Guard>>();
  /** Things taken for granted, in words. */
  readonly assumed = new Set<string>();
  readonly findings: { readonly kind: string; readonly at: Place; readonly message: string }[] = [];
}
