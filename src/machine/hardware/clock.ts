/** Clocks of the CPUs with low and high, priced operations, and the latencies between CPUs. */
import type { Clocks } from '../hardware';
import { operations } from '../operations';
import { cyclesOf, priceOf } from '../price';
import type { MachineProfile } from '../profile';
import type { Layout } from './layout';

/** A time: value, low, high. */
export type Span = readonly [number, number, number];

const indexByName: ReadonlyMap<string, number> = new Map(operations.map(({ name }, index) => [name, index]));

export class Clock implements Clocks {
  readonly missingFigures: string[] = [];
  readonly f: Float64Array;
  private readonly prices: Float64Array;
  private readonly priced: Uint8Array;
  private readonly spans = new Map<string, Span | null>();
  private readonly socketOf: Int32Array;

  constructor(
    private readonly profile: MachineProfile,
    sockets: readonly number[] | null,
    private readonly w: Int32Array,
    buffer: ArrayBuffer,
    byteOffset: number,
    private readonly layout: Layout,
  ) {
    this.f = new Float64Array(buffer, byteOffset + layout.times * 4, layout.cpus * layout.timesPerCpu);
    this.prices = new Float64Array(operations.length * 3);
    this.priced = new Uint8Array(operations.length);
    operations.forEach(({ name }, index) => {
      const price = priceOf(profile, name);
      if ('unknown' in price) return;
      this.prices.set([price.cycles, price.low, price.high], index * 3);
      this.priced[index] = 1;
    });
    const { sockets: count, coresPerSocket } = profile.topology;
    this.socketOf = Int32Array.from({ length: layout.cpus }, (_, cpu) =>
      Math.floor((cpu % (count * coresPerSocket)) / coresPerSocket),
    );
    if (sockets) sockets.slice(0, layout.cpus).forEach((socket, cpu) => (this.socketOf[cpu] = socket));
  }

  socket(cpu: number): number {
    return this.socketOf[cpu]!;
  }

  /** First Float64 of the CPU's times: clock, last acknowledgement, arrivals; three each. */
  at(cpu: number): number {
    return cpu * this.layout.timesPerCpu;
  }

  cycles(cpu: number): number {
    return this.f[this.at(cpu)]!;
  }

  low(cpu: number): number {
    return this.f[this.at(cpu) + 1]!;
  }

  high(cpu: number): number {
    return this.f[this.at(cpu) + 2]!;
  }

  charge(cpu: number, operation: number): boolean {
    this.tally(cpu, operation);
    if (this.priced[operation] === 0) {
      this.unpricedOne(cpu);
      return false;
    }
    const from = operation * 3;
    this.add(cpu, this.prices[from]!, this.prices[from + 1]!, this.prices[from + 2]!);
    return true;
  }

  price(operation: number): Span | null {
    if (this.priced[operation] !== 1) return null;
    const at = operation * 3;
    return [this.prices[at]!, this.prices[at + 1]!, this.prices[at + 2]!];
  }

  tally(cpu: number, operation: number): void {
    const at = this.layout.tallies + cpu * this.layout.talliesPerCpu + operation;
    this.w[at] = this.w[at]! + 1;
  }

  add(cpu: number, cycles: number, low: number, high: number): void {
    const f = this.f;
    const at = this.at(cpu);
    f[at] = f[at]! + cycles;
    f[at + 1] = f[at + 1]! + low;
    f[at + 2] = f[at + 2]! + high;
  }

  waitFor(cpu: number, other: number): void {
    this.waitUntil(cpu, this.at(other));
  }

  /** The clock becomes at least the time at `from`, value, low and high each. */
  waitUntil(cpu: number, from: number): void {
    const f = this.f;
    const at = this.at(cpu);
    for (let n = 0; n < 3; n++) if (f[from + n]! > f[at + n]!) f[at + n] = f[from + n]!;
  }

  count(cpu: number, operation: number): number {
    return this.w[this.layout.tallies + cpu * this.layout.talliesPerCpu + operation] ?? 0;
  }

  misses(cpu: number): number {
    return this.count(cpu, operations.length);
  }

  unpriced(cpu: number): number {
    return this.count(cpu, operations.length + 1);
  }

  unpricedOne(cpu: number): void {
    this.tally(cpu, operations.length + 1);
  }

  missOne(cpu: number): void {
    this.tally(cpu, operations.length);
  }

  operation(name: string): number {
    return indexByName.get(name) ?? -1;
  }

  /** Counts and charges an operation by name. */
  perform(cpu: number, name: string): void {
    this.charge(cpu, this.operation(name));
  }

  /** A published figure; null, and a place among the missing ones, if the profile has none. */
  span(figure: string): Span | null {
    const known = this.spans.get(figure);
    if (known !== undefined) return known;
    const found = cyclesOf(this.profile, figure);
    const span: Span | null = 'unknown' in found ? null : [found.cycles, found.low, found.high];
    if (!span) this.missingFigures.push(figure);
    this.spans.set(figure, span);
    return span;
  }

  /** Adds a figure; one that is missing counts as unpriced. */
  addFigure(cpu: number, figure: string): void {
    this.addSpan(cpu, this.span(figure));
  }

  addSpan(cpu: number, span: Span | null): void {
    if (span) this.add(cpu, span[0], span[1], span[2]);
    else this.unpricedOne(cpu);
  }

  /** Sets the time at `to` to the clock of `from` plus a figure. With `later`/`earlier` only if that moves it so. */
  stamp(from: number, figure: string, to: number, keep: 'later' | 'earlier' | 'always'): void {
    const span = this.span(figure);
    if (!span) this.unpricedOne(from);
    const f = this.f;
    const at = this.at(from);
    for (let n = 0; n < 3; n++) {
      const time = f[at + n]! + (span ? span[n]! : 0);
      if (keep === 'later') f[to + n] = Math.max(f[to + n]!, time);
      else if (keep === 'earlier') f[to + n] = Math.min(f[to + n]!, time);
      else f[to + n] = time;
    }
  }

  /** `figure_same_socket` or `figure_cross_socket`. */
  between(figure: string, one: number, other: number): string {
    return `${figure}_${this.socketOf[one] === this.socketOf[other] ? 'same' : 'cross'}_socket`;
  }
}
