/** Store buffers: FIFO on x86 (TSO); on Arm stores to different addresses may leave in any order between barriers. */
import type { Bus } from '../hardwareOptions';
import type { StoreBuffers } from '../hardware';
import { atBuffered, storeWords, type Layout } from './layout';

const isStore = 1;
const isBarrier = 2;

export class Stores implements StoreBuffers {
  lo = 0;
  hi = 0;

  constructor(
    private readonly w: Int32Array,
    private readonly layout: Layout,
    private readonly bus: Bus,
    private readonly arm: boolean,
  ) {}

  store(cpu: number, address: number, lo: number, hi: number): void {
    if (this.layout.storeDepth === 0) this.bus.write(cpu, address, lo, hi);
    else this.push(cpu, isStore, address, lo, hi);
  }

  /** Arm: stores after it leave after those before it. On x86 their order is that already. */
  barrier(cpu: number): void {
    if (this.arm && this.size(cpu) > 0) this.push(cpu, isBarrier, 0, 0, 0);
  }

  find(cpu: number, address: number): boolean {
    const start = this.start(cpu);
    for (let n = this.size(cpu) - 1; n >= 0; n--) {
      const at = start + n * storeWords;
      if (this.w[at] !== isStore || this.w[at + 1] !== address) continue;
      this.lo = this.w[at + 2]!;
      this.hi = this.w[at + 3]!;
      return true;
    }
    return false;
  }

  size(cpu: number): number {
    return this.w[this.block(cpu) + atBuffered]!;
  }

  mayDrain(cpu: number, index: number): boolean {
    if (index < 0 || index >= this.size(cpu)) return false;
    if (index === 0) return true;
    const start = this.start(cpu);
    const at = start + index * storeWords;
    if (!this.arm || this.w[at] === isBarrier) return false;
    for (let older = start; older < at; older += storeWords)
      if (this.w[older] === isBarrier || this.w[older + 1] === this.w[at + 1]) return false;
    return true;
  }

  drain(cpu: number, index = 0): boolean {
    if (!this.mayDrain(cpu, index)) return false;
    const w = this.w;
    const start = this.start(cpu);
    const at = start + index * storeWords;
    const end = start + this.size(cpu) * storeWords;
    const address = w[at + 1]!;
    const lo = w[at + 2]!;
    const hi = w[at + 3]!;
    const store = w[at] === isStore;
    w.copyWithin(at, at + storeWords, end);
    w.fill(0, end - storeWords, end);
    w[this.block(cpu) + atBuffered] = this.size(cpu) - 1;
    if (store) this.bus.write(cpu, address, lo, hi);
    // A barrier with nothing left before it holds nothing back.
    if (this.size(cpu) > 0 && w[start] === isBarrier) this.drain(cpu, 0);
    return true;
  }

  drainAll(cpu: number): void {
    while (this.size(cpu) > 0) this.drain(cpu, 0);
  }

  private push(cpu: number, kind: number, address: number, lo: number, hi: number): void {
    if (this.size(cpu) === this.layout.storeDepth) this.drain(cpu, 0);
    const w = this.w;
    const at = this.start(cpu) + this.size(cpu) * storeWords;
    w[at] = kind;
    w[at + 1] = address;
    w[at + 2] = lo;
    w[at + 3] = hi;
    w[this.block(cpu) + atBuffered] = this.size(cpu) + 1;
  }

  private block(cpu: number): number {
    return this.layout.cpuStart + cpu * this.layout.cpuWords;
  }

  private start(cpu: number): number {
    return this.block(cpu) + this.layout.stores;
  }
}
