/** Moves, arithmetic, comparisons, loads and stores of A64. */
import type { BinaryOperator, IntegerType, Register } from '../ir';
import { readArm64Operand, readArm64Register, type Arm64Operand, type Arm64Register } from './arm64Operands';
import { signed, unsigned, word } from './builder';
import { looksLikeOffset, offsetMember } from './constants';
import type { Flags } from './flags';
import type { Frame } from './frame';

const arithmetic: ReadonlyMap<string, BinaryOperator> = new Map(
  Object.entries<BinaryOperator>({
    ...{ add: 'add', sub: 'sub', and: 'and', orr: 'or', eor: 'xor', lsl: 'shl', lsr: 'shr', mul: 'mul' },
  }),
);

export class Arm64Data {
  constructor(
    private readonly frame: Frame,
    private readonly flags: Flags,
  ) {}

  private get builder() {
    return this.frame.builder;
  }

  /** Lowers an instruction of this family; false if it is none or has other operands than expected. */
  lower(name: string, operands: readonly string[]): boolean {
    const [first = '', second = '', third = '', fourth = ''] = operands;
    const target = readArm64Register(first);
    if (!target) return false;
    const type = unsigned(target.bits);
    switch (name) {
      case 'mov':
      case 'movz':
        if (third !== '' || operands.length !== 2) return false;
        return this.write(target, this.read(readArm64Operand(second), type));
      case 'mvn': {
        const dst = this.builder.temp(type);
        this.builder.emit({
          op: 'unary',
          dst,
          operator: 'not',
          a: this.read(readArm64Operand(second), type),
          type,
        });
        return this.write(target, dst);
      }
      case 'cmp':
        this.flags.compare(this.snapshot(first, type), this.snapshot(second, type), target.bits);
        return operands.length === 2;
      case 'tst': {
        const result = this.builder.binary(
          'and',
          this.read(target, type),
          this.read(readArm64Operand(second), type),
          type,
        );
        this.flags.logic(
          { register: result, source: '', version: 0, text: `(${first} & ${second})` },
          target.bits,
          `(${first} & ${second})`,
        );
        return operands.length === 2;
      }
      case 'ldr':
      case 'ldrb':
      case 'ldrh':
      case 'ldrsw':
      case 'str':
      case 'strb':
      case 'strh':
        return this.transfer(name, target, second, third);
      case 'stp':
      case 'ldp':
        return this.pair(name, target, readArm64Register(second), third, fourth);
      case 'adr':
      case 'adrp':
      case 'adr_l':
        return this.write(target, this.symbol(second));
    }
    if (/^#?:lo12:/.test(third)) return this.write(target, this.read(readArm64Operand(second), type));
    const setsFlags = name === 'adds' || name === 'subs' || name === 'ands';
    const operator = arithmetic.get(setsFlags ? name.slice(0, -1) : name);
    const inverted = name === 'bic';
    if ((!operator && !inverted && name !== 'asr') || second === '' || third === '') return false;
    const a = this.read(readArm64Operand(second), type);
    let b = this.shifted(this.read(readArm64Operand(third), type), fourth, type);
    if (b < 0) return false;
    if (inverted) {
      const dst = this.builder.temp(type);
      this.builder.emit({ op: 'unary', dst, operator: 'not', a: b, type });
      b = dst;
    }
    if (name === 'subs') this.compareForSubtraction({ second, third, a, b }, type, target.bits);
    const result =
      name === 'asr'
        ? this.builder.cast(
            this.builder.binary('shr', this.builder.cast(a, signed(target.bits)), b, signed(target.bits)),
            type,
          )
        : this.builder.binary(operator ?? 'and', a, b, type);
    const fixed = { register: result, source: '', version: 0, text: first };
    if (name === 'ands') this.flags.logic(fixed, target.bits, first);
    if (name === 'adds') this.flags.result(fixed, target.bits, first);
    return this.write(target, result);
  }

  /** The flags of SUBS are those of a compare; its operands are copied where a condition behind it needs them. */
  private compareForSubtraction(
    { second, third, a, b }: { second: string; third: string; a: Register; b: Register },
    type: IntegerType,
    bits: 32 | 64,
  ): void {
    const copy = (register: Register, text: string) => {
      const dst = this.builder.temp(type);
      this.builder.emit({ op: 'move', dst, a: register });
      return { register: dst, source: '', version: 0, text };
    };
    if (this.flags.keepsAny) this.flags.compare(copy(a, second), copy(b, third), bits);
    else this.flags.compare(this.snapshot(second, type), this.snapshot(third, type), bits);
  }

  /** Second operand with `lsl #n`; -1 for other modifiers. */
  private shifted(value: Register, modifier: string, type: IntegerType): Register {
    if (modifier === '') return value;
    const amount = /^lsl\s*#?\s*(\d{1,2})$/.exec(modifier);
    if (!amount) return -1;
    return this.builder.binary('shl', value, this.builder.constant(BigInt(amount[1]!)), type);
  }

  private snapshot(text: string, type: IntegerType) {
    const operand = readArm64Operand(text);
    const register = this.read(operand, type);
    const source = operand.kind === 'register' && operand.bits === 64 ? operand.name : '';
    return { register, source, version: this.frame.version(source), text: text.replace(/^#/, '') };
  }

  /** The value of an operand. */
  read(operand: Arm64Operand, type: IntegerType): Register {
    if (operand.kind === 'register') {
      if (operand.name === 'xzr') return this.builder.constant(0n);
      const register = this.builder.variable(operand.name);
      return operand.bits === 64 && type.bits === 64 ? register : this.builder.cast(register, type);
    }
    if (operand.kind === 'immediate') return this.frame.value(operand.expression, type.bits === 32 ? 32 : 64);
    return this.symbol(operand.kind === 'other' ? operand.text : 'operand');
  }

  private symbol(name: string): Register {
    const dst = this.builder.temp();
    this.builder.emit({ op: 'address', dst, name: name.replace(/^=/, ''), kind: 'global' });
    return dst;
  }

  private write(target: Arm64Register, value: Register): true {
    if (target.name === 'xzr') return true;
    this.builder.emit({ op: 'move', dst: this.builder.variable(target.name), a: value });
    this.frame.touch(target.name);
    return true;
  }

  private transfer(name: string, target: Arm64Register, place: string, after: string): boolean {
    if (name === 'ldr' && place.startsWith('=')) return this.write(target, this.symbol(place));
    const address = this.address(readArm64Operand(place), after);
    if (address === null) return false;
    const bits = name.endsWith('b') ? 8 : name.endsWith('h') ? 16 : name === 'ldrsw' ? 32 : target.bits;
    if (name.startsWith('str')) {
      const value = this.read(target, unsigned(bits));
      this.builder.emit({ op: 'store', address: address.at, value, type: unsigned(bits) });
    } else {
      const type = name === 'ldrsw' ? signed(32) : unsigned(bits);
      const dst = this.builder.temp(type);
      this.builder.emit({ op: 'load', dst, address: address.at, type });
      this.write(target, name === 'ldrsw' ? this.builder.cast(dst, word) : dst);
    }
    address.finish();
    return true;
  }

  private pair(
    name: string,
    first: Arm64Register,
    second: Arm64Register | null,
    place: string,
    after: string,
  ): boolean {
    const address = second && this.address(readArm64Operand(place), after);
    if (!second || !address) return false;
    const next = this.step(address.at, BigInt(first.bits / 8));
    const type = unsigned(first.bits);
    for (const [register, at] of [
      [first, address.at],
      [second, next],
    ] as const) {
      if (name === 'stp')
        this.builder.emit({ op: 'store', address: at, value: this.read(register, type), type });
      else {
        const dst = this.builder.temp(type);
        this.builder.emit({ op: 'load', dst, address: at, type });
        this.write(register, dst);
      }
    }
    address.finish();
    return true;
  }

  private step(base: Register, bytes: bigint): Register {
    if (bytes % 8n !== 0n) return this.builder.binary('add', base, this.builder.constant(bytes));
    const index = this.builder.temp(signed(64));
    this.builder.emit({ op: 'const', dst: index, value: bytes / 8n });
    const dst = this.builder.temp();
    this.builder.emit({ op: 'index', dst, base, index, element: 'unsigned long' });
    return dst;
  }

  /** Address of a load or store; `finish` moves the base afterwards. */
  private address(operand: Arm64Operand, after: string): { at: Register; finish: () => void } | null {
    if (operand.kind !== 'memory') return null;
    const base = this.builder.variable(operand.base.name);
    let at = base;
    if (operand.index) {
      const index = this.builder.binary(
        'shl',
        this.builder.variable(operand.index.name),
        this.builder.constant(BigInt(operand.shift)),
      );
      at = this.builder.binary('add', base, index);
    } else if (operand.offset !== '') {
      const bytes = this.frame.evaluateText(operand.offset);
      if (bytes !== null) at = bytes === 0n ? base : this.step(base, bytes);
      else if (looksLikeOffset(operand.offset)) {
        at = this.builder.temp();
        this.builder.emit({ op: 'field', dst: at, base, ...offsetMember(operand.offset), bits: null });
      } else at = this.builder.binary('add', base, this.frame.value(operand.offset, 64));
    }
    const moved = after === '' ? null : this.frame.evaluateText(after.replace(/^#/, ''));
    if (after !== '' && moved === null) return null;
    const finish = (): void => {
      if (operand.before) this.write(operand.base, at);
      if (moved !== null) this.write(operand.base, this.step(base, moved));
    };
    return { at, finish };
  }
}
