/**
 * The flags of x86. What set them last is remembered, so that a jump behind a compare becomes one comparison of its
 * operands; where that cannot be (another path comes in between), CF, ZF, SF and OF are registers of their own.
 */
import type { BinaryOperator, Register } from '../ir';
import { flag, signed, unsigned, type Width } from './builder';
import type { Frame } from './frame';

export type FlagName = 'cf' | 'zf' | 'sf' | 'of';

/** What is kept in registers: a flag by every instruction that sets it, or (`bit`) CF by bit tests only. */
export type KeptFlag = FlagName | 'bit';

/** A value, and the machine register that it was read from without a copy ('' for none). */
export interface Snapshot {
  readonly register: Register;
  readonly source: string;
  readonly version: number;
  readonly text: string;
}

type Setter =
  /** `a - b`, as CMP. */
  | { readonly kind: 'compare'; readonly a: Snapshot; readonly b: Snapshot; readonly bits: Width }
  /** A result with CF and OF clear: TEST, AND, OR, XOR. */
  | { readonly kind: 'logic'; readonly result: Snapshot; readonly bits: Width; readonly text: string }
  /** A result; CF and OF are in their registers only. */
  | { readonly kind: 'result'; readonly result: Snapshot; readonly bits: Width; readonly text: string }
  /** CF is the bit; the other flags are undefined. */
  | { readonly kind: 'bit'; readonly text: string };

export interface Condition {
  readonly register: Register;
  readonly text: string;
}

const flagNames = ['cf', 'zf', 'sf', 'of'] as const;

/** Condition codes that mean the same. */
const aliases: Readonly<Record<string, string>> = {
  ...{ z: 'e', nz: 'ne', c: 'b', nae: 'b', nc: 'ae', nb: 'ae', na: 'be', nbe: 'a' },
  ...{ nge: 'l', nl: 'ge', ng: 'le', nle: 'g', pe: 'p', po: 'np' },
};
const codes = new Set([
  'e',
  'ne',
  'b',
  'ae',
  'be',
  'a',
  'l',
  'ge',
  'le',
  'g',
  's',
  'ns',
  'o',
  'no',
  'p',
  'np',
]);

/** The condition code of a mnemonic's ending, or null. */
export function conditionCode(ending: string): string | null {
  const code = aliases[ending] ?? ending;
  return codes.has(code) ? code : null;
}

const comparisons: Readonly<Record<string, { operator: BinaryOperator; signed: boolean; sign: string }>> = {
  e: { operator: 'eq', signed: false, sign: '==' },
  ne: { operator: 'ne', signed: false, sign: '!=' },
  b: { operator: 'lt', signed: false, sign: '<' },
  ae: { operator: 'ge', signed: false, sign: '>=' },
  be: { operator: 'le', signed: false, sign: '<=' },
  a: { operator: 'gt', signed: false, sign: '>' },
  l: { operator: 'lt', signed: true, sign: '<' },
  ge: { operator: 'ge', signed: true, sign: '>=' },
  le: { operator: 'le', signed: true, sign: '<=' },
  g: { operator: 'gt', signed: true, sign: '>' },
};

export class Flags {
  /** Flags that some condition had to read from a register. */
  readonly wanted = new Set<KeptFlag>();
  private setter: Setter | null = null;

  /** `kept`: flags that are to be written to registers by every instruction that sets them. */
  constructor(
    private readonly frame: Frame,
    private readonly kept: ReadonlySet<KeptFlag>,
  ) {}

  /** Nothing is known of what set the flags. */
  forget(): void {
    this.setter = null;
  }

  /** An instruction or a callee has set the flags to nobody knows what. */
  lose(why = 'The flags that this leaves are not followed.'): void {
    this.forget();
    for (const name of flagNames)
      if (this.keeps(name))
        this.frame.builder.emit({ op: 'unknown', dst: this.register(name), name: 'flags', why });
  }

  /** OF alone is not known. */
  loseOverflow(): void {
    const why = 'The overflow flag of a shift is not followed.';
    if (this.keeps('of'))
      this.frame.builder.emit({ op: 'unknown', dst: this.register('of'), name: 'flags', why });
  }

  keeps(name: KeptFlag): boolean {
    return this.kept.has(name);
  }

  /** Some condition could not be told from its operands at first. */
  get keepsAny(): boolean {
    return flagNames.some(name => this.keeps(name));
  }

  register(name: FlagName): Register {
    return this.frame.builder.variable(name, flag);
  }

  compare(a: Snapshot, b: Snapshot, bits: Width): void {
    const { builder } = this.frame;
    if (this.keepsAny) {
      if (this.keeps('cf')) this.set('cf', builder.compare('lt', a.register, b.register, unsigned(bits)));
      const result = builder.binary('sub', a.register, b.register, unsigned(bits));
      this.keepResult(result, bits);
      if (this.keeps('of')) this.set('of', this.overflow('sub', a.register, b.register, result, bits));
    }
    this.setter = { kind: 'compare', a, b, bits };
  }

  logic(result: Snapshot, bits: Width, text: string): void {
    this.keepResult(result.register, bits);
    if (this.keeps('cf')) this.set('cf', this.frame.builder.constant(0n, 8));
    if (this.keeps('of')) this.set('of', this.frame.builder.constant(0n, 8));
    this.setter = { kind: 'logic', result, bits, text };
  }

  /** CF and OF must have been set before, where they are kept. */
  result(result: Snapshot, bits: Width, text: string): void {
    this.keepResult(result.register, bits);
    this.setter = { kind: 'result', result, bits, text };
  }

  /** CF of ADD or SUB, OF of both, computed from the operands before they are overwritten. */
  carries(operator: 'add' | 'sub', a: Register, b: Register, result: Register, bits: Width): void {
    const { builder } = this.frame;
    if (this.keeps('cf')) {
      const carry =
        operator === 'sub'
          ? builder.compare('lt', a, b, unsigned(bits))
          : builder.compare('lt', result, a, unsigned(bits));
      this.set('cf', carry);
    }
    this.overflows(operator, a, b, result, bits);
  }

  /** OF of an addition or subtraction, with or without a carry in. */
  overflows(operator: 'add' | 'sub', a: Register, b: Register, result: Register, bits: Width): void {
    if (this.keeps('of')) this.set('of', this.overflow(operator, a, b, result, bits));
  }

  bit(text: string): void {
    this.setter = { kind: 'bit', text };
  }

  set(name: FlagName, value: Register): void {
    const dst = this.register(name);
    this.frame.builder.emit({ op: 'move', dst, a: value });
  }

  private keepResult(result: Register, bits: Width): void {
    const { builder } = this.frame;
    if (this.keeps('zf'))
      this.set('zf', builder.compare('eq', result, builder.constant(0n, bits), unsigned(bits)));
    if (this.keeps('sf')) this.set('sf', this.negative(result, bits));
  }

  private negative(result: Register, bits: Width): Register {
    const { builder } = this.frame;
    const value = builder.cast(result, signed(bits));
    const zero = builder.temp(signed(bits));
    builder.emit({ op: 'const', dst: zero, value: 0n });
    return builder.compare('lt', value, zero, signed(bits));
  }

  /** Signed overflow: the operands' signs and the result's disagree. */
  private overflow(
    operator: 'add' | 'sub',
    a: Register,
    b: Register,
    result: Register,
    bits: Width,
  ): Register {
    const { builder } = this.frame;
    const type = unsigned(bits);
    const first = builder.binary('xor', a, operator === 'sub' ? b : result, type);
    const second = builder.binary('xor', operator === 'sub' ? a : b, result, type);
    return this.negative(builder.binary('and', first, second, type), bits);
  }

  /** The condition of a jump, set or move, as a register that is 0 or not. */
  condition(code: string): Condition {
    const setter = this.setter;
    const direct = setter && this.direct(setter, code);
    return direct ?? this.fromRegisters(code, setter);
  }

  /** CF as a value. */
  carry(): Register {
    return this.condition('b').register;
  }

  private holds(snapshot: Snapshot): boolean {
    return snapshot.source === '' || this.frame.version(snapshot.source) === snapshot.version;
  }

  private direct(setter: Setter, code: string): Condition | null {
    const { builder } = this.frame;
    if (setter.kind === 'bit') return null;
    if (setter.kind === 'compare') {
      const comparison = comparisons[code];
      if (!comparison || !this.holds(setter.a) || !this.holds(setter.b)) return null;
      const text = `${plainText(setter.a.text)} ${comparison.sign} ${plainText(setter.b.text)}`;
      const type = comparison.signed ? signed(setter.bits) : unsigned(setter.bits);
      const a = comparison.signed ? builder.cast(setter.a.register, type) : setter.a.register;
      const b = comparison.signed ? builder.cast(setter.b.register, type) : setter.b.register;
      return { register: builder.compare(comparison.operator, a, b, type), text };
    }
    if (!this.holds(setter.result)) return null;
    if (code === 'p' || code === 'np')
      return this.parity(setter.result.register, setter.bits, code, setter.text);
    const plain: Readonly<Record<string, string>> =
      setter.kind === 'logic'
        ? { e: 'e', ne: 'ne', be: 'e', a: 'ne', s: 'l', ns: 'ge', l: 'l', ge: 'ge', le: 'le', g: 'g' }
        : { e: 'e', ne: 'ne', s: 'l', ns: 'ge' };
    const comparison = comparisons[plain[code] ?? ''];
    if (!comparison) return null;
    const type = comparison.signed ? signed(setter.bits) : unsigned(setter.bits);
    const zero = builder.temp(type);
    builder.emit({ op: 'const', dst: zero, value: 0n });
    const a = comparison.signed ? builder.cast(setter.result.register, type) : setter.result.register;
    const text = `${plainText(setter.text)} ${comparison.sign} 0`;
    return { register: builder.compare(comparison.operator, a, zero, type), text };
  }

  /** PF: the low byte has an even number of ones. */
  private parity(result: Register, bits: Width, code: 'p' | 'np', text: string): Condition {
    const { builder } = this.frame;
    const byte = unsigned(8);
    let folded = bits === 8 ? result : builder.cast(result, byte);
    for (const distance of [4n, 2n, 1n]) {
      const shifted = builder.binary('shr', folded, builder.constant(distance, 8), byte);
      folded = builder.binary('xor', folded, shifted, byte);
    }
    const odd = builder.binary('and', folded, builder.constant(1n, 8), byte);
    const register = builder.compare(code === 'p' ? 'eq' : 'ne', odd, builder.constant(0n, 8), byte);
    return { register, text: `${plainText(text)} has ${code === 'p' ? 'even' : 'odd'} parity` };
  }

  private fromRegisters(code: string, setter: Setter | null): Condition {
    const { builder } = this.frame;
    const read = (name: FlagName): Register => {
      this.wanted.add(name);
      return this.register(name);
    };
    const bit = setter?.kind === 'bit' && (code === 'b' || code === 'ae');
    if (bit) {
      this.wanted.add('bit');
      const cf = this.register('cf');
      const text = `${setter.text} is ${code === 'b' ? 'set' : 'clear'}`;
      return { register: code === 'b' ? cf : builder.not(cf), text };
    }
    const text = `flags: ${code}`;
    const or = (a: Register, b: Register): Register => builder.binary('or', a, b, flag);
    const register = ((): Register => {
      switch (code) {
        case 'b':
          return read('cf');
        case 'ae':
          return builder.not(read('cf'));
        case 'e':
          return read('zf');
        case 'ne':
          return builder.not(read('zf'));
        case 'be':
          return or(read('cf'), read('zf'));
        case 'a':
          return builder.not(or(read('cf'), read('zf')));
        case 's':
          return read('sf');
        case 'ns':
          return builder.not(read('sf'));
        case 'o':
          return read('of');
        case 'no':
          return builder.not(read('of'));
        case 'l':
          return builder.compare('ne', read('sf'), read('of'), flag);
        case 'ge':
          return builder.compare('eq', read('sf'), read('of'), flag);
        case 'le':
          return or(read('zf'), builder.compare('ne', read('sf'), read('of'), flag));
        case 'g':
          return builder.not(or(read('zf'), builder.compare('ne', read('sf'), read('of'), flag)));
        default: {
          const dst = builder.temp(flag);
          builder.emit({ op: 'unknown', dst, name: 'parity flag', why: 'The parity flag is not followed.' });
          return dst;
        }
      }
    })();
    return { register, text };
  }
}

/** An operand as it reads in a condition: without the mark of an immediate. */
function plainText(text: string): string {
  return text.replace(/^\$\(([^()]*)\)$|^\$/, '$1');
}
