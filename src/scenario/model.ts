/** What a scenario file says, once it has been read and checked. */
import type { PageShift } from '../kernel/world';
import type { Expression } from './expression';
import type { StepName } from './stepShapes';

/** Something wrong with a scenario file. Lines and columns are 1-based; `offset` and `length` are UTF-16 units. */
export interface ScenarioDiagnostic {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly length: number;
  readonly message: string;
}

/** One step of a task. What it does is in `stepShapes.ts`. */
export interface Step {
  readonly name: StepName;
  /** 1-based line of the file. */
  readonly line: number;
  readonly offset: number;
  readonly numbers: ReadonlyMap<string, Expression>;
  readonly words: ReadonlyMap<string, string>;
  readonly flags: ReadonlyMap<string, boolean>;
  /** Of a `repeat` or an `enter`. */
  readonly steps: readonly Step[];
}

export interface ScenarioTask {
  /** CPUs that do these steps: one, or all from `first` to `last` (then empty if `last` is less). */
  readonly first: Expression;
  readonly last: Expression;
  /** Name of the address space that runs first; tasks with the same one are threads. */
  readonly space: string;
  /** Pages at the beginning of the region whose translations are in the TLB before the run. */
  readonly warm: Expression;
  /** A kernel thread runs, and the space stays loaded. */
  readonly lazy: boolean;
  readonly steps: readonly Step[];
  readonly line: number;
  readonly offset: number;
}

/** A bound that a run must keep. `what`: `cycles`, `misses`, `verdict`, or an operation. */
export interface Expectation {
  readonly what: string;
  readonly bounds: readonly { readonly kind: 'is' | 'atMost' | 'atLeast'; readonly value: Expression }[];
  /** Of `verdict`. */
  readonly verdict: string | null;
  /** One CPU only; null: all together. */
  readonly cpu: Expression | null;
  /** Variant for which it holds; null: each. */
  readonly variant: string | null;
  /** Only where this is not 0. */
  readonly when: Expression | null;
  readonly line: number;
}

/** An address space with one region of pages. */
export interface ScenarioSpace {
  readonly name: string;
  /** Pages of its region; 0: it is empty, such as one that a fork fills. */
  readonly pages: Expression;
  /** log2 of their size, the same in all spaces of a scenario. */
  readonly pageShift: PageShift;
  readonly writable: boolean;
  /** Whether pages are there before the run, rather than at the first access. */
  readonly populated: boolean;
}

export interface ScenarioParameter {
  readonly name: string;
  readonly values: readonly number[];
}

export interface ScenarioVariant {
  readonly name: string;
  /** Names of the kernel tree's patches, in the order in which they are applied; none: the tree as it is. */
  readonly patches: readonly string[];
  readonly line: number;
}

export interface Scenario {
  readonly title: string;
  readonly about: string;
  /** Globs of paths, and names of functions. */
  readonly appliesTo: readonly string[];
  /** Name of the kernel tree. */
  readonly kernel: string;
  /** Id of a machine profile; null: what the caller chooses. */
  readonly machine: string | null;
  /** null: the machine's own. */
  readonly features: readonly string[] | null;
  readonly cpus: number;
  /** Socket of each CPU; null: as the machine numbers them. */
  readonly sockets: readonly number[] | null;
  readonly seed: number;
  /** CPUs fill their TLBs with what they may, whenever they may. */
  readonly speculation: boolean;
  readonly spaces: readonly ScenarioSpace[];
  readonly parameters: readonly ScenarioParameter[];
  readonly variants: readonly ScenarioVariant[];
  readonly tasks: readonly ScenarioTask[];
  readonly expect: readonly Expectation[];
}

/** Verdicts of a run, as they are written in a file. */
export const verdictNames: readonly string[] = [
  ...['safe', 'stale-data', 'stale-perm', 'stale-walk', 'lost-dirty', 'spec-only', 'exposure'],
  ...['deadlock', 'fault', 'unbounded', 'unknown'],
];
