/** Arithmetic, logic, shifts, bits and moves of x86-64. */
import type { Register } from '../ir';
import { flag, signed, unsigned, word, type Width } from './builder';
import { conditionCode, type Flags } from './flags';
import type { Operand } from './operands';
import type { Source, X86Values } from './x86Values';

/** One instruction, operands in AT&T order (destination last). */
export interface X86Instruction {
  readonly mnemonic: string;
  readonly operands: readonly Source[];
  readonly bits: Width;
  readonly locked: boolean;
}

type Handler = (alu: X86Alu, instruction: X86Instruction) => boolean;

const isRsp = (operand: Operand): boolean => operand.kind === 'register' && operand.name === 'rsp';

export class X86Alu {
  constructor(
    readonly values: X86Values,
    readonly flags: Flags,
  ) {}

  private get builder() {
    return this.values.frame.builder;
  }

  /** Lowers an instruction of this family; false if it is none or has other operands than expected. */
  lower(instruction: X86Instruction): boolean {
    const { mnemonic } = instruction;
    const handler = handlers.get(mnemonic);
    if (handler) return handler(this, instruction);
    if (mnemonic.startsWith('set')) {
      const code = conditionCode(mnemonic.slice(3));
      return code !== null && this.set(instruction, code);
    }
    if (mnemonic.startsWith('cmov')) {
      const code = conditionCode(mnemonic.slice(4));
      return code !== null && this.conditionalMove(instruction, code);
    }
    return false;
  }

  move({ operands, bits }: X86Instruction): boolean {
    const [source, target] = operands;
    if (!source || !target) return false;
    const { operand } = source;
    const dst = this.values.result(target.operand, bits);
    const constant =
      operand.kind === 'immediate' && target.operand.kind === 'register' && bits >= 32
        ? this.values.frame.evaluateText(operand.expression)
        : null;
    if (constant !== null && target.operand.kind === 'register') {
      const register = this.values.variable(target.operand);
      this.builder.emit({ op: 'const', dst: register, value: BigInt.asUintN(bits, constant) });
      this.touched(target.operand);
    } else if (dst !== null && operand.kind === 'memory') {
      const address = this.values.address(operand);
      this.builder.emit({ op: 'load', dst, address, type: word });
      this.touched(target.operand);
    } else {
      if (operand.kind === 'register' && target.operand.kind !== 'unreadable')
        this.values.frame.note(operand.name, 'save');
      this.values.write(target.operand, this.values.read(operand, bits), bits);
    }
    return true;
  }

  /** MOVZX and MOVSX: `from` bits to the operand size. */
  extend({ operands, bits }: X86Instruction, from: Width, isSigned: boolean): boolean {
    const [source, target] = operands;
    if (!source || !target) return false;
    let value = this.values.read(source.operand, from);
    if (isSigned) value = this.builder.cast(this.builder.cast(value, signed(from)), unsigned(bits));
    this.values.write(target.operand, value, bits);
    return true;
  }

  lea({ operands, bits }: X86Instruction): boolean {
    const [source, target] = operands;
    if (source?.operand.kind !== 'memory' || !target) return false;
    this.values.write(target.operand, this.effectiveAddress(source.operand), bits);
    return true;
  }

  /** The address as a number: only of the stack are whole words counted as slots. */
  private effectiveAddress(operand: Operand & { readonly kind: 'memory' }): Register {
    const bytes = operand.displacement === '' ? 0n : this.values.frame.evaluateText(operand.displacement);
    if (bytes === null || !operand.base || isRsp(operand.base)) return this.values.address(operand);
    const address = this.values.address({ ...operand, displacement: '' });
    return bytes === 0n ? address : this.builder.binary('add', address, this.builder.constant(bytes));
  }

  arithmetic(instruction: X86Instruction, operator: 'add' | 'sub'): boolean {
    const { operands, bits } = instruction;
    const [source, target] = operands;
    if (!source || !target) return false;
    if (isRsp(target.operand) && bits === 64 && this.moveStack(source.operand, operator)) return true;
    const a = this.values.read(target.operand, bits);
    const b = this.values.read(source.operand, bits);
    return this.store(instruction, target, a, b, operator);
  }

  private store(
    { bits, locked }: X86Instruction,
    target: Source,
    a: Register,
    b: Register,
    operator: 'add' | 'sub',
  ): boolean {
    if (locked) this.atomic();
    const kept = this.flags.keeps('cf') || this.flags.keeps('of');
    const direct = kept ? null : this.values.result(target.operand, bits);
    const result = this.builder.binary(
      operator,
      a,
      b,
      unsigned(bits),
      direct ?? this.builder.temp(unsigned(bits)),
    );
    this.flags.carries(operator, a, b, result, bits);
    this.finish(target, result, direct !== null, bits);
    this.flags.result(this.after(target, result, direct !== null, bits), bits, target.text);
    return true;
  }

  private finish(target: Source, result: Register, direct: boolean, bits: Width): void {
    if (direct) this.touched(target.operand);
    else this.values.write(target.operand, result, bits);
  }

  /** The result as later conditions may read it. */
  private after(target: Source, result: Register, direct: boolean, bits: Width) {
    return direct ? this.values.snapshot(target, bits) : this.values.fixed(result, target.text);
  }

  /** `add $8*n, %rsp`: whole slots of the stack. */
  private moveStack(source: Operand, operator: 'add' | 'sub'): boolean {
    if (source.kind !== 'immediate') return false;
    const bytes = this.values.frame.evaluateText(source.expression);
    if (bytes === null || bytes % 8n !== 0n || bytes > 0xffffffn || bytes < -0xffffffn) return false;
    const rsp = this.values.machine('rsp');
    this.values.step(rsp, Number(operator === 'add' ? bytes : -bytes), rsp);
    this.values.frame.touch('rsp');
    this.flags.forget();
    return true;
  }

  logic(instruction: X86Instruction, operator: 'and' | 'or' | 'xor'): boolean {
    const { operands, bits, locked } = instruction;
    const [source, target] = operands;
    if (!source || !target) return false;
    if (locked) this.atomic();
    if (operator === 'xor' && source.operand.kind === 'register' && source.text === target.text)
      return this.clear(target, bits);
    const a = this.values.read(target.operand, bits);
    const b = this.values.read(source.operand, bits);
    const direct = this.values.result(target.operand, bits);
    const result = this.builder.binary(
      operator,
      a,
      b,
      unsigned(bits),
      direct ?? this.builder.temp(unsigned(bits)),
    );
    this.finish(target, result, direct !== null, bits);
    this.flags.logic(this.after(target, result, direct !== null, bits), bits, target.text);
    return true;
  }

  /** XOR of a register with itself: zero. */
  private clear(target: Source, bits: Width): boolean {
    const zero = this.builder.constant(0n, bits);
    this.values.write(target.operand, zero, bits);
    this.flags.logic(this.values.fixed(zero, '0'), bits, '0');
    return true;
  }

  compare({ operands, bits }: X86Instruction): boolean {
    const [source, target] = operands;
    if (!source || !target) return false;
    const a = this.values.snapshot(target, bits);
    this.flags.compare(a, this.values.snapshot(source, bits), bits);
    return true;
  }

  test({ operands, bits }: X86Instruction): boolean {
    const [source, target] = operands;
    if (!source || !target) return false;
    if (source.text === target.text) {
      this.flags.logic(this.values.snapshot(target, bits), bits, target.text);
      return true;
    }
    const a = this.values.read(target.operand, bits);
    const result = this.builder.binary('and', a, this.values.read(source.operand, bits), unsigned(bits));
    const text = `(${target.text} & ${source.text.replace(/^\$/, '')})`;
    this.flags.logic(this.values.fixed(result, text), bits, text);
    return true;
  }

  /** INC and DEC leave CF alone. */
  count(instruction: X86Instruction, operator: 'add' | 'sub'): boolean {
    const { operands, bits, locked } = instruction;
    const target = operands[0];
    if (!target) return false;
    if (locked) this.atomic();
    const a = this.values.read(target.operand, bits);
    const one = this.builder.constant(1n, bits);
    const kept = this.flags.keeps('of');
    const direct = kept ? null : this.values.result(target.operand, bits);
    const result = this.builder.binary(
      operator,
      a,
      one,
      unsigned(bits),
      direct ?? this.builder.temp(unsigned(bits)),
    );
    if (kept) {
      // At the largest (INC) or smallest (DEC) signed value.
      const edge = operator === 'add' ? 1n << BigInt(bits - 1) : (1n << BigInt(bits - 1)) - 1n;
      this.flags.set(
        'of',
        this.builder.compare('eq', result, this.builder.constant(edge, bits), unsigned(bits)),
      );
    }
    this.finish(target, result, direct !== null, bits);
    this.flags.result(this.after(target, result, direct !== null, bits), bits, target.text);
    return true;
  }

  negate({ operands, bits }: X86Instruction): boolean {
    const target = operands[0];
    if (!target) return false;
    const a = this.values.read(target.operand, bits);
    const result = this.builder.temp(unsigned(bits));
    this.builder.emit({ op: 'unary', dst: result, operator: 'neg', a, type: unsigned(bits) });
    const zero = this.builder.constant(0n, bits);
    this.flags.carries('sub', zero, a, result, bits);
    this.values.write(target.operand, result, bits);
    this.flags.result(this.values.fixed(result, target.text), bits, target.text);
    return true;
  }

  invert({ operands, bits }: X86Instruction): boolean {
    const target = operands[0];
    if (!target) return false;
    const result = this.builder.temp(unsigned(bits));
    const a = this.values.read(target.operand, bits);
    this.builder.emit({ op: 'unary', dst: result, operator: 'not', a, type: unsigned(bits) });
    this.values.write(target.operand, result, bits);
    return true;
  }

  /** ADC and SBB. */
  withCarry(instruction: X86Instruction, operator: 'add' | 'sub'): boolean {
    const { operands, bits } = instruction;
    const [source, target] = operands;
    if (!source || !target) return false;
    const type = unsigned(bits);
    const carry = this.builder.cast(this.flags.carry(), type);
    const a = this.values.read(target.operand, bits);
    const b = this.values.read(source.operand, bits);
    const first = this.builder.binary(operator, a, b, type);
    const result = this.builder.binary(operator, first, carry, type);
    if (this.flags.keeps('cf')) {
      const once =
        operator === 'sub'
          ? this.builder.compare('lt', a, b, type)
          : this.builder.compare('lt', first, a, type);
      const twice =
        operator === 'sub'
          ? this.builder.compare('lt', first, carry, type)
          : this.builder.compare('lt', result, first, type);
      this.flags.set('cf', this.builder.binary('or', once, twice, flag));
    }
    this.values.write(target.operand, result, bits);
    this.flags.result(this.values.fixed(result, target.text), bits, target.text);
    return true;
  }

  multiply({ operands, bits }: X86Instruction): boolean {
    if (operands.length < 2) return false;
    const target = operands.at(-1)!;
    const a = this.values.read(operands[0]!.operand, bits);
    const b = this.values.read(operands[1]!.operand, bits);
    this.values.write(target.operand, this.builder.binary('mul', a, b, unsigned(bits)), bits);
    this.flags.forget();
    return true;
  }

  shift({ operands, bits }: X86Instruction, kind: 'shl' | 'shr' | 'sar'): boolean {
    const target = operands.at(-1);
    if (!target) return false;
    const source = operands.length > 1 ? operands[0]! : null;
    // Counts are taken modulo 64 for 64-bit operands, else modulo 32 (SDM, SAL/SAR/SHL/SHR).
    const mask = bits === 64 ? 63n : 31n;
    const amount = !source
      ? 1n
      : source.operand.kind === 'immediate'
        ? this.values.frame.evaluateText(source.operand.expression)
        : null;
    const count =
      amount !== null
        ? this.builder.constant(amount & mask, bits)
        : this.builder.binary(
            'and',
            this.values.read(source!.operand, 8),
            this.builder.constant(mask, 8),
            unsigned(8),
          );
    const a = this.values.read(target.operand, bits);
    if (this.flags.keeps('cf')) this.shiftedOut(a, amount === null ? null : amount & mask, kind, bits);
    const result =
      kind === 'sar'
        ? this.arithmeticShift(a, count, bits)
        : bits < 32
          ? this.narrowShift(kind, a, count, bits)
          : this.builder.binary(kind, a, count, unsigned(bits));
    this.values.write(target.operand, result, bits);
    this.flags.result(this.values.fixed(result, target.text), bits, target.text);
    return true;
  }

  /** Counts up to 31 may exceed an 8- or 16-bit operand. */
  private narrowShift(kind: 'shl' | 'shr', a: Register, count: Register, bits: Width): Register {
    return this.builder.cast(this.builder.binary(kind, a, count, word), unsigned(bits));
  }

  private arithmeticShift(a: Register, count: Register, bits: Width): Register {
    const value = this.builder.cast(this.builder.cast(a, signed(bits)), signed(64));
    const shifted = this.builder.binary('shr', value, count, signed(64));
    return this.builder.cast(shifted, unsigned(bits));
  }

  /** CF: the last bit shifted out; unchanged for a count of 0. */
  private shiftedOut(a: Register, count: bigint | null, kind: 'shl' | 'shr' | 'sar', bits: Width): void {
    if (count === 0n) return;
    if (count === null || count > BigInt(bits)) {
      const dst = this.flags.register('cf');
      this.builder.emit({
        op: 'unknown',
        dst,
        name: 'carry flag',
        why: 'The carry of this shift is not followed.',
      });
      return;
    }
    const at = kind === 'shl' ? BigInt(bits) - count : count - 1n;
    this.flags.set('cf', this.bitOf(a, this.builder.constant(at, bits), bits));
  }

  private bitOf(value: Register, index: Register, bits: Width): Register {
    const shifted = this.builder.binary('shr', value, index, unsigned(bits));
    return this.builder.cast(
      this.builder.binary('and', shifted, this.builder.constant(1n, bits), unsigned(bits)),
      flag,
    );
  }

  /** BT, BTS, BTR, BTC. A register index on memory reaches beyond the word (SDM, BT). */
  bitTest(
    { operands, bits, locked }: X86Instruction,
    change: 'none' | 'set' | 'reset' | 'complement',
  ): boolean {
    const [source, target] = operands;
    if (!source || !target) return false;
    if (locked) this.atomic();
    const type = unsigned(bits);
    const size = BigInt(bits);
    const fixed =
      source.operand.kind === 'immediate' ? this.values.frame.evaluateText(source.operand.expression) : null;
    const raw = fixed === null ? this.values.read(source.operand, bits) : null;
    // A constant index needs a register only where the bit is tested.
    let known: Register | null = null;
    const index = (): Register =>
      (known ??=
        raw === null
          ? this.builder.constant(fixed! & (size - 1n), bits)
          : this.builder.binary('and', raw, this.builder.constant(size - 1n, bits), type));
    let address: Register | null = null;
    let value: Register;
    if (target.operand.kind === 'memory') {
      address = this.values.address(target.operand);
      if (raw !== null && source.operand.kind === 'register') address = this.wordOf(address, raw, bits);
      value = this.builder.temp(type);
      this.builder.emit({ op: 'load', dst: value, address, type });
    } else value = this.values.read(target.operand, bits);
    if (this.flags.keeps('cf') || this.flags.keeps('bit'))
      this.flags.set('cf', this.bitOf(value, index(), bits));
    if (change !== 'none') this.changeBit(target, address, value, index, fixed, change, bits);
    this.flags.bit(`bit ${source.text.replace(/^\$/, '')} of ${target.text}`);
    return true;
  }

  private wordOf(address: Register, index: Register, bits: Width): Register {
    const value = this.builder.cast(this.builder.cast(index, signed(bits)), signed(64));
    const shift = bits === 64 ? 6n : bits === 32 ? 5n : 4n;
    const words = this.builder.binary('shr', value, this.builder.constant(shift), signed(64));
    const dst = this.builder.temp();
    const element = bits === 64 ? 'unsigned long' : bits === 32 ? 'unsigned int' : 'unsigned short';
    this.builder.emit({ op: 'index', dst, base: address, index: words, element });
    return dst;
  }

  private changeBit(
    target: Source,
    address: Register | null,
    value: Register,
    index: () => Register,
    fixed: bigint | null,
    change: 'set' | 'reset' | 'complement',
    bits: Width,
  ): void {
    const type = unsigned(bits);
    const one = fixed === null ? null : 1n << (fixed & (BigInt(bits) - 1n));
    let mask =
      one !== null
        ? this.builder.constant(change === 'reset' ? ~one : one, bits)
        : this.builder.binary('shl', this.builder.constant(1n, bits), index(), type);
    if (one === null && change === 'reset') {
      const inverted = this.builder.temp(type);
      this.builder.emit({ op: 'unary', dst: inverted, operator: 'not', a: mask, type });
      mask = inverted;
    }
    const operator = change === 'set' ? 'or' : change === 'reset' ? 'and' : 'xor';
    const direct = address === null ? this.values.result(target.operand, bits) : null;
    const result = this.builder.binary(operator, value, mask, type, direct ?? this.builder.temp(type));
    if (address !== null) this.builder.emit({ op: 'store', address, value: result, type });
    else this.finish(target, result, direct !== null, bits);
  }

  exchange({ operands, bits }: X86Instruction): boolean {
    const [first, second] = operands;
    if (!first || !second) return false;
    // XCHG with memory is locked without a prefix (SDM, XCHG).
    if (first.operand.kind === 'memory' || second.operand.kind === 'memory') this.atomic();
    const copy = (source: Source): Register => {
      const value = this.values.read(source.operand, bits);
      const dst = this.builder.temp(unsigned(bits));
      this.builder.emit({ op: 'move', dst, a: value });
      return dst;
    };
    const a = copy(first);
    const b = copy(second);
    this.values.write(first.operand, b, bits);
    this.values.write(second.operand, a, bits);
    return true;
  }

  private set({ operands }: X86Instruction, code: string): boolean {
    const target = operands[0];
    if (!target) return false;
    const { register } = this.flags.condition(code);
    this.values.write(target.operand, this.builder.cast(register, unsigned(8)), 8);
    return true;
  }

  private conditionalMove({ operands, bits }: X86Instruction, code: string): boolean {
    const [source, target] = operands;
    if (!source || !target) return false;
    const { register, text } = this.flags.condition(code);
    const value = this.values.read(source.operand, bits);
    const take = this.builder.label();
    const done = this.builder.label();
    this.builder.branch(register, take, text);
    // A 32-bit CMOV clears the upper half in either case.
    if (bits === 32) this.values.write(target.operand, this.values.read(target.operand, 32), 32);
    this.builder.jump(done);
    this.builder.place(take);
    this.values.write(target.operand, value, bits);
    this.builder.place(done);
    return true;
  }

  /** CLTQ, CQTO and their like: the accumulator sign-extended, into itself or RDX. */
  signExtend(from: Width, to: Width): boolean {
    const rax: Operand = { kind: 'register', name: 'rax', bits: to, high: false };
    const value = this.builder.cast(this.values.read(rax, from), signed(from));
    this.values.write(rax, this.builder.cast(value, unsigned(to)), to);
    return true;
  }

  signSpread(bits: Width): boolean {
    const rax: Operand = { kind: 'register', name: 'rax', bits, high: false };
    const all = this.arithmeticShift(
      this.values.read(rax, bits),
      this.builder.constant(BigInt(bits - 1), bits),
      bits,
    );
    this.values.write({ kind: 'register', name: 'rdx', bits, high: false }, all, bits);
    return true;
  }

  private atomic(): void {
    this.builder.emit({ op: 'operation', name: 'ATOMIC', dst: null, args: [] });
  }

  private touched(operand: Operand): void {
    if (operand.kind === 'register') this.values.frame.touch(operand.name);
  }
}

const handlers = new Map<string, Handler>([
  ['mov', (alu, i) => alu.move(i)],
  ['movabs', (alu, i) => alu.move(i)],
  ['lea', (alu, i) => alu.lea(i)],
  ['add', (alu, i) => alu.arithmetic(i, 'add')],
  ['sub', (alu, i) => alu.arithmetic(i, 'sub')],
  ['adc', (alu, i) => alu.withCarry(i, 'add')],
  ['sbb', (alu, i) => alu.withCarry(i, 'sub')],
  ['and', (alu, i) => alu.logic(i, 'and')],
  ['or', (alu, i) => alu.logic(i, 'or')],
  ['xor', (alu, i) => alu.logic(i, 'xor')],
  ['cmp', (alu, i) => alu.compare(i)],
  ['test', (alu, i) => alu.test(i)],
  ['inc', (alu, i) => alu.count(i, 'add')],
  ['dec', (alu, i) => alu.count(i, 'sub')],
  ['neg', (alu, i) => alu.negate(i)],
  ['not', (alu, i) => alu.invert(i)],
  ['imul', (alu, i) => alu.multiply(i)],
  ['shl', (alu, i) => alu.shift(i, 'shl')],
  ['sal', (alu, i) => alu.shift(i, 'shl')],
  ['shr', (alu, i) => alu.shift(i, 'shr')],
  ['sar', (alu, i) => alu.shift(i, 'sar')],
  ['bt', (alu, i) => alu.bitTest(i, 'none')],
  ['bts', (alu, i) => alu.bitTest(i, 'set')],
  ['btr', (alu, i) => alu.bitTest(i, 'reset')],
  ['btc', (alu, i) => alu.bitTest(i, 'complement')],
  ['xchg', (alu, i) => alu.exchange(i)],
  ['cltq', alu => alu.signExtend(32, 64)],
  ['cdqe', alu => alu.signExtend(32, 64)],
  ['cwtl', alu => alu.signExtend(16, 32)],
  ['cqto', alu => alu.signSpread(64)],
  ['cltd', alu => alu.signSpread(32)],
]);

/** Whether a name, without its size suffix, belongs to this family. */
export function isAluMnemonic(name: string): boolean {
  if (handlers.has(name)) return true;
  if (name.startsWith('set')) return conditionCode(name.slice(3)) !== null;
  return name.startsWith('cmov') && conditionCode(name.slice(4)) !== null;
}
