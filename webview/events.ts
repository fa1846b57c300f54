/** Kinds of events: how they are called, and from which level of detail on they are listed. One entry each. */
import { eventKinds, type EventKindName, type TraceColumns } from '../src/protocol/run';
import { hex } from './format';

export type Detail = 0 | 1 | 2;

interface KindInfo {
  readonly label: string;
  readonly detail: Detail;
  /** Whether the operand says something, and what it is. */
  readonly operand?: 'address' | 'value';
}

const kinds: Readonly<Record<EventKindName, KindInfo>> = {
  operation: { label: 'operation', detail: 0, operand: 'value' },
  flush: { label: 'flush', detail: 0, operand: 'address' },
  ipi: { label: 'IPI sent', detail: 0 },
  'ipi-wait': { label: 'IPIs acknowledged', detail: 0 },
  interrupt: { label: 'interrupt', detail: 0 },
  'interrupt-return': { label: 'end of interrupt', detail: 0 },
  access: { label: 'access', detail: 1, operand: 'address' },
  refill: { label: 'TLB miss', detail: 0, operand: 'address' },
  fault: { label: 'page fault', detail: 0, operand: 'address' },
  stale: { label: 'STALE USE', detail: 0, operand: 'address' },
  wait: { label: 'waits', detail: 1 },
  resume: { label: 'goes on', detail: 1 },
  task: { label: 'begins', detail: 1 },
  'task-end': { label: 'ends', detail: 1 },
  verdict: { label: 'end of the run', detail: 0 },
  call: { label: 'call', detail: 1 },
  return: { label: 'return', detail: 1 },
  store: { label: 'store', detail: 2, operand: 'value' },
  primitive: { label: 'primitive', detail: 2, operand: 'value' },
};

const detailOfKind = eventKinds.map(kind => kinds[kind].detail);

export const detailLabels: readonly string[] = ['operations', 'and calls', 'everything'];

export const kindOf = ({ kind }: TraceColumns, seq: number): EventKindName => eventKinds[kind[seq]!]!;
export const kindLabel = (trace: TraceColumns, seq: number): string => kinds[kindOf(trace, seq)].label;
export const isShown = ({ kind }: TraceColumns, seq: number, detail: Detail): boolean =>
  detailOfKind[kind[seq]!]! <= detail;

/** What it is about: `INVLPG 0x7f0000001000`. */
export function aboutEvent(trace: TraceColumns, seq: number): string {
  const name = trace.names[trace.name[seq]!] ?? '';
  const operand = kinds[kindOf(trace, seq)].operand;
  if (operand === undefined) return name;
  const value = hex(trace.lo[seq]!, trace.hi[seq]!);
  return operand === 'value' && kindOf(trace, seq) === 'store' ? `${name} = ${value}` : `${name} ${value}`;
}

/** Where it is: `flush_tlb_func, tlb.c:120`. */
export function placeText(trace: TraceColumns, seq: number): string {
  const place = trace.places[trace.place[seq]!];
  if (!place || place.file === '') return '';
  const file = place.file.slice(place.file.lastIndexOf('/') + 1);
  return place.line > 0 ? `${file}:${place.line}` : file;
}

/** A sentence for screen readers. */
export function eventSentence(trace: TraceColumns, seq: number): string {
  if (seq < 0) return 'the start of the run';
  const place = trace.places[trace.place[seq]!];
  const where = place?.function ? `, in ${place.function}` : '';
  const cycles = Math.round(trace.cycles[seq]!);
  return `CPU ${trace.cpu[seq]}, cycle ${cycles}: ${kindLabel(trace, seq)} ${aboutEvent(trace, seq)}${where}`;
}
