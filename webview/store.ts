/** What the page shows: the host's snapshot, with the changes since, and where the cursor is. */
import {
  initialView,
  type CpuChange,
  type PanelHostMessage,
  type PanelSide,
  type PanelSnapshot,
  type PanelView,
} from '../src/protocol/panel';
import type { CpuState, EntryState, MachineState, SpaceState } from '../src/protocol/run';
import type { Host } from './host';
import { segmentStarts, type DrawnRun } from './timelinePicture';
import { TraceIndex } from './traceIndex';

export interface RunSide extends PanelSide, DrawnRun {}

/** What has changed, so that only that is drawn again. */
export type Change =
  'snapshot' | 'cursor' | 'state' | 'progress' | 'view' | 'entries' | 'library' | 'problem';

/** Members of a CPU that the last message changed. */
export type Changed = ReadonlyMap<number, ReadonlySet<keyof CpuState>>;

const empty: PanelSnapshot = {
  ...{ type: 'snapshot', version: 0, library: [], scenario: null, choice: null, sides: [], changes: [] },
  ...{ sweep: null, progress: null, problem: '', view: initialView },
};

export class Store {
  snapshot: PanelSnapshot = empty;
  sides: readonly RunSide[] = [];
  /** Event at the cursor of each side. */
  readonly cursor: [number, number] = [-1, -1];
  /** Where the cursor is drawn: the clock of the event's own CPU, or the time that was pointed at. */
  time = 0;
  states: readonly MachineState[] = [];
  /** Of the last state of each side. */
  readonly changed: Changed[] = [new Map(), new Map()];
  entries: {
    readonly side: number;
    readonly cpu: number;
    readonly seq: number;
    readonly list: readonly EntryState[];
  } | null = null;
  private readonly listeners: ((change: Change) => void)[] = [];
  private readonly asked: [number | null, number | null] = [null, null];
  private readonly wanted: [number | null, number | null] = [null, null];

  constructor(private readonly host: () => Host) {}

  get view(): PanelView {
    return this.snapshot.view;
  }

  /** The side that is stepped. */
  get side(): RunSide | undefined {
    return this.sides[this.focus];
  }

  get focus(): 0 | 1 {
    return this.view.side === 1 && this.sides.length > 1 ? 1 : 0;
  }

  listen(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  hear(message: PanelHostMessage): void {
    switch (message.type) {
      case 'snapshot':
        return this.take(message);
      case 'state':
        return this.takeState(message.side, message.seq, message.cpus, message.spaces);
      case 'progress':
        this.snapshot = { ...this.snapshot, progress: message.progress };
        return this.tell('progress');
      case 'problem':
        this.snapshot = { ...this.snapshot, problem: message.problem };
        return this.tell('problem');
      case 'library':
        this.snapshot = { ...this.snapshot, library: message.library };
        return this.tell('library');
      case 'failed':
        this.snapshot = { ...this.snapshot, problem: message.reason };
        return this.tell('problem');
    }
  }

  setView(change: Partial<PanelView>): void {
    this.snapshot = { ...this.snapshot, view: { ...this.view, ...change } };
    this.host().tell({ type: 'view', view: this.view });
    this.tell('view');
  }

  /** Puts the cursor on an event of the side in focus; the other side goes to the same time. */
  seek(seq: number): void {
    const { focus, sides } = this;
    const side = sides[focus];
    if (!side) return;
    const at = Math.min(Math.max(seq, -1), side.trace.count - 1);
    this.time = at < 0 ? side.index.start : side.trace.cycles[at]!;
    this.moveTo(focus, at);
    const other = sides[1 - focus];
    if (other) this.moveTo((1 - focus) as 0 | 1, other.index.seqAt(side.index.timeAt(at)));
    this.tell('cursor');
  }

  /** Both sides go to a time, in cycles of the clocks. */
  seekTime(time: number): void {
    this.time = time;
    this.sides.forEach((side, at) => this.moveTo(at as 0 | 1, side.index.seqAt(time)));
    this.tell('cursor');
  }

  /** Asks for what the selected CPU has cached at the cursor. */
  async loadEntries(cpu: number): Promise<void> {
    const answer = await this.host().ask({ type: 'entries', side: this.focus, cpu });
    if (answer.type !== 'entries') return;
    this.entries = { side: answer.side, cpu: answer.cpu, seq: answer.seq, list: answer.entries };
    this.tell('entries');
  }

  private take(snapshot: PanelSnapshot): void {
    const before = this.sides;
    this.snapshot = snapshot;
    this.sides = snapshot.sides.map((side, at) => {
      const { trace, segments, state } = side;
      const known = before[at];
      const same = known?.trace.count === trace.count && known.segments.count === segments.count;
      const start = segments.count > 0 ? segments.start.reduce((a, b) => Math.min(a, b), Infinity) : 0;
      const index = same && known.report === side.report ? known.index : new TraceIndex(trace, start);
      return { ...side, index, firstOf: segmentStarts(segments, state.cpus.length) };
    });
    this.states = snapshot.sides.map(({ state }) => state);
    snapshot.sides.forEach(({ state }, at) => (this.cursor[at as 0 | 1] = state.seq));
    this.time = this.ownTime();
    this.asked.fill(null);
    this.wanted.fill(null);
    this.entries = null;
    this.changed.fill(new Map());
    this.tell('snapshot');
  }

  /** One question at a time: while the host is at it, only the latest place is remembered. */
  private moveTo(side: 0 | 1, seq: number): void {
    if (this.cursor[side] === seq) return;
    this.cursor[side] = seq;
    this.wanted[side] = seq;
    if (this.asked[side] === null) void this.askNext(side);
  }

  private async askNext(side: 0 | 1): Promise<void> {
    for (;;) {
      const seq = this.wanted[side];
      if (seq === null) return;
      this.wanted[side] = null;
      this.asked[side] = seq;
      try {
        await this.host().ask({ type: 'seek', side, seq });
      } catch (error) {
        this.snapshot = { ...this.snapshot, problem: error instanceof Error ? error.message : String(error) };
        this.tell('problem');
      }
      this.asked[side] = null;
    }
  }

  private takeState(
    side: 0 | 1,
    seq: number,
    cpus: readonly CpuChange[],
    spaces: readonly SpaceState[] | null,
  ): void {
    const state = this.states[side];
    if (!state) return;
    const changed = new Map<number, Set<keyof CpuState>>();
    const list = [...state.cpus];
    for (const change of cpus) {
      const known = list[change.cpu];
      if (!known) continue;
      list[change.cpu] = { ...known, ...change };
      changed.set(change.cpu, new Set(Object.keys(change) as (keyof CpuState)[]));
    }
    this.states = this.states.map((one, at) =>
      at === side ? { seq, cpus: list, spaces: spaces ?? one.spaces } : one,
    );
    this.changed[side] = changed;
    // Another page may have moved the cursor.
    if (this.asked[side] === null && this.wanted[side] === null && this.cursor[side] !== seq) {
      this.cursor[side] = seq;
      if (side === this.focus) this.time = this.ownTime();
    }
    this.tell('state');
  }

  private ownTime(): number {
    const { side } = this;
    const seq = this.cursor[this.focus];
    if (!side) return 0;
    return seq < 0 ? side.index.start : (side.trace.cycles[seq] ?? side.index.start);
  }

  private tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}
