/**
 * Inline assembly, recognised by its instructions. Only templates of single, independent instructions that the kernel
 * uses for translation, control registers and barriers are known; anything else is unknown.
 */
import { encodedInstruction } from './encodings';
import { tlbiOperation } from './tlbi';

/** An operand of an asm statement, outputs first. */
export interface AsmOperand {
  readonly constraint: string;
  /** `[name]`, or null. */
  readonly name: string | null;
}

/** One step that an instruction stands for; operands are indexes into outputs followed by inputs. */
export type AsmStep =
  | {
      readonly kind: 'operation' | 'primitive';
      readonly name: string;
      /** As in the IR: which of the instructions that share the name. */
      readonly form?: string;
      /** Operand that receives the result, or null. */
      readonly result: number | null;
      readonly args: readonly AsmArgument[];
    }
  | { readonly kind: 'unknown'; readonly name: string; readonly why: string };

/** `address`: the address of the operand's lvalue is meant, as for `invlpg` with a memory operand. */
export interface AsmArgument {
  readonly operand: number;
  readonly address: boolean;
}

/** What an asm statement does, in order; empty for a pure compiler barrier. */
export function lowerInlineAsm(template: string, operands: readonly AsmOperand[]): readonly AsmStep[] {
  const steps: AsmStep[] = [];
  const list = instructions(template);
  const pair = list.join('; ');
  if (/^pushf[lq]?; pop[lq]? %0$/.test(pair))
    return [{ kind: 'primitive', name: 'local_save_flags', result: 0, args: [] }];
  if (/^push[lq]? %0; popf[lq]?$/.test(pair)) {
    const args = [{ operand: 0, address: false }];
    return [{ kind: 'primitive', name: 'local_irq_restore', result: null, args }];
  }
  for (const text of list) {
    const step = new Recogniser(text, operands).step();
    if (step) steps.push(step);
  }
  return steps;
}

const maximumInstructions = 64;

function instructions(template: string): string[] {
  const parts = template
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', ' ')
    .split(/[\n;]/, maximumInstructions)
    .map(line =>
      line
        .replace(/#.*|\/\/.*/, '')
        .trim()
        .replaceAll('%%', '%'),
    )
    .filter(line => line !== '' && !line.startsWith('.pushsection') && !line.startsWith('.popsection'));
  // `lock; addl …` and `rep; nop` are one instruction each.
  const joined: string[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (before === 'lock' || before === 'rep') joined[joined.length - 1] = `${before} ${part}`;
    else joined.push(part);
  }
  return joined;
}

/** Instructions without operands that matter → operation of the design. */
const plainOperations: Readonly<Record<string, string>> = {
  lfence: 'LFENCE',
  mfence: 'MFENCE',
  tlbsync: 'TLBSYNC',
  isb: 'ISB',
  dsb: 'DSB',
  serialize: 'SERIALIZE',
  cpuid: 'SERIALIZE',
  vmcall: 'HYPERCALL',
  vmmcall: 'HYPERCALL',
  hvc: 'HYPERCALL',
};

/** Instructions whose effect is outside the TLB, as primitives by name. */
const plainPrimitives: ReadonlySet<string> = new Set([
  ...[
    'sfence',
    'pause',
    'nop',
    'hlt',
    'sti',
    'cli',
    'clts',
    'stac',
    'clac',
    'swapgs',
    'ud2',
    'yield',
    'wfi',
    'wfe',
  ],
  ...[
    'dmb',
    'wrmsr',
    'rdmsr',
    'rdtsc',
    'rdtscp',
    'verw',
    'sev',
    'rep',
    'prefetcht0',
    'prefetchnta',
    'prefetchw',
  ],
]);

const formOf = (text: string): { form?: string } =>
  /^[a-z0-9]+$/i.test(text) ? { form: text.toLowerCase() } : {};

class Recogniser {
  private readonly mnemonic: string;
  private readonly rest: string;

  constructor(
    private readonly text: string,
    private readonly operands: readonly AsmOperand[],
  ) {
    const at = text.search(/\s/);
    this.mnemonic = (at < 0 ? text : text.slice(0, at)).toLowerCase();
    this.rest = at < 0 ? '' : text.slice(at).trim();
  }

  step(): AsmStep | null {
    const { mnemonic } = this;
    if (mnemonic === '.byte') return this.encoded();
    if (mnemonic === 'invlpg') return this.invlpg();
    if (mnemonic === 'invpcid') return this.invpcid();
    if (mnemonic === 'invlpgb') return this.byRegisters('INVLPGB', ['a', 'c', 'd']);
    if (/^mov[lq]?$/.test(mnemonic)) return this.move();
    if (mnemonic === 'tlbi') return this.tlbi();
    const operation = plainOperations[mnemonic];
    if (operation !== undefined)
      return { kind: 'operation', name: operation, ...formOf(this.rest), result: null, args: [] };
    if (mnemonic === 'lock') return this.locked();
    if (plainPrimitives.has(mnemonic)) return this.plain();
    return this.unknown();
  }

  private unknown(): AsmStep {
    return { kind: 'unknown', name: this.mnemonic, why: `inline assembly '${this.text.slice(0, 80)}'` };
  }

  /** Index of the operand that `text` names (`%0`, `%[x]`, `%q0`, `(%0)`), or -1. */
  private operand(text: string): number {
    const match = /^\(?%(?:[a-zA-Z]?(\d{1,2})|[a-zA-Z]?\[(\w+)\])\)?$/.exec(text.trim());
    if (!match) return -1;
    if (match[2] !== undefined) return this.operands.findIndex(one => one.name === match[2]);
    const index = Number(match[1]);
    return index < this.operands.length ? index : -1;
  }

  private argument(operand: number): AsmArgument {
    const { constraint } = this.operands[operand]!;
    return { operand, address: /[mQoV]/.test(constraint) && !/[rRqabcdSD]/.test(constraint) };
  }

  private operation(name: string, args: readonly number[], result: number | null = null): AsmStep {
    return { kind: 'operation', name, result, args: args.map(one => this.argument(one)) };
  }

  /** Operands tied to the registers a, c, d by their constraints; unknown unless all are there. */
  private byRegisters(name: string, registers: readonly string[]): AsmStep {
    const args = registers.map(register =>
      this.operands.findIndex(one => one.constraint.replace(/[=+&]/g, '') === register),
    );
    return args.some(one => one < 0) ? this.unknown() : this.operation(name, args);
  }

  private encoded(): AsmStep | null {
    const found = encodedInstruction(this.rest);
    if (found === null) return this.unknown();
    if (found.registers.length) return this.byRegisters(found.name.toUpperCase(), found.registers);
    return new Recogniser(found.name, this.operands).step();
  }

  private invlpg(): AsmStep {
    const operand = this.operand(this.rest);
    return operand < 0 ? this.unknown() : this.operation('INVLPG', [operand]);
  }

  /** `invpcid descriptor, type`. */
  private invpcid(): AsmStep {
    const [descriptor = '', type = ''] = this.rest.split(',');
    const args = [this.operand(type), this.operand(descriptor)];
    return args.some(one => one < 0) ? this.unknown() : this.operation('INVPCID', args);
  }

  private move(): AsmStep {
    const [source = '', target = ''] = this.rest.split(',').map(part => part.trim());
    const written = /^%(cr\d)$/.exec(target)?.[1];
    const read = /^%(cr\d)$/.exec(source)?.[1];
    const operand = this.operand(written ? source : target);
    if (operand < 0 || (!written && !read)) return this.unknown();
    if (written === 'cr3') return this.operation('CR3_WRITE', [operand]);
    if (written === 'cr4') return this.operation('CR4_WRITE', [operand]);
    if (read === 'cr3') return this.operation('CR3_READ', [], operand);
    if (read === 'cr4') return this.operation('CR4_READ', [], operand);
    if (written)
      return { kind: 'primitive', name: `write_${written}`, result: null, args: [this.argument(operand)] };
    return { kind: 'primitive', name: `read_${read}`, result: operand, args: [] };
  }

  private tlbi(): AsmStep {
    const [op = '', operand] = this.rest.split(',').map(part => part.trim());
    const name = tlbiOperation(op);
    if (!name) return this.unknown();
    const index = operand === undefined || operand === 'xzr' ? -1 : this.operand(operand);
    return { ...this.operation(name, index < 0 ? [] : [index]), ...formOf(op) };
  }

  /** A locked addition of 0 to the stack is a full barrier; other locked instructions change data. */
  private locked(): AsmStep {
    const barrier = /add[lq]?\s+\$0/.test(this.text);
    return barrier ? { kind: 'operation', name: 'ATOMIC', result: null, args: [] } : this.unknown();
  }

  private plain(): AsmStep | null {
    if (this.mnemonic === 'nop') return null;
    if (this.mnemonic === 'rep' && this.rest !== 'nop') return this.unknown();
    const inputs = this.operands.flatMap((one, index) => (/^[=+]/.test(one.constraint) ? [] : [index]));
    const outputs = this.operands.flatMap((one, index) => (/^[=+]/.test(one.constraint) ? [index] : []));
    if (outputs.length > 1) return this.unknown();
    return {
      kind: 'primitive',
      name: this.mnemonic === 'rep' ? 'pause' : this.mnemonic,
      result: outputs[0] ?? null,
      args: inputs.map(one => this.argument(one)),
    };
  }
}
