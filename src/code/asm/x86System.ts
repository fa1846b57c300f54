/** System instructions of x86-64: control registers, TLB invalidation, fences, MSRs, flags, segments. */
import type { Register } from '../ir';
import { unsigned, word } from './builder';
import type { Flags } from './flags';
import type { Operand } from './operands';
import type { X86Instruction } from './x86Family';
import type { X86Values } from './x86Values';

/** No operation and no effect that is followed: hints, alignment, direction and alignment-check flags. */
const inert = new Set([
  ...['nop', 'nopw', 'nopl', 'fnop', 'cld', 'std', 'clac', 'stac', 'endbr64', 'endbr32', 'prefetchw'],
  ...['prefetcht0', 'prefetchnta', 'cmc', 'sahf', 'lahf', 'data16', 'notrack', 'cs', 'ds', 'sfence', 'int3'],
]);

/** Instructions that are one operation without operands. */
const plainOperations: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    lfence: 'LFENCE',
    mfence: 'MFENCE',
    serialize: 'SERIALIZE',
    tlbsync: 'TLBSYNC',
    vmcall: 'HYPERCALL',
    vmmcall: 'HYPERCALL',
  }),
);

/** Instructions that stand for a primitive of the kernel. */
const primitives: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    cli: 'local_irq_disable',
    sti: 'local_irq_enable',
    swapgs: 'swapgs',
    pause: 'cpu_relax',
    hlt: 'halt',
    monitor: 'monitor',
    mwait: 'mwait',
    clgi: 'clgi',
    stgi: 'stgi',
  }),
);

/** INVPCID types (SDM, INVPCID). */
const invpcidTypes = ['INVPCID_ADDR', 'INVPCID_CTX', 'INVPCID_ALL_GLOBAL', 'INVPCID_ALL'];

const rax: Operand = { kind: 'register', name: 'rax', bits: 64, high: false };
const rcx: Operand = { kind: 'register', name: 'rcx', bits: 64, high: false };
const rdx: Operand = { kind: 'register', name: 'rdx', bits: 64, high: false };

const others = new Set([
  ...['invlpg', 'invpcid', 'invlpgb', 'cpuid', 'wrmsr', 'rdmsr', 'rdtsc', 'rdgsbase', 'rdfsbase', 'wrgsbase'],
  ...['wrfsbase'],
]);

/** Whether a name without suffix belongs to this family. */
export function isSystemMnemonic(name: string): boolean {
  return inert.has(name) || others.has(name) || plainOperations.has(name) || primitives.has(name);
}

export class X86System {
  /** Constants that registers hold, for the type operand of INVPCID. */
  constructor(
    private readonly values: X86Values,
    private readonly flags: Flags,
    private readonly constantOf: (register: string) => bigint | null,
  ) {}

  private get builder() {
    return this.values.frame.builder;
  }

  /** Lowers an instruction of this family; false if it is none. */
  lower(instruction: X86Instruction): boolean {
    const { mnemonic, operands } = instruction;
    if (inert.has(mnemonic)) return true;
    const operation = plainOperations.get(mnemonic);
    if (operation !== undefined) return this.operation(operation, [], null);
    const primitive = primitives.get(mnemonic);
    if (primitive !== undefined) return this.primitive(primitive, []);
    switch (mnemonic) {
      case 'mov':
        return this.moveSpecial(instruction);
      case 'invlpg': {
        const target = operands[0]?.operand;
        return target?.kind === 'memory' && this.operation('INVLPG', [this.values.address(target)], null);
      }
      case 'invpcid':
        return this.invpcid(instruction);
      case 'invlpgb':
        return this.operation(
          'INVLPGB',
          [rax, rcx, rdx].map(register => this.values.read(register, 64)),
          null,
        );
      case 'cpuid':
        this.operation('SERIALIZE', [], null);
        return this.lost(['rax', 'rbx', 'rcx', 'rdx'], mnemonic);
      case 'wrmsr':
        return this.primitive(
          'wrmsr',
          [rcx, rax, rdx].map(register => this.values.read(register, 32)),
        );
      case 'rdmsr':
        return this.pair('rdmsr', [this.values.read(rcx, 32)]);
      case 'rdtsc':
        return this.pair('rdtsc', []);
      case 'pushf':
        return this.pushFlags();
      case 'popf': {
        const value = this.pop();
        this.flags.lose();
        return this.primitive('restore_flags', [value]);
      }
      case 'rdgsbase':
      case 'rdfsbase':
        return this.readInto(mnemonic, operands[0]?.operand);
      case 'wrgsbase':
      case 'wrfsbase': {
        const source = operands[0]?.operand;
        return source !== undefined && this.primitive(mnemonic, [this.values.read(source, 64)]);
      }
      case 'push':
        return operands[0] !== undefined && this.push(operands[0].operand);
      case 'pop':
        return operands[0] !== undefined && this.popInto(operands[0].operand);
      case 'leave':
        this.values.write(
          { kind: 'register', name: 'rsp', bits: 64, high: false },
          this.values.machine('rbp'),
          64,
        );
        return this.popInto({ kind: 'register', name: 'rbp', bits: 64, high: false });
      default:
        return false;
    }
  }

  /** String instructions with a REP prefix, as the kernel's functions of the same effect. */
  repeated(mnemonic: string): boolean {
    const match = /^(movs|stos)([bwlq])$/.exec(mnemonic);
    if (!match) return false;
    const size = { b: 1n, w: 2n, l: 4n, q: 8n }[match[2] as 'b' | 'w' | 'l' | 'q'];
    const count = this.values.machine('rcx');
    const bytes = size === 1n ? count : this.builder.binary('mul', count, this.builder.constant(size));
    const rdi = this.values.machine('rdi');
    if (match[1] === 'movs') {
      const rsi = this.values.machine('rsi');
      this.primitive('memcpy', [rdi, rsi, bytes]);
      this.builder.binary('add', rsi, bytes, word, rsi);
      this.values.frame.touch('rsi');
    } else this.primitive('memset', [rdi, this.values.machine('rax'), bytes]);
    this.builder.binary('add', rdi, bytes, word, rdi);
    this.values.frame.touch('rdi');
    this.builder.emit({ op: 'const', dst: count, value: 0n });
    this.values.frame.touch('rcx');
    return true;
  }

  /** Puts a value on the stack. */
  push(operand: Operand): boolean {
    if (operand.kind === 'unreadable' || operand.kind === 'control') return false;
    let value: Register;
    if (operand.kind === 'segment') {
      value = this.builder.temp();
      this.builder.emit({ op: 'primitive', name: 'savesegment', dst: value, args: [] });
    } else value = this.values.read(operand, 64);
    if (operand.kind === 'register') {
      this.values.frame.note(operand.name, 'save');
      if (operand.name === 'rsp') {
        const copy = this.builder.temp();
        this.builder.emit({ op: 'move', dst: copy, a: value });
        value = copy;
      }
    }
    this.pushValue(value);
    return true;
  }

  private pushValue(value: Register): void {
    const rsp = this.values.machine('rsp');
    this.values.step(rsp, -8, rsp);
    this.values.frame.touch('rsp');
    this.builder.emit({ op: 'store', address: rsp, value, type: word });
  }

  private pop(): Register {
    const rsp = this.values.machine('rsp');
    const value = this.builder.temp();
    this.builder.emit({ op: 'load', dst: value, address: rsp, type: word });
    this.values.step(rsp, 8, rsp);
    this.values.frame.touch('rsp');
    return value;
  }

  private popInto(operand: Operand): boolean {
    if (operand.kind !== 'register' && operand.kind !== 'memory' && operand.kind !== 'segment') return false;
    const value = this.pop();
    if (operand.kind === 'register') {
      this.builder.emit({ op: 'move', dst: this.values.variable(operand), a: value });
      this.values.frame.touch(operand.name, 'restore');
    } else if (operand.kind === 'segment') this.primitive('loadsegment', [value]);
    else this.values.write(operand, value, 64);
    return true;
  }

  private pushFlags(): boolean {
    const value = this.builder.temp();
    this.builder.emit({ op: 'primitive', name: 'save_flags', dst: value, args: [] });
    this.pushValue(value);
    return true;
  }

  /** MOV with control, debug and segment registers; an ordinary one is none of this family. */
  private moveSpecial({ operands, bits }: X86Instruction): boolean {
    const [source, target] = operands;
    if (!source || !target) return false;
    const from = source.operand;
    const to = target.operand;
    if (from.kind === 'control') return this.readControl(from.number, to);
    if (to.kind === 'control') return this.writeControl(to.number, this.values.read(from, 64));
    if (from.kind === 'segment') {
      const dst = this.builder.temp(unsigned(bits));
      this.builder.emit({ op: 'primitive', name: 'savesegment', dst, args: [] });
      this.values.write(to, dst, bits);
      return true;
    }
    if (to.kind === 'segment') return this.primitive('loadsegment', [this.values.read(from, bits)]);
    if (from.kind === 'debug') return this.readInto('get_debugreg', to);
    if (to.kind === 'debug') return this.primitive('set_debugreg', [this.values.read(from, 64)]);
    return false;
  }

  private readControl(number: number, target: Operand): boolean {
    if (number === 3 || number === 4) {
      if (target.kind !== 'register') return false;
      const dst = this.values.variable(target);
      this.operation(`CR${number}_READ`, [], dst);
      this.values.frame.touch(target.name);
      return true;
    }
    return this.readInto(`read_cr${number}`, target);
  }

  private writeControl(number: number, value: Register): boolean {
    if (number === 3 || number === 4) return this.operation(`CR${number}_WRITE`, [value], null);
    return this.primitive(`write_cr${number}`, [value]);
  }

  private invpcid({ operands }: X86Instruction): boolean {
    const [memory, type] = operands;
    if (memory?.operand.kind !== 'memory' || type?.operand.kind !== 'register') return false;
    const number = this.constantOf(type.operand.name);
    const name = number !== null && number >= 0n ? invpcidTypes[Number(number)] : undefined;
    const address = this.values.address(memory.operand);
    if (name !== undefined) return this.operation(name, [address], null);
    // Which one it is rests on the value of the type register, args[0].
    return this.operation('INVPCID', [this.values.read(type.operand, 64), address], null);
  }

  private operation(name: string, args: readonly Register[], dst: Register | null): true {
    this.builder.emit({ op: 'operation', name, dst, args });
    return true;
  }

  private primitive(name: string, args: readonly Register[]): true {
    this.builder.emit({ op: 'primitive', name, dst: null, args });
    return true;
  }

  private readInto(name: string, target: Operand | undefined): boolean {
    if (target?.kind !== 'register') return false;
    this.builder.emit({ op: 'primitive', name, dst: this.values.variable(target), args: [] });
    this.values.frame.touch(target.name);
    return true;
  }

  /** A 64-bit result in EDX:EAX. */
  private pair(name: string, args: readonly Register[]): true {
    const whole = this.builder.temp();
    this.builder.emit({ op: 'primitive', name, dst: whole, args });
    this.values.write(rax, this.builder.cast(whole, unsigned(32)), 64);
    this.values.write(rdx, this.builder.binary('shr', whole, this.builder.constant(32n)), 64);
    return true;
  }

  private lost(registers: readonly string[], name: string): true {
    for (const register of registers) {
      const dst = this.builder.temp();
      this.builder.emit({ op: 'primitive', name, dst, args: [] });
      this.values.write({ kind: 'register', name: register, bits: 64, high: false }, dst, 64);
    }
    return true;
  }
}
