/** Builds the instructions of one function: registers, labels, jumps. */
import type { BinaryOperator, Instruction, IntegerType, Register } from '../ir';

/** A place in the code, perhaps not known yet. */
export interface Label {
  /** Index of an instruction; -1 until it is placed. */
  at: number;
}

export const word: IntegerType = { bits: 64, signed: false };
export const flag: IntegerType = { bits: 1, signed: false };

export type Width = 8 | 16 | 32 | 64;

export const unsigned = (bits: Width): IntegerType => ({ bits, signed: false });
export const signed = (bits: Width): IntegerType => ({ bits, signed: true });

/** An instruction without its line (the builder knows it). */
type Bare<T> = T extends unknown ? Omit<T, 'line'> : never;
export type BareInstruction = Bare<Exclude<Instruction, { op: 'jump' | 'branch' }>>;

export class IrBuilder {
  /** Line that the next instructions come from. */
  line = 0;
  readonly registers: IntegerType[] = [];
  readonly names: string[] = [];
  private readonly code: Instruction[] = [];
  private readonly fixups = new Map<number, Label>();
  private readonly named = new Map<string, Register>();
  private dead = false;
  private finalPlaces: readonly number[] = [];

  get length(): number {
    return this.code.length;
  }

  /** The register of a variable of the source: a machine register, a flag, a macro parameter. */
  variable(name: string, type: IntegerType = word): Register {
    const known = this.named.get(name);
    if (known !== undefined) return known;
    const register = this.register(name, type);
    this.named.set(name, register);
    return register;
  }

  has(name: string): boolean {
    return this.named.has(name);
  }

  temp(type: IntegerType = word): Register {
    return this.register('', type);
  }

  emit(instruction: BareInstruction): void {
    this.code.push({ ...instruction, line: this.line });
    if (instruction.op === 'return') this.dead = true;
  }

  constant(value: bigint, bits: Width = 64): Register {
    const dst = this.temp(unsigned(bits));
    this.emit({ op: 'const', dst, value: BigInt.asUintN(bits, value) });
    return dst;
  }

  binary(
    operator: BinaryOperator,
    a: Register,
    b: Register,
    type: IntegerType = word,
    dst = this.temp(type),
  ): Register {
    this.emit({ op: 'binary', dst, operator, a, b, type });
    return dst;
  }

  /** Comparison: 0 or 1. */
  compare(operator: BinaryOperator, a: Register, b: Register, type: IntegerType = word): Register {
    const dst = this.temp(flag);
    this.emit({ op: 'binary', dst, operator, a, b, type });
    return dst;
  }

  cast(a: Register, type: IntegerType): Register {
    const dst = this.temp(type);
    this.emit({ op: 'cast', dst, a, type });
    return dst;
  }

  not(a: Register): Register {
    const dst = this.temp(flag);
    this.emit({ op: 'unary', dst, operator: 'lnot', a, type: flag });
    return dst;
  }

  label(): Label {
    return { at: -1 };
  }

  place(label: Label): void {
    label.at = this.code.length;
    this.dead = false;
  }

  /** Whether control cannot come here: a jump or return stands before, and no label since. */
  get ended(): boolean {
    return this.dead;
  }

  /** Jumps, unless control cannot come here. */
  jump(label: Label): void {
    if (this.ended) return;
    this.fixups.set(this.code.length, label);
    this.code.push({ op: 'jump', target: -1, line: this.line });
    this.dead = true;
  }

  branch(condition: Register, label: Label, text: string): void {
    this.fixups.set(this.code.length, label);
    this.code.push({ op: 'branch', condition, target: -1, text, likely: null, line: this.line });
  }

  /** Place of a label in the code that {@link finish} gave. */
  placeOf(label: Label): number {
    return this.finalPlace(label.at);
  }

  /** Place in the code that {@link finish} gave of what stood at an index before. */
  finalPlace(at: number): number {
    return this.finalPlaces[at] ?? at;
  }

  /** The instructions with every jump resolved. Every label must be placed. */
  finish(): Instruction[] {
    const resolved = this.code.map((instruction, index) => {
      const label = this.fixups.get(index);
      if (!label || (instruction.op !== 'jump' && instruction.op !== 'branch')) return instruction;
      return { ...instruction, target: label.at };
    });
    const kept = resolved.map(
      (instruction, index) => instruction.op !== 'jump' || instruction.target !== index + 1,
    );
    this.finalPlaces = placesOf(kept);
    return selectCode(resolved, kept);
  }

  private register(name: string, type: IntegerType): Register {
    this.registers.push(type);
    this.names.push(name);
    return this.registers.length - 1;
  }
}

/** For each index, and the one behind the last, the index after the selection. */
function placesOf(kept: readonly boolean[]): number[] {
  const places: number[] = [];
  let place = 0;
  for (const keep of kept) {
    places.push(place);
    if (keep) place++;
  }
  places.push(place);
  return places;
}

/** The instructions that are kept, with jump targets to match. Targets of dropped instructions move on to the next. */
export function selectCode(code: readonly Instruction[], kept: readonly boolean[]): Instruction[] {
  const places = placesOf(kept);
  return code
    .filter((_instruction, index) => kept[index])
    .map(instruction =>
      instruction.op === 'jump' || instruction.op === 'branch'
        ? { ...instruction, target: places[instruction.target]! }
        : instruction,
    );
}
