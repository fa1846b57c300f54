/** Interrupts, IPIs and NMIs as state. Taking one flushes nothing. */
import { nmiVector, type Interrupts } from '../hardware';
import type { Context } from './context';
import { atNmi, atPending, atStatus, statusHalted, statusInterrupts, statusNmiBlocked } from './layout';

export class InterruptState implements Interrupts {
  private readonly w: Int32Array;

  constructor(private readonly context: Context) {
    this.w = context.w;
  }

  send(from: number, to: number, vector: number): void {
    this.dispatch(from);
    this.arrive(from, to, vector);
  }

  sendNmi(from: number, to: number): void {
    this.dispatch(from);
    this.arrive(from, to, nmiVector);
  }

  raise(to: number, vector: number): void {
    const at = this.arrival(to, vector);
    this.context.clock.f.copyWithin(at, this.context.clock.at(to), this.context.clock.at(to) + 3);
    this.setPending(to, vector, true);
  }

  raiseNmi(to: number): void {
    this.raise(to, nmiVector);
  }

  enabled(cpu: number): boolean {
    return this.has(cpu, statusInterrupts);
  }

  setEnabled(cpu: number, enabled: boolean): void {
    this.set(cpu, statusInterrupts, enabled);
  }

  pending(cpu: number): number {
    return this.w[this.context.base(cpu) + atPending]!;
  }

  nmiPending(cpu: number): boolean {
    return this.w[this.context.base(cpu) + atNmi] !== 0;
  }

  next(cpu: number, timed: boolean): number {
    const now = this.context.clock.cycles(cpu);
    const due = (vector: number): boolean =>
      !timed || this.context.clock.f[this.arrival(cpu, vector)]! <= now;
    if (this.nmiPending(cpu) && !this.nmiBlocked(cpu) && due(nmiVector)) return nmiVector;
    if (!this.enabled(cpu)) return -1;
    const pending = this.pending(cpu);
    for (let vector = this.context.layout.vectors - 1; vector >= 0; vector--)
      if (((pending >>> vector) & 1) !== 0 && due(vector)) return vector;
    return -1;
  }

  nextArrival(cpu: number): number {
    const { f } = this.context.clock;
    let earliest = Infinity;
    if (this.nmiPending(cpu) && !this.nmiBlocked(cpu)) earliest = f[this.arrival(cpu, nmiVector)]!;
    if (!this.enabled(cpu)) return earliest;
    const pending = this.pending(cpu);
    for (let vector = 0; vector < this.context.layout.vectors; vector++)
      if (((pending >>> vector) & 1) !== 0) earliest = Math.min(earliest, f[this.arrival(cpu, vector)]!);
    return earliest;
  }

  arrivalOf(cpu: number, vector: number): number {
    return this.context.clock.f[this.arrival(cpu, vector)]!;
  }

  accept(cpu: number, vector: number): void {
    const { clock } = this.context;
    const at = this.arrival(cpu, vector);
    clock.waitUntil(cpu, at);
    clock.f.fill(0, at, at + 3);
    this.setPending(cpu, vector, false);
    this.set(cpu, statusHalted, false);
    if (vector === nmiVector) this.set(cpu, statusNmiBlocked, true);
    this.set(cpu, statusInterrupts, false);
    if (this.context.arm) this.context.synchronise(cpu);
    clock.addFigure(cpu, 'ipi_handler_overhead');
  }

  returnFromInterrupt(cpu: number): void {
    this.set(cpu, statusNmiBlocked, false);
    if (this.context.arm) this.context.synchronise(cpu);
    else this.context.stores.drainAll(cpu);
  }

  nmiBlocked(cpu: number): boolean {
    return this.has(cpu, statusNmiBlocked);
  }

  halted(cpu: number): boolean {
    return this.has(cpu, statusHalted);
  }

  setHalted(cpu: number, halted: boolean): void {
    this.set(cpu, statusHalted, halted);
  }

  /** The sender's part: counted as an IPI; its handling is charged where it is taken. */
  private dispatch(from: number): void {
    const { clock } = this.context;
    clock.tally(from, clock.operation('IPI'));
    clock.addFigure(from, 'ipi_icr_write');
  }

  /** One bit per vector: a second interrupt of a pending vector merges with it, and the earlier arrival counts. */
  private arrive(from: number, to: number, vector: number): void {
    const { clock } = this.context;
    const merged = vector === nmiVector ? this.nmiPending(to) : ((this.pending(to) >>> vector) & 1) !== 0;
    const figure = clock.between('ipi_delivery', from, to);
    clock.stamp(from, figure, this.arrival(to, vector), merged ? 'earlier' : 'always');
    this.setPending(to, vector, true);
  }

  /** Where the arrival time of a vector lies; the NMI's is the last. */
  private arrival(cpu: number, vector: number): number {
    const { vectors } = this.context.layout;
    if (vector !== nmiVector && !(vector >= 0 && vector < vectors))
      throw new RangeError(`vector ${vector}: the machine has ${vectors}`);
    return this.context.clock.at(cpu) + 6 + 3 * (vector === nmiVector ? vectors : vector);
  }

  private setPending(cpu: number, vector: number, pending: boolean): void {
    const base = this.context.base(cpu);
    if (vector === nmiVector) this.w[base + atNmi] = pending ? 1 : 0;
    else {
      const bit = 1 << vector;
      const old = this.w[base + atPending]!;
      this.w[base + atPending] = pending ? old | bit : old & ~bit;
    }
  }

  private has(cpu: number, bit: number): boolean {
    return (this.w[this.context.base(cpu) + atStatus]! & bit) !== 0;
  }

  private set(cpu: number, bit: number, on: boolean): void {
    const at = this.context.base(cpu) + atStatus;
    this.w[at] = on ? this.w[at]! | bit : this.w[at]! & ~bit;
  }
}
