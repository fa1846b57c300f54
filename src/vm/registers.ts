/**
 * Registers of one function: liveness of the translated code, and the few frame registers that its many temporaries
 * can share. Code lists here are {@link Item}s, whose registers are still virtual.
 */
import { Op } from './opcodes';

/** An instruction before registers are assigned; `line` is the index of its line in the unit. */
export interface Item {
  op: Op;
  a: number;
  b: number;
  c: number;
  d: number;
  readonly line: number;
  /** Lists of Reload and Spill: virtual frame register, machine register. */
  list?: [number, number][];
  /** A Primitive's operands are registers of their own (at most two). */
  direct?: boolean;
}

/** Virtual numbers of outgoing arguments: `outgoing + i` becomes the i-th register behind the frame's own. */
export const outgoing = 1 << 20;

const isRegister = (value: number): boolean => value >= 0 && value < outgoing;

/** Which of a, b, c, d are read, as bits 0…3. */
const readMasks = new Map<Op, number>([
  [Op.Move, 2],
  [Op.Neg, 2],
  [Op.Not, 2],
  [Op.Lnot, 2],
  [Op.Cut, 2],
  [Op.AddConst, 2],
  [Op.Index, 6],
  [Op.Load, 2],
  [Op.LoadCut, 2],
  [Op.Store, 3],
  [Op.Branch, 1],
  [Op.BranchZero, 1],
  [Op.CallPointer, 1],
  [Op.Return, 1],
  [Op.Operation, 12],
  [Op.CheckDefined, 1],
  [Op.WriteMachine, 2],
]);

const noReads = new Set<Op>([
  ...[Op.Unknown, Op.Const, Op.PerCpu, Op.Local, Op.Jump, Op.Feature, Op.Call, Op.Reload, Op.Spill],
  ...[Op.ReadMachine, Op.CallRoutine, Op.JumpRoutine, Op.ReturnRoutine],
]);

const noWrites = new Set<Op>([
  ...[
    Op.Unknown,
    Op.Store,
    Op.Jump,
    Op.Branch,
    Op.BranchZero,
    Op.Return,
    Op.CheckDefined,
    Op.Reload,
    Op.Spill,
  ],
  ...[Op.WriteMachine, Op.CallRoutine, Op.JumpRoutine, Op.ReturnRoutine],
]);

export function readMask(item: Item): number {
  if (item.op === Op.Primitive) return item.direct ? 12 : 0;
  const known = readMasks.get(item.op);
  if (known !== undefined) return known;
  return noReads.has(item.op) ? 0 : 6;
}

/** Which operand is written: 0…3, or −1. */
export function writtenOperand({ op }: Item): number {
  if (op === Op.Call || op === Op.CallPointer) return 2;
  if (op === Op.Operation || op === Op.Primitive || op === Op.ReadMachine) return 1;
  return noWrites.has(op) ? -1 : 0;
}

export function operandOf(item: Item, which: number): number {
  return which === 0 ? item.a : which === 1 ? item.b : which === 2 ? item.c : item.d;
}

export function setOperand(item: Item, which: number, value: number): void {
  if (which === 0) item.a = value;
  else if (which === 1) item.b = value;
  else if (which === 2) item.c = value;
  else item.d = value;
}

/** Calls `use` for each register read, then `define` for each written. */
export function visitRegisters(
  item: Item,
  use: (register: number) => void,
  define: (register: number) => void,
): void {
  const mask = readMask(item);
  for (let which = 0; which < 4; which++)
    if (mask & (1 << which)) {
      const register = operandOf(item, which);
      if (isRegister(register)) use(register);
    }
  if (item.op === Op.Spill) for (const [register] of item.list ?? []) use(register);
  if (item.op === Op.Reload) for (const [register] of item.list ?? []) define(register);
  const written = writtenOperand(item);
  if (written >= 0) {
    const register = operandOf(item, written);
    if (isRegister(register)) define(register);
  }
}

/** Where control goes from an instruction. */
export function successors(items: readonly Item[], at: number): number[] {
  const { op, a, b } = items[at]!;
  if (op === Op.Jump) return [a];
  if (op === Op.Return || op === Op.ReturnRoutine || op === Op.JumpRoutine || op === Op.Unknown) return [];
  if (op === Op.Branch || op === Op.BranchZero) return at + 1 < items.length ? [at + 1, b] : [b];
  return at + 1 < items.length ? [at + 1] : [];
}

/** Registers that are live before each instruction. */
export class Liveness {
  private readonly words: number;
  private readonly sets: Uint32Array;

  constructor(items: readonly Item[], registers: number) {
    this.words = Math.max(1, Math.ceil(registers / 32));
    this.sets = new Uint32Array(this.words * (items.length + 1));
    const current = new Uint32Array(this.words);
    let changed = true;
    // Backwards passes; the number of passes is bounded by the nesting of loops.
    while (changed) {
      changed = false;
      for (let at = items.length - 1; at >= 0; at--) {
        current.fill(0);
        for (const next of successors(items, at))
          for (let word = 0; word < this.words; word++)
            current[word]! |= this.sets[next * this.words + word]!;
        const item = items[at]!;
        visitRegisters(
          item,
          () => undefined,
          register => (current[register >> 5]! &= ~(1 << (register & 31))),
        );
        visitRegisters(
          item,
          register => (current[register >> 5]! |= 1 << (register & 31)),
          () => undefined,
        );
        for (let word = 0; word < this.words; word++) {
          const place = at * this.words + word;
          if (this.sets[place] !== current[word]) {
            this.sets[place] = current[word]!;
            changed = true;
          }
        }
      }
    }
  }

  isLive(at: number, register: number): boolean {
    return (this.sets[at * this.words + (register >> 5)]! & (1 << (register & 31))) !== 0;
  }

  /** Registers live before an instruction. */
  *at(index: number): Generator<number> {
    for (let word = 0; word < this.words; word++) {
      let bits = this.sets[index * this.words + word]!;
      while (bits !== 0) {
        const bit = 31 - Math.clz32(bits & -bits);
        yield word * 32 + bit;
        bits &= bits - 1;
      }
    }
  }
}

/** Gives every virtual register a frame register; parameters keep theirs. Returns the map and the number of registers. */
export function assignRegisters(
  items: readonly Item[],
  registers: number,
  parameters: number,
): { readonly map: Int32Array; readonly count: number } {
  const liveness = new Liveness(items, registers);
  const first = new Int32Array(registers).fill(-1);
  const last = new Int32Array(registers).fill(-1);
  const seen = (register: number, at: number): void => {
    if (first[register]! < 0) first[register] = at;
    last[register] = at;
  };
  items.forEach((item, at) => {
    for (const register of liveness.at(at)) seen(register, at);
    visitRegisters(
      item,
      register => seen(register, at),
      register => seen(register, at),
    );
  });
  const map = new Int32Array(registers).fill(-1);
  for (let register = 0; register < parameters; register++) map[register] = register;
  const order = Array.from({ length: registers }, (_, register) => register)
    .filter(register => register >= parameters && first[register]! >= 0)
    .sort((a, b) => first[a]! - first[b]! || a - b);
  // End of the interval that holds each frame register now.
  const busy: number[] = new Array<number>(parameters).fill(Infinity);
  for (const register of order) {
    let chosen = busy.findIndex(end => end < first[register]!);
    if (chosen < 0) chosen = busy.push(0) - 1;
    busy[chosen] = last[register]!;
    map[register] = chosen;
  }
  return { map, count: busy.length };
}
