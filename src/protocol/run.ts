/**
 * Runs of scenarios, as plain data: what the host asks its worker, and what it gets. The worker keeps runs open by a
 * number, so that their state can be looked at anywhere in the trace; runs are deterministic, so one that the worker no
 * longer has is opened again with the same request.
 */

/** Which scenario, on which kernel tree and machine. */
export interface RunRequest {
  /** A built-in one by its name, or the text of a file. */
  readonly scenario:
    | { readonly kind: 'builtin'; readonly name: string }
    | { readonly kind: 'text'; readonly name: string; readonly text: string };
  /** Text of the patch under review: the tree `before` and `after` it, instead of the scenario's variants. */
  readonly patch: string | null;
  /** Path → text: a kernel tree instead of the bundled one. */
  readonly tree: Readonly<Record<string, string>> | null;
  /** Address of a kernel tree that the worker asks its host for, instead of both; null or missing for none. */
  readonly treeAddress?: string | null;
  /** Names; none: all. */
  readonly variants: readonly string[];
  /** Parameters that have one value instead of those of the file. */
  readonly set: Readonly<Record<string, number>>;
  /** Id of a machine that is taken whatever the scenario says; null: the scenario's. */
  readonly machine: string | null;
  /** Id of the machine where the scenario names none. */
  readonly defaultMachine: string;
  /** Features that are on; null: the scenario's, else the machine's. */
  readonly features: readonly string[] | null;
}

/** Something that a run could not know. */
export interface UnknownReport {
  readonly name: string;
  readonly why: string;
  /** Place in the kernel tree; '' and 0 where it has none. */
  readonly file: string;
  readonly line: number;
}

/** A run's end, in figures. */
export interface RunReport {
  readonly variant: string;
  readonly parameters: Readonly<Record<string, number>>;
  readonly machine: string;
  readonly features: readonly string[];
  /** null: not known, see `unknown`. Of all CPUs together. */
  readonly total: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Cycles of all that has a price, with its range: with unpriced operations no total. null if the run did not come to its end. */
  readonly priced: { readonly cycles: number; readonly low: number; readonly high: number } | null;
  /** Count × price of each operation; null: no price is known. */
  readonly byOperation: Readonly<
    Record<string, { readonly cycles: number; readonly low: number; readonly high: number } | null>
  >;
  readonly counts: Readonly<Record<string, number>>;
  readonly misses: number;
  readonly verdict: string;
  /** Whether the run came to its end; if not, counts are those until then. */
  readonly complete: boolean;
  readonly why: readonly string[];
  /** What the figures do not say, such as a file of the patch that did not run; changes no verdict. */
  readonly notes?: readonly string[];
  readonly assumed: readonly string[];
  readonly unknown: readonly UnknownReport[];
  readonly expect: readonly {
    readonly text: string;
    readonly ok: boolean;
    /** 1-based line of the scenario file. */
    readonly line: number;
    readonly found: number | string | null;
  }[];
}

/** All runs of a scenario that were asked for. */
export interface ScenarioReport {
  readonly title: string;
  readonly about: string;
  readonly kernel: string;
  readonly cpus: number;
  /** Whether the runs are of the patch under review, or of the scenario's own variants. */
  readonly compares: 'patch' | 'variants';
  readonly variants: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly runs: readonly RunReport[];
}

/** Kinds of events. The order is that of the numbers in {@link TraceColumns.kind}. */
export const eventKinds = [
  ...([
    'operation',
    'flush',
    'ipi',
    'ipi-wait',
    'interrupt',
    'interrupt-return',
    'access',
    'refill',
  ] as const),
  ...([
    'fault',
    'stale',
    'wait',
    'resume',
    'task',
    'task-end',
    'verdict',
    'call',
    'return',
    'store',
  ] as const),
  'primitive',
] as const;
export type EventKindName = (typeof eventKinds)[number];

/** Where an event comes from. */
export interface Place {
  readonly file: string;
  /** 1-based, 0 where unknown. */
  readonly line: number;
  readonly function: string;
  /** 1-based line of the patch under review that this line is shown at; 0: the patch does not show it. */
  readonly patchLine: number;
}

/** A trace by columns: an event is a row, in the order in which things happened. */
export interface TraceColumns {
  readonly count: number;
  readonly cpu: Uint16Array;
  /** Index into {@link eventKinds}. */
  readonly kind: Uint8Array;
  /** The CPU's clock after it. */
  readonly cycles: Float64Array;
  /** Index into `places`. */
  readonly place: Uint32Array;
  /** Index into `names`: the operation, function or variable that it is about. */
  readonly name: Uint32Array;
  /** Halves of the operand or value; of an IPI the CPU that it goes to. */
  readonly lo: Uint32Array;
  readonly hi: Uint32Array;
  readonly places: readonly Place[];
  readonly names: readonly string[];
  /** The trace breaks off here: later events were not kept. */
  readonly cut: boolean;
}

/** What a CPU is busy with. The order is that of the numbers in {@link SegmentColumns.lane}. */
export const laneKinds = [
  ...([
    'user',
    'kernel',
    'flush',
    'ipi-send',
    'ipi-wait',
    'ipi-handler',
    'refill',
    'interrupt',
    'idle',
  ] as const),
] as const;
export type LaneKind = (typeof laneKinds)[number];

/** What each CPU was busy with, by columns: a row is a time of one CPU. Sorted by CPU, then start; no two overlap. */
export interface SegmentColumns {
  readonly count: number;
  readonly cpu: Uint16Array;
  /** Index into {@link laneKinds}. */
  readonly lane: Uint8Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Row in the trace of the event that ends it. */
  readonly seq: Uint32Array;
}

/** A run that the worker keeps open. */
export interface OpenedRun {
  /** Its number. */
  readonly run: number;
  readonly title: string;
  readonly cpus: number;
  readonly report: RunReport;
  readonly trace: TraceColumns;
  readonly segments: SegmentColumns;
}

export type CpuMode = 'user' | 'kernel' | 'interrupt' | 'nmi' | 'idle';

/** A context slot of a CPU (a PCID of the kernel's), and how far behind its mm it is. */
export interface SlotState {
  readonly slot: number;
  /** Name of the mm that it holds; '' for none. */
  readonly mm: string;
  /** Generation that the slot has been flushed to, and that of the mm; null: not known. */
  readonly generation: number | null;
  readonly mmGeneration: number | null;
  /** The user half is flushed at the next return to user mode. */
  readonly userFlush: boolean;
}

export type PendingFlush =
  | { readonly kind: 'none' | 'full' | 'unknown' }
  | { readonly kind: 'range'; readonly start: string; readonly end: string; readonly strideShift: number };

/** Entries of one PCID or ASID. */
export interface Occupancy {
  readonly tag: number;
  readonly global: boolean;
  readonly entries: number;
  readonly stale: number;
}

export interface OperationCycles {
  readonly name: string;
  readonly count: number;
  /** null: no price is known. */
  readonly low: number | null;
  readonly high: number | null;
}

/** One CPU at a moment of a run. */
export interface CpuState {
  readonly cpu: number;
  readonly mode: CpuMode;
  /** Function that it is in; '' where it has nothing to do. */
  readonly function: string;
  /** What it waits for, in words; '' if it goes on. */
  readonly waitsFor: string;
  /** `half`: of the pair of page tables that PTI makes; `whole` without PTI. null on a machine without CR3. */
  readonly cr3: {
    readonly root: string;
    readonly pcid: number;
    readonly half: 'kernel' | 'user' | 'whole';
  } | null;
  readonly mm: string;
  /** null: not known. */
  readonly slot: number | null;
  readonly lazy: boolean | null;
  /** Slots that hold an mm. */
  readonly slots: readonly SlotState[];
  readonly pendingUserFlush: PendingFlush;
  readonly interruptsOn: boolean;
  readonly nmiBlocked: boolean;
  /** Interrupts that have been sent to it and not taken, by name. */
  readonly pendingInterrupts: readonly string[];
  /** Requests of other CPUs that it has not taken, and its own that are not acknowledged. */
  readonly requestsIn: number;
  readonly requestsOut: number;
  readonly tlb: readonly Occupancy[];
  /** Entries of the paging-structure caches. */
  readonly pagingEntries: number;
  /** Since the start, or since `measure`. With `unpriced` operations a lower bound. */
  readonly cycles: number;
  readonly low: number;
  readonly high: number;
  readonly unpriced: number;
  readonly operations: readonly OperationCycles[];
  readonly misses: number;
}

/** An address space at a moment of a run. */
export interface SpaceState {
  readonly name: string;
  readonly generation: number | null;
  /** CPUs of `mm_cpumask`. */
  readonly cpumask: readonly number[];
}

/** All CPUs after an event. */
export interface MachineState {
  readonly seq: number;
  readonly cpus: readonly CpuState[];
  readonly spaces: readonly SpaceState[];
}

/** An entry of a TLB or of a paging-structure cache. */
export interface EntryState {
  readonly structure: string;
  readonly address: string;
  readonly tag: number;
  readonly global: boolean;
  readonly pageSize: '4K' | '2M' | '1G' | 'table';
  readonly frame: string;
  /** `w`, `x`, `u`, `g`, `d`: writable, executable, user, global, dirty. */
  readonly flags: string;
  /** The page tables say something else now. null: not known. */
  readonly stale: boolean | null;
}

/** Where a text of a kernel tree is found again: the tree of a variant, or of the patch under review. */
export interface TreeFile {
  readonly request: RunRequest;
  readonly variant: string;
  readonly path: string;
}

export type RunHostMessage =
  | { readonly type: 'run'; readonly id: number; readonly request: RunRequest }
  /** One run: one variant, one value of each parameter (the first, where several are left). */
  | { readonly type: 'open'; readonly id: number; readonly request: RunRequest }
  /** The state after event `seq`; −1: at the start. */
  | { readonly type: 'seek'; readonly id: number; readonly run: number; readonly seq: number }
  | {
      readonly type: 'entries';
      readonly id: number;
      readonly run: number;
      readonly seq: number;
      readonly cpu: number;
    }
  | { readonly type: 'treeFile'; readonly id: number; readonly file: TreeFile }
  | { readonly type: 'close'; readonly run: number };

export type RunWorkerMessage =
  | { readonly type: 'ran'; readonly id: number; readonly report: ScenarioReport }
  | { readonly type: 'opened'; readonly id: number; readonly opened: OpenedRun }
  | { readonly type: 'state'; readonly id: number; readonly state: MachineState }
  | { readonly type: 'entries'; readonly id: number; readonly entries: readonly EntryState[] }
  /** null: the tree has no such file. */
  | { readonly type: 'treeFile'; readonly id: number; readonly text: string | null }
  /** The worker has no such run (any more): open it again. */
  | { readonly type: 'gone'; readonly id: number; readonly run: number };
