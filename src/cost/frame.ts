/** What the symbolic run of a function keeps: its registers, how often its blocks run, and ways out of a block. */
import type { IrFunction } from '../code/ir';
import type { Flow, Loop } from './flow';
import { yes, type Guard } from './guard';
import type { State } from './machineState';
import { constant, type Polynomial } from './polynomial';
import type { Place } from './record';
import type { Value } from './value';

/** How often something runs: alternatives that exclude each other. */
export type Weight = readonly { readonly guard: Guard; readonly count: Polynomial }[];

export const onceWeight: Weight = [{ guard: yes, count: constant(1) }];

/** Thrown when a bound is reached; the function is then unknown, never half-priced. */
export class BeyondBound extends Error {
  override readonly name = 'BeyondBound';
}

/** One call of a function that is being run. */
export interface Frame {
  readonly fn: IrFunction;
  readonly gaps: ReadonlySet<number>;
  readonly flow: Flow;
  /** Temporaries, which are set in one place only. */
  readonly single: (Value | null)[];
  /** Slot of a variable, or of a register that is set in several places, else -1. */
  readonly slotOf: Int32Array;
  readonly slotCount: number;
  readonly depth: number;
  /** Names of the functions from the priced one to this one. */
  readonly chain: readonly string[];
  /** The line of the priced function that leads here; null in the priced function itself. */
  readonly site: Place | null;
  readonly returns: { guard: Guard; value: Value | null; state: State }[];
  /** Sums that were worked out while a loop's turns are looked for: addresses made of its counter are among them. */
  readonly sums: Set<Value>;
}

/** A way out of a block. */
export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly state: State;
}

/** A branch that leaves a loop, met while its turns are being worked out. */
export interface ExitTest {
  readonly block: number;
  readonly test: Value;
  /** The value of the test for which the loop is left. */
  readonly leaves: boolean;
  readonly text: string;
}

/** What a region is run for. */
export interface Mode {
  /** The loop whose body is run, or null for a whole function. */
  readonly loop: Loop | null;
  /** Turns are being worked out: exits are collected and nothing is recorded. */
  readonly exits: ExitTest[] | null;
  /** The block whose branch is the loop's counted exit: it is no condition of its own. */
  readonly countedExit: number | null;
  /** How often each block runs. */
  readonly weightOf: (block: number) => Weight;
}
