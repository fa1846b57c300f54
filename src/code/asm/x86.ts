/** Lowers one instruction of x86-64 (AT&T syntax) to IR. */
import type { Width } from './builder';
import { Flags, type KeptFlag } from './flags';
import type { Frame } from './frame';
import { readOperand, type Operand } from './operands';
import { splitOperands } from './statements';
import { aluMnemonics, X86Alu } from './x86Alu';
import { bitsMnemonics, X86Bits } from './x86Bits';
import type { X86Family, X86Instruction } from './x86Family';
import { isConditionalMnemonic, movesMnemonics, X86Moves } from './x86Moves';
import { X86Flow } from './x86Flow';
import { isSystemMnemonic, X86System } from './x86System';
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

type Extension = readonly [Width, Width | null, boolean];

/** Extensions: mnemonic → bits of the source, of the result (null: by suffix or register), signed. */
const extensions: ReadonlyMap<string, Extension> = new Map(
  Object.entries<Extension>({
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
  }),
);

export class X86 {
  readonly values: X86Values;
  readonly flags: Flags;
  private readonly families: readonly X86Family[];
  private readonly moves: X86Moves;
  private readonly flow: X86Flow;
  private readonly system: X86System;
  private readonly constants = new Map<string, { readonly value: bigint; readonly version: number }>();

  constructor(
    readonly frame: Frame,
    keptFlags: ReadonlySet<KeptFlag>,
  ) {
    this.values = new X86Values(frame);
    this.flags = new Flags(frame, keptFlags);
    this.moves = new X86Moves(this.values, this.flags);
    this.families = [new X86Alu(this.values, this.flags), new X86Bits(this.values, this.flags), this.moves];
    this.flow = new X86Flow(this.values, this.flags, (mnemonic, text, why) =>
      this.unknown(mnemonic, text, why),
    );
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
    if (this.flow.lower(mnemonic, operands, text)) return true;
    const extension = this.extension(mnemonic, operands);
    if (extension) {
      const [from, to, isSigned] = extension;
      const instruction = { mnemonic, operands, bits: to ?? this.width(operands, null), locked };
      return this.moves.extend(instruction, from, isSigned) || this.unknown(mnemonic, text);
    }
    const split = this.split(mnemonic);
    if (!split) return looksLikeInstruction(mnemonic) && this.unknown(mnemonic, text);
    const instruction: X86Instruction = {
      mnemonic: split.base,
      operands,
      bits: this.width(operands, split.suffix, split.base),
      locked,
    };
    if (this.system.lower(instruction) || this.families.some(family => family.lower(instruction))) {
      this.noteConstant(instruction);
      return true;
    }
    return this.unknown(mnemonic, text);
  }

  private extension(mnemonic: string, operands: readonly Source[]) {
    const fixed = extensions.get(mnemonic);
    if (fixed) return fixed;
    const source = operands[0]?.operand;
    if ((mnemonic === 'movzx' || mnemonic === 'movsx') && source?.kind === 'register')
      return [source.bits, null, mnemonic === 'movsx'] as const;
    return null;
  }

  /** Base mnemonic and size suffix; null for what is no instruction known here. */
  private split(mnemonic: string): { base: string; suffix: Width | null } | null {
    if (isDataMnemonic(mnemonic) || suffixed.has(mnemonic) || isSystemMnemonic(mnemonic))
      return { base: mnemonic, suffix: null };
    const base = mnemonic.slice(0, -1);
    const suffix = suffixes[mnemonic.at(-1) ?? ''];
    if (suffix !== undefined && (isDataMnemonic(base) || suffixed.has(base) || base === 'invpcid'))
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

  /** Something that is not understood: kept by name; the register that it may write is lost. */
  unknown(mnemonic: string, text: string, why = 'This instruction is not known to the reader.'): true {
    const last = splitOperands(text).at(-1);
    const operand: Operand | null = last === undefined ? null : readOperand(last);
    const target = operand?.kind === 'register' && mnemonic !== 'call' ? operand : null;
    // The step itself, and the register whose value is lost: two things, for whoever prices and whoever follows values.
    this.frame.builder.emit({ op: 'unknown', dst: null, name: mnemonic, why });
    if (target)
      this.frame.builder.emit({ op: 'unknown', dst: this.values.variable(target), name: mnemonic, why });
    // Whether it reads or writes is not known: no ground for a complaint about an overwritten register.
    if (target) this.frame.touch(target.name, 'restore');
    this.flags.lose();
    return true;
  }
}

/** Whether a name, without its size suffix, moves or computes. */
function isDataMnemonic(name: string): boolean {
  return (
    aluMnemonics.has(name) ||
    bitsMnemonics.has(name) ||
    movesMnemonics.has(name) ||
    isConditionalMnemonic(name)
  );
}

/** Mnemonics hold lower-case letters and digits only; anything else is a macro. */
function looksLikeInstruction(mnemonic: string): boolean {
  return /^[a-z][a-z0-9]*$/.test(mnemonic);
}
