/** Enough of A64 to read entry code around TLB maintenance; everything else is kept as unknown. */
import { tlbiOperation } from '../c/tlbi';
import type { Register } from '../ir';
import { Arm64Data } from './arm64Data';
import { readArm64Operand, readArm64Register } from './arm64Operands';
import { unsigned, word } from './builder';
import type { Machine } from './expander';
import { Flags, type KeptFlag } from './flags';
import type { Frame } from './frame';
import { splitOperands } from './statements';

/** A64 conditions → codes of {@link Flags}, for flags set by a subtraction or a logical operation. */
const conditions: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ...{ eq: 'e', ne: 'ne', cs: 'ae', hs: 'ae', cc: 'b', lo: 'b', hi: 'a', ls: 'be', mi: 's', pl: 'ns' },
    ...{ vs: 'o', vc: 'no', ge: 'ge', lt: 'l', gt: 'g', le: 'le' },
  }),
);

/** Neither an operation nor an effect that is followed. */
const inert = new Set(['nop', 'hint', 'bti', 'prfm', 'csdb', 'paciasp', 'autiasp', 'esb', 'clrex']);

const primitives: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ...{ dmb: 'dmb', wfe: 'wfe', wfi: 'wfi', sev: 'sev', sevl: 'sevl', yield: 'cpu_relax', sb: 'sb' },
  }),
);

/** Fields of PSTATE that mask interrupts. */
const interruptMasks: ReadonlyMap<string, string> = new Map([
  ['daifset', 'local_irq_disable'],
  ['daifclr', 'local_irq_enable'],
]);

const callArguments = ['x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7'];

/** The spelling of a TLBI or the kind of a barrier, as `form` of the operation. */
const formOf = (operand: string | undefined): { form?: string } =>
  operand === undefined || operand === '' ? {} : { form: operand.trim().toLowerCase() };

export class Arm64Machine implements Machine {
  private readonly flags: Flags;
  private readonly data: Arm64Data;

  constructor(
    private readonly frame: Frame,
    keptFlags: ReadonlySet<KeptFlag>,
  ) {
    this.flags = new Flags(frame, keptFlags);
    this.data = new Arm64Data(frame, this.flags);
    frame.onLabel = () => this.flags.forget();
  }

  get wantedFlags(): ReadonlySet<KeptFlag> {
    return this.flags.wanted;
  }

  private get builder() {
    return this.frame.builder;
  }

  instruction(name: string, rest: string): boolean {
    // `name .req register`: an alias.
    if (rest.startsWith('.req')) return true;
    if (name === 'mrs_s' || name === 'msr_s')
      return this.systemRegister(name.slice(0, 3), splitOperands(rest));
    if (!/^[a-z][a-z0-9]*(?:\.[a-z]+)?$/.test(name)) return false;
    const operands = splitOperands(rest);
    if (this.system(name, operands, rest) || this.flow(name, operands, rest)) return true;
    if (this.data.lower(name, operands)) return true;
    if (!mnemonics.has(name)) return false;
    this.unknown(name, rest);
    return true;
  }

  unknown(mnemonic: string, rest: string, why = 'This instruction is not known to the reader.'): void {
    const first = readArm64Register(splitOperands(rest)[0] ?? '');
    const lost = first && !/^st/.test(mnemonic) ? first : null;
    this.builder.emit({ op: 'unknown', dst: null, name: mnemonic, why });
    if (lost)
      this.builder.emit({ op: 'unknown', dst: this.builder.variable(lost.name), name: mnemonic, why });
    if (lost) this.frame.touch(lost.name);
    this.flags.lose();
  }

  argument(text: string): Register | null {
    const operand = readArm64Operand(text);
    if (operand.kind === 'register') return this.builder.variable(operand.name);
    if (operand.kind !== 'immediate') return null;
    const value = this.frame.evaluateText(operand.expression);
    return value === null ? null : this.builder.constant(value);
  }

  registerName(text: string): string | null {
    return readArm64Register(text)?.name ?? null;
  }

  overwritten(text: string): void {
    const register = readArm64Register(text);
    if (register) this.frame.touch(register.name);
  }

  forget(): void {
    this.flags.lose();
  }

  private system(name: string, operands: readonly string[], rest: string): boolean {
    const { builder } = this;
    const primitive = primitives.get(name);
    if (inert.has(name)) return true;
    if (primitive !== undefined) builder.emit({ op: 'primitive', name: primitive, dst: null, args: [] });
    else if (name === 'dsb' || name === 'isb')
      builder.emit({
        op: 'operation',
        name: name.toUpperCase(),
        ...formOf(operands[0]),
        dst: null,
        args: [],
      });
    else if (name === 'tlbi') {
      const operation = tlbiOperation(operands[0] ?? '');
      if (operation === null) this.unknown(`tlbi ${operands[0] ?? ''}`, '');
      else {
        const args = operands.slice(1).map(text => this.data.read(readArm64Operand(text), word));
        builder.emit({ op: 'operation', name: operation, ...formOf(operands[0]), dst: null, args });
      }
    } else if (name === 'hvc') builder.emit({ op: 'operation', name: 'HYPERCALL', dst: null, args: [] });
    else if (name === 'msr' || name === 'mrs') return this.systemRegister(name, operands);
    else if (name === 'eret' || name === 'brk') {
      builder.emit({ op: 'primitive', name: name === 'brk' ? 'BUG' : rest || name, dst: null, args: [] });
      builder.emit({ op: 'return', value: null });
    } else return false;
    return true;
  }

  private systemRegister(name: string, operands: readonly string[]): boolean {
    const [first = '', second = ''] = operands;
    if (name === 'mrs') {
      const target = readArm64Register(first);
      if (!target) return false;
      const dst = this.builder.variable(target.name);
      this.builder.emit({ op: 'primitive', name: `read_sysreg(${second.toLowerCase()})`, dst, args: [] });
      this.frame.touch(target.name);
      return true;
    }
    const register = first.toLowerCase();
    const interrupts = interruptMasks.get(register);
    const args = interrupts === undefined ? [this.data.read(readArm64Operand(second), word)] : [];
    this.builder.emit({ op: 'primitive', name: interrupts ?? `write_sysreg(${register})`, dst: null, args });
    return true;
  }

  private flow(name: string, operands: readonly string[], rest: string): boolean {
    const { builder } = this;
    const [first = '', second = '', third = ''] = operands;
    const code = conditions.get(/^b\.?([a-z]{2})$/.exec(name)?.[1] ?? '');
    if (name === 'b') builder.jump(this.frame.target(first));
    else if (code !== undefined && name !== 'bl' && name !== 'br') {
      const condition = this.flags.condition(code);
      builder.branch(condition.register, this.frame.target(first), condition.text);
    } else if (name === 'cbz' || name === 'cbnz') {
      const register = readArm64Register(first);
      if (!register) return false;
      const type = unsigned(register.bits);
      const operator = name === 'cbz' ? 'eq' : 'ne';
      const condition = builder.compare(
        operator,
        this.data.read(register, type),
        builder.constant(0n, register.bits),
        type,
      );
      builder.branch(condition, this.frame.target(second), `${first} ${name === 'cbz' ? '==' : '!='} 0`);
    } else if (name === 'tbz' || name === 'tbnz') {
      const register = readArm64Register(first);
      if (!register) return false;
      const bit = this.frame.evaluateText(second.replace(/^#/, ''));
      const mask =
        bit === null
          ? builder.binary('shl', builder.constant(1n), this.frame.value(second.replace(/^#/, ''), 64))
          : builder.constant(1n << (bit & 63n));
      const value = builder.binary('and', this.builder.variable(register.name), mask);
      const condition = builder.compare(name === 'tbz' ? 'eq' : 'ne', value, builder.constant(0n));
      const text = `bit ${second.replace(/^#/, '')} of ${first} is ${name === 'tbz' ? 'clear' : 'set'}`;
      builder.branch(condition, this.frame.target(third), text);
    } else if (name === 'bl') this.call(first, null, rest);
    else if (name === 'blr' || name === 'br') {
      const register = readArm64Register(first);
      if (!register) return false;
      this.call(null, builder.variable(register.name), rest);
      if (name === 'br') builder.emit({ op: 'return', value: null });
    } else if (name === 'ret') {
      builder.emit({ op: 'return', value: this.frame.written.has('x0') ? builder.variable('x0') : null });
    } else return false;
    return true;
  }

  private call(callee: string | null, pointer: Register | null, text: string): void {
    const args: Register[] = [];
    for (const name of callArguments) {
      if (!this.frame.written.has(name)) break;
      args.push(this.builder.variable(name));
    }
    const dst = this.builder.variable('x0');
    this.builder.emit({ op: 'call', dst, callee, pointer, args, text: `bl ${text.trim()}` });
    this.frame.touch('x0');
    this.flags.lose();
  }
}

/** Other instructions of A64 that entry code uses; names beyond these are taken for macros. */
const mnemonics = new Set(
  (
    'adc adds adr adrp at bfi bfxil bic bics casal ccmp clz cneg csel cset csinc csinv dc extr fmov hlt ic ldar ' +
    'ldaxr ldp ldr ldrb ldrh ldrsw ldtr ldxr madd mov movk movn movz mrs msr msub mul neg orn rbit rev ror sbc ' +
    'sbfx sdiv smc stlr stlxr stp str strb strh stxr sttr svc swp sxtw sys tst ubfiz ubfm ubfx udiv umulh uxtb ' +
    'uxth xpaclri add sub and orr eor lsl lsr asr cmp cmn mvn subs ands tlbi ldxp stxp cinc tbz tbnz cbz cbnz ' +
    'mcr mrc mcrr mrrc stset stclr stnp ldnp ldadd stadd'
  ).split(' '),
);
