/** What the parts of one machine share: its words, registers, caches, bus and options. */
import type { Bus, HardwareOptions } from '../hardwareOptions';
import type { MachineProfile } from '../profile';
import { CacheWords } from './cacheWords';
import { Clock } from './clock';
import { cr4La57 } from './flags';
import {
  atContext,
  atCr4,
  atStatus,
  atTtbr,
  atTtbrInEffect,
  statusUnsynchronised,
  type Layout,
} from './layout';
import { PagingCaches } from './pagingCaches';
import { Stores } from './stores';
import { Tlb } from './tlb';

export class Context {
  readonly arm: boolean;
  readonly amd: boolean;
  readonly w: Int32Array;
  readonly words: CacheWords;
  readonly tlb: Tlb;
  readonly paging: PagingCaches;
  readonly clock: Clock;
  readonly stores: Stores;
  readonly lacks: ReadonlySet<string>;

  constructor(
    readonly profile: MachineProfile,
    readonly bus: Bus,
    readonly options: HardwareOptions,
    readonly layout: Layout,
    buffer: ArrayBuffer,
    byteOffset: number,
  ) {
    this.arm = profile.architecture === 'arm64';
    this.amd = profile.vendor === 'AMD';
    this.w = new Int32Array(buffer, byteOffset, layout.words);
    this.words = new CacheWords(this.w, layout);
    this.tlb = new Tlb(this.words, layout, options.fragments ?? 'missing');
    this.paging = new PagingCaches(this.words, layout);
    this.clock = new Clock(profile, options.sockets ?? null, this.w, buffer, byteOffset, layout);
    this.stores = new Stores(this.w, layout, bus, this.arm);
    this.lacks = new Set(options.lacks ?? profile.lacks);
  }

  base(cpu: number): number {
    return this.words.base(cpu);
  }

  /** PCID or ASID in effect on the CPU whose block begins at `base`. */
  tag(base: number): number {
    return this.w[base + atContext]!;
  }

  /** Bits of an address that are translated. */
  width(base: number): number {
    return !this.arm && (this.w[base + atCr4]! & cr4La57) !== 0 ? 57 : 48;
  }

  /** Whether bits 63 and below repeat the highest translated one. */
  canonical(base: number, hi: number): boolean {
    const rest = hi >> (this.width(base) - 33);
    return rest === 0 || rest === -1;
  }

  /** What an invalidation drops beyond what it must, by the option. */
  dropMore(base: number): void {
    const more = this.options.alsoDrops;
    if (more === undefined || more === 'nothing') return;
    this.paging.dropAll(base, -1);
    if (more === 'everything') this.tlb.dropAll(base, -1, true);
  }

  /** Context synchronisation of Arm: TTBR writes take effect. */
  synchronise(cpu: number): void {
    const w = this.w;
    const base = this.base(cpu);
    w.copyWithin(base + atTtbrInEffect, base + atTtbr, base + atTtbr + 4);
    // TTBR1 holds the ASID (TCR.A1 = 1).
    w[base + atContext] = w[base + atTtbr + 3]! >>> 16;
    w[base + atStatus] = w[base + atStatus]! & ~statusUnsynchronised;
  }
}
