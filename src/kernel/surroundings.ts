/** What primitives need besides the VM's core: where the world's objects lie, the hardware, and where figures count from. */
import type { Hardware } from '../machine/hardware';
import { operations } from '../machine/operations';
import type { Core } from '../vm/core';
import { Tag } from '../vm/kinds';
import type { LinkedProgram } from '../vm/link';

/** Names of the objects that the world adds to the program. */
export const objectNames = {
  tables: 'world_tables',
  tableState: 'world_table_state',
  frames: 'world_frame_users',
  hugeFrames: 'world_huge_users',
  /** Where figures count from, per CPU. */
  baseline: 'world_baseline',
} as const;

/** Slots of a page. */
export const pageSlots = 512;
/** First frame of memory for user pages: far above the tables. */
export const firstFrame = 0x10_0000;

/** First frame of memory for pages of 2M, each of which takes {@link hugeFrames} of them: above all others. */
export const firstHugeFrame = 0x800_0000;
export const hugeFrames = 512;

/** States of a table page. */
export const tableFree = 0;
export const tableUsed = 1;
/** Free, and it has been a table before: a walk through it is a stale walk. */
export const tableWasUsed = 2;

/** Kinds of stale use, the worst first, by their slot in `world_stale`. */
export const staleKinds = [
  ...['stale-data', 'stale-perm', 'stale-walk', 'lost-dirty', 'exposure', 'spec-only'],
] as const;

export const staleKindNumber = (kind: (typeof staleKinds)[number]): number => staleKinds.indexOf(kind);

/** Pages that can be closed to the kernel's direct map at once. */
export const closedPages = 64;

/** Lines of code to which needless flushes are told apart, per CPU; the last stands for all others too. */
export const overflushLines = 8;

/**
 * Slots of a baseline: cycles, low, high (the bits of a double), misses, unpriced, then counts of operations. Then
 * translations that flushes have dropped needlessly since: in all, and by line.
 */
export const baselineSlots = 6 + overflushLines + operations.length;

/** What primitives need besides the core; the hardware is there once the VM is. */
export class Surroundings {
  hardware: Hardware | null = null;
  /** A walk has come through a table that was freed. */
  walkedDead = false;
  /** Called when a frame has lost its last user. */
  freed: (() => void) | null = null;
  readonly closed: number;
  readonly tables: number;
  readonly tableCount: number;
  readonly tableState: number;
  readonly frames: number;
  readonly frameCount: number;
  readonly huge: number;
  readonly hugeCount: number;
  private readonly userMode: number;
  private readonly reclaims: number;
  private readonly stale: number;
  private readonly promise: number;
  private readonly baseline: number;

  constructor(
    private readonly program: LinkedProgram,
    /** Fields of an mm that say whether a flush is still to come, as offsets from its first slot. */
    readonly pending: { readonly flush: number; readonly lock: number; readonly batched: number },
  ) {
    this.tables = this.find(objectNames.tables);
    this.tableState = this.find(objectNames.tableState);
    this.frames = this.find(objectNames.frames);
    this.tableCount = program.objects.find(one => one.name === objectNames.tableState)!.slots;
    this.huge = this.find(objectNames.hugeFrames);
    this.hugeCount = program.objects.find(one => one.name === objectNames.hugeFrames)!.slots;
    this.frameCount = program.objects.find(one => one.name === objectNames.frames)!.slots;
    this.userMode = this.find('world_user_mode');
    this.reclaims = this.find('world_reclaims');
    this.stale = this.find('world_stale');
    this.promise = this.find('world_promise');
    this.closed = this.find('world_closed');
    this.baseline = this.find(objectNames.baseline);
  }

  private find(name: string): number {
    const found = this.program.locate([name]);
    if (!found) throw new Error(`the harness lacks ${name}`);
    return found.slot;
  }

  private perCpu(core: Core, cpu: number, offset: number): number {
    return core.layout.perCpuSlot + cpu * core.layout.perCpuStride + offset;
  }

  userModeSlot(core: Core, cpu: number): number {
    return this.perCpu(core, cpu, this.userMode);
  }

  /** Whether a CPU has begun to reclaim and not ended. */
  isReclaiming(core: Core): boolean {
    for (let cpu = 0; cpu < core.layout.cpus; cpu++)
      if (core.memoryLo[this.perCpu(core, cpu, this.reclaims)] !== 0) return true;
    return false;
  }

  /** First slot of what the last call of a CPU has promised. */
  promiseSlot(core: Core, cpu: number): number {
    return this.perCpu(core, cpu, this.promise);
  }

  staleSlot(core: Core, cpu: number, kind: number): number {
    return this.perCpu(core, cpu, this.stale + kind);
  }

  baselineSlot(core: Core, cpu: number): number {
    return this.perCpu(core, cpu, this.baseline);
  }

  overflushSlot(core: Core, cpu: number): number {
    return this.baselineSlot(core, cpu) + 5 + operations.length;
  }

  /** Whether a walk came through a freed table since this was last asked. */
  takeWalkedDead(): boolean {
    const was = this.walkedDead;
    this.walkedDead = false;
    return was;
  }

  /** Slot of the count of those who use the page that a frame belongs to. */
  usersSlot(frame: number): number {
    if (frame < firstHugeFrame) return this.frames + frame - firstFrame;
    return this.huge + Math.floor((frame - firstHugeFrame) / hugeFrames);
  }

  /** Index of the table at a frame number, or −1. */
  tableAt(frame: number): number {
    const index = frame - this.tables / pageSlots;
    return index >= 0 && index < this.tableCount ? index : -1;
  }
}

const doubles = new Float64Array(1);
const doubleWords = new Int32Array(doubles.buffer);

/** Figures of a CPU count from now on. */
export function setBaseline(core: Core, cpu: number, around: Surroundings): void {
  const { clocks } = around.hardware!;
  const at = around.baselineSlot(core, cpu);
  const put = (offset: number, lo: number, hi: number): void => {
    core.memoryLo[at + offset] = lo;
    core.memoryHi[at + offset] = hi;
    core.tags[at + offset]! |= Tag.Defined;
  };
  [clocks.cycles(cpu), clocks.low(cpu), clocks.high(cpu)].forEach((time, offset) => {
    doubles[0] = time;
    put(offset, doubleWords[0]!, doubleWords[1]!);
  });
  put(3, clocks.misses(cpu), 0);
  put(4, clocks.unpriced(cpu), 0);
  operations.forEach((_, number) => put(5 + number, clocks.count(cpu, number), 0));
  for (let row = 0; row <= overflushLines; row++) put(5 + operations.length + row, 0, 0);
}

/** A time of the baseline: 0 cycles, 1 low, 2 high. */
export function baselineTime(core: Core, at: number, which: number): number {
  doubleWords[0] = core.memoryLo[at + which]!;
  doubleWords[1] = core.memoryHi[at + which]!;
  return doubles[0]!;
}
