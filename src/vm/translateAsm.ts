/**
 * Assembly routines. Their machine registers are ordinary registers of their frame while they run; at entry, and after
 * each call, they are copied from the CPU's machine registers, and before each call and return copied back. A call
 * between routines keeps a slot of the stack for the return address, as the hardware does.
 */
import type { Instruction } from '../code/ir';
import { Op } from './opcodes';
import type { Item } from './registers';
import { outgoing } from './registers';
import type { Translator } from './translate';

/** Registers of arguments and of the result: System V ABI of x86-64, and AAPCS64. */
interface Convention {
  readonly args: readonly string[];
  readonly result: string;
}
const x86: Convention = { args: ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'], result: 'rax' };
const arm64: Convention = { args: ['x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7'], result: 'x0' };
const conventionOf = (path: string): Convention => (path.includes('arch/arm64/') ? arm64 : x86);

/** Instructions that leave the kernel or an interrupt. */
const leaving = new Set(['iret', 'iretq', 'sysret', 'sysretq', 'sysretl', 'sysexit']);

type CallInstruction = Extract<Instruction, { op: 'call' }>;

/** Whether a register of an assembly function is one of the machine (else: a temporary, or a hole in a hunk). */
export const isMachineRegister = (name: string): boolean => name !== '' && !name.includes(' ');

export class AsmSide {
  private readonly registers: readonly (readonly [number, number])[];
  private readonly convention: Convention;

  constructor(private readonly t: Translator) {
    this.convention = conventionOf(t.fn.unit.path);
    this.registers = t.fn.names.flatMap((name, register) =>
      isMachineRegister(name) ? [[register, t.linkage.machineRegister(name)] as const] : [],
    );
  }

  enter(): void {
    this.copy(Op.Reload);
  }

  leave(): void {
    this.copy(Op.Spill);
    this.t.emit(Op.ReturnRoutine);
  }

  /** `iretq` and its kin: a primitive that works on the machine's registers, then the return. */
  leaves(name: string): boolean {
    if (!leaving.has(name)) return false;
    this.copy(Op.Spill);
    this.t.emit(Op.Primitive, this.t.linkage.primitive(name)).direct = true;
    this.t.emit(Op.ReturnRoutine);
    return true;
  }

  /** `last`: nothing but a return follows. */
  call(one: CallInstruction, last: boolean): void {
    const { t } = this;
    if (one.callee === null) {
      if (one.pointer === null) return t.trap('', `the target of '${one.text}' is not known`);
      this.copy(Op.Spill);
      t.out(this.convention.args.length);
      t.emit(Op.CallPointer, one.pointer, outgoing, -1, -1);
      return this.copy(Op.Reload);
    }
    const callee = t.linkage.callee(one.callee, t.fn);
    if (callee.kind === 'missing') return t.trap(one.callee, 'it is not defined in the code at hand');
    // A jump to another routine, or running into it, is a call without `call` in its text.
    const tail = last && !one.text.startsWith('call');
    this.copy(Op.Spill);
    if (callee.kind === 'function' && callee.routine) {
      t.emit(tail ? Op.JumpRoutine : Op.CallRoutine, callee.number);
    } else {
      const result = t.temp();
      const { args, result: returned } = this.convention;
      const count = callee.kind === 'primitive' ? 6 : Math.min(callee.parameters, args.length);
      for (let at = 0; at < count; at++)
        t.emit(Op.ReadMachine, t.linkage.machineRegister(args[at]!), outgoing + at);
      t.out(count);
      if (callee.kind === 'function') t.emit(Op.Call, callee.number, outgoing, result);
      else t.emit(Op.Primitive, t.linkage.primitive(one.callee), result, outgoing, -count);
      t.emit(Op.WriteMachine, t.linkage.machineRegister(returned), result);
    }
    this.copy(Op.Reload);
  }

  private copy(op: Op.Reload | Op.Spill): void {
    const item: Item = this.t.emit(op);
    item.list = this.registers.map(([register, machine]) => [register, machine]);
  }

  /** A routine called from C: arguments and result are in registers of the machine. `path`: the routine's file. */
  static callFromC(
    t: Translator,
    routine: { readonly number: number; readonly path: string },
    args: readonly number[],
    dst: number | null,
  ): void {
    const convention = conventionOf(routine.path);
    args.slice(0, convention.args.length).forEach((arg, at) => {
      t.emit(Op.WriteMachine, t.linkage.machineRegister(convention.args[at]!), arg);
    });
    t.emit(Op.CallRoutine, routine.number);
    if (dst !== null) t.emit(Op.ReadMachine, t.linkage.machineRegister(convention.result), dst);
  }
}

/**
 * Assembly spells constants of headers like addresses. A name with a given value is that value; one that nothing
 * defines, and that is not only used as a place in memory, cannot be known. False: it is an address.
 */
export function constantName(t: Translator, { name, dst }: Extract<Instruction, { op: 'address' }>): boolean {
  const value = t.linkage.constant(name);
  if (value !== null) t.constant(dst, value);
  else if (!t.linkage.isDefined(name) && !isPlace(t.fn.code, dst))
    t.trap(name, 'its value is not defined in the code at hand');
  else return false;
  return true;
}

/** Whether a register serves only as an address. */
function isPlace(code: readonly Instruction[], register: number): boolean {
  return code.every(one => {
    switch (one.op) {
      case 'store':
        return one.value !== register;
      case 'index':
        return one.index !== register;
      case 'move':
      case 'cast':
      case 'unary':
        return one.a !== register;
      case 'binary':
        return one.a !== register && one.b !== register;
      case 'branch':
        return one.condition !== register;
      case 'call':
      case 'operation':
        return !one.args.includes(register);
      default:
        return true;
    }
  });
}
