/** What a CPU does at the present moment, as plain data, for panels. Reading it changes nothing. */
import type { Status } from './state';
import { FrameFlag, frameWords, Fw, controlWords, Cw, WaitKind } from './state';
import type { Position } from './program';
import { positionOf } from './program';
import { nameOfSlot } from './verdicts';
import type { Vm } from './vm';

/** What a CPU waits for. */
export interface CpuWait {
  /** A value in memory (a lock, a flag); acknowledgements of its requests; any change at all; an interrupt. */
  readonly for: 'memory' | 'requests' | 'change' | 'interrupt';
  /** Of memory: the object, by name. Else ''. */
  readonly name: string;
}

/** A call that has not returned, innermost first. */
export interface CpuFrame extends Position {
  /** Whether it was entered by an interrupt, an NMI or an exception rather than a call. */
  readonly interrupt: boolean;
}

export interface CpuState {
  readonly cpu: number;
  /** `idle`: no task is left; interrupts are still taken. */
  readonly status: 'running' | 'waiting' | 'idle';
  readonly wait: CpuWait | null;
  /** Where it is: the instruction that runs next. null without a task. */
  readonly at: Position | null;
  /** Innermost first; the first is where `at` is. */
  readonly frames: readonly CpuFrame[];
  /** Interrupt handlers that are running inside each other, NMIs included; NMIs among them. */
  readonly interruptDepth: number;
  readonly nmiDepth: number;
  /** The preemption counter. */
  readonly preemption: number;
  /** Instructions that its task has run. */
  readonly steps: number;
  /** Warnings (`WARN_ON` and its kin) so far. */
  readonly warnings: number;
  /** Its place in the order of the run: the CPU with the least runs next. Cycles plus one unit an instruction. */
  readonly order: number;
}

const statuses = ['idle', 'running', 'waiting'] as const;

export function cpuState({ core }: Vm, cpu: number): CpuState {
  const { control, program } = core;
  const word = (at: Cw): number => control[cpu * controlWords + at]!;
  const status = statuses[word(Cw.Status) as Status];
  const pc = word(Cw.Pc);
  return {
    cpu,
    status,
    wait: status === 'waiting' ? waitOf(core, cpu) : null,
    at: pc < 0 ? null : positionOf(program, pc),
    frames: framesOf(core, cpu),
    interruptDepth: word(Cw.Interrupts),
    nmiDepth: word(Cw.Nmis),
    preemption: word(Cw.Preempt),
    steps: word(Cw.Steps),
    warnings: word(Cw.Warnings),
    order: core.order[cpu]!,
  };
}

function waitOf(core: Vm['core'], cpu: number): CpuWait {
  const base = cpu * controlWords;
  const kind = core.control[base + Cw.WaitKind]! as WaitKind;
  if (kind === WaitKind.Slot)
    return { for: 'memory', name: nameOfSlot(core, core.control[base + Cw.WaitOn]!) };
  if (kind === WaitKind.Messages) return { for: 'requests', name: '' };
  return { for: kind === WaitKind.Change ? 'change' : 'interrupt', name: '' };
}

function framesOf(core: Vm['core'], cpu: number): CpuFrame[] {
  const { control, frames, layout, program } = core;
  const base = cpu * controlWords;
  const found: CpuFrame[] = [];
  let pc = control[base + Cw.Pc]!;
  for (let depth = control[base + Cw.Depth]!; depth >= 0; depth--) {
    const frame = (cpu * layout.depth + depth - 1) * frameWords;
    const interrupt = depth > 0 && (frames[frame + Fw.Flags]! & FrameFlag.Interrupt) !== 0;
    if (pc >= 0) found.push({ ...positionOf(program, pc), interrupt });
    if (depth === 0) break;
    pc = frames[frame + Fw.Pc]!;
    // A call goes on behind itself; the line is that of the call.
    if (!interrupt && pc > 0) pc -= 1;
  }
  return found;
}
