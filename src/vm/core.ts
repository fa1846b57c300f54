/** The state with what instructions and primitives do to it: memory, frames, waiting, stopping. */
import type { Kind } from './kinds';
import { cutHigh, cutLow, kindBits, Tag } from './kinds';
import { Detail, Outcome, Stop, Verdict } from './outcomes';
import type { Program } from './program';
import { functionBase, perCpuBase, reservedSlots, slotBytes } from './program';
import type { StateLayout, VmMachine } from './state';
import {
  awaitedWords,
  controlWords,
  Cw,
  frameWords,
  Fw,
  globalWords,
  Gw,
  readyWords,
  Status,
  WaitKind,
} from './state';
import type { Trace } from './trace';
import { EventKind } from './trace';

export class Core {
  readonly order: Float64Array;
  /** How far the order of who sent an interrupt is ahead of its clock, per receiver, while one is on its way. */
  readonly late: Float64Array;
  /** See {@link ReadyTree}. */
  readonly ready: Float64Array;
  /** A bit for each CPU for which something may have changed since the last choice. */
  readonly stirred: Int32Array;
  /** A bit for each slot that a CPU may wait for, by the slot's low bits. */
  private readonly awaited: Int32Array;
  readonly global: Int32Array;
  readonly control: Int32Array;
  /** Machine registers of assembly: low and high half alternate. */
  readonly machineRegisters: Int32Array;
  readonly frames: Int32Array;
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  readonly memoryLo: Int32Array;
  readonly memoryHi: Int32Array;
  /** 0 off, 1 on, 2 not known. */
  readonly features: Uint8Array;
  readonly tags: Uint8Array;
  /** Per function: entry, registers, frame, memory, routine, parameters. */
  readonly functionTable: Int32Array;
  /** Operands and result of the operation or primitive that runs: halves alternate. */
  readonly args = new Int32Array(16);
  argCount = 0;
  resultLo = 0;
  resultHi = 0;
  /** More about the operation that runs, for its event: of INVPCID type << 12 | PCID. */
  extra = 0;
  readonly code: Int32Array;
  readonly lists: Int32Array;
  /** Stores go through the hardware's store buffers. */
  readonly buffered: boolean;

  constructor(
    readonly program: Program,
    readonly layout: StateLayout,
    readonly machine: VmMachine,
    readonly trace: Trace | null,
    storeBuffers: boolean,
  ) {
    const { offsets, cpus, registers, depth, slots } = layout;
    const { buffer } = machine;
    this.order = new Float64Array(buffer, offsets.order, cpus);
    this.late = new Float64Array(buffer, offsets.late, cpus);
    this.ready = new Float64Array(buffer, offsets.ready, readyWords(cpus));
    this.stirred = new Int32Array(buffer, offsets.stirred, (cpus + 31) >> 5);
    this.awaited = new Int32Array(buffer, offsets.awaited, awaitedWords);
    this.global = new Int32Array(buffer, offsets.global, globalWords);
    this.control = new Int32Array(buffer, offsets.control, cpus * controlWords);
    this.machineRegisters = new Int32Array(buffer, offsets.machine, cpus * layout.machineRegisters * 2);
    this.frames = new Int32Array(buffer, offsets.frames, cpus * depth * frameWords);
    this.lo = new Int32Array(buffer, offsets.lo, cpus * registers);
    this.hi = new Int32Array(buffer, offsets.hi, cpus * registers);
    this.memoryLo = new Int32Array(buffer, offsets.memoryLo, slots);
    this.memoryHi = new Int32Array(buffer, offsets.memoryHi, slots);
    this.features = new Uint8Array(buffer, offsets.features, program.features.length);
    this.tags = new Uint8Array(buffer, offsets.tags, slots);
    this.code = program.code;
    this.lists = program.lists;
    this.buffered = storeBuffers;
    this.functionTable = Int32Array.from(
      program.functions.flatMap(fn => [
        fn.entry,
        fn.registers,
        fn.frame,
        fn.memory,
        fn.routine ? 1 : 0,
        fn.parameters,
      ]),
    );
  }

  /** Writes the initial contents. The buffer is all zero. */
  initialise(seed: number): void {
    const { layout, program } = this;
    const put = (image: Program['globals'], at: number): void => {
      this.memoryLo.set(image.lo, at);
      this.memoryHi.set(image.hi, at);
      this.tags.set(image.tags, at);
    };
    put(program.globals, 0);
    const rsp = program.machineRegisters.indexOf('rsp');
    for (let cpu = 0; cpu < layout.cpus; cpu++) {
      put(program.perCpu, layout.perCpuSlot + cpu * layout.perCpuStride);
      const base = cpu * controlWords;
      this.control[base + Cw.Pc] = -1;
      this.control[base + Cw.Fp] = cpu * layout.registers;
      this.control[base + Cw.Mp] = layout.stackSlot + cpu * layout.stack;
      this.control[base + Cw.SpinPc] = -1;
      if (rsp >= 0)
        this.machineRegisters[(cpu * layout.machineRegisters + rsp) * 2] = this.stackTop(cpu) * slotBytes;
    }
    this.global[Gw.Random] = (seed ^ 0x9e37_79b9) | 1;
    this.global[Gw.Current] = -1;
    this.global[Gw.Rebuild] = 1;
  }

  /** Slot behind the last of a CPU's stack. */
  stackTop(cpu: number): number {
    return this.layout.stackSlot + (cpu + 1) * this.layout.stack;
  }

  /** Ends the run. */
  stop(cpu: number, verdict: Verdict, detail: number): Outcome {
    const { global } = this;
    if (global[Gw.Verdict] === Verdict.None) {
      global[Gw.Verdict] = verdict;
      global[Gw.VerdictCpu] = cpu;
      global[Gw.VerdictPc] = this.control[cpu * controlWords + Cw.Pc]!;
      global[Gw.VerdictDetail] = detail;
      global[Gw.Urgent] = 1;
      this.event(EventKind.Verdict, cpu, verdict, detail, 0, 0);
    }
    return Outcome.Stop;
  }

  event(kind: EventKind, cpu: number, code: number, extra: number, lo: number, hi: number): void {
    const { trace } = this;
    if (trace === null) return;
    const pc = this.control[cpu * controlWords + Cw.Pc]!;
    trace.add(kind, cpu, pc, code, extra, lo, hi, this.machine.clocks.cycles(cpu));
  }

  changed(): void {
    const { global } = this;
    global[Gw.Changes] = (global[Gw.Changes]! + 1) | 0;
    if (global[Gw.ChangeWaiters] !== 0) global[Gw.Urgent] = 1;
  }

  /** The next choice of a CPU comes now. */
  urgent(): void {
    this.global[Gw.Urgent] = 1;
  }

  /** An interrupt may be there for a CPU. It is looked at when the next CPU is chosen: now, unless it comes from afar. */
  poke(cpu: number, fromAfar = false): void {
    this.control[cpu * controlWords + Cw.Poke] = 1;
    this.stir(cpu);
    if (!fromAfar) this.global[Gw.Urgent] = 1;
  }

  /**
   * A CPU is about to send an interrupt. It arrives by the clock of the hardware, which ordinary instructions do not
   * advance; in the order of instructions it is on its way for as long.
   */
  sends(from: number, to: number): void {
    const { clocks, interrupts } = this.machine;
    const ahead = this.order[from]! - clocks.cycles(from);
    const others = interrupts.pending(to) !== 0 || interrupts.nmiPending(to);
    this.late[to] = others ? Math.max(this.late[to]!, ahead) : ahead;
  }

  /** When the first interrupt arrives that the CPU can take, in the order of instructions: whole, as sums are not exact. */
  arrival(cpu: number): number {
    return Math.floor(this.machine.interrupts.nextArrival(cpu) + this.late[cpu]!);
  }

  /** Whether the CPU can run is looked at again before the next choice. */
  stir(cpu: number): void {
    this.stirred[cpu >> 5]! |= 1 << (cpu & 31);
  }

  /** False: nobody waits for the slot. */
  private isAwaited(slot: number): boolean {
    return ((this.awaited[(slot >> 5) & (awaitedWords - 1)]! >>> (slot & 31)) & 1) !== 0;
  }

  /** Stirs those who wait for a slot. Whether there were any. */
  private stirWaiters(slot: number): boolean {
    const { control, layout } = this;
    let any = false;
    for (let cpu = 0; cpu < layout.cpus; cpu++) {
      const base = cpu * controlWords;
      const waits =
        control[base + Cw.Status] === Status.Waiting && control[base + Cw.WaitKind] === WaitKind.Slot;
      if (!waits || control[base + Cw.WaitOn] !== slot) continue;
      this.stir(cpu);
      any = true;
    }
    return any;
  }

  /** The CPU waits from now on, or no longer: for what `wait` said. */
  setWaiting(cpu: number, waits: boolean): void {
    const base = cpu * controlWords;
    const kind = this.control[base + Cw.WaitKind]! as WaitKind;
    this.control[base + Cw.Status] = waits ? Status.Waiting : Status.Running;
    if (waits) this.global[Gw.Urgent] = 1;
    const by = waits ? 1 : -1;
    if (kind === WaitKind.Slot) this.countSlotWaiter(by, this.control[base + Cw.WaitOn]!);
    if (kind === WaitKind.Change) this.global[Gw.ChangeWaiters]! += by;
    this.event(waits ? EventKind.Wait : EventKind.Resume, cpu, 0, this.control[base + Cw.WaitOn]!, 0, 0);
  }

  private countSlotWaiter(by: number, slot: number): void {
    const left = (this.global[Gw.SlotWaiters]! += by);
    if (by > 0) this.awaited[(slot >> 5) & (awaitedWords - 1)]! |= 1 << (slot & 31);
    else if (left === 0) this.awaited.fill(0);
  }

  /** Slot of an address, or −1 after stopping with what is wrong. */
  slotOf(cpu: number, lo: number, hi: number): number {
    const slot = lo >>> 3;
    if (hi === 0 && (lo & 7) === 0 && slot >= reservedSlots && slot < this.layout.slots) return slot;
    const reserved = hi === 0 && lo >>> 0 < reservedSlots * slotBytes;
    const inside = hi === 0 && slot < this.layout.slots;
    const code = reserved ? Stop.NullPointer : inside ? Stop.Unaligned : Stop.BadAddress;
    if (code === Stop.Unaligned) this.stop(cpu, Verdict.Unknown, Detail.Code | code);
    else this.stop(cpu, Verdict.Fault, Detail.Code | code);
    return -1;
  }

  /** Whether a slot can be read; stops otherwise. */
  isDefined(cpu: number, slot: number): boolean {
    if (this.tags[slot]! & Tag.Defined) return true;
    this.stop(cpu, Verdict.Unknown, Detail.Uninitialised | slot);
    return false;
  }

  /** Value of a slot as the CPU sees it, into `resultLo`, `resultHi`. */
  read(cpu: number, slot: number): void {
    if (this.buffered && this.machine.stores.find(cpu, slot)) {
      this.resultLo = this.machine.stores.lo;
      this.resultHi = this.machine.stores.hi;
      return;
    }
    this.resultLo = this.memoryLo[slot]!;
    this.resultHi = this.memoryHi[slot]!;
  }

  /** An ordinary store of a value of a kind. */
  write(cpu: number, slot: number, kind: Kind, lo: number, hi: number): void {
    const tag = this.tags[slot]!;
    const own = tag & Tag.KindMask;
    let low = lo;
    let high = hi;
    if ((tag & (Tag.Declared | Tag.Defined)) === 0) this.tags[slot] = kind | Tag.Defined;
    else if (own !== kind) {
      const narrower = (tag & Tag.Declared) !== 0 && kindBits[kind]! < kindBits[own]!;
      if (narrower) {
        this.read(cpu, slot);
        const mask = kindBits[kind]! === 32 ? -1 : (1 << kindBits[kind]!) - 1;
        low = (this.resultLo & ~mask) | (lo & mask);
        high = this.resultHi;
      }
      high = cutHigh(own, (low = cutLow(own, low, high)), high);
      this.tags[slot] = tag | Tag.Defined;
    } else this.tags[slot] = tag | Tag.Defined;
    if (this.buffered) this.machine.stores.store(cpu, slot, low, high);
    else this.commit(cpu, slot, low, high);
  }

  /** A store reaches memory: at once, or from the store buffer. */
  commit(cpu: number, slot: number, lo: number, hi: number): void {
    if (this.memoryLo[slot] === lo && this.memoryHi[slot] === hi) return;
    this.memoryLo[slot] = lo;
    this.memoryHi[slot] = hi;
    const { global } = this;
    global[Gw.Changes] = (global[Gw.Changes]! + 1) | 0;
    const awaited = global[Gw.SlotWaiters] !== 0 && this.isAwaited(slot) && this.stirWaiters(slot);
    if (awaited || global[Gw.ChangeWaiters] !== 0) global[Gw.Urgent] = 1;
    if (this.trace !== null && slot < this.layout.stackSlot)
      this.event(EventKind.Store, cpu, 0, slot, lo, hi);
  }

  /** The address in operand `index` as a slot that holds a value; −1 after stopping. */
  argSlot(cpu: number, index: number, mustHold = true): number {
    const slot = this.slotOf(cpu, this.args[2 * index]!, this.args[2 * index + 1]!);
    if (slot >= 0 && mustHold && !this.isDefined(cpu, slot)) return -1;
    return slot;
  }

  /** All buffered stores of the CPU reach memory: before a locked step. */
  drain(cpu: number): void {
    if (this.buffered) this.machine.stores.drainAll(cpu);
  }

  /** Lets the CPU wait; the instruction is run again afterwards. */
  wait(cpu: number, kind: WaitKind, on: number, lo = 0, hi = 0): Outcome {
    const base = cpu * controlWords;
    this.control[base + Cw.WaitKind] = kind;
    this.control[base + Cw.WaitOn] = on;
    this.control[base + Cw.WaitLo] = lo;
    this.control[base + Cw.WaitHi] = hi;
    return Outcome.Wait;
  }

  /** Until the slot changes. */
  waitForSlot(cpu: number, slot: number): Outcome {
    return this.wait(cpu, WaitKind.Slot, slot, this.memoryLo[slot], this.memoryHi[slot]);
  }

  waitForChange(cpu: number): Outcome {
    return this.wait(cpu, WaitKind.Change, this.global[Gw.Changes]!);
  }

  /** Function that handles the exception of the primitive that runs, and whether the primitive runs again behind it. */
  exceptionFunction = -1;
  exceptionAgain = false;

  /**
   * The primitive that runs raises an exception (a page fault, say): `fn` is entered as by an interrupt, with the
   * operands in `args` as its arguments. `again`: the primitive is run again when it returns; else what follows it.
   */
  exception(fn: number, again: boolean): Outcome {
    this.exceptionFunction = fn;
    this.exceptionAgain = again;
    return Outcome.Exception;
  }

  /** The result of a primitive. */
  give(lo: number, hi: number): Outcome {
    this.resultLo = lo;
    this.resultHi = hi;
    return Outcome.Done;
  }

  /** Address of a CPU's copy of what the per-CPU offset `lo` names; 0 if it is none. */
  perCpuAddress(cpu: number, lo: number, hi: number): number {
    const offset = lo - perCpuBase;
    if (hi !== 0 || offset < 0 || offset >= this.layout.perCpuStride * slotBytes) return 0;
    return (this.layout.perCpuSlot + cpu * this.layout.perCpuStride) * slotBytes + offset;
  }

  /** Number of the function at an address, or −1. */
  functionAt(lo: number, hi: number): number {
    const number = (lo - functionBase) >> 4;
    const fits = hi === 0 && (lo & 15) === 0 && number >= 0 && number < this.program.functions.length;
    return fits ? number : -1;
  }

  /** Number of the function that the CPU runs. */
  functionOf(cpu: number): number {
    const pc = this.control[cpu * controlWords + Cw.Pc]!;
    return pc < 0 ? -1 : this.program.positions[2 * pc]!;
  }

  /**
   * Puts a new frame on a CPU's stack, above the running one, and makes it run. `base`: its first register counted from
   * the running frame's. False after stopping: no room.
   */
  enter(cpu: number, fn: number, base: number, returnPc: number, dst: number, flags: number): boolean {
    const { control, frames, layout } = this;
    const at = cpu * controlWords;
    const depth = control[at + Cw.Depth]!;
    const running = this.functionOf(cpu);
    const fp = control[at + Cw.Fp]! + base;
    const mp = control[at + Cw.Mp]! + (running < 0 ? 0 : this.functionTable[running * 6 + 3]!);
    const memory = this.functionTable[fn * 6 + 3]!;
    if (depth >= layout.depth) return this.refuse(cpu, Stop.TooDeep);
    if (fp + this.functionTable[fn * 6 + 2]! > (cpu + 1) * layout.registers)
      return this.refuse(cpu, Stop.RegistersUsedUp);
    if (mp + memory > this.stackTop(cpu)) return this.refuse(cpu, Stop.StackOverflow);
    const frame = (cpu * layout.depth + depth) * frameWords;
    frames[frame + Fw.Pc] = returnPc;
    frames[frame + Fw.Fp] = control[at + Cw.Fp]!;
    frames[frame + Fw.Mp] = control[at + Cw.Mp]!;
    frames[frame + Fw.Dst] = dst;
    frames[frame + Fw.Flags] = flags;
    control[at + Cw.Depth] = depth + 1;
    control[at + Cw.Fp] = fp;
    control[at + Cw.Mp] = mp;
    control[at + Cw.Pc] = this.functionTable[fn * 6]!;
    // Variables in memory hold nothing yet.
    if (memory > 0) this.tags.fill(0, mp, mp + memory);
    return true;
  }

  private refuse(cpu: number, code: Stop): boolean {
    this.stop(cpu, Verdict.Unbounded, Detail.Code | code);
    return false;
  }

  isWaiting(cpu: number): boolean {
    return this.control[cpu * controlWords + Cw.Status] === Status.Waiting;
  }
}
