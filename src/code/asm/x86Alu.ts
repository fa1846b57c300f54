/** Arithmetic, logic and comparisons of x86-64. */
import type { Register } from '../ir';
import { flag, unsigned, type Width } from './builder';
import type { Snapshot } from './flags';
import type { Operand } from './operands';
import { X86Family, type X86Instruction } from './x86Family';
import type { Source } from './x86Values';

type Handler = (alu: X86Alu, instruction: X86Instruction) => boolean;

const isRsp = (operand: Operand): boolean => operand.kind === 'register' && operand.name === 'rsp';

export class X86Alu extends X86Family {
  lower(instruction: X86Instruction): boolean {
    return handlers.get(instruction.mnemonic)?.(this, instruction) ?? false;
  }

  arithmetic(instruction: X86Instruction, operator: 'add' | 'sub'): boolean {
    const { operands, bits } = instruction;
    const [source, target] = operands;
    if (!source || !target) return false;
    if (isRsp(target.operand) && bits === 64 && this.moveStack(source.operand, operator)) return true;
    const a = this.values.read(target.operand, bits);
    const b = this.values.read(source.operand, bits);
    return this.store(instruction, [source, target], a, b, operator);
  }

  private store(
    { bits, locked }: X86Instruction,
    [source, target]: readonly [Source, Source],
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
    if (operator === 'sub' && kept) {
      // A jump by order: a compare of the operands, which are copied because one is overwritten.
      this.flags.compare(this.copy(a, target.text, bits), this.copy(b, source.text, bits), bits);
      this.finish(target, result, direct !== null, bits);
      return true;
    }
    this.flags.carries(operator, a, b, result, bits);
    this.finish(target, result, direct !== null, bits);
    this.flags.result(this.after(target, result, direct !== null, bits), bits, target.text);
    return true;
  }

  private copy(register: Register, text: string, bits: Width): Snapshot {
    const dst = this.builder.temp(unsigned(bits));
    this.builder.emit({ op: 'move', dst, a: register });
    return this.values.fixed(dst, text);
  }

  /** `add $8*n, %rsp`: whole slots of the stack. */
  private moveStack(source: Operand, operator: 'add' | 'sub'): boolean {
    if (source.kind !== 'immediate') return false;
    const bytes = this.values.frame.evaluateText(source.expression);
    if (bytes === null || bytes % 8n !== 0n || bytes > 0xffffffn || bytes < -0xffffffn) return false;
    const rsp = this.values.machine('rsp');
    this.values.step(rsp, Number(operator === 'add' ? bytes : -bytes), rsp);
    this.values.frame.touch('rsp');
    this.flags.lose();
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
    this.flags.overflows(operator, a, b, result, bits);
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
    this.flags.lose();
    return true;
  }
}

const handlers = new Map<string, Handler>([
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
]);

/** Mnemonics of this family, without a size suffix. */
export const aluMnemonics: ReadonlySet<string> = new Set(handlers.keys());
