/** Helpers of the assembly tests: units from text, a small interpreter of the IR, a short form of its code. */
import assert from 'node:assert/strict';
import { lowerAsm, type AsmOptions } from '../../../../src/code/asm/lower';
import type { Instruction, IntegerType, IrFunction, IrModule } from '../../../../src/code/ir';
import type { SourceLine, SourceUnit, Side } from '../../../../src/code/source';

export const x86Path = 'arch/x86/entry/tq_entry.S';

const defaults: AsmOptions = { architecture: 'x86', config: new Map() };

/** A whole file. */
export function file(text: string, path = x86Path, side: Side = 'tree'): SourceUnit {
  const lines = text.split('\n').map((line, index): SourceLine => ({
    text: line,
    fileLine: index + 1,
    documentLine: 0,
    changed: false,
    hunk: -1,
  }));
  return { path, side, lines, whole: true, headings: [] };
}

/** Hunks of a file, each with its heading and the line at which it begins; lines with a leading `+` are changed. */
export function hunks(
  parts: readonly { readonly at: number; readonly heading?: string; readonly text: string }[],
  path = x86Path,
  side: Side = 'new',
): SourceUnit {
  const lines = parts.flatMap(({ at, text }, hunk) =>
    text.split('\n').map((line, index): SourceLine => ({
      text: line.startsWith('+') ? line.slice(1) : line,
      fileLine: at + index,
      documentLine: 1000 * hunk + index + 1,
      changed: line.startsWith('+'),
      hunk,
    })),
  );
  return { path, side, lines, whole: false, headings: parts.map(({ heading }) => heading ?? '') };
}

export function lower(
  units: SourceUnit | readonly SourceUnit[],
  options: Partial<AsmOptions> = {},
): IrModule {
  return lowerAsm('path' in units ? [units] : units, { ...defaults, ...options });
}

export function find(module: IrModule, name: string): IrFunction {
  const found = module.functions.find(candidate => candidate.name === name);
  assert.ok(found, `${name} among ${module.functions.map(candidate => candidate.name).join(', ')}`);
  return found;
}

/** Lowers the body of one routine, `tq_it`. */
export function routine(body: string, options: Partial<AsmOptions> = {}): IrFunction {
  const unit = file(`SYM_CODE_START(tq_it)\n${body}\nSYM_CODE_END(tq_it)`);
  return find(lower(unit, options), 'tq_it');
}

export function normalise(value: bigint, { bits, signed }: IntegerType): bigint {
  return signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}

export interface RunState {
  /** Values of machine registers and parameters at the start and the end. */
  readonly registers?: Readonly<Record<string, bigint>>;
  /** Words of memory by address. */
  readonly memory?: ReadonlyMap<bigint, bigint>;
  /** Addresses of named objects; others are made up. */
  readonly addresses?: Readonly<Record<string, bigint>>;
  readonly features?: readonly string[];
  readonly steps?: number;
}

export interface RunResult {
  readonly registers: Readonly<Record<string, bigint>>;
  /** 8-byte words by address. */
  readonly memory: ReadonlyMap<bigint, bigint>;
  /** Operations, primitives, calls and unknowns in order, operations with their first argument. */
  readonly trace: readonly string[];
  readonly returned: bigint | null;
}

const elementSizes: Readonly<Record<string, bigint>> = {
  'unsigned long': 8n,
  'unsigned int': 4n,
  'unsigned short': 2n,
};

/** Runs a function of the IR on byte-addressed memory; members of structs are 8 bytes apart, by first use. */
export function run(fn: IrFunction, state: RunState = {}): RunResult {
  return new Interpreter(fn, state).run();
}

class Interpreter {
  private readonly values: bigint[];
  private readonly memory: Map<bigint, bigint>;
  private readonly members = new Map<string, bigint>();
  private readonly objects: Map<string, bigint>;
  private readonly trace: string[] = [];

  constructor(
    private readonly fn: IrFunction,
    private readonly state: RunState,
  ) {
    this.values = fn.names.map((name, index) =>
      normalise(state.registers?.[name] ?? 0n, fn.registers[index]!),
    );
    this.memory = new Map(state.memory ?? []);
    this.objects = new Map(Object.entries(state.addresses ?? {}));
  }

  run(): RunResult {
    let at = 0;
    let returned: bigint | null = null;
    for (let steps = this.state.steps ?? 10_000; ; steps--) {
      assert.ok(steps > 0, 'runs on for too long');
      const instruction = this.fn.code[at];
      if (!instruction) break;
      if (instruction.op === 'return') {
        returned = instruction.value === null ? null : this.values[instruction.value]!;
        break;
      }
      if (instruction.op === 'jump') at = instruction.target;
      else if (instruction.op === 'branch')
        at = this.get(instruction.condition) ? instruction.target : at + 1;
      else {
        this.step(instruction);
        at++;
      }
    }
    const registers: Record<string, bigint> = {};
    this.fn.names.forEach((name, index) => {
      if (name !== '') registers[name] = this.values[index]!;
    });
    return { registers, memory: this.memory, trace: this.trace, returned };
  }

  private get(register: number): bigint {
    return this.values[register]!;
  }

  private set(register: number | null, value: bigint): void {
    if (register !== null) this.values[register] = normalise(value, this.fn.registers[register]!);
  }

  private object(name: string): bigint {
    const known = this.objects.get(name);
    if (known !== undefined) return known;
    const address = 0x100000n + BigInt(this.objects.size) * 0x1000n;
    this.objects.set(name, address);
    return address;
  }

  private load(address: bigint, bits: number): bigint {
    let value = 0n;
    for (let byte = 0n; byte < BigInt(bits) / 8n; byte++) {
      const at = address + byte;
      const word = this.memory.get(at & ~7n) ?? 0n;
      value |= ((word >> ((at & 7n) * 8n)) & 0xffn) << (byte * 8n);
    }
    return value;
  }

  private store(address: bigint, value: bigint, bits: number): void {
    for (let byte = 0n; byte < BigInt(bits) / 8n; byte++) {
      const at = address + byte;
      const shift = (at & 7n) * 8n;
      const word = this.memory.get(at & ~7n) ?? 0n;
      const part = ((value >> (byte * 8n)) & 0xffn) << shift;
      this.memory.set(at & ~7n, (word & ~(0xffn << shift)) | part);
    }
  }

  private step(instruction: Exclude<Instruction, { op: 'jump' | 'branch' | 'return' }>): void {
    switch (instruction.op) {
      case 'const':
        return this.set(instruction.dst, instruction.value);
      case 'address':
        return this.set(instruction.dst, this.object(instruction.name));
      case 'move':
      case 'cast':
        return this.set(
          instruction.dst,
          instruction.op === 'cast'
            ? normalise(this.get(instruction.a), instruction.type)
            : this.get(instruction.a),
        );
      case 'unary': {
        const a = this.get(instruction.a);
        const value =
          instruction.operator === 'neg' ? -a : instruction.operator === 'not' ? ~a : a === 0n ? 1n : 0n;
        return this.set(instruction.dst, normalise(value, instruction.type));
      }
      case 'binary':
        return this.set(instruction.dst, this.binary(instruction));
      case 'field': {
        const key = `${instruction.struct ?? ''}.${instruction.member}`;
        const offset = this.members.get(key) ?? BigInt(this.members.size + 1) * 8n;
        this.members.set(key, offset);
        const named = this.state.addresses?.[key];
        return this.set(instruction.dst, this.get(instruction.base) + (named ?? offset));
      }
      case 'index':
        return this.set(
          instruction.dst,
          this.get(instruction.base) + this.get(instruction.index) * elementSizes[instruction.element]!,
        );
      case 'load':
        return this.set(instruction.dst, this.load(this.get(instruction.address), instruction.type.bits));
      case 'store':
        return this.store(this.get(instruction.address), this.get(instruction.value), instruction.type.bits);
      case 'sizeof':
        return this.set(instruction.dst, 8n);
      case 'feature':
        return this.set(instruction.dst, this.state.features?.includes(instruction.feature) ? 1n : 0n);
      case 'call':
        this.trace.push(`call ${instruction.callee ?? '*'}`);
        return this.set(instruction.dst, 0n);
      case 'operation': {
        const [first] = instruction.args;
        this.trace.push(
          first === undefined ? instruction.name : `${instruction.name} ${this.get(first).toString(16)}`,
        );
        return this.set(instruction.dst, this.state.registers?.[instruction.name] ?? 0n);
      }
      case 'primitive':
        this.trace.push(instruction.name);
        return this.set(instruction.dst, 0n);
      case 'unknown':
        this.trace.push(`unknown ${instruction.name}`);
        return this.set(instruction.dst, 0n);
    }
  }

  private binary(instruction: Instruction & { op: 'binary' }): bigint {
    const { type } = instruction;
    const a = this.get(instruction.a);
    const b = this.get(instruction.b);
    const truth = (value: boolean): bigint => (value ? 1n : 0n);
    switch (instruction.operator) {
      case 'add':
        return normalise(a + b, type);
      case 'sub':
        return normalise(a - b, type);
      case 'mul':
        return normalise(a * b, type);
      case 'div':
        return normalise(a / b, type);
      case 'mod':
        return normalise(a % b, type);
      case 'and':
        return normalise(a & b, type);
      case 'or':
        return normalise(a | b, type);
      case 'xor':
        return normalise(a ^ b, type);
      case 'shl':
        return normalise(a << b, type);
      case 'shr':
        return normalise(a >> b, type);
      case 'eq':
        return truth(a === b);
      case 'ne':
        return truth(a !== b);
      case 'lt':
        return truth(a < b);
      case 'le':
        return truth(a <= b);
      case 'gt':
        return truth(a > b);
      case 'ge':
        return truth(a >= b);
    }
  }
}

/** Names of operations in the code, in its order. */
export function operations(fn: IrFunction): string[] {
  return fn.code.flatMap(instruction => (instruction.op === 'operation' ? [instruction.name] : []));
}

/** Names of unknown instructions in the code; the register that one loses does not count again. */
export function unknowns(fn: IrFunction): string[] {
  return fn.code.flatMap((instruction, at) => {
    if (instruction.op !== 'unknown') return [];
    const before = fn.code[at - 1];
    const again = instruction.dst !== null && before?.op === 'unknown' && before.name === instruction.name;
    return again ? [] : [instruction.name];
  });
}

/** Texts of the branches in the code. */
export function branches(fn: IrFunction): string[] {
  return fn.code.flatMap(instruction => (instruction.op === 'branch' ? [instruction.text] : []));
}
