/**
 * Reads of variables that may not have been set: each such variable gets a register that says whether it has, and
 * every read of it a check. Most functions have none.
 */
import type { IrFunction } from '../code/ir';
import { Op } from './opcodes';
import type { Item } from './registers';
import { Liveness, visitRegisters } from './registers';
import type { Translated } from './translate';
import { isMachineRegister } from './translateAsm';

/** Changes `translated` in place. `trap`: number of the trap that names a variable. */
export function shadowUndefined(
  fn: IrFunction,
  translated: Translated,
  parameters: number,
  trap: (name: string) => number,
): void {
  const { items } = translated;
  const liveness = new Liveness(items, translated.registers);
  const shadows = new Map<number, number>();
  for (const register of liveness.at(0)) {
    const name = fn.names[register] ?? '';
    const parameter = fn.kind === 'asm-routine' ? false : register < parameters;
    if (parameter || (fn.kind === 'asm-routine' && isMachineRegister(name))) continue;
    shadows.set(register, translated.registers++);
  }
  if (shadows.size === 0) return;
  const line = items[0]?.line ?? 0;
  const out: Item[] = [];
  const constant = (dst: number, value: number, at: number): Item => ({
    ...{ op: Op.Const, a: dst, b: value, c: 0, d: -1, line: at },
  });
  for (const shadow of shadows.values()) out.push(constant(shadow, 0, line));
  const starts: number[] = [];
  for (const item of items) {
    starts.push(out.length);
    const checks: Item[] = [];
    const marks: Item[] = [];
    visitRegisters(
      item,
      register => {
        const shadow = shadows.get(register);
        if (shadow === undefined) return;
        const number = trap(fn.names[register] || 'a value');
        checks.push({ op: Op.CheckDefined, a: shadow, b: number, c: -1, d: -1, line: item.line });
      },
      register => {
        const shadow = shadows.get(register);
        if (shadow !== undefined) marks.push(constant(shadow, 1, item.line));
      },
    );
    // Copying a variable that is not set into the machine's registers is no use of it.
    out.push(...checks, item, ...marks);
  }
  starts.push(out.length);
  for (const item of out) {
    if (item.op === Op.Jump) item.a = starts[item.a]!;
    else if (item.op === Op.Branch || item.op === Op.BranchZero) item.b = starts[item.b]!;
  }
  items.splice(0, items.length, ...out);
}
