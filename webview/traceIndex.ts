/** What is looked up in a trace over and over, worked out once. */
import type { TraceColumns } from '../src/protocol/run';
import { isShown, kindOf, type Detail } from './events';

/** An IPI: from where it is sent to where its handler begins. */
export interface IpiArrow {
  readonly from: number;
  readonly sent: number;
  readonly to: number;
  readonly taken: number;
}

/** Whether an event is what is looked for. */
export type Wanted = (trace: TraceColumns, seq: number) => boolean;

export class TraceIndex {
  /** Latest clock of any CPU up to each event: it never falls. */
  readonly clock: Float64Array;
  readonly start: number;
  readonly end: number;
  readonly arrows: readonly IpiArrow[];
  /** Events that are stale uses. */
  readonly stale: readonly number[];
  private readonly shown: (Uint32Array | undefined)[] = [];
  private byCpu: readonly Uint32Array[] | undefined;

  constructor(
    readonly trace: TraceColumns,
    /** Of the first segment: the run begins there. */
    start: number,
  ) {
    const { count, cycles, cpu, lo, names, name } = trace;
    this.clock = new Float64Array(count);
    const arrows: IpiArrow[] = [];
    const stale: number[] = [];
    /** Per target, the IPIs that are on their way, oldest first. */
    const flying = new Map<number, { from: number; sent: number }[]>();
    let latest = 0;
    for (let seq = 0; seq < count; seq++) {
      latest = Math.max(latest, cycles[seq]!);
      this.clock[seq] = latest;
      const kind = kindOf(trace, seq);
      if (kind === 'stale') stale.push(seq);
      else if (kind === 'ipi') {
        const target = lo[seq]!;
        const list = flying.get(target) ?? [];
        list.push({ from: cpu[seq]!, sent: cycles[seq]! });
        flying.set(target, list);
      } else if (kind === 'interrupt' && names[name[seq]!] === 'function call') {
        for (const { from, sent } of flying.get(cpu[seq]!) ?? [])
          arrows.push({ from, sent, to: cpu[seq]!, taken: cycles[seq]! });
        flying.delete(cpu[seq]!);
      }
    }
    this.arrows = arrows;
    this.stale = stale;
    this.start = Math.min(start, count > 0 ? cycles[0]! : start);
    this.end = Math.max(this.start + 1, latest);
  }

  /** Numbers of the events that are listed at a level of detail, ascending. */
  rows(detail: Detail): Uint32Array {
    const known = this.shown[detail];
    if (known) return known;
    const rows = new Uint32Array(this.trace.count);
    let length = 0;
    for (let seq = 0; seq < this.trace.count; seq++)
      if (isShown(this.trace, seq, detail)) rows[length++] = seq;
    return (this.shown[detail] = rows.slice(0, length));
  }

  /** Position in `rows` of the last one that is not behind `seq`; −1: none. */
  rowOf(detail: Detail, seq: number): number {
    return last(this.rows(detail), seq);
  }

  /** The event before or behind `seq` that is listed, of one CPU if given; `seq` itself at the ends. */
  step(seq: number, by: 1 | -1, detail: Detail, cpu: number | null = null): number {
    const rows = this.rows(detail);
    let row = this.rowOf(detail, seq);
    // Between two listed events, stepping back means the one before.
    if (by === -1 && row >= 0 && rows[row]! < seq && cpu === null) return rows[row]!;
    if (by === -1 && row >= 0 && rows[row]! < seq) row++;
    for (row += by; row >= 0 && row < rows.length; row += by)
      if (cpu === null || this.trace.cpu[rows[row]!] === cpu) return rows[row]!;
    return by === -1 && cpu === null ? -1 : seq;
  }

  /** The next event behind `seq` that is wanted; null: none. */
  next(seq: number, wanted: Wanted): number | null {
    for (let at = seq + 1; at < this.trace.count; at++) if (wanted(this.trace, at)) return at;
    return null;
  }

  /** The last event before `seq` that is wanted; null: none. */
  previous(seq: number, wanted: Wanted): number | null {
    for (let at = seq - 1; at >= 0; at--) if (wanted(this.trace, at)) return at;
    return null;
  }

  /** Where the clock of each CPU stands after an event; null: it has had none yet. */
  clocksAt(seq: number): (number | null)[] {
    this.byCpu ??= eventsByCpu(this.trace);
    return this.byCpu.map(rows => {
      const at = last(rows, seq);
      return at < 0 ? null : this.trace.cycles[rows[at]!]!;
    });
  }

  /** The last event by which no CPU's clock had passed `time`; −1: none. */
  seqAt(time: number): number {
    return last(this.clock, time);
  }

  /** Where the clock stands after an event. */
  timeAt(seq: number): number {
    return seq < 0 ? this.start : this.clock[seq]!;
  }
}

/** Index of the last of the ascending `values` that is at most `value`; −1: none. */
export function last(values: Uint32Array | Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function eventsByCpu({ count, cpu }: TraceColumns): Uint32Array[] {
  const cpus = cpu.reduce((most, one) => Math.max(most, one + 1), 0);
  const lengths = new Uint32Array(cpus);
  for (const one of cpu) lengths[one]!++;
  const lists = Array.from(lengths, length => new Uint32Array(length));
  lengths.fill(0);
  for (let seq = 0; seq < count; seq++) lists[cpu[seq]!]![lengths[cpu[seq]!]!++] = seq;
  return lists;
}
