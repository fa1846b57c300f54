/** x86-64 as a machine of the expander. */
import type { Register } from '../ir';
import type { Machine } from './expander';
import type { KeptFlag } from './flags';
import type { Frame } from './frame';
import { readOperand } from './operands';
import { X86 } from './x86';

export class X86Machine implements Machine {
  private readonly x86: X86;

  constructor(
    private readonly frame: Frame,
    keptFlags: ReadonlySet<KeptFlag>,
  ) {
    this.x86 = new X86(frame, keptFlags);
  }

  /** Flags that a condition had to read from a register of their own. */
  get wantedFlags(): ReadonlySet<KeptFlag> {
    return this.x86.flags.wanted;
  }

  instruction(mnemonic: string, rest: string): boolean {
    return this.x86.instruction(mnemonic, rest);
  }

  unknown(mnemonic: string, rest: string, why?: string): void {
    this.x86.unknown(mnemonic, rest, why);
  }

  argument(text: string): Register | null {
    const operand = readOperand(text.trim());
    if (operand.kind === 'register') return this.frame.builder.variable(operand.name);
    const number = operand.kind === 'immediate' ? operand.expression : text;
    const value = this.frame.evaluateText(number);
    return value === null ? null : this.frame.builder.constant(value);
  }

  overwritten(text: string): void {
    const operand = readOperand(text.trim());
    if (operand.kind === 'register') this.frame.touch(operand.name);
  }

  registerName(text: string): string | null {
    const operand = readOperand(text.trim());
    return operand.kind === 'register' ? operand.name : null;
  }

  forget(): void {
    this.x86.flags.lose();
  }
}
