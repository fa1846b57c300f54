/** The state of a world's CPUs as the panel shows it, from what the kernel room reads. */
import type { CpuView } from '../kernel/cpuView';
import type { World } from '../kernel/world';
import { globalTag, type TlbEntryView } from '../machine/hardware/entriesView';
import type {
  CpuMode,
  CpuState,
  EntryState,
  MachineState,
  Occupancy,
  PendingFlush,
  SlotState,
} from '../protocol/run';
import { vectorName } from './runTrace';

const whole = (hex: string | null): number | null => {
  if (hex === null) return null;
  const value = Number(hex);
  return Number.isSafeInteger(value) ? value : null;
};

function modeOf({ mode, doing }: CpuView): CpuMode {
  if (doing.nmiDepth > 0) return 'nmi';
  if (doing.interruptDepth > 0) return 'interrupt';
  if (mode === 'user') return 'user';
  return doing.status === 'idle' ? 'idle' : 'kernel';
}

const waits = { requests: 'acknowledgements', change: 'any change', interrupt: 'an interrupt' } as const;

function waitText({ doing: { wait } }: CpuView): string {
  if (!wait) return '';
  return wait.for === 'memory' ? wait.name : waits[wait.for];
}

function pendingFlush({ kernel }: CpuView, strideShift: number | null): PendingFlush {
  if (kernel.userFlushMask === null || kernel.slot === null) return { kind: 'unknown' };
  const { owed } = kernel;
  if (!owed) return { kind: 'none' };
  if (owed.kind === 'full' || owed.start === null || owed.end === null) return { kind: 'full' };
  return { kind: 'range', start: owed.start, end: owed.end, strideShift: strideShift ?? 12 };
}

/** Slots that hold an mm, or whose user half waits for a flush. */
function slotsOf({ kernel }: CpuView): SlotState[] {
  const mask = kernel.userFlushMask === null ? 0n : BigInt(kernel.userFlushMask);
  return kernel.slots.flatMap(({ slot, space, generation, newest }) => {
    const userFlush = ((mask >> BigInt(slot + 1)) & 1n) === 1n;
    if (space === null && !userFlush) return [];
    const read = { generation: whole(generation), mmGeneration: whole(newest) };
    return [{ slot, mm: space ?? '', ...read, userFlush }];
  });
}

function occupancyOf({ hardware }: CpuView, stale: ReadonlyMap<number, number>): Occupancy[] {
  return hardware.occupancy.flatMap(({ tag, global, translations }) => {
    if (translations === 0) return [];
    return [{ tag, global, entries: translations, stale: stale.get(global ? globalTag : tag) ?? 0 }];
  });
}

function cpuState(world: World, cpu: number): CpuState {
  const view = world.cpuView(cpu);
  const { hardware, root, kernel, cost, doing } = view;
  const stride = kernel.owed?.kind === 'range' ? world.flushState(cpu).user_flush_stride_shift : null;
  const half = root.half === 'both' ? 'whole' : root.half;
  const stale = hardware.occupancy.length > 0 ? world.cpuStale(cpu) : new Map<number, number>();
  return {
    cpu,
    mode: modeOf(view),
    function: doing.at?.function ?? '',
    waitsFor: waitText(view),
    cr3: { root: root.root, pcid: root.pcid, half },
    mm: kernel.loadedMm ?? '',
    slot: kernel.slot,
    lazy: kernel.lazy,
    slots: slotsOf(view),
    pendingUserFlush: pendingFlush(view, stride === null ? null : Number(stride)),
    interruptsOn: hardware.interrupts.enabled,
    nmiBlocked: hardware.interrupts.nmiBlocked,
    pendingInterrupts: hardware.interrupts.pending.map(({ vector }) =>
      vector === 'NMI' ? 'NMI' : vectorName(vector),
    ),
    requestsIn: hardware.requests.length,
    requestsOut: hardware.unacknowledged,
    tlb: occupancyOf(view, stale),
    pagingEntries: hardware.occupancy.reduce((sum, { paging }) => sum + paging, 0),
    cycles: cost.time.cycles,
    low: cost.time.low,
    high: cost.time.high,
    unpriced: cost.unpriced,
    operations: cost.operations
      .filter(({ name }) => name !== 'PLAIN')
      .map(({ name, count, time }) => ({ name, count, low: time?.low ?? null, high: time?.high ?? null })),
    misses: cost.misses,
  };
}

/** All CPUs now; `seq`: the event after which that is. */
export function machineState(
  world: World,
  seq: number,
  cpus: number,
  spaces: readonly string[],
): MachineState {
  return {
    seq,
    cpus: Array.from({ length: cpus }, (_, cpu) => cpuState(world, cpu)),
    spaces: spaces.map(name => {
      const { tlb_gen: generation, cpumask } = world.spaceState(name);
      return { name, generation: generation === null ? null : Number(generation), cpumask };
    }),
  };
}

const sizes: Readonly<Record<number, EntryState['pageSize']>> = {
  4096: '4K',
  0x20_0000: '2M',
  0x4000_0000: '1G',
};

function flagsOf({ writable, executable, user, global, dirty }: TlbEntryView): string {
  const set = { w: writable, x: executable, u: user, g: global, d: dirty };
  return Object.entries(set)
    .flatMap(([letter, on]) => (on ? [letter] : []))
    .join('');
}

/** What a CPU has cached now. */
export function entryStates(world: World, cpu: number): EntryState[] {
  return world.cpuEntries(cpu).map(entry => ({
    structure: entry.structure,
    address: entry.address,
    tag: entry.tag,
    global: entry.global,
    pageSize: entry.paging ? 'table' : (sizes[entry.size] ?? '4K'),
    frame: `0x${entry.frame.toString(16)}`,
    flags: flagsOf(entry),
    stale: entry.stale,
  }));
}
