/** Shifts and bit tests of x86-64. */
import type { Register } from '../ir';
import { flag, signed, unsigned, word, type Width } from './builder';
import type { Operand } from './operands';
import { X86Family, type X86Instruction } from './x86Family';
import type { Source } from './x86Values';

type Handler = (bits: X86Bits, instruction: X86Instruction) => boolean;

export class X86Bits extends X86Family {
  lower(instruction: X86Instruction): boolean {
    return handlers.get(instruction.mnemonic)?.(this, instruction) ?? false;
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
    if (amount !== null && this.flags.keeps('cf')) this.shiftedOut(a, amount & mask, kind, bits);
    const result =
      kind === 'sar'
        ? this.arithmeticShift(a, count, bits)
        : bits < 32
          ? this.narrowShift(kind, a, count, bits)
          : this.builder.binary(kind, a, count, unsigned(bits));
    this.values.write(target.operand, result, bits);
    // A count of 0 leaves the flags alone; one in a register may be 0.
    if (amount === null) this.flags.lose();
    else if ((amount & mask) !== 0n) {
      this.flags.loseOverflow();
      this.flags.result(this.values.fixed(result, target.text), bits, target.text);
    }
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
  private shiftedOut(a: Register, count: bigint, kind: 'shl' | 'shr' | 'sar', bits: Width): void {
    if (count === 0n) return;
    if (count > BigInt(bits)) {
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
}

const handlers = new Map<string, Handler>([
  ['shl', (bits, i) => bits.shift(i, 'shl')],
  ['sal', (bits, i) => bits.shift(i, 'shl')],
  ['shr', (bits, i) => bits.shift(i, 'shr')],
  ['sar', (bits, i) => bits.shift(i, 'sar')],
  ['bt', (bits, i) => bits.bitTest(i, 'none')],
  ['bts', (bits, i) => bits.bitTest(i, 'set')],
  ['btr', (bits, i) => bits.bitTest(i, 'reset')],
  ['btc', (bits, i) => bits.bitTest(i, 'complement')],
  ['cqto', bits => bits.signSpread(64)],
  ['cltd', bits => bits.signSpread(32)],
]);

/** Mnemonics of this family, without a size suffix. */
export const bitsMnemonics: ReadonlySet<string> = new Set(handlers.keys());
