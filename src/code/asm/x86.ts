/** Lowers one instruction of x86-64 (AT&T syntax) to IR. */
import type { Register } from '../ir';
import { unsigned, type Width } from './builder';
import { conditionCode, Flags, type KeptFlag } from './flags';
import type { Frame } from './frame';
import { readOperand, type Operand } from './operands';
import { splitOperands } from './statements';
import { isAluMnemonic, X86Alu, type X86Instruction } from './x86Alu';
import { X86System } from './x86System';
import { X86Values, type Source } from './x86Values';

const suffixes: Readonly<Record<string, Width>> = { b: 8, w: 16, l: 32, q: 64 };

/** Mnemonics that take a size suffix and are not of the arithmetic family. */
const suffixed = new Set([
  'push',
  'pop',
  'pushf',
  'popf',
  'mov',
  'call',
  'ret',
  'jmp',
  'iret',
  'lret',
  'leave',
]);
const system = new Set([
  ...['invlpg', 'invpcid', 'invlpgb', 'tlbsync', 'lfence', 'mfence', 'serialize', 'cpuid', 'wrmsr', 'rdmsr'],
  ...[
    'rdtsc',
    'rdgsbase',
    'rdfsbase',
    'wrgsbase',
    'wrfsbase',
    'sysretq',
    'sysretl',
    'sysret',
    'sysexit',
    'ud2',
  ],
  ...[
    'swapgs',
    'cli',
    'sti',
    'hlt',
    'pause',
    'vmcall',
    'vmmcall',
    'jrcxz',
    'jecxz',
    'loop',
    'iretq',
    'iretd',
  ],
]);
const prefixes = new Set([
  'lock',
  'rep',
  'repe',
  'repz',
  'repne',
  'repnz',
  'data16',
  'notrack',
  'cs',
  'ds',
  'addr32',
]);

/** Extensions: mnemonic → bits of the source, of the result (null: by suffix or register), signed. */
const extensions: Readonly<Record<string, readonly [Width, Width | null, boolean]>> = {
  movzbl: [8, 32, false],
  movzbw: [8, 16, false],
  movzbq: [8, 64, false],
  movzwl: [16, 32, false],
  movzwq: [16, 64, false],
  movsbl: [8, 32, true],
  movsbw: [8, 16, true],
  movsbq: [8, 64, true],
  movswl: [16, 32, true],
  movswq: [16, 64, true],
  movslq: [32, 64, true],
  movzb: [8, null, false],
  movzw: [16, null, false],
};

/** Registers of the first arguments of a call (System V ABI). */
const argumentRegisters = ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'];

export class X86 {
  readonly values: X86Values;
  readonly flags: Flags;
  private readonly alu: X86Alu;
  private readonly system: X86System;
  private readonly constants = new Map<string, { readonly value: bigint; readonly version: number }>();

  constructor(
    readonly frame: Frame,
    keptFlags: ReadonlySet<KeptFlag>,
  ) {
    this.values = new X86Values(frame);
    this.flags = new Flags(frame, keptFlags);
    this.alu = new X86Alu(this.values, this.flags);
    this.system = new X86System(this.values, this.flags, name => this.constantOf(name));
    frame.onLabel = () => {
      this.flags.forget();
      this.constants.clear();
    };
  }

  /** Lowers `mnemonic rest`. False if it is no instruction (then it may be a macro). */
  instruction(name: string, rest: string): boolean {
    let mnemonic = name.toLowerCase();
    if (mnemonic !== name) return false;
    let locked = false;
    let repeated = false;
    let text = rest;
    while (prefixes.has(mnemonic) && text !== '') {
      locked ||= mnemonic === 'lock';
      repeated ||= mnemonic.startsWith('rep');
      const next = /^([a-z0-9]+)\s*([^]*)$/.exec(text);
      if (!next) return false;
      mnemonic = next[1]!;
      text = next[2]!;
    }
    if (prefixes.has(mnemonic)) return true;
    if (repeated) {
      if (this.system.repeated(mnemonic)) return true;
      if (mnemonic !== 'ret') return this.unknown(mnemonic, text);
    }
    const operands = splitOperands(text).map((part): Source => ({ operand: readOperand(part), text: part }));
    return this.lower(mnemonic, operands, text, locked);
  }

  private lower(mnemonic: string, operands: readonly Source[], text: string, locked: boolean): boolean {
    if (this.flow(mnemonic, operands, text)) return true;
    const extension = this.extension(mnemonic, operands);
    if (extension) {
      const [from, to, isSigned] = extension;
      const instruction = { mnemonic, operands, bits: to ?? this.width(operands, null), locked };
      return this.alu.extend(instruction, from, isSigned) || this.unknown(mnemonic, text);
    }
    const split = this.split(mnemonic);
    if (!split) return looksLikeInstruction(mnemonic) && this.unknown(mnemonic, text);
    const instruction: X86Instruction = {
      mnemonic: split.base,
      operands,
      bits: this.width(operands, split.suffix, split.base),
      locked,
    };
    if (this.system.lower(instruction) || this.alu.lower(instruction)) {
      this.noteConstant(instruction);
      return true;
    }
    return this.unknown(mnemonic, text);
  }

  private extension(mnemonic: string, operands: readonly Source[]) {
    const fixed = extensions[mnemonic];
    if (fixed) return fixed;
    const source = operands[0]?.operand;
    if ((mnemonic === 'movzx' || mnemonic === 'movsx') && source?.kind === 'register')
      return [source.bits, null, mnemonic === 'movsx'] as const;
    return null;
  }

  /** Base mnemonic and size suffix; null for what is no instruction known here. */
  private split(mnemonic: string): { base: string; suffix: Width | null } | null {
    if (isAluMnemonic(mnemonic) || suffixed.has(mnemonic) || system.has(mnemonic) || inertName(mnemonic))
      return { base: mnemonic, suffix: null };
    const base = mnemonic.slice(0, -1);
    const suffix = suffixes[mnemonic.at(-1) ?? ''];
    if (suffix !== undefined && (isAluMnemonic(base) || suffixed.has(base) || base === 'invpcid'))
      return { base, suffix };
    return null;
  }

  private width(operands: readonly Source[], suffix: Width | null, base = ''): Width {
    if (suffix !== null) return suffix;
    // The count register of a shift and the source of an extension say nothing about the operand size.
    const order = /^(?:sh|sa)/.test(base) ? operands.slice(-1) : [...operands].reverse();
    for (const { operand } of order) if (operand.kind === 'register') return operand.bits;
    return 64;
  }

  private noteConstant({ mnemonic, operands, bits }: X86Instruction): void {
    const target = operands.at(-1)?.operand;
    if (target?.kind !== 'register') return;
    const source = operands[0]!.operand;
    if (mnemonic === 'mov' && source.kind === 'immediate' && bits >= 32) {
      const value = this.frame.evaluateText(source.expression);
      if (value !== null) this.remember(target.name, value);
    } else if (mnemonic === 'xor' && operands[0]!.text === operands[1]?.text) this.remember(target.name, 0n);
  }

  private remember(register: string, value: bigint): void {
    this.constants.set(register, { value, version: this.frame.version(register) });
  }

  private constantOf(register: string): bigint | null {
    const known = this.constants.get(register);
    return known?.version === this.frame.version(register) ? known.value : null;
  }

  /** Jumps, calls and returns. */
  private flow(mnemonic: string, operands: readonly Source[], text: string): boolean {
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
    builder.branch(condition.register, this.frame.target(text.trim()), condition.text);
    return true;
  }

  private jump(operands: readonly Source[], text: string): void {
    const pointer = this.pointer(operands);
    if (pointer !== null) {
      this.emitCall(null, pointer, text);
      this.frame.builder.emit({ op: 'return', value: null });
    } else this.frame.builder.jump(this.frame.target(text.trim()));
    this.flags.forget();
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
    this.flags.forget();
    this.frame.touch('rax');
  }

  /** Target of `*…`; null for a direct one. */
  private pointer(operands: readonly Source[]): Register | null {
    const operand = operands[0]?.operand;
    return operand?.kind === 'indirect' ? this.values.read(operand.of, 64) : null;
  }

  /** Calls a function. The arguments are the argument registers that this code has set, in order. */
  emitCall(callee: string | null, pointer: Register | null, text: string): void {
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

  /** Something that is not understood: kept by name; the register that it may write is lost. */
  unknown(mnemonic: string, text: string, why = 'This instruction is not known to the reader.'): true {
    const last = splitOperands(text).at(-1);
    const operand: Operand | null = last === undefined ? null : readOperand(last);
    const target = operand?.kind === 'register' && mnemonic !== 'call' ? operand : null;
    const dst = target ? this.values.variable(target) : null;
    this.frame.builder.emit({ op: 'unknown', dst, name: mnemonic, why });
    if (target) this.frame.touch(target.name);
    this.flags.forget();
    return true;
  }
}

const inertNames = new Set([
  ...[
    'nop',
    'nopw',
    'nopl',
    'fnop',
    'cld',
    'std',
    'clac',
    'stac',
    'endbr64',
    'endbr32',
    'prefetchw',
    'sfence',
  ],
  ...['prefetcht0', 'prefetchnta', 'cmc', 'sahf', 'lahf', 'int3', 'monitor', 'mwait', 'clgi', 'stgi'],
]);
const inertName = (name: string): boolean => inertNames.has(name);

/** Mnemonics hold lower-case letters and digits only; anything else is a macro. */
function looksLikeInstruction(mnemonic: string): boolean {
  return /^[a-z][a-z0-9]*$/.test(mnemonic);
}
