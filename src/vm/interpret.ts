/** The instruction loop. */
import type { Core } from './core';
import { Detail, Outcome, Verdict } from './outcomes';
import { callPointer, copyMachine, leave, pushReturn, takeOperands } from './frames';
import { divideRegisters, loadChecked } from './interpretSeldom';
import type { Kind } from './kinds';
import { cutHigh, cutLow, Tag } from './kinds';
import { Op, instructionWords } from './opcodes';
import { high, multiply, negatedHigh } from './pairs';
import { reservedSlots, slotBytes } from './program';
import { controlWords, Cw, FrameFlag, frameWords, Fw, Gw } from './state';
import { EventKind } from './trace';

/** Runs operations and primitives, which the loop knows nothing of. */
export interface Services {
  operation(cpu: number, number: number): Outcome;
  primitive(cpu: number, number: number, kind: Kind): Outcome;
  /** The primitive that ran has raised an exception. */
  exception(cpu: number): void;
  /** A frame that is no ordinary call has been left: of an interrupt, or the task's first. */
  left(cpu: number, flags: number): void;
}

/** Leaves a frame that is no ordinary call. True: it was an interrupt's or the task's first, and the loop ends. */
function leaveSpecial(core: Core, services: Services, cpu: number, lo: number, hi: number): boolean {
  const flags = leave(core, cpu, lo, hi);
  if ((flags & (FrameFlag.Interrupt | FrameFlag.WasIdle)) === 0) return false;
  services.left(cpu, flags);
  return true;
}

/**
 * Runs up to `limit` instructions on one CPU; returns how many. It ends early when the CPU waits, its task's call ends,
 * or the run is over. State is complete in `core` before and after.
 */
export function interpret(core: Core, services: Services, cpu: number, limit: number): number {
  const { code, lo, hi, memoryLo, memoryHi, tags, control, global, functionTable, frames } = core;
  const base = cpu * controlWords;
  let pc = control[base + Cw.Pc]!;
  let fp = control[base + Cw.Fp]!;
  let left = limit;
  /** The loop ends with the instruction that runs. */
  let ending = false;
  while (left > 0) {
    left--;
    const at = pc * instructionWords;
    const a = code[at + 1]!;
    const b = code[at + 2]!;
    const c = code[at + 3]!;
    switch (code[at]! as Op) {
      case Op.Const:
        lo[fp + a] = b;
        hi[fp + a] = c;
        break;
      case Op.Move:
        lo[fp + a] = lo[fp + b]!;
        hi[fp + a] = hi[fp + b]!;
        break;
      case Op.Add: {
        const x = lo[fp + b]!;
        const low = (x + lo[fp + c]!) | 0;
        hi[fp + a] = hi[fp + b]! + hi[fp + c]! + (low >>> 0 < x >>> 0 ? 1 : 0);
        lo[fp + a] = low;
        break;
      }
      case Op.Sub: {
        const x = lo[fp + b]!;
        const y = lo[fp + c]!;
        hi[fp + a] = hi[fp + b]! - hi[fp + c]! - (x >>> 0 < y >>> 0 ? 1 : 0);
        lo[fp + a] = x - y;
        break;
      }
      case Op.Mul: {
        const low = multiply(lo[fp + b]!, hi[fp + b]!, lo[fp + c]!, hi[fp + c]!);
        lo[fp + a] = low;
        hi[fp + a] = high[0]!;
        break;
      }
      case Op.DivU:
      case Op.DivS:
      case Op.ModU:
      case Op.ModS:
        control[base + Cw.Pc] = pc;
        ending = !divideRegisters(core, cpu, at, fp);
        break;
      case Op.And: {
        const low = lo[fp + b]! & lo[fp + c]!;
        hi[fp + a] = hi[fp + b]! & hi[fp + c]!;
        lo[fp + a] = low;
        break;
      }
      case Op.Or: {
        const low = lo[fp + b]! | lo[fp + c]!;
        hi[fp + a] = hi[fp + b]! | hi[fp + c]!;
        lo[fp + a] = low;
        break;
      }
      case Op.Xor: {
        const low = lo[fp + b]! ^ lo[fp + c]!;
        hi[fp + a] = hi[fp + b]! ^ hi[fp + c]!;
        lo[fp + a] = low;
        break;
      }
      case Op.Shl: {
        const n = lo[fp + c]! & 63;
        const x = lo[fp + b]!;
        const y = hi[fp + b]!;
        if (n >= 32) {
          lo[fp + a] = 0;
          hi[fp + a] = x << (n - 32);
        } else {
          lo[fp + a] = x << n;
          hi[fp + a] = n === 0 ? y : (y << n) | (x >>> (32 - n));
        }
        break;
      }
      case Op.ShrU: {
        const n = lo[fp + c]! & 63;
        const x = lo[fp + b]!;
        const y = hi[fp + b]!;
        if (n >= 32) {
          lo[fp + a] = y >>> (n - 32);
          hi[fp + a] = 0;
        } else {
          lo[fp + a] = n === 0 ? x : (x >>> n) | (y << (32 - n));
          hi[fp + a] = y >>> n;
        }
        break;
      }
      case Op.ShrS: {
        const n = lo[fp + c]! & 63;
        const x = lo[fp + b]!;
        const y = hi[fp + b]!;
        if (n >= 32) {
          lo[fp + a] = y >> (n - 32);
          hi[fp + a] = y >> 31;
        } else {
          lo[fp + a] = n === 0 ? x : (x >>> n) | (y << (32 - n));
          hi[fp + a] = y >> n;
        }
        break;
      }
      case Op.Add32: {
        const low = (lo[fp + b]! + lo[fp + c]!) | 0;
        lo[fp + a] = low;
        hi[fp + a] = low >> 31;
        break;
      }
      case Op.Sub32: {
        const low = (lo[fp + b]! - lo[fp + c]!) | 0;
        lo[fp + a] = low;
        hi[fp + a] = low >> 31;
        break;
      }
      case Op.Mul32: {
        const low = Math.imul(lo[fp + b]!, lo[fp + c]!);
        lo[fp + a] = low;
        hi[fp + a] = low >> 31;
        break;
      }
      case Op.Shl32: {
        const low = lo[fp + b]! << (lo[fp + c]! & 31);
        lo[fp + a] = low;
        hi[fp + a] = low >> 31;
        break;
      }
      case Op.ShrS32: {
        const low = lo[fp + b]! >> (lo[fp + c]! & 31);
        lo[fp + a] = low;
        hi[fp + a] = low >> 31;
        break;
      }
      case Op.AddU32:
        lo[fp + a] = lo[fp + b]! + lo[fp + c]!;
        hi[fp + a] = 0;
        break;
      case Op.SubU32:
        lo[fp + a] = lo[fp + b]! - lo[fp + c]!;
        hi[fp + a] = 0;
        break;
      case Op.MulU32:
        lo[fp + a] = Math.imul(lo[fp + b]!, lo[fp + c]!);
        hi[fp + a] = 0;
        break;
      case Op.ShlU32:
        lo[fp + a] = lo[fp + b]! << (lo[fp + c]! & 31);
        hi[fp + a] = 0;
        break;
      case Op.ShrU32:
        lo[fp + a] = lo[fp + b]! >>> (lo[fp + c]! & 31);
        hi[fp + a] = 0;
        break;
      case Op.Eq:
        lo[fp + a] = lo[fp + b] === lo[fp + c] && hi[fp + b] === hi[fp + c] ? 1 : 0;
        hi[fp + a] = 0;
        break;
      case Op.Ne:
        lo[fp + a] = lo[fp + b] !== lo[fp + c] || hi[fp + b] !== hi[fp + c] ? 1 : 0;
        hi[fp + a] = 0;
        break;
      case Op.LtS: {
        const x = hi[fp + b]!;
        const y = hi[fp + c]!;
        lo[fp + a] = x < y || (x === y && lo[fp + b]! >>> 0 < lo[fp + c]! >>> 0) ? 1 : 0;
        hi[fp + a] = 0;
        break;
      }
      case Op.LtU: {
        const x = hi[fp + b]! >>> 0;
        const y = hi[fp + c]! >>> 0;
        lo[fp + a] = x < y || (x === y && lo[fp + b]! >>> 0 < lo[fp + c]! >>> 0) ? 1 : 0;
        hi[fp + a] = 0;
        break;
      }
      case Op.LeS: {
        const x = hi[fp + b]!;
        const y = hi[fp + c]!;
        lo[fp + a] = x < y || (x === y && lo[fp + b]! >>> 0 <= lo[fp + c]! >>> 0) ? 1 : 0;
        hi[fp + a] = 0;
        break;
      }
      case Op.LeU: {
        const x = hi[fp + b]! >>> 0;
        const y = hi[fp + c]! >>> 0;
        lo[fp + a] = x < y || (x === y && lo[fp + b]! >>> 0 <= lo[fp + c]! >>> 0) ? 1 : 0;
        hi[fp + a] = 0;
        break;
      }
      case Op.Neg: {
        const x = lo[fp + b]!;
        hi[fp + a] = negatedHigh(x, hi[fp + b]!);
        lo[fp + a] = -x;
        break;
      }
      case Op.Not:
        lo[fp + a] = ~lo[fp + b]!;
        hi[fp + a] = ~hi[fp + b]!;
        break;
      case Op.Lnot:
        lo[fp + a] = (lo[fp + b]! | hi[fp + b]!) === 0 ? 1 : 0;
        hi[fp + a] = 0;
        break;
      case Op.Cut: {
        const y = hi[fp + b]!;
        const low = cutLow(c, lo[fp + b]!, y);
        lo[fp + a] = low;
        hi[fp + a] = cutHigh(c, low, y);
        break;
      }
      case Op.AddConst: {
        const x = lo[fp + b]!;
        const low = (x + c) | 0;
        hi[fp + a] = hi[fp + b]! + (low >>> 0 < x >>> 0 ? 1 : 0);
        lo[fp + a] = low;
        break;
      }
      case Op.Index: {
        const i = multiply(lo[fp + c]!, hi[fp + c]!, code[at + 4]!, 0);
        const x = lo[fp + b]!;
        const low = (x + i) | 0;
        hi[fp + a] = hi[fp + b]! + high[0]! + (low >>> 0 < x >>> 0 ? 1 : 0);
        lo[fp + a] = low;
        break;
      }
      case Op.PerCpu:
        lo[fp + a] = (core.layout.perCpuSlot + cpu * core.layout.perCpuStride) * slotBytes + b;
        hi[fp + a] = 0;
        break;
      case Op.Local:
        lo[fp + a] = control[base + Cw.Mp]! * slotBytes + b;
        hi[fp + a] = 0;
        break;
      case Op.Load:
      case Op.LoadCut: {
        const address = lo[fp + b]!;
        const slot = address >>> 3;
        const plain =
          !core.buffered &&
          (hi[fp + b]! | (address & 7)) === 0 &&
          slot >= reservedSlots &&
          slot < tags.length;
        if (plain && tags[slot]! & Tag.Defined) {
          if (code[at]! === Op.Load) {
            lo[fp + a] = memoryLo[slot]!;
            hi[fp + a] = memoryHi[slot]!;
          } else {
            const low = cutLow(c, memoryLo[slot]!, memoryHi[slot]!);
            lo[fp + a] = low;
            hi[fp + a] = cutHigh(c, low, memoryHi[slot]!);
          }
          break;
        }
        control[base + Cw.Pc] = pc;
        ending = !loadChecked(core, cpu, at, fp);
        break;
      }
      case Op.Store: {
        const address = lo[fp + a]!;
        const slot = address >>> 3;
        const plain = (hi[fp + a]! | (address & 7)) === 0 && slot >= reservedSlots && slot < tags.length;
        control[base + Cw.Pc] = pc;
        if (!plain) {
          core.slotOf(cpu, address, hi[fp + a]!);
          ending = true;
          break;
        }
        const tag = tags[slot]!;
        if (!core.buffered && (tag & (Tag.KindMask | Tag.Defined)) === (c | Tag.Defined))
          core.commit(cpu, slot, lo[fp + b]!, hi[fp + b]!);
        else core.write(cpu, slot, c, lo[fp + b]!, hi[fp + b]!);
        if (global[Gw.Urgent] === 0) break;
        control[base + Cw.Pc] = pc + 1;
        return limit - left;
      }
      case Op.Jump:
        pc = a;
        continue;
      case Op.Branch:
        if ((lo[fp + a]! | hi[fp + a]!) !== 0) {
          pc = b;
          continue;
        }
        break;
      case Op.BranchZero:
        if ((lo[fp + a]! | hi[fp + a]!) === 0) {
          pc = b;
          continue;
        }
        break;
      case Op.Feature: {
        const value = core.features[b]!;
        if (value === 2) {
          control[base + Cw.Pc] = pc;
          core.stop(cpu, Verdict.Unknown, Detail.Feature | b);
          ending = true;
          break;
        }
        lo[fp + a] = value;
        hi[fp + a] = 0;
        break;
      }
      case Op.Call: {
        const depth = control[base + Cw.Depth]!;
        const row = a * 6;
        const memory = functionTable[row + 3]!;
        const next = fp + b;
        control[base + Cw.Pc] = pc;
        const { depth: depths, registers } = core.layout;
        if (memory > 0 || depth >= depths || next + functionTable[row + 2]! > (cpu + 1) * registers) {
          // Refused, or variables in memory have to be forgotten.
          if (!core.enter(cpu, a, b, pc + 1, c, 0)) {
            ending = true;
            break;
          }
        } else {
          const frame = (cpu * depths + depth) * frameWords;
          frames[frame + Fw.Pc] = pc + 1;
          frames[frame + Fw.Fp] = fp;
          frames[frame + Fw.Mp] = control[base + Cw.Mp]!;
          frames[frame + Fw.Dst] = c;
          frames[frame + Fw.Flags] = 0;
          control[base + Cw.Depth] = depth + 1;
          control[base + Cw.Fp] = next;
          control[base + Cw.Mp]! += code[at + 4]!;
        }
        if (core.trace !== null) core.event(EventKind.Call, cpu, 0, a, 0, 0);
        pc = functionTable[row]!;
        fp = next;
        control[base + Cw.Pc] = pc;
        continue;
      }
      case Op.CallRoutine: {
        control[base + Cw.Pc] = pc;
        const from = functionTable[core.functionOf(cpu) * 6 + 2]!;
        if (!pushReturn(core, cpu) || !core.enter(cpu, a, from, pc + 1, -1, FrameFlag.Pushed)) {
          ending = true;
          break;
        }
        if (core.trace !== null) core.event(EventKind.Call, cpu, 0, a, 0, 0);
        pc = control[base + Cw.Pc]!;
        fp = control[base + Cw.Fp]!;
        continue;
      }
      case Op.CallPointer: {
        control[base + Cw.Pc] = pc;
        if (!callPointer(core, cpu, pc, fp)) {
          ending = true;
          break;
        }
        pc = control[base + Cw.Pc]!;
        fp = control[base + Cw.Fp]!;
        continue;
      }
      case Op.JumpRoutine:
        // The memory of the routine that is left would be lost with its frame; routines have none.
        pc = functionTable[a * 6]!;
        control[base + Cw.Pc] = pc;
        continue;
      case Op.Return: {
        control[base + Cw.Pc] = pc;
        const valueLo = a < 0 ? 0 : lo[fp + a]!;
        const valueHi = a < 0 ? 0 : hi[fp + a]!;
        const frame = (cpu * core.layout.depth + control[base + Cw.Depth]! - 1) * frameWords;
        if (frames[frame + Fw.Flags] !== 0) {
          if (leaveSpecial(core, services, cpu, valueLo, valueHi)) return limit - left;
          pc = control[base + Cw.Pc]!;
          fp = control[base + Cw.Fp]!;
          continue;
        }
        if (core.trace !== null) core.event(EventKind.Return, cpu, 0, core.functionOf(cpu), valueLo, valueHi);
        control[base + Cw.Depth]! -= 1;
        fp = frames[frame + Fw.Fp]!;
        pc = frames[frame + Fw.Pc]!;
        control[base + Cw.Fp] = fp;
        control[base + Cw.Mp] = frames[frame + Fw.Mp]!;
        control[base + Cw.Pc] = pc;
        const dst = frames[frame + Fw.Dst]!;
        if (dst >= 0) {
          lo[fp + dst] = valueLo;
          hi[fp + dst] = valueHi;
        }
        continue;
      }
      case Op.ReturnRoutine:
        control[base + Cw.Pc] = pc;
        if (leaveSpecial(core, services, cpu, 0, 0)) return limit - left;
        pc = control[base + Cw.Pc]!;
        fp = control[base + Cw.Fp]!;
        continue;
      case Op.Operation:
      case Op.Primitive: {
        const d = code[at + 4]!;
        control[base + Cw.Pc] = pc;
        const operation = code[at]! === Op.Operation;
        takeOperands(core, fp, c, d);
        const outcome = operation
          ? services.operation(cpu, a)
          : services.primitive(cpu, a & 0xffff, a >>> 16);
        if (outcome === Outcome.Done) {
          if (b >= 0) {
            lo[fp + b] = core.resultLo;
            hi[fp + b] = core.resultHi;
          }
          if (global[Gw.Urgent] === 0) break;
          // An interrupt may have to be taken, or another CPU go on, before the next instruction.
          control[base + Cw.Pc] = pc + 1;
          return limit - left;
        }
        if (outcome === Outcome.Wait) core.setWaiting(cpu, true);
        else if (outcome === Outcome.Exception) services.exception(cpu);
        ending = true;
        break;
      }
      case Op.CheckDefined:
        if (lo[fp + a] !== 0) break;
        control[base + Cw.Pc] = pc;
        core.stop(cpu, Verdict.Unknown, Detail.Trap | b);
        ending = true;
        break;
      case Op.Reload:
      case Op.Spill:
        copyMachine(core, cpu, fp, a, code[at]! === Op.Reload);
        break;
      case Op.ReadMachine: {
        const machine = (cpu * core.layout.machineRegisters + a) * 2;
        lo[fp + b] = core.machineRegisters[machine]!;
        hi[fp + b] = core.machineRegisters[machine + 1]!;
        break;
      }
      case Op.WriteMachine: {
        const machine = (cpu * core.layout.machineRegisters + a) * 2;
        core.machineRegisters[machine] = lo[fp + b]!;
        core.machineRegisters[machine + 1] = hi[fp + b]!;
        break;
      }
      case Op.Unknown:
        control[base + Cw.Pc] = pc;
        core.stop(cpu, Verdict.Unknown, Detail.Trap | a);
        ending = true;
        break;
    }
    if (ending) return limit - left;
    pc++;
  }
  control[base + Cw.Pc] = pc;
  return limit - left;
}
