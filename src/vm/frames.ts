/** What the instruction loop does seldom: calls through pointers, returns, copies of machine registers. */
import type { Core } from './core';
import { Kind } from './kinds';
import { instructionWords } from './opcodes';
import { Detail, Stop, Verdict } from './outcomes';
import { slotBytes } from './program';
import { controlWords, Cw, FrameFlag, frameWords, Fw } from './state';
import { EventKind } from './trace';

/** Operands of an operation or primitive into `core.args`. `d` ≤ −3: so many registers from `c` on. */
export function takeOperands(core: Core, fp: number, c: number, d: number): void {
  const { args, lo, hi } = core;
  if (d <= -3) {
    core.argCount = -d;
    for (let at = 0; at < -d; at++) {
      args[2 * at] = lo[fp + c + at]!;
      args[2 * at + 1] = hi[fp + c + at]!;
    }
    return;
  }
  core.argCount = c < 0 ? 0 : d < 0 ? 1 : 2;
  if (c >= 0) {
    args[0] = lo[fp + c]!;
    args[1] = hi[fp + c]!;
  }
  if (d >= 0) {
    args[2] = lo[fp + d]!;
    args[3] = hi[fp + d]!;
  }
}

export function copyMachine(core: Core, cpu: number, fp: number, list: number, reload: boolean): void {
  const { lists, lo, hi, machineRegisters } = core;
  const base = cpu * core.layout.machineRegisters;
  const end = list + 1 + 2 * lists[list]!;
  for (let at = list + 1; at < end; at += 2) {
    const own = fp + lists[at]!;
    const machine = (base + lists[at + 1]!) * 2;
    if (reload) {
      lo[own] = machineRegisters[machine]!;
      hi[own] = machineRegisters[machine + 1]!;
    } else {
      machineRegisters[machine] = lo[own]!;
      machineRegisters[machine + 1] = hi[own]!;
    }
  }
}

/** Index of the stack pointer's low half, or −1 without assembly. */
export function stackPointer(core: Core, cpu: number): number {
  const rsp = core.program.machineRegisters.indexOf('rsp');
  return rsp < 0 ? -1 : (cpu * core.layout.machineRegisters + rsp) * 2;
}

/** A slot of the stack for the return address of a routine. */
export function pushReturn(core: Core, cpu: number): boolean {
  const at = stackPointer(core, cpu);
  if (at < 0) return true;
  const rsp = (core.machineRegisters[at]! - slotBytes) | 0;
  const slot = core.slotOf(cpu, rsp, core.machineRegisters[at + 1]!);
  if (slot < 0) return false;
  core.machineRegisters[at] = rsp;
  core.tags[slot] = Kind.Word;
  return true;
}

/** Removes the running frame; the value goes where the frame below wants it. Returns the frame's flags. */
export function leave(core: Core, cpu: number, valueLo: number, valueHi: number): number {
  const { control, frames, layout, lo, hi } = core;
  const at = cpu * controlWords;
  const depth = control[at + Cw.Depth]! - 1;
  const frame = (cpu * layout.depth + depth) * frameWords;
  const flags = frames[frame + Fw.Flags]!;
  core.event(EventKind.Return, cpu, 0, core.functionOf(cpu), valueLo, valueHi);
  control[at + Cw.Depth] = depth;
  control[at + Cw.Fp] = frames[frame + Fw.Fp]!;
  control[at + Cw.Mp] = frames[frame + Fw.Mp]!;
  control[at + Cw.Pc] = frames[frame + Fw.Pc]!;
  const dst = frames[frame + Fw.Dst]!;
  const machine = resultRegister(core, cpu);
  if (flags & FrameFlag.ResultToMachine && machine >= 0) {
    core.machineRegisters[machine] = valueLo;
    core.machineRegisters[machine + 1] = valueHi;
  }
  if (dst >= 0) {
    const fromMachine = (flags & FrameFlag.ResultFromMachine) !== 0;
    const to = control[at + Cw.Fp]! + dst;
    lo[to] = fromMachine && machine >= 0 ? core.machineRegisters[machine]! : valueLo;
    hi[to] = fromMachine && machine >= 0 ? core.machineRegisters[machine + 1]! : valueHi;
  }
  if (flags & FrameFlag.Pushed) {
    const rsp = stackPointer(core, cpu);
    if (rsp >= 0) core.machineRegisters[rsp]! += slotBytes;
  }
  if ((flags & (FrameFlag.WasIdle | FrameFlag.Interrupt)) === FrameFlag.WasIdle) {
    control[at + Cw.ResultLo] = valueLo;
    control[at + Cw.ResultHi] = valueHi;
  }
  return flags;
}

/** Registers of arguments and of the result: System V ABI of x86-64, and AAPCS64. */
const conventions = [
  { args: ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'], result: 'rax' },
  { args: ['x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7'], result: 'x0' },
] as const;

function conventionOf(core: Core): (typeof conventions)[number] {
  return core.program.machineRegisters.some(name => /^x\d/.test(name)) ? conventions[1] : conventions[0];
}

/** Index of the low half of a register of the machine; −1: no code names it. */
function machineAt(core: Core, cpu: number, name: string): number {
  const register = core.program.machineRegisters.indexOf(name);
  return register < 0 ? -1 : (cpu * core.layout.machineRegisters + register) * 2;
}

const resultRegister = (core: Core, cpu: number): number => machineAt(core, cpu, conventionOf(core).result);

/** Arguments of a C function that assembly calls: from the machine's registers to the frame at `to`. */
function takeMachineArguments(core: Core, cpu: number, to: number, count: number): boolean {
  const { args } = conventionOf(core);
  if (count > args.length) {
    core.stop(cpu, Verdict.Unknown, Detail.Code | Stop.TooManyArguments);
    return false;
  }
  args.slice(0, count).forEach((name, index) => {
    const at = machineAt(core, cpu, name);
    core.lo[to + index] = at < 0 ? 0 : core.machineRegisters[at]!;
    core.hi[to + index] = at < 0 ? 0 : core.machineRegisters[at + 1]!;
  });
  return true;
}

/** Arguments of a routine that C calls: from the registers at `from`. Those that do not fit go on the stack, which no routine here reads. */
function putMachineArguments(core: Core, cpu: number, from: number, count: number): void {
  conventionOf(core)
    .args.slice(0, count)
    .forEach((name, index) => {
      const at = machineAt(core, cpu, name);
      if (at < 0) return;
      core.machineRegisters[at] = core.lo[from + index]!;
      core.machineRegisters[at + 1] = core.hi[from + index]!;
    });
}

/** Calls what a register points to. False after stopping. */
export function callPointer(core: Core, cpu: number, pc: number, fp: number): boolean {
  const { code, lo, hi, functionTable } = core;
  const at = pc * instructionWords;
  const fn = core.functionAt(lo[fp + code[at + 1]!]!, hi[fp + code[at + 1]!]!);
  if (fn < 0) {
    core.stop(cpu, Verdict.Fault, Detail.Code | Stop.NotAFunction);
    return false;
  }
  const count = code[at + 4]!;
  const routine = functionTable[fn * 6 + 4]! !== 0;
  const fromAsm = count < 0;
  const from = code[at + 2]!;
  const wanted = functionTable[fn * 6 + 5]!;
  if (!fromAsm && !routine && count < wanted) {
    core.stop(cpu, Verdict.Unknown, Detail.Code | Stop.TooFewArguments);
    return false;
  }
  if (fromAsm && !routine && !takeMachineArguments(core, cpu, fp + from, wanted)) return false;
  if (!fromAsm && routine) putMachineArguments(core, cpu, fp + from, count);
  if (routine && !pushReturn(core, cpu)) return false;
  let flags = routine ? FrameFlag.Pushed : 0;
  if (fromAsm !== routine) flags |= routine ? FrameFlag.ResultFromMachine : FrameFlag.ResultToMachine;
  const entered = core.enter(cpu, fn, from, pc + 1, fromAsm ? -1 : code[at + 3]!, flags);
  if (entered) core.event(EventKind.Call, cpu, 0, fn, 0, 0);
  return entered;
}
