/** Puts the code of an asm template into the function around it. */
import type { AsmTextCode } from '../asm/inline';
import type { Instruction, Register } from '../ir';
import type { Label } from './codeBuilder';
import type { Lowering } from './context';
import { integer } from './types';

/** `operands`, `names`: register and source text of each operand; other registers are new ones. */
export function splice(
  l: Lowering,
  text: AsmTextCode,
  operands: readonly Register[],
  names: readonly string[],
): void {
  const readable = (condition: string): string =>
    condition.replace(/\\operand(\d+)/g, (_, index: string) => names[Number(index)] ?? `%${index}`);
  const registers = text.registers.map(
    ({ bits, signed }, index) => operands[index] ?? l.code.register(integer(bits, signed)),
  );
  const labels = new Map<number, Label>();
  const labelAt = (target: number): Label => {
    const known = labels.get(target);
    if (known) return known;
    const made = l.code.label();
    labels.set(target, made);
    return made;
  };
  for (const one of text.code) if (one.op === 'jump' || one.op === 'branch') labelAt(one.target);
  text.code.forEach((one, at) => {
    const label = labels.get(at);
    if (label) l.code.place(label);
    if (one.op === 'jump') l.code.jump(labelAt(one.target));
    else if (one.op === 'branch') {
      const next = l.code.label();
      l.code.branch(registers[one.condition]!, labelAt(one.target), next, readable(one.text), one.likely);
      l.code.place(next);
    } else l.code.emit(renamed(one, registers));
  });
  const end = labels.get(text.code.length);
  if (end) l.code.place(end);
}

const single = ['dst', 'a', 'b', 'base', 'index', 'address', 'value', 'pointer'] as const;

function renamed<T extends Instruction>(instruction: T, registers: readonly Register[]): T {
  const result: Record<string, unknown> = { ...instruction };
  for (const key of single) {
    const register = result[key];
    if (typeof register === 'number') result[key] = registers[register];
  }
  const args = result['args'];
  if (Array.isArray(args)) result['args'] = (args as Register[]).map(register => registers[register]!);
  return result as T;
}
