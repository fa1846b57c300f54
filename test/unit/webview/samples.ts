/** Small traces, written by hand. */
import {
  eventKinds,
  laneKinds,
  type EventKindName,
  type LaneKind,
  type SegmentColumns,
  type TraceColumns,
} from '../../../src/protocol/run';

export interface SampleEvent {
  readonly cpu: number;
  readonly kind: EventKindName;
  readonly cycles: number;
  readonly name?: string;
  /** Low half of the operand. */
  readonly lo?: number;
  readonly patchLine?: number;
}

export function traceOf(events: readonly SampleEvent[]): TraceColumns {
  const names = [...new Set(events.map(({ name = '' }) => name))];
  const place = { file: 'mm/tq.c', function: 'tq_flush' };
  return {
    count: events.length,
    cpu: Uint16Array.from(events, ({ cpu }) => cpu),
    kind: Uint8Array.from(events, ({ kind }) => eventKinds.indexOf(kind)),
    cycles: Float64Array.from(events, ({ cycles }) => cycles),
    place: Uint32Array.from(events, (_, at) => at),
    name: Uint32Array.from(events, ({ name = '' }) => names.indexOf(name)),
    lo: Uint32Array.from(events, ({ lo = 0 }) => lo),
    hi: new Uint32Array(events.length),
    places: events.map(({ patchLine = 0 }, at) => ({ ...place, line: at + 1, patchLine })),
    names,
    cut: false,
  };
}

export interface SampleSegment {
  readonly cpu: number;
  readonly lane: LaneKind;
  readonly start: number;
  readonly end: number;
}

export const segmentsOf = (rows: readonly SampleSegment[]): SegmentColumns => ({
  count: rows.length,
  cpu: Uint16Array.from(rows, ({ cpu }) => cpu),
  lane: Uint8Array.from(rows, ({ lane }) => laneKinds.indexOf(lane)),
  start: Float64Array.from(rows, ({ start }) => start),
  end: Float64Array.from(rows, ({ end }) => end),
  seq: new Uint32Array(rows.length),
});

/** Two CPUs: one sends an IPI and flushes, the other handles it. Their clocks do not go in step. */
export const shootdown = traceOf([
  { cpu: 0, kind: 'call', cycles: 100, name: 'tq_flush' },
  { cpu: 0, kind: 'ipi', cycles: 400, name: 'to CPU 1', lo: 1 },
  { cpu: 0, kind: 'flush', cycles: 520, name: 'INVLPG', lo: 0x7000, patchLine: 12 },
  { cpu: 1, kind: 'interrupt', cycles: 450, name: 'function call' },
  { cpu: 1, kind: 'store', cycles: 450, name: 'tq_seen' },
  { cpu: 1, kind: 'flush', cycles: 570, name: 'CR3_FLUSH' },
  { cpu: 1, kind: 'stale', cycles: 600, name: 'stale-data', lo: 0x8000 },
  { cpu: 0, kind: 'ipi-wait', cycles: 620 },
]);
