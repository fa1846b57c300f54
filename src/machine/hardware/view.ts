/**
 * One CPU's hardware at the present moment as plain data (numbers, texts, lists), for panels: it can be posted to another
 * thread or written as JSON. Reading it changes nothing. Times are cycles of the profile's clock; addresses and register
 * values are texts such as `0x7f00`; frames are numbers of 4K pages.
 */
import type { Hardware } from '../hardware';
import { nmiVector } from '../hardware';
import { operations } from '../operations';
import { cr4Pcide, cr4Pge, cr4Smap, cr4Smep } from './flags';

/** A 64-bit value in hexadecimal, with `0x`. */
export type Hex = string;

/** A time with its range, in cycles. */
export interface TimeView {
  readonly cycles: number;
  readonly low: number;
  readonly high: number;
}

export interface X86RegistersView {
  readonly architecture: 'x86';
  /** CR3 as it reads: bit 63 is never set. */
  readonly cr3: Hex;
  /** Frame of the root page table. */
  readonly root: number;
  /** PCID in effect; 0 while CR4.PCIDE is clear. */
  readonly pcid: number;
  readonly cr4: Hex;
  readonly pge: boolean;
  readonly pcide: boolean;
  readonly smep: boolean;
  readonly smap: boolean;
}

export interface Arm64RegistersView {
  readonly architecture: 'arm64';
  readonly ttbr0: Hex;
  readonly ttbr1: Hex;
  /** ASID in effect. */
  readonly asid: number;
  /** A TTBR write or a completed TLBI still waits for an ISB, an exception or a return from one. */
  readonly unsynchronised: boolean;
}

/** An interrupt that is pending on the CPU. */
export interface PendingInterruptView {
  /** Number of the vector, or `'NMI'`. */
  readonly vector: number | 'NMI';
  /** When it arrives or arrived, on the clock of this CPU. */
  readonly arrives: number;
  /** False: still on its way. */
  readonly arrived: boolean;
  /** The CPU would take it now, were it there: interrupts are on, or it is an NMI and none is being handled. */
  readonly takes: boolean;
}

/** A request (a mailbox message, such as a call of a function) to the CPU that is not acknowledged yet. */
export interface RequestView {
  readonly from: number;
  /** True: the CPU is working on it. False: it has not looked at it yet. */
  readonly taken: boolean;
}

/** Entries under one tag. */
export interface OccupancyView {
  /** PCID or ASID. 0 of global entries. */
  readonly tag: number;
  readonly global: boolean;
  /** Entries of the TLBs; of the paging-structure (walk) caches. */
  readonly translations: number;
  readonly paging: number;
}

/** A cache of the CPU and how full it is. */
export interface CacheView {
  /** Id in the profile, or `PDE cache`, … */
  readonly structure: string;
  readonly level: 'L1' | 'L2' | 'paging';
  readonly entries: number;
  readonly valid: number;
}

/** What an operation has cost this CPU. */
export interface OperationCostView {
  /** Name of the operation (`INVLPG`, …). */
  readonly name: string;
  readonly count: number;
  /** Count × price; null: the machine has no price for it, so that the CPU's time is a lower bound. */
  readonly time: TimeView | null;
}

export interface HardwareCpuView {
  readonly cpu: number;
  readonly socket: number;
  readonly registers: X86RegistersView | Arm64RegistersView;
  readonly interrupts: {
    /** IF set (PSTATE.I clear). */
    readonly enabled: boolean;
    readonly nmiBlocked: boolean;
    readonly halted: boolean;
    readonly pending: readonly PendingInterruptView[];
  };
  /** Requests of other CPUs to this one, ascending by sender. */
  readonly requests: readonly RequestView[];
  /** Requests of this CPU that nobody has acknowledged yet: it waits for that many, if it waits. */
  readonly unacknowledged: number;
  /** Stores in its store buffer, not yet visible to others. */
  readonly bufferedStores: number;
  /** INVLPGBs or TLBIs of any CPU that this CPU has yet to apply. */
  readonly broadcastsToApply: number;
  /** By tag, ascending, the global ones last. Only tags with entries are listed. */
  readonly occupancy: readonly OccupancyView[];
  readonly caches: readonly CacheView[];
  readonly time: TimeView;
  /** Page walks of accesses. */
  readonly misses: number;
  /** Operations and latencies without a price: with any, `time.cycles` is a lower bound. */
  readonly unpriced: number;
  /** In the order of the list of operations; those that did not run are not listed. */
  readonly operations: readonly OperationCostView[];
}

/** The hardware of a CPU now. Counts and times are those since the machine was made. */
export function cpuHardwareView(hardware: Hardware, cpu: number): HardwareCpuView {
  const { clocks, interrupts, mailboxes, stores, translation } = hardware;
  return {
    cpu,
    socket: hardware.socket(cpu),
    registers: registersOf(hardware, cpu),
    interrupts: {
      enabled: interrupts.enabled(cpu),
      nmiBlocked: interrupts.nmiBlocked(cpu),
      halted: interrupts.halted(cpu),
      pending: pendingOf(hardware, cpu),
    },
    requests: requestsTo(hardware, cpu),
    unacknowledged: mailboxes.outstanding(cpu),
    bufferedStores: stores.size(cpu),
    broadcastsToApply: broadcastsToApply(hardware, cpu),
    occupancy: translation.occupancy(cpu),
    caches: translation.caches(cpu),
    time: { cycles: clocks.cycles(cpu), low: clocks.low(cpu), high: clocks.high(cpu) },
    misses: clocks.misses(cpu),
    unpriced: clocks.unpriced(cpu),
    operations: operations.flatMap(({ name }, number) => {
      const count = clocks.count(cpu, number);
      return count === 0 ? [] : [operationCost(hardware, name, count)];
    }),
  };
}

/** What so many runs of an operation cost by its price, wherever the time was spent: an IPI's includes its handling by the target. */
export function operationCost({ clocks }: Hardware, name: string, count: number): OperationCostView {
  const price = clocks.price(clocks.operation(name));
  if (!price) return { name, count, time: null };
  const [cycles, low, high] = price;
  return { name, count, time: { cycles: cycles * count, low: low * count, high: high * count } };
}

function registersOf(hardware: Hardware, cpu: number): HardwareCpuView['registers'] {
  const { x86, arm64 } = hardware;
  if (x86) {
    const cr4 = x86.cr4(cpu);
    return {
      architecture: 'x86',
      cr3: hex(x86.cr3Lo(cpu), x86.cr3Hi(cpu)),
      root: x86.root(cpu),
      pcid: x86.pcid(cpu),
      cr4: hex(cr4, 0),
      pge: (cr4 & cr4Pge) !== 0,
      pcide: (cr4 & cr4Pcide) !== 0,
      smep: (cr4 & cr4Smep) !== 0,
      smap: (cr4 & cr4Smap) !== 0,
    };
  }
  return {
    architecture: 'arm64',
    ttbr0: hex(arm64!.ttbrLo(cpu, 0), arm64!.ttbrHi(cpu, 0)),
    ttbr1: hex(arm64!.ttbrLo(cpu, 1), arm64!.ttbrHi(cpu, 1)),
    asid: arm64!.asid(cpu),
    unsynchronised: arm64!.unsynchronised(cpu),
  };
}

function pendingOf({ interrupts, clocks }: Hardware, cpu: number): PendingInterruptView[] {
  const bits = interrupts.pending(cpu);
  const now = clocks.cycles(cpu);
  const one = (vector: number, takes: boolean): PendingInterruptView => {
    const arrives = interrupts.arrivalOf(cpu, vector);
    return { vector: vector === nmiVector ? 'NMI' : vector, arrives, arrived: arrives <= now, takes };
  };
  const pending = Array.from({ length: 32 }, (_, vector) => vector)
    .filter(vector => ((bits >>> vector) & 1) !== 0)
    .map(vector => one(vector, interrupts.enabled(cpu)));
  if (interrupts.nmiPending(cpu)) pending.push(one(nmiVector, !interrupts.nmiBlocked(cpu)));
  return pending;
}

function requestsTo({ mailboxes, cpus }: Hardware, cpu: number): RequestView[] {
  const requests: RequestView[] = [];
  let left = mailboxes.unacknowledged(cpu);
  for (let from = 0; from < cpus && left > 0; from++) {
    const state = mailboxes.stateOf(cpu, from);
    if (state === 'none') continue;
    requests.push({ from, taken: state === 'taken' });
    left -= 1;
  }
  return requests;
}

function broadcastsToApply({ broadcasts }: Hardware, cpu: number): number {
  let count = 0;
  for (let index = 0; index < broadcasts.inFlight; index++) if (!broadcasts.applied(index, cpu)) count += 1;
  return count;
}

/** A 64-bit value from its halves. */
export function hex(lo: number, hi: number): Hex {
  return `0x${((BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0)).toString(16)}`;
}
