/** Jumps, calls and returns of x86-64. */
import type { Register } from '../ir';
import { unsigned } from './builder';
import { conditionCode, type Flags } from './flags';
import type { Source, X86Values } from './x86Values';

/** Registers of the first arguments of a call (System V ABI). */
const argumentRegisters = ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'];

export class X86Flow {
  constructor(
    private readonly values: X86Values,
    private readonly flags: Flags,
    private readonly unknown: (mnemonic: string, text: string, why: string) => void,
  ) {}

  private get frame() {
    return this.values.frame;
  }

  /** Lowers a jump, call or return; false if it is none. */
  lower(mnemonic: string, operands: readonly Source[], text: string): boolean {
    const { builder } = this.frame;
    switch (mnemonic) {
      case 'jmp':
      case 'jmpq':
        this.jump(operands, text);
        return true;
      case 'call':
      case 'callq':
        this.call(operands, text);
        return true;
      case 'ret':
      case 'retq':
      case 'lretq':
      case 'lret':
        builder.emit({
          op: 'return',
          value: this.frame.written.has('rax') ? this.values.machine('rax') : null,
        });
        this.flags.forget();
        return true;
      case 'iret':
      case 'iretq':
      case 'sysret':
      case 'sysretq':
      case 'sysretl':
      case 'sysexit':
        builder.emit({ op: 'primitive', name: mnemonic, dst: null, args: [] });
        builder.emit({ op: 'return', value: null });
        return true;
      case 'ud2':
        builder.emit({ op: 'primitive', name: 'BUG', dst: null, args: [] });
        builder.emit({ op: 'return', value: null });
        return true;
      case 'jrcxz':
      case 'jecxz': {
        const zero = builder.compare('eq', this.values.machine('rcx'), builder.constant(0n));
        builder.branch(zero, this.frame.target(text), '%rcx == 0');
        return true;
      }
      case 'loop': {
        const rcx = this.values.machine('rcx');
        builder.binary('sub', rcx, builder.constant(1n), unsigned(64), rcx);
        this.frame.touch('rcx');
        const more = builder.compare('ne', rcx, builder.constant(0n));
        builder.branch(more, this.frame.target(text), '%rcx != 0');
        return true;
      }
    }
    if (!mnemonic.startsWith('j')) return false;
    const code = conditionCode(mnemonic.slice(1));
    if (code === null) return false;
    const condition = this.flags.condition(code);
    // Without the comparison in sight the jump itself is all there is to show.
    const shown = condition.text.startsWith('flags: ') ? `${mnemonic} ${text.trim()}` : condition.text;
    builder.branch(condition.register, this.frame.target(text.trim()), shown);
    return true;
  }

  private jump(operands: readonly Source[], text: string): void {
    const pointer = this.pointer(operands);
    if (pointer !== null) {
      this.emitCall(null, pointer, text);
      this.frame.builder.emit({ op: 'return', value: null });
    } else this.frame.builder.jump(this.frame.target(text.trim()));
    this.flags.lose();
  }

  private call(operands: readonly Source[], text: string): void {
    const name = text.trim();
    if (/^\d+[bf]$|^\.L/.test(name)) {
      this.unknown('call', text, 'A call into the middle of the same code is not followed.');
      return;
    }
    const thunk = /^__x86_indirect_thunk_(\w+)$/.exec(name);
    if (thunk) this.emitCall(null, this.values.machine(thunk[1]!), text);
    else {
      const pointer = this.pointer(operands);
      this.emitCall(pointer === null ? name : null, pointer, text);
    }
    this.flags.lose();
    this.frame.touch('rax');
  }

  /** Target of `*…`; null for a direct one. */
  private pointer(operands: readonly Source[]): Register | null {
    const operand = operands[0]?.operand;
    return operand?.kind === 'indirect' ? this.values.read(operand.of, 64) : null;
  }

  /** Calls a function. The arguments are the argument registers that this code has set, in order. */
  private emitCall(callee: string | null, pointer: Register | null, text: string): void {
    const args: Register[] = [];
    for (const name of argumentRegisters) {
      if (!this.frame.written.has(name)) break;
      args.push(this.values.machine(name));
    }
    this.frame.builder.emit({
      op: 'call',
      dst: this.values.machine('rax'),
      callee,
      pointer,
      args,
      text: `call ${text.trim()}`,
    });
  }
}
