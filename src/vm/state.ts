/** The state of a running program: one ArrayBuffer, the hardware's part at its end. */
import type { Hardware } from '../machine/hardware';
import type { Program } from './program';
import { objectAlignment, slotBytes } from './program';

/** What the interpreter needs of the hardware. */
export type VmMachine = Pick<
  Hardware,
  | 'cpus'
  | 'x86'
  | 'arm64'
  | 'stores'
  | 'interrupts'
  | 'mailboxes'
  | 'clocks'
  | 'buffer'
  | 'byteOffset'
  | 'words'
  | 'hash'
>;

/** Words of a CPU's control block. */
export const enum Cw {
  /** Instruction to run next; −1 without a task. */
  Pc,
  /** First register of the running frame, from the start of all CPUs' registers. */
  Fp,
  /** First memory slot of the running frame. */
  Mp,
  Depth,
  Status,
  WaitKind,
  /** Slot, or stamp of {@link Gw.Changes}. */
  WaitOn,
  WaitLo,
  WaitHi,
  Preempt,
  Interrupts,
  Nmis,
  /** Which call of the CPU's task runs, and how many repetitions of it are left. */
  Call,
  Repeat,
  ResultLo,
  ResultHi,
  /** Instructions that the task has run, against its budget. */
  Steps,
  /** An interrupt may be there to be taken. */
  Poke,
  /** Where, with what registers, and at what {@link Gw.Changes} the CPU last spun. */
  SpinPc,
  SpinHash,
  SpinStamp,
  /** Since when nothing changed: the stamp, and instructions run since. */
  QuietStamp,
  QuietSteps,
  Warnings,
}
export const controlWords = 24;

export const enum Status {
  /** No task is left; interrupts are still taken. */
  Idle,
  Running,
  Waiting,
}

export const enum WaitKind {
  None,
  /** Until the slot holds something else than WaitLo, WaitHi. */
  Slot,
  /** Until anything at all has changed. */
  Change,
  /** Until all messages of the CPU are acknowledged. */
  Messages,
}

/** Words that belong to no CPU. */
export const enum Gw {
  Random,
  /** Counts stores that changed something, operations and the like. */
  Changes,
  StepsLo,
  StepsHi,
  Verdict,
  VerdictCpu,
  VerdictPc,
  /** Trap number, slot or code, by verdict. */
  VerdictDetail,
  /** CPU that runs now, and instructions until the next choice. */
  Current,
  Quantum,
  /** Of how many that is the rest; what was run since is not yet in the counts. */
  Granted,
  /** Something happened that other CPUs wait for: the next choice comes now. */
  Urgent,
  /** CPUs that wait for a slot, and for any change. */
  SlotWaiters,
  ChangeWaiters,
  /** CPUs that have something to run. */
  Runnable,
  /** Something outside of the run has changed: who can run is found out anew. */
  Rebuild,
}
export const globalWords = 16;

/** Words of a call frame that is not running: where it goes on. */
export const enum Fw {
  Pc,
  Fp,
  Mp,
  Dst,
  Flags,
  Rsp,
}
export const frameWords = 6;

export const enum FrameFlag {
  Interrupt = 1,
  Nmi = 2,
  /** Interrupts were enabled. */
  WasEnabled = 4,
  /** A slot of the stack holds the return address. */
  Pushed = 8,
  /** The CPU had no task. */
  WasIdle = 16,
  /** A routine called from C through a pointer: its result is in a register of the machine. */
  ResultFromMachine = 32,
  /** A C function called from assembly through a pointer: its result goes to a register of the machine. */
  ResultToMachine = 64,
}

export interface StateSizes {
  /** Registers of one CPU, all frames together. Default 1,024. */
  readonly registers?: number;
  /** Calls in calls. Default 64. */
  readonly depth?: number;
  /** Slots of one CPU's memory stack. Default 1,024. */
  readonly stack?: number;
}

/** Where the parts lie. All offsets in bytes. */
export interface StateLayout {
  readonly cpus: number;
  readonly registers: number;
  readonly depth: number;
  readonly stack: number;
  readonly slots: number;
  /** Slot of CPU 0's per-CPU area; each next one is `perCpuStride` further. */
  readonly perCpuSlot: number;
  readonly perCpuStride: number;
  readonly stackSlot: number;
  readonly machineRegisters: number;
  readonly offsets: {
    readonly order: number;
    readonly late: number;
    readonly ready: number;
    readonly stirred: number;
    readonly awaited: number;
    readonly global: number;
    readonly control: number;
    readonly machine: number;
    readonly frames: number;
    readonly lo: number;
    readonly hi: number;
    readonly memoryLo: number;
    readonly memoryHi: number;
    readonly features: number;
    readonly tags: number;
  };
  /** Bytes before the hardware's part; a multiple of 8. */
  readonly bytes: number;
}

/** Words of the filter that tells most slots that nobody waits for. */
export const awaitedWords = 8;

/** Doubles of the tree that finds the CPU that is furthest behind. */
export function readyWords(cpus: number): number {
  let leaves = 1;
  while (leaves < cpus) leaves *= 2;
  return 2 * leaves;
}

const round = (value: number, to: number): number => Math.ceil(value / to) * to;

/** Where the state of a program lies. The hardware's part begins at `bytes`. */
export function layoutState(program: Program, sizes: StateSizes = {}): StateLayout {
  const { cpus } = program;
  const registers = sizes.registers ?? 1024;
  const depth = sizes.depth ?? 64;
  const stack = round(sizes.stack ?? 1024, objectAlignment);
  const perCpuSlot = round(program.globalSlots, 512);
  const perCpuStride = round(program.perCpuSlots, objectAlignment);
  const stackSlot = perCpuSlot + perCpuStride * cpus;
  const slots = stackSlot + stack * cpus;
  if (slots * slotBytes > 0x1fff_ffff) throw new Error('the memory of this program is too large');
  const machineRegisters = Math.max(1, program.machineRegisters.length);
  let at = 0;
  const take = (bytes: number): number => {
    const start = at;
    at = round(at + bytes, 8);
    return start;
  };
  const offsets = {
    order: take(cpus * 8),
    late: take(cpus * 8),
    ready: take(readyWords(cpus) * 8),
    stirred: take(Math.ceil(cpus / 32) * 4),
    awaited: take(awaitedWords * 4),
    global: take(globalWords * 4),
    control: take(cpus * controlWords * 4),
    machine: take(cpus * machineRegisters * 8),
    frames: take(cpus * depth * frameWords * 4),
    lo: take(cpus * registers * 4),
    hi: take(cpus * registers * 4),
    memoryLo: take(slots * 4),
    memoryHi: take(slots * 4),
    features: take(program.features.length),
    tags: take(slots),
  };
  return {
    ...{
      cpus,
      registers,
      depth,
      stack,
      slots,
      perCpuSlot,
      perCpuStride,
      stackSlot,
      machineRegisters,
      offsets,
    },
    bytes: at,
  };
}
