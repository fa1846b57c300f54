/** Collects the instructions of one function: registers, labels, jumps. */
import type { Instruction, IntegerType, Register } from '../ir';
import { BoundReached, bounds } from './bounds';
import type { CType } from './types';
import { normalised, registerType } from './types';

/** A place in the code, perhaps not yet known. */
export interface Label {
  at: number;
  /** Something jumps to it. */
  used?: boolean;
}

type Bare<T> = T extends unknown ? Omit<T, 'line'> : never;
/** An instruction without its line, which the builder knows. */
export type BareInstruction = Bare<Exclude<Instruction, { op: 'jump' | 'branch' }>>;

type Pending = Instruction | { op: 'jump'; line: number; label: Label } | PendingBranch;
interface PendingBranch {
  op: 'branch';
  line: number;
  condition: Register;
  label: Label;
  text: string;
  likely: boolean | null;
}

/** A state to return to, after something was lowered only for its type. */
export interface Checkpoint {
  readonly length: number;
  readonly labelHere: boolean;
}

export class CodeBuilder {
  /** Line of the instructions that follow. */
  line = 0;
  readonly registers: IntegerType[] = [];
  readonly names: string[] = [];
  private code: Pending[] = [];
  /** A label stands at the end of the code, so what follows can be reached. */
  private labelHere = true;
  private made = 0;

  /** Counts what is made, also what is then rolled back: nothing may make the lowering run on. */
  private work(): void {
    if (++this.made > 10 * bounds.instructions) throw new BoundReached('instructions');
  }

  register(type: CType, name = ''): Register {
    this.work();
    this.registers.push(registerType(type));
    this.names.push(name);
    return this.registers.length - 1;
  }

  emit(instruction: BareInstruction): void {
    this.push({ ...instruction, line: this.line });
  }

  private push(instruction: Pending): void {
    this.work();
    if (this.code.length >= bounds.instructions) throw new BoundReached('instructions');
    this.code.push(instruction);
    this.labelHere = false;
  }

  constant(value: bigint, type: CType): Register {
    const dst = this.register(type);
    this.emit({ op: 'const', dst, value: BigInt.asUintN(64, normalised(value, type)) });
    return dst;
  }

  label(): Label {
    return { at: -1 };
  }

  place(label: Label): void {
    label.at = this.code.length;
    this.labelHere = true;
  }

  /** Whether control can come to the end of the code so far. */
  get reachable(): boolean {
    const last = this.code.at(-1);
    return this.labelHere || !last || (last.op !== 'jump' && last.op !== 'return');
  }

  jump(label: Label): void {
    if (!this.reachable) return;
    label.used = true;
    this.push({ op: 'jump', line: this.line, label });
  }

  /** To `yes` if `condition` is not zero, else to `no`. */
  branch(condition: Register, yes: Label, no: Label, text: string, likely: boolean | null): void {
    yes.used = true;
    no.used = true;
    this.push({ op: 'branch', line: this.line, condition, label: yes, text, likely });
    this.push({ op: 'jump', line: this.line, label: no });
  }

  checkpoint(): Checkpoint {
    return { length: this.code.length, labelHere: this.labelHere };
  }

  /** Forgets the instructions since `checkpoint`. */
  rollBack(checkpoint: Checkpoint): void {
    this.code.length = checkpoint.length;
    this.labelHere = checkpoint.labelHere;
  }

  /**
   * Lets the last instruction write `target` instead of `value`, if it is the one that made `value` and nothing can
   * jump in between. Saves a move.
   */
  retarget(value: Register, target: Register, from: number): boolean {
    const last = this.code.at(-1);
    if (this.labelHere || this.code.length <= from || !last || !('dst' in last) || last.dst !== value)
      return false;
    if (this.names[value] !== '') return false;
    const a = this.registers[value]!;
    const b = this.registers[target]!;
    if (a.bits !== b.bits || a.signed !== b.signed) return false;
    this.code[this.code.length - 1] = { ...last, dst: target };
    return true;
  }

  /** The finished code: labels resolved, jumps to the next instruction left out. */
  finish(): Instruction[] {
    const keep = this.code.map(() => true);
    // Leaving one jump out may bring another before its target.
    for (let changed = true; changed;) {
      changed = false;
      for (let at = this.code.length - 1, next = this.code.length; at >= 0; at--) {
        if (!keep[at]) continue;
        const one = this.code[at]!;
        const idle = one.op === 'jump' && 'label' in one && at < one.label.at && one.label.at <= next;
        if (idle) {
          keep[at] = false;
          changed = true;
        } else next = at;
      }
    }
    const moved = new Int32Array(this.code.length + 1);
    keep.forEach((kept, at) => (moved[at + 1] = moved[at]! + (kept ? 1 : 0)));
    const result: Instruction[] = [];
    this.code.forEach((one, at) => {
      if (!keep[at]) return;
      if (!('label' in one)) result.push(one);
      else {
        const { label, ...rest } = one;
        result.push({ ...rest, target: moved[label.at < 0 ? this.code.length : label.at]! });
      }
    });
    return result;
  }
}
