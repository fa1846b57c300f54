/** Tasks of the CPUs, one call after the other, and interrupts between them. */
import { nmiVector } from '../machine/hardware';
import type { Core } from './core';
import { Detail, Stop, Verdict } from './outcomes';
import { Kind, Tag } from './kinds';
import { halves } from './pairs';
import { slotBytes } from './program';
import { controlWords, Cw, FrameFlag, frameWords, Fw, Status } from './state';
import { EventKind } from './trace';

/** A call that a CPU's task makes. */
export interface TaskCall {
  readonly function: string;
  /** Of a C function: its arguments. */
  readonly args?: readonly bigint[];
  /** How often. Default 1. */
  readonly times?: number;
  /** Of an assembly routine: machine registers to set before. */
  readonly registers?: Readonly<Record<string, bigint>>;
}

/** The calls of one CPU. */
export type Task = readonly TaskCall[];

interface LinkedCall {
  readonly fn: number;
  readonly args: readonly (readonly [number, number])[];
  readonly times: number;
  readonly registers: readonly (readonly [number, readonly [number, number]])[];
}

/** Code of the event of an exception, where an interrupt has its vector. */
export const exceptionCode = 255;

export const timesAtMost = 1_000_000_000;

export class Tasks {
  private readonly calls: readonly (readonly LinkedCall[])[];

  /** `handlers`: by vector, the number of the function that handles it, or −1. */
  constructor(
    private readonly core: Core,
    tasks: readonly Task[],
    private readonly handlers: ReadonlyMap<number, number>,
  ) {
    const { program } = core;
    this.calls = tasks.map(task =>
      task.map(call => {
        const fn = program.functions.findIndex(one => one.name === call.function);
        if (fn < 0) throw new Error(`no function ${call.function}`);
        const times = call.times ?? 1;
        if (!Number.isInteger(times) || times < 0 || times > timesAtMost)
          throw new Error(`a call is repeated 0 to ${timesAtMost} times, not ${times}`);
        const args = (call.args ?? []).map(halves);
        const wanted = program.functions[fn]!.parameters;
        if (args.length < wanted)
          throw new Error(`${call.function} takes ${wanted} arguments, not ${args.length}`);
        const registers = Object.entries(call.registers ?? {}).flatMap(([name, value]) => {
          const number = program.machineRegisters.indexOf(name);
          return number < 0 ? [] : [[number, halves(value)] as const];
        });
        return { fn, args: args.slice(0, wanted), times, registers };
      }),
    );
    if (tasks.length > core.layout.cpus)
      throw new Error(`there are ${core.layout.cpus} CPUs, and tasks for ${tasks.length}`);
  }

  /** Whether a CPU's task has a call left. */
  hasNext(cpu: number): boolean {
    const calls = this.calls[cpu];
    if (!calls) return false;
    const base = cpu * controlWords;
    let done = this.core.control[base + Cw.Repeat]!;
    for (let at = this.core.control[base + Cw.Call]!; at < calls.length; at++) {
      if (done < calls[at]!.times) return true;
      done = 0;
    }
    return false;
  }

  /** Starts the next call of an idle CPU's task. False if there is none, or the run has stopped. */
  startNext(cpu: number): boolean {
    const { core } = this;
    const { control } = core;
    const base = cpu * controlWords;
    let call = this.calls[cpu]?.[control[base + Cw.Call]!];
    while (call && control[base + Cw.Repeat]! >= call.times) {
      control[base + Cw.Repeat] = 0;
      call = this.calls[cpu]?.[++control[base + Cw.Call]!];
    }
    if (!call) return false;
    control[base + Cw.Repeat]!++;
    if (!core.enter(cpu, call.fn, 0, -1, -1, FrameFlag.WasIdle)) return false;
    const fp = control[base + Cw.Fp]!;
    call.args.forEach(([lo, hi], at) => {
      core.lo[fp + at] = lo;
      core.hi[fp + at] = hi;
    });
    for (const [register, [lo, hi]] of call.registers) {
      const at = (cpu * core.layout.machineRegisters + register) * 2;
      core.machineRegisters[at] = lo;
      core.machineRegisters[at + 1] = hi;
    }
    control[base + Cw.Status] = Status.Running;
    core.changed();
    core.event(EventKind.TaskStart, cpu, 0, call.fn, 0, 0);
    return true;
  }

  /** Takes the interrupt that is there. False after stopping: nobody handles it. */
  takeInterrupt(cpu: number): boolean {
    const { core } = this;
    const { control } = core;
    const base = cpu * controlWords;
    const { interrupts } = core.machine;
    const vector = interrupts.next(cpu, false);
    control[base + Cw.Poke] = 0;
    if (vector < 0) return true;
    const fn = this.handlers.get(vector) ?? -1;
    if (fn < 0) {
      core.stop(cpu, Verdict.Unknown, Detail.Code | Stop.NoHandler | (vector << 8));
      return false;
    }
    const wasEnabled = interrupts.enabled(cpu);
    interrupts.accept(cpu, vector);
    // A CPU that waits runs its instruction again after the handler.
    if (core.isWaiting(cpu)) core.setWaiting(cpu, false);
    const flags =
      (wasEnabled ? FrameFlag.WasEnabled : 0) |
      (control[base + Cw.Status] === Status.Idle ? FrameFlag.WasIdle : 0) |
      (vector === nmiVector ? FrameFlag.Nmi : 0);
    core.event(EventKind.InterruptEnter, cpu, vector, fn, 0, 0);
    return this.enterHandler(cpu, fn, control[base + Cw.Pc]!, flags);
  }

  /** Enters the handler of the exception that a primitive has raised. */
  takeException(cpu: number): void {
    const { core } = this;
    const fn = core.exceptionFunction;
    const pc = core.control[cpu * controlWords + Cw.Pc]!;
    if (fn < 0) {
      core.stop(cpu, Verdict.Unknown, Detail.Code | Stop.NoHandler);
      return;
    }
    const { interrupts } = core.machine;
    const flags = interrupts.enabled(cpu) ? FrameFlag.WasEnabled : 0;
    interrupts.setEnabled(cpu, false);
    core.event(EventKind.InterruptEnter, cpu, exceptionCode, fn, core.args[0]!, core.args[1]!);
    if (!this.enterHandler(cpu, fn, core.exceptionAgain ? pc : pc + 1, flags)) return;
    const fp = core.control[cpu * controlWords + Cw.Fp]!;
    const count = Math.min(core.functionTable[fn * 6 + 5]!, core.args.length >> 1);
    for (let at = 0; at < count; at++) {
      core.lo[fp + at] = core.args[2 * at]!;
      core.hi[fp + at] = core.args[2 * at + 1]!;
    }
  }

  private enterHandler(cpu: number, fn: number, returnPc: number, flags: number): boolean {
    const { core } = this;
    const { control, functionTable } = core;
    const base = cpu * controlWords;
    const running = core.functionOf(cpu);
    // Above all registers of the interrupted function, and above arguments it has begun to lay out.
    const above = running < 0 ? 0 : functionTable[running * 6 + 2]!;
    if (!core.enter(cpu, fn, above, returnPc, -1, flags | FrameFlag.Interrupt)) return false;
    this.switchStack(cpu, functionTable[fn * 6 + 4]! !== 0);
    control[base + Cw.Interrupts]!++;
    if (flags & FrameFlag.Nmi) control[base + Cw.Nmis]!++;
    control[base + Cw.Status] = Status.Running;
    core.changed();
    return true;
  }

  /** Assembly of a handler uses a part of the stack of its own; a routine finds the hardware's frame there. */
  private switchStack(cpu: number, routine: boolean): void {
    const { core } = this;
    const rsp = core.program.machineRegisters.indexOf('rsp');
    if (rsp < 0) return;
    const at = (cpu * core.layout.machineRegisters + rsp) * 2;
    const base = cpu * controlWords;
    const frame = (cpu * core.layout.depth + core.control[base + Cw.Depth]! - 1) * frameWords;
    core.frames[frame + Fw.Rsp] = core.machineRegisters[at]!;
    const level = core.control[base + Cw.Interrupts]! + 1;
    let slot = core.stackTop(cpu) - Math.min(level * 128, core.layout.stack >> 1);
    if (routine)
      for (let pushed = 0; pushed < 5; pushed++) {
        slot--;
        core.memoryLo[slot] = 0;
        core.memoryHi[slot] = 0;
        core.tags[slot] = Kind.Word | Tag.Defined;
      }
    core.machineRegisters[at] = slot * slotBytes;
  }

  /** A frame was left that is no ordinary call. */
  left(cpu: number, flags: number): void {
    const { core } = this;
    const { control } = core;
    const base = cpu * controlWords;
    if ((flags & FrameFlag.Interrupt) === 0) {
      control[base + Cw.Status] = Status.Idle;
      core.urgent();
      core.event(EventKind.TaskEnd, cpu, 0, 0, control[base + Cw.ResultLo]!, control[base + Cw.ResultHi]!);
      core.changed();
      return;
    }
    const { interrupts } = core.machine;
    interrupts.returnFromInterrupt(cpu);
    interrupts.setEnabled(cpu, (flags & FrameFlag.WasEnabled) !== 0);
    control[base + Cw.Interrupts]!--;
    if (flags & FrameFlag.Nmi) control[base + Cw.Nmis]!--;
    const rsp = core.program.machineRegisters.indexOf('rsp');
    if (rsp >= 0) {
      const frame = (cpu * core.layout.depth + control[base + Cw.Depth]!) * frameWords;
      core.machineRegisters[(cpu * core.layout.machineRegisters + rsp) * 2] = core.frames[frame + Fw.Rsp]!;
    }
    control[base + Cw.Status] = flags & FrameFlag.WasIdle ? Status.Idle : Status.Running;
    core.poke(cpu);
    core.event(EventKind.InterruptExit, cpu, 0, 0, 0, 0);
    core.changed();
  }

  /** A hash of everything that decides what the CPU does next by itself: its frames and registers. */
  situation(cpu: number): number {
    const { core } = this;
    const base = cpu * controlWords;
    const fn = core.functionOf(cpu);
    const end = core.control[base + Cw.Fp]! + (fn < 0 ? 0 : core.functionTable[fn * 6 + 2]!);
    let hash = core.control[base + Cw.Depth]! ^ (core.control[base + Cw.Pc]! << 8);
    for (let at = cpu * core.layout.registers; at < end; at++)
      hash =
        Math.imul(hash ^ core.lo[at]! ^ Math.imul(core.hi[at]!, 0x85eb_ca6b), 0x9e37_79b1) ^ (hash >>> 15);
    return hash;
  }
}
