/** What the families of x86-64 instructions share. */
import type { Register } from '../ir';
import type { Width } from './builder';
import type { Flags, Snapshot } from './flags';
import type { Operand } from './operands';
import type { Source, X86Values } from './x86Values';

/** One instruction, operands in AT&T order (destination last). */
export interface X86Instruction {
  readonly mnemonic: string;
  readonly operands: readonly Source[];
  readonly bits: Width;
  readonly locked: boolean;
}

export abstract class X86Family {
  constructor(
    protected readonly values: X86Values,
    protected readonly flags: Flags,
  ) {}

  /** Lowers an instruction of this family; false if it is none or has other operands than expected. */
  abstract lower(instruction: X86Instruction): boolean;

  protected get builder() {
    return this.values.frame.builder;
  }

  protected finish(target: Source, result: Register, direct: boolean, bits: Width): void {
    if (direct) this.touched(target.operand);
    else this.values.write(target.operand, result, bits);
  }

  /** The result as later conditions may read it. */
  protected after(target: Source, result: Register, direct: boolean, bits: Width): Snapshot {
    return direct ? this.values.snapshot(target, bits) : this.values.fixed(result, target.text);
  }

  protected atomic(): void {
    this.builder.emit({ op: 'operation', name: 'ATOMIC', dst: null, args: [] });
  }

  protected touched(operand: Operand): void {
    if (operand.kind === 'register') this.values.frame.touch(operand.name);
  }
}
