/** Moves of x86-64: plain, extending, conditional, exchanging, and addresses. */
import type { Register } from '../ir';
import { signed, unsigned, word, type Width } from './builder';
import { conditionCode } from './flags';
import type { Operand } from './operands';
import { X86Family, type X86Instruction } from './x86Family';
import type { Source } from './x86Values';

type Handler = (moves: X86Moves, instruction: X86Instruction) => boolean;

const isRsp = (operand: Operand): boolean => operand.kind === 'register' && operand.name === 'rsp';

export class X86Moves extends X86Family {
  lower(instruction: X86Instruction): boolean {
    const { mnemonic } = instruction;
    const handler = handlers.get(mnemonic);
    if (handler) return handler(this, instruction);
    const ending = mnemonic.startsWith('set')
      ? mnemonic.slice(3)
      : mnemonic.startsWith('cmov')
        ? mnemonic.slice(4)
        : '';
    const code = conditionCode(ending);
    if (code === null) return false;
    return mnemonic.startsWith('set') ? this.set(instruction, code) : this.conditionalMove(instruction, code);
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
    const address = this.effectiveAddress(source.operand);
    const value = bits === 64 ? address : this.builder.cast(address, unsigned(bits));
    this.values.write(target.operand, value, bits);
    return true;
  }

  /** The address as a number: only of the stack are whole words counted as slots. */
  private effectiveAddress(operand: Operand & { readonly kind: 'memory' }): Register {
    const bytes = operand.displacement === '' ? 0n : this.values.frame.evaluateText(operand.displacement);
    if (bytes === null || !operand.base || isRsp(operand.base)) return this.values.address(operand);
    const address = this.values.address({ ...operand, displacement: '' });
    return bytes === 0n ? address : this.builder.binary('add', address, this.builder.constant(bytes));
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
}

const handlers = new Map<string, Handler>([
  ['mov', (moves, i) => moves.move(i)],
  ['movabs', (moves, i) => moves.move(i)],
  ['lea', (moves, i) => moves.lea(i)],
  ['xchg', (moves, i) => moves.exchange(i)],
  ['cltq', moves => moves.signExtend(32, 64)],
  ['cdqe', moves => moves.signExtend(32, 64)],
  ['cwtl', moves => moves.signExtend(16, 32)],
]);

/** Mnemonics of this family, without a size suffix. */
export const movesMnemonics: ReadonlySet<string> = new Set(handlers.keys());

/** Whether a name is SETcc or CMOVcc. */
export function isConditionalMnemonic(name: string): boolean {
  if (name.startsWith('set')) return conditionCode(name.slice(3)) !== null;
  return name.startsWith('cmov') && conditionCode(name.slice(4)) !== null;
}
