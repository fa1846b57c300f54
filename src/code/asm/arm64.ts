/** Enough of A64 to read entry code around TLB maintenance; everything else is kept as unknown. */
import { tlbiOperation } from '../c/tlbi';
import type { BinaryOperator, IntegerType, Register } from '../ir';
import { readArm64Operand, readArm64Register, type Arm64Operand, type Arm64Register } from './arm64Operands';
import { signed, unsigned, word } from './builder';
import { offsetMember, looksLikeOffset } from './constants';
import type { Machine } from './expander';
import { Flags, type KeptFlag } from './flags';
import type { Frame } from './frame';
import { splitOperands } from './statements';

/** A64 conditions → codes of {@link Flags}, for flags set by a subtraction or a logical operation. */
const conditions: Readonly<Record<string, string>> = {
  ...{ eq: 'e', ne: 'ne', cs: 'ae', hs: 'ae', cc: 'b', lo: 'b', hi: 'a', ls: 'be', mi: 's', pl: 'ns' },
  ...{ vs: 'o', vc: 'no', ge: 'ge', lt: 'l', gt: 'g', le: 'le' },
};

const arithmetic: Readonly<Record<string, BinaryOperator>> = {
  ...{ add: 'add', sub: 'sub', and: 'and', orr: 'or', eor: 'xor', lsl: 'shl', lsr: 'shr', mul: 'mul' },
};

/** Neither an operation nor an effect that is followed. */
const inert = new Set(['nop', 'hint', 'bti', 'prfm', 'csdb', 'paciasp', 'autiasp', 'esb', 'clrex']);

const primitives: Readonly<Record<string, string>> = {
  ...{ dmb: 'dmb', wfe: 'wfe', wfi: 'wfi', sev: 'sev', sevl: 'sevl', yield: 'cpu_relax', sb: 'sb' },
};

const callArguments = ['x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7'];

export class Arm64Machine implements Machine {
  private readonly flags: Flags;

  constructor(
    private readonly frame: Frame,
    keptFlags: ReadonlySet<KeptFlag>,
  ) {
    this.flags = new Flags(frame, keptFlags);
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
    if (this.data(name, operands)) return true;
    if (!mnemonics.has(name)) return false;
    this.unknown(name, rest);
    return true;
  }

  unknown(mnemonic: string, rest: string, why = 'This instruction is not known to the reader.'): void {
    const first = readArm64Register(splitOperands(rest)[0] ?? '');
    const lost = first && !/^st/.test(mnemonic) ? first : null;
    const dst = lost ? this.builder.variable(lost.name) : null;
    this.builder.emit({ op: 'unknown', dst, name: mnemonic, why });
    if (lost) this.frame.touch(lost.name);
    this.flags.forget();
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
    this.flags.forget();
  }

  private system(name: string, operands: readonly string[], rest: string): boolean {
    const { builder } = this;
    const primitive = primitives[name];
    if (inert.has(name)) return true;
    if (primitive !== undefined) builder.emit({ op: 'primitive', name: primitive, dst: null, args: [] });
    else if (name === 'dsb' || name === 'isb')
      builder.emit({ op: 'operation', name: name.toUpperCase(), dst: null, args: [] });
    else if (name === 'tlbi') {
      const operation = tlbiOperation(operands[0] ?? '');
      if (operation === null) this.unknown(`tlbi ${operands[0] ?? ''}`, '');
      else {
        const args = operands.slice(1).map(text => this.read(readArm64Operand(text), word));
        builder.emit({ op: 'operation', name: operation, dst: null, args });
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
    const interrupts = { daifset: 'local_irq_disable', daifclr: 'local_irq_enable' }[register];
    const args = interrupts === undefined ? [this.read(readArm64Operand(second), word)] : [];
    this.builder.emit({ op: 'primitive', name: interrupts ?? `write_sysreg(${register})`, dst: null, args });
    return true;
  }

  private flow(name: string, operands: readonly string[], rest: string): boolean {
    const { builder } = this;
    const [first = '', second = '', third = ''] = operands;
    const code = conditions[/^b\.?([a-z]{2})$/.exec(name)?.[1] ?? ''];
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
        this.read(register, type),
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
    this.flags.forget();
  }

  /** Moves, arithmetic, comparisons, loads and stores. */
  private data(name: string, operands: readonly string[]): boolean {
    const [first = '', second = '', third = '', fourth = ''] = operands;
    const target = readArm64Register(first);
    if (!target) return false;
    const type = unsigned(target.bits);
    switch (name) {
      case 'mov':
      case 'movz':
        if (third !== '' || operands.length !== 2) return false;
        return this.write(target, this.read(readArm64Operand(second), type));
      case 'mvn': {
        const dst = this.builder.temp(type);
        this.builder.emit({
          op: 'unary',
          dst,
          operator: 'not',
          a: this.read(readArm64Operand(second), type),
          type,
        });
        return this.write(target, dst);
      }
      case 'cmp':
        this.flags.compare(this.snapshot(first, type), this.snapshot(second, type), target.bits);
        return operands.length === 2;
      case 'tst': {
        const result = this.builder.binary(
          'and',
          this.read(target, type),
          this.read(readArm64Operand(second), type),
          type,
        );
        this.flags.logic(
          { register: result, source: '', version: 0, text: `(${first} & ${second})` },
          target.bits,
          `(${first} & ${second})`,
        );
        return operands.length === 2;
      }
      case 'ldr':
      case 'ldrb':
      case 'ldrh':
      case 'ldrsw':
      case 'str':
      case 'strb':
      case 'strh':
        return this.transfer(name, target, second, third);
      case 'stp':
      case 'ldp':
        return this.pair(name, target, readArm64Register(second), third, fourth);
      case 'adr':
      case 'adrp':
      case 'adr_l':
        return this.write(target, this.symbol(second));
    }
    if (/^#?:lo12:/.test(third)) return this.write(target, this.read(readArm64Operand(second), type));
    const setsFlags = name === 'adds' || name === 'subs' || name === 'ands';
    const operator = arithmetic[setsFlags ? name.slice(0, -1) : name];
    const inverted = name === 'bic';
    if ((!operator && !inverted && name !== 'asr') || second === '' || third === '') return false;
    const a = this.read(readArm64Operand(second), type);
    let b = this.shifted(this.read(readArm64Operand(third), type), fourth, type);
    if (b < 0) return false;
    if (inverted) {
      const dst = this.builder.temp(type);
      this.builder.emit({ op: 'unary', dst, operator: 'not', a: b, type });
      b = dst;
    }
    if (name === 'subs')
      this.flags.compare(this.snapshot(second, type), this.snapshot(third, type), target.bits);
    const result =
      name === 'asr'
        ? this.builder.cast(
            this.builder.binary('shr', this.builder.cast(a, signed(target.bits)), b, signed(target.bits)),
            type,
          )
        : this.builder.binary(operator ?? 'and', a, b, type);
    const fixed = { register: result, source: '', version: 0, text: first };
    if (name === 'ands') this.flags.logic(fixed, target.bits, first);
    if (name === 'adds') this.flags.result(fixed, target.bits, first);
    return this.write(target, result);
  }

  /** Second operand with `lsl #n`; -1 for other modifiers. */
  private shifted(value: Register, modifier: string, type: IntegerType): Register {
    if (modifier === '') return value;
    const amount = /^lsl\s*#?\s*(\d{1,2})$/.exec(modifier);
    if (!amount) return -1;
    return this.builder.binary('shl', value, this.builder.constant(BigInt(amount[1]!)), type);
  }

  private snapshot(text: string, type: IntegerType) {
    const operand = readArm64Operand(text);
    const register = this.read(operand, type);
    const source = operand.kind === 'register' && operand.bits === 64 ? operand.name : '';
    return { register, source, version: this.frame.version(source), text: text.replace(/^#/, '') };
  }

  private read(operand: Arm64Operand, type: IntegerType): Register {
    if (operand.kind === 'register') {
      if (operand.name === 'xzr') return this.builder.constant(0n);
      const register = this.builder.variable(operand.name);
      return operand.bits === 64 && type.bits === 64 ? register : this.builder.cast(register, type);
    }
    if (operand.kind === 'immediate') return this.frame.value(operand.expression, type.bits === 32 ? 32 : 64);
    return this.symbol(operand.kind === 'other' ? operand.text : 'operand');
  }

  private symbol(name: string): Register {
    const dst = this.builder.temp();
    this.builder.emit({ op: 'address', dst, name: name.replace(/^=/, ''), kind: 'global' });
    return dst;
  }

  private write(target: Arm64Register, value: Register): true {
    if (target.name === 'xzr') return true;
    this.builder.emit({ op: 'move', dst: this.builder.variable(target.name), a: value });
    this.frame.touch(target.name);
    return true;
  }

  private transfer(name: string, target: Arm64Register, place: string, after: string): boolean {
    if (name === 'ldr' && place.startsWith('=')) return this.write(target, this.symbol(place));
    const address = this.address(readArm64Operand(place), after);
    if (address === null) return false;
    const bits = name.endsWith('b') ? 8 : name.endsWith('h') ? 16 : name === 'ldrsw' ? 32 : target.bits;
    if (name.startsWith('str')) {
      const value = this.read(target, unsigned(bits));
      this.builder.emit({ op: 'store', address: address.at, value, type: unsigned(bits) });
    } else {
      const type = name === 'ldrsw' ? signed(32) : unsigned(bits);
      const dst = this.builder.temp(type);
      this.builder.emit({ op: 'load', dst, address: address.at, type });
      this.write(target, name === 'ldrsw' ? this.builder.cast(dst, word) : dst);
    }
    address.finish();
    return true;
  }

  private pair(
    name: string,
    first: Arm64Register,
    second: Arm64Register | null,
    place: string,
    after: string,
  ): boolean {
    const address = second && this.address(readArm64Operand(place), after);
    if (!second || !address) return false;
    const next = this.step(address.at, BigInt(first.bits / 8));
    const type = unsigned(first.bits);
    for (const [register, at] of [
      [first, address.at],
      [second, next],
    ] as const) {
      if (name === 'stp')
        this.builder.emit({ op: 'store', address: at, value: this.read(register, type), type });
      else {
        const dst = this.builder.temp(type);
        this.builder.emit({ op: 'load', dst, address: at, type });
        this.write(register, dst);
      }
    }
    address.finish();
    return true;
  }

  private step(base: Register, bytes: bigint): Register {
    if (bytes % 8n !== 0n) return this.builder.binary('add', base, this.builder.constant(bytes));
    const index = this.builder.temp(signed(64));
    this.builder.emit({ op: 'const', dst: index, value: bytes / 8n });
    const dst = this.builder.temp();
    this.builder.emit({ op: 'index', dst, base, index, element: 'unsigned long' });
    return dst;
  }

  /** Address of a load or store; `finish` moves the base afterwards. */
  private address(operand: Arm64Operand, after: string): { at: Register; finish: () => void } | null {
    if (operand.kind !== 'memory') return null;
    const base = this.builder.variable(operand.base.name);
    let at = base;
    if (operand.index) {
      const index = this.builder.binary(
        'shl',
        this.builder.variable(operand.index.name),
        this.builder.constant(BigInt(operand.shift)),
      );
      at = this.builder.binary('add', base, index);
    } else if (operand.offset !== '') {
      const bytes = this.frame.evaluateText(operand.offset);
      if (bytes !== null) at = bytes === 0n ? base : this.step(base, bytes);
      else if (looksLikeOffset(operand.offset)) {
        at = this.builder.temp();
        this.builder.emit({ op: 'field', dst: at, base, ...offsetMember(operand.offset), bits: null });
      } else at = this.builder.binary('add', base, this.frame.value(operand.offset, 64));
    }
    const moved = after === '' ? null : this.frame.evaluateText(after.replace(/^#/, ''));
    if (after !== '' && moved === null) return null;
    const finish = (): void => {
      if (operand.before) this.write(operand.base, at);
      if (moved !== null) this.write(operand.base, this.step(base, moved));
    };
    return { at, finish };
  }
}

/** Other instructions of A64 that entry code uses; names beyond these are taken for macros. */
const mnemonics = new Set(
  (
    'adc adds adr adrp at bfi bfxil bic bics casal ccmp clz cneg csel cset csinc csinv dc extr fmov hlt ic ldar ' +
    'ldaxr ldp ldr ldrb ldrh ldrsw ldtr ldxr madd mov movk movn movz mrs msr msub mul neg orn rbit rev ror sbc ' +
    'sbfx sdiv smc stlr stlxr stp str strb strh stxr sttr svc swp sxtw sys tst ubfiz ubfm ubfx udiv umulh uxtb ' +
    'uxth xpaclri add sub and orr eor lsl lsr asr cmp cmn mvn subs ands tlbi ldxp stxp cinc tbz tbnz cbz cbnz ' +
    'stset stclr stnp ldnp ldadd stadd'
  ).split(' '),
);
