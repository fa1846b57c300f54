/** Instructions that the loop leaves to others: they are seldom, or slow anyway. `at`: first word of the instruction. */
import type { Core } from './core';
import { cutHigh, cutLow, Kind } from './kinds';
import { Op } from './opcodes';
import { Detail, Stop, Verdict } from './outcomes';
import { divide, high, remainder } from './pairs';

/** A division or remainder. False after stopping: by zero. */
export function divideRegisters(core: Core, cpu: number, at: number, fp: number): boolean {
  const { code, lo, hi } = core;
  const op = code[at]! as Op;
  const to = fp + code[at + 1]!;
  const a = fp + code[at + 2]!;
  const b = fp + code[at + 3]!;
  if ((lo[b]! | hi[b]!) === 0) {
    core.stop(cpu, Verdict.Fault, Detail.Code | Stop.DivideByZero);
    return false;
  }
  const signed = op === Op.DivS || op === Op.ModS;
  const work = op === Op.DivU || op === Op.DivS ? divide : remainder;
  lo[to] = work(lo[a]!, hi[a]!, lo[b]!, hi[b]!, signed);
  hi[to] = high[0]!;
  return true;
}

/** A load that may not be plain: through a store buffer, of a slot that holds nothing, of a wrong address. False after stopping. */
export function loadChecked(core: Core, cpu: number, at: number, fp: number): boolean {
  const { code, lo, hi } = core;
  const address = fp + code[at + 2]!;
  const slot = core.slotOf(cpu, lo[address]!, hi[address]!);
  if (slot < 0 || !core.isDefined(cpu, slot)) return false;
  core.read(cpu, slot);
  const kind: Kind = code[at]! === Op.Load ? Kind.Word : code[at + 3]!;
  const to = fp + code[at + 1]!;
  lo[to] = cutLow(kind, core.resultLo, core.resultHi);
  hi[to] = cutHigh(kind, lo[to], core.resultHi);
  return true;
}
