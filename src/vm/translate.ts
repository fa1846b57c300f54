/** From the IR of one function to items of the linked instruction set, registers still virtual. */
import type { Instruction, IntegerType, IrFunction } from '../code/ir';
import { Kind, kindOf } from './kinds';
import type { Layout } from './layout';
import { typeOfText } from './layout';
import { Op } from './opcodes';
import { halves } from './pairs';
import type { Pointees } from './pointees';
import type { FeatureTest, Trap } from './program';
import { isMemoryCall, unitSlots, unitUnknown } from './primitiveBytes';
import { slotBytes } from './program';
import type { Item } from './registers';
import { outgoing } from './registers';
import { AsmSide, constantName } from './translateAsm';
import { arithmetic, ordered, plain } from './arithmeticOps';

/** What a called name is. */
export type Callee =
  | {
      readonly kind: 'function';
      readonly number: number;
      readonly routine: boolean;
      readonly parameters: number;
      /** File that defines it. */
      readonly path: string;
    }
  | { readonly kind: 'primitive' }
  | { readonly kind: 'missing' };

/** The rest of the program, as the translation of one function needs it. */
export interface Linkage {
  readonly layout: Layout;
  callee(name: string, from: IrFunction): Callee;
  /** Address of a global (of a per-CPU variable: its offset), or null. */
  address(name: string): number | null;
  functionAddress(name: string, from: IrFunction): number | null;
  string(text: string): number;
  /** Value of a constant that the caller of the link gave. */
  constant(name: string): bigint | null;
  /** Whether the text defines an object or function of that name. */
  isDefined(name: string): boolean;
  perCpuOffset(name: string): number | null;
  trap(trap: Trap): number;
  feature(test: FeatureTest): number;
  primitive(name: string): number;
  operation(name: string, form: string): number;
  machineRegister(name: string): number;
}

export interface Translated {
  readonly items: Item[];
  /** Virtual registers, those of the IR first. */
  registers: number;
  readonly outgoing: number;
  readonly memory: number;
}

const word: IntegerType = { bits: 64, signed: false };

export class Translator {
  readonly items: Item[] = [];
  private readonly starts: number[] = [];
  private readonly locals = new Map<string, number>();
  private memory = 0;
  private mostOutgoing = 0;
  registers: number;
  line = 0;
  private readonly asm: AsmSide | null;

  constructor(
    readonly fn: IrFunction,
    readonly linkage: Linkage,
    private readonly pointees: Pointees,
  ) {
    this.registers = fn.registers.length;
    this.asm = fn.kind === 'asm-routine' ? new AsmSide(this) : null;
    for (const { name, type } of fn.locals ?? []) {
      this.locals.set(name, this.memory);
      const slots = linkage.layout.slots(type);
      // Aligned, so that the low bits of the address are free.
      this.memory += Math.ceil(slots / 8) * 8;
    }
  }

  run(): Translated {
    const { code } = this.fn;
    if (code[0]) this.line = code[0].line;
    this.asm?.enter();
    code.forEach((one, at) => {
      this.starts.push(this.items.length);
      this.line = one.line;
      this.instruction(one, at);
    });
    this.starts.push(this.items.length);
    // Code that runs off its end has lost its last lines.
    this.trap(this.fn.name, 'its end is not shown');
    for (const item of this.items) {
      if (item.op === Op.Jump) item.a = this.starts[item.a]!;
      else if (item.op === Op.Branch || item.op === Op.BranchZero) item.b = this.starts[item.b]!;
    }
    return {
      items: this.items,
      registers: this.registers,
      outgoing: this.mostOutgoing,
      memory: this.memory,
    };
  }

  emit(op: Op, a = -1, b = -1, c = -1, d = -1): Item {
    const item: Item = { op, a, b, c, d, line: this.line };
    this.items.push(item);
    return item;
  }

  temp(): number {
    return this.registers++;
  }

  trap(name: string, why: string): void {
    this.emit(Op.Unknown, this.linkage.trap({ name, why }));
  }

  constant(dst: number, value: bigint): void {
    const [lo, hi] = halves(value);
    this.emit(Op.Const, dst, lo, hi);
  }

  out(count: number): void {
    this.mostOutgoing = Math.max(this.mostOutgoing, count);
  }

  private instruction(one: Instruction, at: number): void {
    switch (one.op) {
      case 'const':
        return this.constant(one.dst, one.value);
      case 'address':
        return this.address(one);
      case 'move':
        this.emit(Op.Move, one.dst, one.a);
        return;
      case 'unary':
        return this.unary(one);
      case 'binary':
        return this.binary(one);
      case 'cast':
        this.cut(one.dst, one.a, one.type);
        return;
      case 'field': {
        const offset = this.linkage.layout.offset(this.pointees.tag(at), one.member) * slotBytes;
        if (offset === 0) this.emit(Op.Move, one.dst, one.base);
        else this.emit(Op.AddConst, one.dst, one.base, offset);
        return;
      }
      case 'index':
        this.emit(Op.Index, one.dst, one.base, one.index, this.elementBytes(one.element, at));
        return;
      case 'load': {
        const kind = kindOf(one.type);
        if (kind === Kind.Word) this.emit(Op.Load, one.dst, one.address);
        else this.emit(Op.LoadCut, one.dst, one.address, kind);
        return;
      }
      case 'store':
        this.emit(Op.Store, one.address, one.value, kindOf(one.type));
        return;
      case 'sizeof':
        return this.constant(one.dst, BigInt(this.linkage.layout.slots(typeOfText(one.type)) * slotBytes));
      case 'jump':
        this.emit(Op.Jump, one.target);
        return;
      case 'branch':
        this.emit(Op.Branch, one.condition, one.target);
        return;
      case 'feature': {
        const { feature, kind } = one;
        this.emit(Op.Feature, one.dst, this.linkage.feature({ name: feature, kind, default: one.default }));
        return;
      }
      case 'call':
        if (this.asm) this.asm.call(one, this.fn.code[at + 1]?.op === 'return');
        else this.call(one, at);
        return;
      case 'operation':
        return this.operation(one);
      case 'primitive':
        return this.primitive(one, at);
      case 'unknown':
        return this.trap(one.name, one.why);
      case 'return':
        if (this.asm) this.asm.leave();
        else this.emit(Op.Return, one.value ?? -1);
    }
  }

  private elementBytes(element: string, at: number): number {
    const { layout } = this.linkage;
    const type = typeOfText(element);
    if (type.kind !== 'unknown' || type.name !== '') return layout.slots(type) * slotBytes;
    const base = this.pointees.type(at, 'base');
    const of = base?.kind === 'array' ? base.of : base;
    return (of ? layout.slots(of) : 1) * slotBytes;
  }

  private address(one: Extract<Instruction, { op: 'address' }>): void {
    const { linkage } = this;
    switch (one.kind) {
      case 'local':
        this.emit(Op.Local, one.dst, (this.locals.get(one.name) ?? 0) * slotBytes);
        return;
      case 'string':
        return this.constant(one.dst, BigInt(linkage.string(one.name)));
      case 'per-cpu': {
        const offset = linkage.perCpuOffset(one.name);
        if (offset === null) return this.trap(one.name, 'it is not declared as a per-CPU variable');
        this.emit(Op.PerCpu, one.dst, offset * slotBytes);
        return;
      }
      case 'function':
      case 'global': {
        if (one.kind === 'global' && this.fn.language === 'asm' && constantName(this, one)) return;
        const known =
          one.kind === 'function'
            ? linkage.functionAddress(one.name, this.fn)
            : (linkage.address(one.name) ?? linkage.functionAddress(one.name, this.fn));
        if (known === null) return this.trap(one.name, 'it is not defined in the code at hand');
        this.constant(one.dst, BigInt(known));
      }
    }
  }

  cut(dst: number, a: number, type: IntegerType): void {
    const kind = kindOf(type);
    if (kind === Kind.Word) this.emit(Op.Move, dst, a);
    else this.emit(Op.Cut, dst, a, kind);
  }

  private unary(one: Extract<Instruction, { op: 'unary' }>): void {
    if (one.operator === 'lnot') {
      this.emit(Op.Lnot, one.dst, one.a);
      return;
    }
    this.emit(one.operator === 'neg' ? Op.Neg : Op.Not, one.dst, one.a);
    if (one.type.bits !== 64) this.cut(one.dst, one.dst, one.type);
  }

  private binary({ operator, dst, a, b, type }: Extract<Instruction, { op: 'binary' }>): void {
    switch (operator) {
      case 'and':
      case 'or':
      case 'xor':
      case 'eq':
      case 'ne':
        this.emit(plain[operator], dst, a, b);
        return;
      case 'lt':
      case 'le':
        this.emit(ordered(operator, type.signed), dst, a, b);
        return;
      case 'gt':
      case 'ge':
        this.emit(ordered(operator === 'gt' ? 'lt' : 'le', type.signed), dst, b, a);
        return;
      default: {
        this.emit(arithmetic(operator, type), dst, a, b);
        const narrow = type.bits < 32 || (type.bits === 32 && (operator === 'div' || operator === 'mod'));
        if (narrow) this.cut(dst, dst, type);
      }
    }
  }

  private call(one: Extract<Instruction, { op: 'call' }>, at: number): void {
    const { args } = one;
    if (one.callee === null) {
      if (one.pointer === null) return this.trap('', `the target of '${one.text}' is not known`);
      this.place(args);
      this.emit(Op.CallPointer, one.pointer, outgoing, one.dst ?? -1, args.length);
      return;
    }
    const callee = this.linkage.callee(one.callee, this.fn);
    if (callee.kind === 'missing') return this.trap(one.callee, 'it is not defined in the code at hand');
    if (callee.kind === 'primitive' && isMemoryCall(one.callee))
      return this.memoryCall(one.callee, args, one.dst, at);
    if (callee.kind === 'primitive') return this.invoke(one.callee, args, one.dst, word);
    if (callee.routine) return AsmSide.callFromC(this, callee, args, one.dst);
    if (args.length < callee.parameters)
      return this.trap(one.callee, 'it is called with fewer arguments than it takes');
    this.place(args);
    this.emit(Op.Call, callee.number, outgoing, one.dst ?? -1);
  }

  /** Copies arguments to where the callee's frame will begin. */
  private place(args: readonly number[]): void {
    args.forEach((arg, index) => this.emit(Op.Move, outgoing + index, arg));
    this.out(args.length);
  }

  private operation(one: Extract<Instruction, { op: 'operation' }>): void {
    const number = this.linkage.operation(one.name, one.form ?? '');
    if (one.args.length > 2) {
      this.place(one.args);
      this.emit(Op.Operation, number, one.dst ?? -1, outgoing, -one.args.length);
      return;
    }
    this.emit(Op.Operation, number, one.dst ?? -1, one.args[0] ?? -1, one.args[1] ?? -1);
  }

  private primitive(one: Extract<Instruction, { op: 'primitive' }>, at: number): void {
    if (one.name === 'struct_copy' || one.name === 'struct_zero') return this.wholeStruct(one, at);
    if (one.name === 'smp_cond_check') return this.again(one, at);
    if (this.asm?.leaves(one.name)) return;
    if (isMemoryCall(one.name)) return this.memoryCall(one.name, one.args, one.dst, at);
    const type = one.dst === null ? word : (this.fn.registers[one.dst] ?? word);
    this.invoke(one.name, one.args, one.dst, type);
  }

  /** Back to the load before it, until its value is what the code waits for. */
  private again(one: Extract<Instruction, { op: 'primitive' }>, at: number): void {
    let load = at - 1;
    for (; load >= 0; load--) {
      const before = this.fn.code[load]!;
      if (before.op === 'primitive' && before.name.startsWith('smp_cond_load')) break;
    }
    this.emit(Op.Branch, one.args[0], at + 1);
    this.emit(Op.Primitive, this.linkage.primitive('cpu_relax')).direct = true;
    this.emit(Op.Jump, Math.max(0, load));
  }

  private invoke(name: string, args: readonly number[], dst: number | null, type: IntegerType): void {
    const number = this.linkage.primitive(name) | (kindOf(type) << 16);
    if (args.length > 2) {
      this.place(args);
      this.emit(Op.Primitive, number, dst ?? -1, outgoing, -args.length);
      return;
    }
    this.emit(Op.Primitive, number, dst ?? -1, args[0] ?? -1, args[1] ?? -1).direct = true;
  }

  /** A struct as a whole: the size, which the IR does not say, follows from what the address points to. */
  private wholeStruct(one: Extract<Instruction, { op: 'primitive' }>, at: number): void {
    const type = this.pointees.type(at, 'first') ?? this.pointees.type(at, 'second');
    if (!type) return this.trap(one.name, 'the size of this struct is not known');
    const size = this.temp();
    this.constant(size, BigInt(this.linkage.layout.slots(type)));
    this.invoke(one.name, [...one.args, size], null, word);
  }

  /** `memcpy` and its kin: with the bytes that a slot of what is pointed to stands for. */
  private memoryCall(name: string, args: readonly number[], dst: number | null, at: number): void {
    if (args.length < 3) return this.trap(name, 'it is called with fewer arguments than it takes');
    const unit = this.temp();
    this.constant(unit, BigInt(this.unitOf(args, at, name.endsWith('memset'))));
    this.invoke(name, [...args.slice(0, 3), unit], dst, { bits: 32, signed: true });
  }

  private unitOf(args: readonly number[], at: number, sets: boolean): number {
    // Registers of the machine say nothing of types: whole words, if memory says so too.
    if (this.asm) return slotBytes;
    if (isOfSizeof(this.fn, args[2]!, at)) return unitSlots;
    const pointers = [this.pointees.type(at, 'first'), sets ? null : this.pointees.type(at, 'second')];
    for (const type of pointers) {
      const of = type?.kind === 'array' ? type.of : type;
      if (of?.kind === 'integer') return Math.max(1, of.bits / 8);
      if (of?.kind === 'pointer') return slotBytes;
    }
    return unitUnknown;
  }
}

/** Whether a size is made of `sizeof` (times a number): then it counts slots. */
function isOfSizeof(fn: IrFunction, register: number, at: number): boolean {
  const sizes = new Set<number>();
  for (const one of fn.code.slice(0, at)) {
    if (!('dst' in one) || one.dst === null) continue;
    const sized =
      one.op === 'sizeof' ||
      ((one.op === 'move' || one.op === 'cast') && sizes.has(one.a)) ||
      (one.op === 'binary' &&
        ((one.operator === 'mul' && sizes.has(one.a) !== sizes.has(one.b)) ||
          (['add', 'sub'].includes(one.operator) && sizes.has(one.a) && sizes.has(one.b))));
    if (sized) sizes.add(one.dst);
    else sizes.delete(one.dst);
  }
  return sizes.has(register);
}
