/**
 * Messages between the extension host and the page of the state panel. The host owns the state: a page that (re)appears
 * gets a whole {@link PanelSnapshot}, and then changes of it. Each message of the page that has an `id` is answered.
 */
import type {
  CpuState,
  EntryState,
  MachineState,
  RunReport,
  SegmentColumns,
  SpaceState,
  TraceColumns,
} from './run';

/** Both sides must agree on it: a page of another version is not spoken to. */
export const panelVersion = 1;

/** A scenario that can be run from the panel. */
export interface LibraryEntry {
  /** What the host knows it by. */
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** Where it comes from, in words: `built in`, or a path. */
  readonly origin: string;
}

export interface PanelScenario {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly origin: string;
  readonly kernel: string;
  /** What `before` and `after` are, in words: variants of the scenario, or the patch under review. */
  readonly compares: string;
  readonly machine: string;
  readonly features: readonly string[];
  readonly variants: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/** Which runs are shown. */
export interface PanelChoice {
  readonly before: string;
  /** null: one run only. */
  readonly after: string | null;
  readonly parameters: Readonly<Record<string, number>>;
}

/** A run that is shown. */
export interface PanelSide {
  readonly report: RunReport;
  readonly trace: TraceColumns;
  readonly segments: SegmentColumns;
  /** After the event at the cursor. */
  readonly state: MachineState;
}

/** Change of one operation from `before` to `after`. */
export interface OperationChange {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** Change in cycles with its range; null: no price is known. */
  readonly cycles: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface SweepPoint {
  readonly x: number;
  /** null: the run did not come to its end. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface SweepSeries {
  readonly name: string;
  readonly points: readonly SweepPoint[];
}

/** A published measurement beside a sweep. */
export interface PublishedPoint {
  readonly x: number;
  readonly value: number;
  readonly label: string;
  readonly source: string;
}

/** Where one variant becomes cheaper than another. */
export interface Crossover {
  /** Last `x` of the first order, and first of the other. */
  readonly from: number;
  readonly to: number;
  /** Variant that is cheaper from `to` on, and the other. */
  readonly cheaper: string;
  readonly than: string;
  /** Last `x` for which that holds; null: to the end. */
  readonly until: number | null;
  /** The ranges overlap on both sides: it may lie elsewhere, or not be there. */
  readonly uncertain: boolean;
}

export interface PanelSweep {
  readonly parameter: string;
  /** The other parameters. */
  readonly fixed: Readonly<Record<string, number>>;
  readonly series: readonly SweepSeries[];
  readonly published: readonly PublishedPoint[];
  readonly crossovers: readonly Crossover[];
  /** What the figures leave out; '' if nothing. */
  readonly note: string;
}

export interface PanelProgress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

/** What a user has set up in the page; kept by the host. */
export interface PanelView {
  readonly tab: 'cpus' | 'events' | 'compare' | 'sweep';
  readonly cpu: number;
  /** Side that is stepped: 0 before, 1 after. */
  readonly side: 0 | 1;
  /** How much is listed and stepped over: 0 operations, 1 calls too, 2 everything. */
  readonly detail: 0 | 1 | 2;
  /** Events a second. */
  readonly speed: number;
  /** Id of the condition at which playing stops, and its operand. */
  readonly stopAt: string;
  /** Columns of the table of CPUs that are hidden. */
  readonly hidden: readonly string[];
}

export const initialView: PanelView = {
  ...{ tab: 'cpus', cpu: 0, side: 0, detail: 0, speed: 8, stopAt: 'stale', hidden: [] },
};

export interface PanelSnapshot {
  readonly type: 'snapshot';
  readonly version: number;
  readonly library: readonly LibraryEntry[];
  readonly scenario: PanelScenario | null;
  readonly choice: PanelChoice | null;
  /** None, one run, or before and after. */
  readonly sides: readonly PanelSide[];
  readonly changes: readonly OperationChange[];
  readonly sweep: PanelSweep | null;
  readonly progress: PanelProgress | null;
  /** What went wrong last, in one sentence; '' if nothing. */
  readonly problem: string;
  readonly view: PanelView;
}

/** A CPU of which only changed members are given. */
export type CpuChange = Pick<CpuState, 'cpu'> & Partial<CpuState>;

export type PanelHostMessage =
  | PanelSnapshot
  /** The cursor of a side is at `seq`: CPUs that differ from what the page was last told. `id` of the seek, or null. */
  | {
      readonly type: 'state';
      readonly id: number | null;
      readonly side: 0 | 1;
      readonly seq: number;
      readonly cpus: readonly CpuChange[];
      /** null: unchanged. */
      readonly spaces: readonly SpaceState[] | null;
    }
  | {
      readonly type: 'entries';
      readonly id: number;
      readonly side: 0 | 1;
      readonly seq: number;
      readonly cpu: number;
      readonly entries: readonly EntryState[];
    }
  | { readonly type: 'progress'; readonly progress: PanelProgress | null }
  | { readonly type: 'problem'; readonly problem: string }
  | { readonly type: 'library'; readonly library: readonly LibraryEntry[] }
  | { readonly type: 'done'; readonly id: number; readonly said: string }
  | { readonly type: 'failed'; readonly id: number | null; readonly reason: string }
  /** The host wants something of the page: a command was run. */
  | { readonly type: 'act'; readonly action: PanelAction };

/** What commands of the palette do in the page. */
export const panelActions = [
  ...(['step', 'stepBack', 'first', 'last', 'play', 'nextIpi', 'nextFlush', 'firstStale'] as const),
  ...(['exportSvg', 'exportPng'] as const),
] as const;
export type PanelAction = (typeof panelActions)[number];

/** Commands that the page may run: those of its empty views. */
export const pageCommands = [
  ...([
    'tlbscope.simulate',
    'tlbscope.newScenario',
    'tlbscope.chooseMachine',
    'tlbscope.openSample',
  ] as const),
  ...(['tlbscope.showStateInTab'] as const),
] as const;
export type PageCommand = (typeof pageCommands)[number];

export type PanelPageMessage =
  /** The page is there: it wants a snapshot. */
  | { readonly type: 'ready'; readonly version: number }
  | { readonly type: 'seek'; readonly id: number; readonly side: 0 | 1; readonly seq: number }
  | { readonly type: 'entries'; readonly id: number; readonly side: 0 | 1; readonly cpu: number }
  /** Shows the line of an event in an editor. */
  | { readonly type: 'reveal'; readonly id: number; readonly side: 0 | 1; readonly seq: number }
  | { readonly type: 'openScenario'; readonly id: number; readonly scenario: string }
  | { readonly type: 'choose'; readonly id: number; readonly choice: PanelChoice }
  | { readonly type: 'sweep'; readonly id: number; readonly parameter: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'view'; readonly view: PanelView }
  | { readonly type: 'export'; readonly id: number; readonly format: 'json' | 'csv' }
  | {
      readonly type: 'picture';
      readonly id: number;
      readonly format: 'svg' | 'png';
      readonly bytes: Uint8Array;
    }
  | { readonly type: 'copyText'; readonly id: number }
  | { readonly type: 'command'; readonly id: number; readonly command: PageCommand };
