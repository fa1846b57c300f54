/** A program on the CPUs of a machine: run, step, step back, snapshot, hash. */
import type { Outcome } from './outcomes';
import { Core } from './core';
import { Verdict } from './outcomes';
import type { Services } from './interpret';
import { interpret } from './interpret';
import type { LinkedProgram } from './link';
import { operationRunners, runOperation } from './operations';
import type { Primitive } from './primitives';
import { primitiveFor, unknownPrimitive } from './primitives';
import { perCpuBase, slotBytes } from './program';
import { halves, whole } from './pairs';
import { preludePrimitives } from './prelude';
import { Scheduler } from './schedule';
import { hashAll, hashSituation, pack, unpack } from './snapshot';
import type { StateLayout, StateSizes, VmMachine } from './state';
import { controlWords, Cw, Gw, layoutState } from './state';
import { cutHigh, cutLow, Tag } from './kinds';
import type { Task } from './tasks';
import { Tasks } from './tasks';
import { Trace } from './trace';
import type { Ending } from './verdicts';
import { endingOf } from './verdicts';

/** The VM as the memory of the machine: where stores from its store buffers go. */
export interface VmMemory {
  write(cpu: number, slot: number, lo: number, hi: number): void;
}

export interface VmOptions {
  readonly program: LinkedProgram;
  /** Makes the hardware, with its state at `byteOffset` of `buffer`. */
  readonly machine: (buffer: ArrayBuffer, byteOffset: number, memory: VmMemory) => VmMachine;
  /** Bytes of the hardware's state. */
  readonly machineBytes: number;
  /** Calls of each CPU's task. */
  readonly tasks: readonly Task[];
  /** Function that handles each interrupt vector; 32 is the NMI. */
  readonly handlers?: ReadonlyMap<number, string>;
  /** CPU features that are on, exactly; static keys too, by name. */
  readonly features: ReadonlySet<string>;
  /** Static keys whose state is said; others have their declared default. */
  readonly keys?: ReadonlyMap<string, boolean>;
  /** CONFIG_ symbols whose value is said; others have the default that the front end assumed. */
  readonly config?: ReadonlyMap<string, boolean>;
  readonly primitives?: ReadonlyMap<string, Primitive>;
  readonly seed?: number;
  /** Instructions that one CPU runs before others get their turn, about. Default 16. */
  readonly quantum?: number;
  /** Instructions of one task. Default 20 million. */
  readonly budget?: number;
  /** Default: every kind of event is kept. null: none. */
  readonly trace?: Trace | null;
  readonly sizes?: StateSizes;
  /** Stores go through the machine's store buffers. */
  readonly storeBuffers?: boolean;
}

/** A part of an object: its name, members and indexes; for a per-CPU object also the CPU. */
export type Place = readonly [string, ...(string | number)[]];

export class Vm implements Services {
  readonly core: Core;
  readonly layout: StateLayout;
  readonly machine: VmMachine;
  readonly trace: Trace | null;
  private readonly words: Int32Array;
  private readonly scheduler: Scheduler;
  private readonly tasks: Tasks;
  private readonly operations: ReturnType<typeof operationRunners>;
  private readonly primitives: readonly Primitive[];

  constructor(private readonly options: VmOptions) {
    const { program } = options;
    this.layout = layoutState(program, options.sizes);
    const buffer = new ArrayBuffer(this.layout.bytes + Math.ceil(options.machineBytes / 8) * 8);
    const memory: VmMemory = { write: (cpu, slot, lo, hi) => this.core.commit(cpu, slot, lo, hi) };
    this.machine = options.machine(buffer, this.layout.bytes, memory);
    if (this.machine.buffer !== buffer) throw new Error('the machine keeps its state elsewhere');
    this.trace = options.trace === undefined ? new Trace() : options.trace;
    this.core = new Core(program, this.layout, this.machine, this.trace, options.storeBuffers ?? false);
    this.core.initialise(options.seed ?? 1);
    this.words = new Int32Array(buffer);
    this.setFeatures();
    for (let cpu = 0; cpu < program.cpus; cpu++) {
      const slot = this.slot(['vm_all_cpus', 'bits', cpu >> 6]);
      if (slot === null) break;
      const half = cpu & 32 ? this.core.memoryHi : this.core.memoryLo;
      half[slot]! |= 1 << (cpu & 31);
    }
    this.operations = operationRunners(program.operations);
    const more = new Map([...preludePrimitives, ...(options.primitives ?? [])]);
    this.primitives = program.primitives.map(
      (name, number) => primitiveFor(name, more) ?? unknownPrimitive(number),
    );
    this.tasks = new Tasks(this.core, options.tasks, this.handlers());
    this.scheduler = new Scheduler(this.core, this.tasks, options);
    for (let cpu = 0; cpu < program.cpus; cpu++) this.machine.interrupts.setEnabled(cpu, true);
  }

  private setFeatures(): void {
    const { program, features, keys, config } = this.options;
    program.features.forEach(({ name, kind, default: byDefault }, at) => {
      let on: boolean | null;
      if (kind === 'key') on = keys?.get(name) ?? (features.has(name) ? true : byDefault);
      else if (kind === 'config') on = config?.get(name) ?? byDefault;
      else on = features.has(name);
      this.core.features[at] = on === null ? 2 : on ? 1 : 0;
    });
  }

  private handlers(): Map<number, number> {
    const found = new Map<number, number>();
    for (const [vector, name] of this.options.handlers ?? []) {
      const fn = this.options.program.functions.findIndex(one => one.name === name);
      if (fn < 0) throw new Error(`no function ${name} to handle vector ${vector}`);
      found.set(vector, fn);
    }
    return found;
  }

  /** Runs up to `steps` instructions; returns how many. Fewer: the run is over, see {@link ending}. */
  run(steps: number): number {
    const { core } = this;
    const { global } = core;
    let left = steps;
    while (left > 0) {
      const quantum = global[Gw.Quantum]!;
      // Whoever waits, has ended or has stopped the run is urgent too.
      if (quantum <= 0 || global[Gw.Urgent] !== 0) {
        if (!this.scheduler.choose()) break;
        continue;
      }
      const ran = interpret(core, this, global[Gw.Current]!, left < quantum ? left : quantum);
      global[Gw.Quantum] = quantum - ran;
      left -= ran;
    }
    return steps - left;
  }

  /** One instruction. False when the run is over. */
  step(): boolean {
    return this.run(1) === 1;
  }

  /** Whether a CPU has something to run now. */
  canRun(cpu: number): boolean {
    return this.scheduler.canRun(cpu);
  }

  /** One instruction of a given CPU, whatever the clocks say: for explorers. False: it cannot run. */
  stepCpu(cpu: number): boolean {
    if (!this.scheduler.chooseCpu(cpu)) return false;
    const { global } = this.core;
    global[Gw.Quantum]! -= interpret(this.core, this, cpu, 1);
    return true;
  }

  operation(cpu: number, number: number): Outcome {
    return runOperation(this.core, this.operations[number]!, cpu, number);
  }

  primitive(cpu: number, number: number, kind: number): Outcome {
    const { core } = this;
    core.resultLo = 0;
    core.resultHi = 0;
    return this.primitives[number]!(core, cpu, kind);
  }

  exception(cpu: number): void {
    this.tasks.takeException(cpu);
  }

  left(cpu: number, flags: number): void {
    this.tasks.left(cpu, flags);
  }

  get isOver(): boolean {
    return this.core.global[Gw.Verdict] !== Verdict.None;
  }

  get ending(): Ending {
    return endingOf(this.core);
  }

  /** Instructions run so far. */
  get steps(): number {
    const { global } = this.core;
    return global[Gw.StepsHi]! * 4_294_967_296 + (global[Gw.StepsLo]! >>> 0) + this.scheduler.unsettled;
  }

  /** What the last finished call of a CPU's task returned. */
  result(cpu: number): bigint {
    const base = cpu * controlWords;
    return whole(this.core.control[base + Cw.ResultLo]!, this.core.control[base + Cw.ResultHi]!);
  }

  /** The whole state, the hardware's included. */
  snapshot(): Int32Array {
    return pack(this.words);
  }

  restore(snapshot: Int32Array): void {
    unpack(snapshot, this.words);
  }

  /** `all`: every word; `situation`: what decides the future, without clocks and dead registers. */
  hash(part: 'all' | 'situation' = 'all'): string {
    return part === 'all' ? hashAll(this.words) : hashSituation(this.core);
  }

  /** Whether the state equals a snapshot, word for word. */
  equals(snapshot: Int32Array): boolean {
    const other = new Int32Array(this.words.length);
    unpack(snapshot, other);
    return other.every((word, at) => word === this.words[at]);
  }

  get stateBytes(): number {
    return this.words.byteLength;
  }

  /** Slot of a place; null if the program has no such object. */
  slot(place: Place, cpu = 0): number | null {
    const found = this.options.program.locate(place);
    if (!found) return null;
    return found.object.perCpu
      ? this.layout.perCpuSlot + cpu * this.layout.perCpuStride + found.slot
      : found.slot;
  }

  /** Address of a place as code sees it. */
  address(place: Place, cpu = 0): bigint {
    const slot = this.slot(place, cpu);
    if (slot === null) throw new Error(`no object ${place.join('.')}`);
    return BigInt(slot * slotBytes);
  }

  /** Offset of a per-CPU place, as `per_cpu_ptr` and its kin take it. */
  perCpuOffset(place: Place): bigint {
    const found = this.options.program.locate(place);
    if (!found?.object.perCpu) throw new Error(`no per-CPU object ${place.join('.')}`);
    return BigInt(perCpuBase + found.slot * slotBytes);
  }

  /** The unsigned 64-bit value at a place; null where it holds none. */
  read(place: Place, cpu = 0): bigint | null {
    const slot = this.slot(place, cpu);
    return slot === null ? null : this.readSlot(slot);
  }

  /** The same at a slot that is known already. */
  readSlot(slot: number): bigint | null {
    if ((this.core.tags[slot]! & Tag.Defined) === 0) return null;
    return whole(this.core.memoryLo[slot]!, this.core.memoryHi[slot]!);
  }

  /** Sets the value at a place, before a run. */
  write(place: Place, value: bigint, cpu = 0): void {
    const slot = this.slot(place, cpu);
    if (slot === null) throw new Error(`no object ${place.join('.')}`);
    const { core } = this;
    const kind = core.tags[slot]! & Tag.KindMask;
    const [lo, hi] = halves(value);
    core.memoryLo[slot] = cutLow(kind, lo, hi);
    core.memoryHi[slot] = cutHigh(kind, core.memoryLo[slot], hi);
    core.tags[slot]! |= Tag.Defined;
    core.global[Gw.Rebuild] = 1;
  }

  /** Gives every slot of an object whose value is not known the value 0. */
  define(name: string): void {
    const found = this.options.program.locate([name]);
    if (!found) throw new Error(`no object ${name}`);
    const { object } = found;
    const copies = object.perCpu ? this.layout.cpus : 1;
    for (let cpu = 0; cpu < copies; cpu++) {
      const at = this.slot([name], cpu)!;
      for (let slot = at; slot < at + object.slots; slot++) this.core.tags[slot]! |= Tag.Defined;
    }
  }
}
