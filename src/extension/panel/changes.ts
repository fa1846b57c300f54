/** What changes from one run to another, and from one state to the next. */
import type { CpuChange, OperationChange } from '../../protocol/panel';
import type { CpuState, MachineState, RunReport } from '../../protocol/run';

/**
 * Each operation of either run; the greatest change first, those without a price last. None where a run did not come to
 * its end: what it would still have done is not known.
 */
export function operationChanges(before: RunReport, after: RunReport): OperationChange[] {
  if (!before.complete || !after.complete) return [];
  const names = [...new Set([...Object.keys(before.counts), ...Object.keys(after.counts)])].sort();
  const none = { cycles: 0, low: 0, high: 0 };
  const changes = names.map((name): OperationChange => {
    const counts = { before: before.counts[name] ?? 0, after: after.counts[name] ?? 0 };
    const from = counts.before === 0 ? none : (before.byOperation[name] ?? null);
    const to = counts.after === 0 ? none : (after.byOperation[name] ?? null);
    if (counts.before === counts.after) return { name, ...counts, cycles: 0, low: 0, high: 0 };
    if (!from || !to) return { name, ...counts, cycles: null, low: null, high: null };
    // The price is the same on both sides: more operations cost from their lowest price to their highest.
    const ends = [to.low - from.low, to.high - from.high];
    return {
      name,
      ...counts,
      cycles: to.cycles - from.cycles,
      low: Math.min(...ends),
      high: Math.max(...ends),
    };
  });
  const weight = ({ cycles }: OperationChange): number => (cycles === null ? -1 : Math.abs(cycles));
  return changes.sort((a, b) => weight(b) - weight(a));
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Members of each CPU that differ from what the page knows. */
export function cpuChanges(known: MachineState, state: MachineState): CpuChange[] {
  return state.cpus.flatMap((cpu, at) => {
    const before = known.cpus[at];
    if (!before) return [cpu];
    const members = Object.entries(cpu).filter(
      ([name, value]) => !same(before[name as keyof CpuState], value),
    );
    return members.length > 0 ? [{ ...Object.fromEntries(members), cpu: cpu.cpu }] : [];
  });
}

export const spacesDiffer = (known: MachineState, state: MachineState): boolean =>
  !same(known.spaces, state.spaces);
