/** Which CPU runs next. The choice is part of the state: the same seed gives the same run, stepped or straight. */
import type { Core } from './core';
import { Detail, Stop, Verdict } from './outcomes';
import type { Tasks } from './tasks';
import { ReadyTree } from './readyTree';
import { controlWords, Cw, Gw, Status, WaitKind } from './state';

export interface ScheduleOptions {
  /** Instructions that a CPU runs at most before others get their turn, about. Default 16. */
  readonly quantum?: number;
  /** Instructions of one CPU's task. Default 20 million. */
  readonly budget?: number;
}

/** Instructions without any change after which a CPU is watched for running in circles. */
const quietAtMost = 1 << 16;

export class Scheduler {
  private readonly quantum: number;
  private readonly budget: number;
  private readonly tree: ReadyTree;

  constructor(
    private readonly core: Core,
    private readonly tasks: Tasks,
    options: ScheduleOptions,
  ) {
    this.quantum = Math.max(1, options.quantum ?? 16);
    this.tree = new ReadyTree(core);
    this.budget = Math.max(1, options.budget ?? 20_000_000);
  }

  /** xorshift32. */
  private random(): number {
    const { global } = this.core;
    let x = global[Gw.Random]!;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    global[Gw.Random] = x;
    return x >>> 0;
  }

  /** Chooses the CPU that runs next, and for how many instructions; false when the run is over. */
  choose(): boolean {
    this.settle();
    return this.core.global[Gw.Verdict] === Verdict.None && this.pick();
  }

  private pick(): boolean {
    const { core, tree } = this;
    const { global } = core;
    for (;;) {
      if (core.buffered) this.drainSome();
      this.refresh();
      const cpu = tree.first();
      if (cpu < 0) {
        if (core.buffered && this.drainAll()) continue;
        return this.over();
      }
      const others = global[Gw.Runnable]!;
      // With many CPUs, turns are longer: there is more to do until one of them matters to another.
      const turn = Math.max(this.quantum, others);
      const quantum = others === 1 ? 4096 : 1 + (this.random() % (2 * turn));
      if (this.prepare(cpu, tree.at(cpu), quantum)) return true;
      if (global[Gw.Verdict] !== Verdict.None) return false;
    }
  }

  /** Finds out anew when those CPUs could run for which something may have changed. */
  private refresh(): void {
    const { core } = this;
    const { control, global, layout, stirred } = core;
    const last = global[Gw.Current]!;
    if (global[Gw.Rebuild] !== 0) {
      global[Gw.Rebuild] = 0;
      this.tree.clear();
      stirred.fill(0);
      for (let cpu = 0; cpu < layout.cpus; cpu++) this.look(cpu, last);
      return;
    }
    if (last >= 0) core.stir(last);
    if (global[Gw.ChangeWaiters] !== 0)
      for (let cpu = 0; cpu < layout.cpus; cpu++)
        if (control[cpu * controlWords + Cw.WaitKind] === WaitKind.Change && core.isWaiting(cpu))
          core.stir(cpu);
    for (let word = 0; word < stirred.length; word++) {
      let bits = stirred[word]!;
      stirred[word] = 0;
      for (; bits !== 0; bits &= bits - 1) this.look((word << 5) | (31 - Math.clz32(bits & -bits)), last);
    }
  }

  private look(cpu: number, last: number): void {
    const { tree } = this;
    const time = this.readyAt(cpu, last);
    const before = tree.at(cpu);
    if (time !== Infinity && before === Infinity) this.wake(cpu, last);
    // Whoever waits for its turn keeps it when what it waited for changes once more.
    if (time > before && time !== Infinity && this.core.isWaiting(cpu) && this.mayGoOn(cpu)) return;
    tree.set(cpu, time);
  }

  /** Lets a CPU run next, from a time on. False: it has nothing to run after all, or the run has stopped. */
  private prepare(cpu: number, time: number, quantum: number): boolean {
    const { core } = this;
    const { control, global, order } = core;
    const base = cpu * controlWords;
    global[Gw.Urgent] = 0;
    core.stir(cpu);
    if (order[cpu]! < time) order[cpu] = time;
    const arrival = control[base + Cw.Poke] !== 0 ? core.arrival(cpu) : Infinity;
    if (arrival <= order[cpu]! && !this.tasks.takeInterrupt(cpu)) return false;
    if (control[base + Cw.Status] === Status.Idle && !this.tasks.startNext(cpu)) return false;
    if (control[base + Cw.Status] === Status.Waiting) {
      // What it waited for has come and gone.
      if (!this.mayGoOn(cpu)) return false;
      core.setWaiting(cpu, false);
    }
    global[Gw.Current] = cpu;
    // An interrupt that is on its way is not kept waiting.
    const until = control[base + Cw.Poke] !== 0 ? Math.max(1, Math.ceil(arrival - order[cpu]!)) : quantum;
    global[Gw.Quantum] = Math.min(quantum, until, this.budget - control[base + Cw.Steps]!);
    if (!this.watch(cpu)) return false;
    global[Gw.Granted] = global[Gw.Quantum]!;
    return global[Gw.Verdict] === Verdict.None;
  }

  /** Whether a CPU has something to run now: explorers choose among these. */
  canRun(cpu: number): boolean {
    return (
      this.core.global[Gw.Verdict] === Verdict.None &&
      this.readyAt(cpu, this.core.global[Gw.Current]!) < Infinity
    );
  }

  /** Lets a given CPU run one instruction next. */
  chooseCpu(cpu: number): boolean {
    this.settle();
    if (!this.canRun(cpu)) return false;
    const { core } = this;
    core.global[Gw.Rebuild] = 1;
    this.wake(cpu, core.global[Gw.Current]!);
    // Whoever is chosen takes its interrupt now: times decide nothing here.
    let time = this.readyAt(cpu, core.global[Gw.Current]!);
    if (core.control[cpu * controlWords + Cw.Poke] !== 0) time = Math.max(time, core.arrival(cpu));
    return this.prepare(cpu, time === Infinity ? core.order[cpu]! : time, 1);
  }

  /** Buffered stores reach memory when they like: some of them between two turns. */
  private drainSome(): void {
    const { stores } = this.core.machine;
    for (let cpu = 0; cpu < this.core.layout.cpus; cpu++)
      while (stores.size(cpu) > 0 && (this.random() & 1) !== 0) stores.drain(cpu, 0);
  }

  /** Nobody can run: what is buffered becomes visible at last. Whether anything was. */
  private drainAll(): boolean {
    const { stores } = this.core.machine;
    let any = false;
    for (let cpu = 0; cpu < this.core.layout.cpus; cpu++) {
      any ||= stores.size(cpu) > 0;
      stores.drainAll(cpu);
    }
    return any;
  }

  /** When a CPU could run: its own time, or Infinity. One that waits goes on after the CPU `last`, whose change it saw. */
  private readyAt(cpu: number, last: number): number {
    const { core } = this;
    const { control, order } = core;
    const base = cpu * controlWords;
    // An interrupt that is on its way keeps nobody from going on until it arrives.
    let interrupted = Infinity;
    if (control[base + Cw.Poke] !== 0) {
      const { interrupts } = core.machine;
      const takes =
        (interrupts.enabled(cpu) && interrupts.pending(cpu) !== 0) ||
        (interrupts.nmiPending(cpu) && !interrupts.nmiBlocked(cpu));
      if (takes) interrupted = Math.max(order[cpu]!, core.arrival(cpu));
      else control[base + Cw.Poke] = 0;
    }
    switch (control[base + Cw.Status]! as Status) {
      case Status.Running:
        return order[cpu]!;
      case Status.Idle:
        return this.tasks.hasNext(cpu) ? order[cpu]! : interrupted;
      case Status.Waiting:
        if (!this.mayGoOn(cpu)) return interrupted;
        return Math.min(interrupted, last < 0 ? order[cpu]! : Math.max(order[cpu]!, order[last]!));
    }
  }

  private mayGoOn(cpu: number): boolean {
    const { core } = this;
    const { control } = core;
    const base = cpu * controlWords;
    const on = control[base + Cw.WaitOn]!;
    switch (control[base + Cw.WaitKind]! as WaitKind) {
      case WaitKind.None:
        return false;
      case WaitKind.Slot:
        return (
          core.memoryLo[on] !== control[base + Cw.WaitLo] || core.memoryHi[on] !== control[base + Cw.WaitHi]
        );
      case WaitKind.Change:
        return core.global[Gw.Changes] !== on;
      case WaitKind.Messages:
        return core.machine.mailboxes.outstanding(cpu) === 0;
    }
  }

  /** What a CPU waited for has happened: it has waited at least until the change that the CPU `last` made. */
  private wake(cpu: number, last: number): void {
    const { core } = this;
    if (last < 0 || last === cpu || !core.isWaiting(cpu) || !this.mayGoOn(cpu)) return;
    const kind = core.control[cpu * controlWords + Cw.WaitKind]! as WaitKind;
    if (kind === WaitKind.Slot || kind === WaitKind.Change) core.machine.clocks.waitFor(cpu, last);
  }

  /** After many instructions without any change: is the CPU in a loop that can never end by itself? */
  private watch(cpu: number): boolean {
    const { core } = this;
    const { control, global } = core;
    const base = cpu * controlWords;
    if (control[base + Cw.QuietStamp] !== global[Gw.Changes]) {
      control[base + Cw.QuietStamp] = global[Gw.Changes]!;
      control[base + Cw.QuietSteps] = 0;
      return true;
    }
    const quiet = control[base + Cw.QuietSteps]!;
    if (quiet < quietAtMost) return true;
    // One instruction at a time, against a remembered situation that is renewed at each doubling (Brent).
    global[Gw.Quantum] = 1;
    const hash = this.tasks.situation(cpu);
    const same =
      control[base + Cw.SpinPc] === control[base + Cw.Pc] &&
      control[base + Cw.SpinHash] === hash &&
      control[base + Cw.SpinStamp] === global[Gw.Changes];
    if (same) {
      control[base + Cw.QuietSteps] = 0;
      core.waitForChange(cpu);
      core.setWaiting(cpu, true);
      return false;
    }
    if ((quiet & (quiet - 1)) === 0) {
      control[base + Cw.SpinPc] = control[base + Cw.Pc]!;
      control[base + Cw.SpinHash] = hash;
      control[base + Cw.SpinStamp] = global[Gw.Changes]!;
    }
    return true;
  }

  /** Nobody can run: all is done, or all wait for each other. */
  private over(): false {
    const { core } = this;
    for (let cpu = 0; cpu < core.layout.cpus; cpu++)
      if (core.isWaiting(cpu)) {
        core.stop(cpu, Verdict.Deadlock, 0);
        return false;
      }
    core.stop(0, Verdict.Finished, 0);
    return false;
  }

  /** Instructions run since the last choice. */
  get unsettled(): number {
    return this.core.global[Gw.Granted]! - this.core.global[Gw.Quantum]!;
  }

  /** Enters the instructions that the chosen CPU has run in its counts. */
  private settle(): void {
    const { core } = this;
    const { control, global } = core;
    const steps = this.unsettled;
    global[Gw.Granted] = global[Gw.Quantum]!;
    if (steps === 0) return;
    const cpu = global[Gw.Current]!;
    const base = cpu * controlWords;
    core.order[cpu]! += steps;
    control[base + Cw.QuietSteps]! += steps;
    const before = global[Gw.StepsLo]! >>> 0;
    global[Gw.StepsLo] = (before + steps) | 0;
    if (global[Gw.StepsLo] >>> 0 < before) global[Gw.StepsHi]!++;
    const spent = (control[base + Cw.Steps]! += steps);
    if (spent >= this.budget) core.stop(cpu, Verdict.Unbounded, Detail.Code | Stop.Budget);
  }
}
