/** What can be jumped to, and at what playing stops. A new one is one entry here. */
import { kindOf } from './events';
import type { Wanted } from './traceIndex';

export interface Condition {
  readonly id: string;
  readonly label: string;
  readonly wanted: Wanted;
}

/** Flushes that leave nothing of a PCID, or nothing at all. */
const whole = new Set([
  ...['CR3_FLUSH', 'CR4_WRITE', 'INVPCID_CTX', 'INVPCID_ALL', 'INVPCID_ALL_GLOBAL', 'TLBI_ASID', 'TLBI_ALL'],
  ...['TLBI_ASID_IS', 'TLBI_ALL_IS'],
]);

export const conditions: readonly Condition[] = [
  { id: 'stale', label: 'a stale use', wanted: (trace, seq) => kindOf(trace, seq) === 'stale' },
  { id: 'ipi', label: 'an IPI', wanted: (trace, seq) => kindOf(trace, seq) === 'ipi' },
  { id: 'flush', label: 'a flush', wanted: (trace, seq) => kindOf(trace, seq) === 'flush' },
  {
    id: 'wholeFlush',
    label: 'a flush of a whole PCID',
    wanted: (trace, seq) => kindOf(trace, seq) === 'flush' && whole.has(trace.names[trace.name[seq]!]!),
  },
  { id: 'interrupt', label: 'an interrupt', wanted: (trace, seq) => kindOf(trace, seq) === 'interrupt' },
  { id: 'refill', label: 'a TLB miss', wanted: (trace, seq) => kindOf(trace, seq) === 'refill' },
  { id: 'fault', label: 'a page fault', wanted: (trace, seq) => kindOf(trace, seq) === 'fault' },
  {
    id: 'patch',
    label: 'a line of the patch',
    wanted: (trace, seq) => trace.places[trace.place[seq]!]!.patchLine > 0,
  },
  { id: 'none', label: 'nothing', wanted: () => false },
];

export const conditionOf = (id: string): Condition => conditions.find(one => one.id === id) ?? conditions[0]!;
