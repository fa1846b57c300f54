/** Instructions of x86 that touch translation: what each must invalidate (SDM volume 3A, 4.10.4.1), and when it faults. */
import {
  done,
  generalProtection,
  undefinedOpcode,
  waiting,
  type Result,
  type X86Instructions,
} from '../hardware';
import { issueInvlpgb } from './amd';
import type { BroadcastQueue } from './broadcasts';
import type { Context } from './context';
import {
  cr0Pe,
  cr0Pg,
  cr0Wp,
  cr4La57,
  cr4Pae,
  cr4Pcide,
  cr4Pge,
  cr4Smap,
  cr4Smep,
  eferLma,
  eferLme,
  eferNxe,
  eferTce,
} from './flags';
import { atContext, atCr0, atCr3Hi, atCr3Lo, atCr4, atEfer } from './layout';

export class X86 implements X86Instructions {
  private readonly w: Int32Array;

  constructor(
    private readonly context: Context,
    private readonly broadcasts: BroadcastQueue,
  ) {
    this.w = context.w;
  }

  invlpg(cpu: number, lo: number, hi: number): Result {
    const { context } = this;
    const base = this.serialise(cpu, 'INVLPG');
    if (!context.canonical(base, hi)) return done;
    const pcid = context.tag(base);
    const keepsGlobals =
      context.options.invlpgKeepsGlobalsWhenPcide === true && (this.w[base + atCr4]! & cr4Pcide) !== 0;
    context.tlb.dropPage(base, lo, hi, pcid, !keepsGlobals);
    if (!context.amd) context.paging.dropAll(base, pcid);
    else if (this.tce(base)) context.paging.dropFor(base, lo, hi, pcid);
    else context.paging.dropAll(base, -1);
    context.dropMore(base);
    return done;
  }

  invpcid(
    cpu: number,
    type: number,
    descLo: number,
    descHi: number,
    addressLo: number,
    addressHi: number,
  ): Result {
    const { context, w } = this;
    if (context.lacks.has('INVPCID')) return undefinedOpcode;
    const base = context.base(cpu);
    const pcid = descLo & 0xfff;
    if (type < 0 || type > 3 || !Number.isInteger(type)) return generalProtection;
    if (descHi !== 0 || descLo >>> 12 !== 0) return generalProtection;
    if (type <= 1 && pcid !== 0 && (w[base + atCr4]! & cr4Pcide) === 0) return generalProtection;
    if (type === 0 && !context.canonical(base, addressHi)) return generalProtection;
    const { tlb, paging } = context;
    switch (type) {
      case 0:
        this.serialise(cpu, 'INVPCID_ADDR');
        tlb.dropPage(base, addressLo, addressHi, pcid, false);
        if (context.amd && !this.tce(base)) paging.dropAll(base, -1);
        else paging.dropFor(base, addressLo, addressHi, pcid);
        break;
      case 1:
        this.serialise(cpu, 'INVPCID_CTX');
        this.dropContext(base, pcid);
        break;
      case 2:
        this.serialise(cpu, 'INVPCID_ALL_GLOBAL');
        this.dropEverything(base);
        break;
      default:
        this.serialise(cpu, 'INVPCID_ALL');
        tlb.dropAll(base, -1, false);
        paging.dropAll(base, -1);
    }
    context.dropMore(base);
    return done;
  }

  writeCr3(cpu: number, lo: number, hi: number): Result {
    const { context, w } = this;
    const base = context.base(cpu);
    const pcide = (w[base + atCr4]! & cr4Pcide) !== 0;
    const noFlush = hi < 0;
    if ((hi & 0x7ff00000) !== 0 || (noFlush && !pcide)) return generalProtection;
    this.serialise(cpu, noFlush ? 'CR3_NOFLUSH' : 'CR3_FLUSH');
    w[base + atCr3Lo] = lo;
    w[base + atCr3Hi] = hi & 0x7fffffff;
    const pcid = pcide ? lo & 0xfff : 0;
    w[base + atContext] = pcid;
    if (!noFlush) this.dropContext(base, pcid);
    context.dropMore(base);
    return done;
  }

  writeCr4(cpu: number, lo: number, hi: number): Result {
    const { context, w } = this;
    const base = context.base(cpu);
    const old = w[base + atCr4]!;
    const changed = old ^ lo;
    const set = changed & lo;
    const long = (w[base + atEfer]! & eferLma) !== 0;
    if (hi !== 0) return generalProtection;
    if (long && ((changed & cr4La57) !== 0 || (lo & cr4Pae) === 0)) return generalProtection;
    if ((set & cr4Pcide) !== 0) {
      const loaded = (w[base + atCr3Lo]! & 0xfff) !== 0;
      if (context.lacks.has('PCID') || loaded || !long) return generalProtection;
    }
    // A price is known only for a write that changes PGE.
    if ((changed & cr4Pge) !== 0) this.serialise(cpu, 'CR4_WRITE');
    else {
      context.stores.drainAll(cpu);
      context.clock.tally(cpu, context.clock.operation('CR4_WRITE'));
      context.clock.unpricedOne(cpu);
    }
    const clearsPcide = (changed & old & cr4Pcide) !== 0;
    const pcid = context.tag(base);
    w[base + atCr4] = lo;
    w[base + atContext] = (lo & cr4Pcide) !== 0 ? w[base + atCr3Lo]! & 0xfff : 0;
    if ((changed & cr4Pge) !== 0 || clearsPcide) this.dropEverything(base);
    else if ((changed & cr4Pae) !== 0 || (set & cr4Smep) !== 0) this.dropContext(base, pcid);
    context.dropMore(base);
    return done;
  }

  writeCr0(cpu: number, lo: number, hi: number): Result {
    const { context, w } = this;
    const base = context.base(cpu);
    const clearsPg = (w[base + atCr0]! & ~lo & cr0Pg) !== 0;
    if (hi !== 0 || ((lo & cr0Pg) !== 0 && (lo & cr0Pe) === 0)) return generalProtection;
    if (clearsPg && (w[base + atCr4]! & cr4Pcide) !== 0) return generalProtection;
    context.stores.drainAll(cpu);
    context.clock.unpricedOne(cpu);
    w[base + atCr0] = lo;
    if (clearsPg) this.dropEverything(base);
    context.dropMore(base);
    return done;
  }

  writeEfer(cpu: number, lo: number, hi: number): Result {
    if (hi !== 0) return generalProtection;
    this.context.stores.drainAll(cpu);
    this.context.clock.unpricedOne(cpu);
    this.w[this.context.base(cpu) + atEfer] = lo;
    return done;
  }

  taskSwitch(cpu: number, lo: number, hi: number): Result {
    const { context, w } = this;
    const base = context.base(cpu);
    if (w[base + atCr3Lo] === lo && w[base + atCr3Hi] === hi) return done;
    if ((w[base + atCr4]! & cr4Pcide) !== 0) return generalProtection;
    context.stores.drainAll(cpu);
    context.clock.unpricedOne(cpu);
    w[base + atCr3Lo] = lo;
    w[base + atCr3Hi] = hi;
    this.dropContext(base, 0);
    context.dropMore(base);
    return done;
  }

  cr3Lo(cpu: number): number {
    return this.w[this.context.base(cpu) + atCr3Lo]!;
  }

  cr3Hi(cpu: number): number {
    return this.w[this.context.base(cpu) + atCr3Hi]!;
  }

  cr4(cpu: number): number {
    return this.w[this.context.base(cpu) + atCr4]!;
  }

  cr0(cpu: number): number {
    return this.w[this.context.base(cpu) + atCr0]!;
  }

  efer(cpu: number): number {
    return this.w[this.context.base(cpu) + atEfer]!;
  }

  pcid(cpu: number): number {
    return this.context.tag(this.context.base(cpu));
  }

  root(cpu: number): number {
    return (this.cr3Lo(cpu) >>> 12) + (this.cr3Hi(cpu) & 0xfffff) * 0x100000;
  }

  reset(cpu: number, root: number, features: readonly string[]): void {
    const { w } = this;
    const base = this.context.base(cpu);
    const bit = (feature: string, value: number): number => (features.includes(feature) ? value : 0);
    w[base + atCr0] = cr0Pe | cr0Wp | cr0Pg;
    w[base + atCr3Lo] = root * 0x1000;
    w[base + atCr3Hi] = Math.floor(root / 0x100000);
    w[base + atCr4] =
      cr4Pae |
      bit('PGE', cr4Pge) |
      bit('PCID', cr4Pcide) |
      bit('SMEP', cr4Smep) |
      bit('SMAP', cr4Smap) |
      bit('LA57', cr4La57);
    w[base + atEfer] = eferLme | eferLma | eferNxe | bit('TCE', eferTce);
    w[base + atContext] = 0;
    this.dropEverything(base);
  }

  invlpgb(cpu: number, raxLo: number, raxHi: number, ecx: number, edx: number): Result {
    return issueInvlpgb(this.context, this.broadcasts, cpu, raxLo, raxHi, ecx, edx);
  }

  tlbsync(cpu: number, force = false): Result {
    const { context, broadcasts } = this;
    if (context.lacks.has('INVLPGB')) return undefinedOpcode;
    if (force) broadcasts.complete(cpu);
    if (broadcasts.owes(cpu)) return waiting;
    context.clock.perform(cpu, 'TLBSYNC');
    return done;
  }

  fence(cpu: number, operation: 'LFENCE' | 'MFENCE' | 'ATOMIC' | 'SERIALIZE'): Result {
    if (operation !== 'LFENCE') this.context.stores.drainAll(cpu);
    this.context.clock.perform(cpu, operation);
    return done;
  }

  /** The price, and the drain of every serialising instruction. Returns the CPU's block. */
  private serialise(cpu: number, operation: string): number {
    this.context.stores.drainAll(cpu);
    this.context.clock.perform(cpu, operation);
    return this.context.base(cpu);
  }

  private tce(base: number): boolean {
    return (this.w[base + atEfer]! & eferTce) !== 0;
  }

  private dropContext(base: number, pcid: number): void {
    this.context.tlb.dropAll(base, pcid, false);
    this.context.paging.dropAll(base, pcid);
  }

  private dropEverything(base: number): void {
    this.context.tlb.dropAll(base, -1, true);
    this.context.paging.dropAll(base, -1);
  }
}
