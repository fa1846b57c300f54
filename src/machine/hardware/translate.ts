/** Accesses, speculative fills and walks: how the caches and the page tables give a frame or a fault. */
import {
  accessAnew,
  accessExecute,
  accessWrite,
  done,
  generalProtection,
  noTable,
  pageFault,
  type CachedEntry,
  type EntryState,
  type Result,
  type Translation,
} from '../hardware';
import type { Span } from './clock';
import type { Context } from './context';
import { compareEntry } from './compare';
import { cachesOf, contents, occupancyOf } from './contents';
import { absentCode, accessFlagCode, forbiddenCode } from './faultCodes';
import { entryDirty, entryLeafShift, entryPermissions, frameHighMask, tagGlobal } from './flags';
import { keyOf, openBits } from './keys';
import { atContext, atCr0, atCr4, atTick } from './layout';
import { permitsArm64, permitsX86 } from './permissions';
import { flagsAt, frameAt, probeCode, probeData, probeStore, stampAt } from './shapes';
import { frameNumber, type Tlb } from './tlb';
import { walkDone, walkNoTable, walkReserved, type Walk } from './walk';
import { Walker } from './walker';

const probeOf = (kind: number): number => {
  if ((kind & accessExecute) !== 0) return probeCode;
  return (kind & accessWrite) !== 0 ? probeStore : probeData;
};

export class Translate implements Translation {
  hit = 0;
  leafLevel = 0;
  flags = 0;
  errorCode = 0;
  /** Low word of the frame of the access. */
  private frameLow = 0;
  private readonly walker: Walker;
  private readonly walk: Walk;
  private readonly w: Int32Array;
  private readonly tlb: Tlb;
  private readonly arm: boolean;
  private readonly cpuStart: number;
  private readonly cpuWords: number;
  private readonly secondLevel: Span | null;
  private readonly walking: Span | null;

  constructor(private readonly context: Context) {
    this.walker = new Walker(context);
    this.walk = this.walker.walk;
    this.secondLevel = context.clock.span('stlb_hit_penalty');
    this.walking = context.clock.span('page_walk_cached');
    this.w = context.w;
    this.tlb = context.tlb;
    this.arm = context.arm;
    this.cpuStart = context.layout.cpuStart;
    this.cpuWords = context.layout.cpuWords;
  }

  get frame(): number {
    return frameNumber(this.frameLow, this.flags);
  }

  get reads(): number {
    return this.walk.reads;
  }

  get startLevel(): number {
    return this.walker.startLevel;
  }

  get conflict(): boolean {
    return this.walker.conflict;
  }

  get table(): number {
    return this.walk.tables[this.walk.level]!;
  }

  get level(): number {
    return this.walk.level;
  }

  get index(): number {
    return this.walk.indexes[this.walk.level]!;
  }

  access(cpu: number, lo: number, hi: number, kind: number): Result {
    const context = this.context;
    const w = this.w;
    const base = this.cpuStart + cpu * this.cpuWords;
    this.hit = 0;
    if (!this.arm && w[base + atCr0]! >= 0) return this.untranslated(lo, hi);
    const top = hi >> 15;
    if (top !== 0 && top !== -1 && !context.canonical(base, hi)) return this.notCanonical(kind);
    const tag = w[base + atContext]!;
    if ((kind & accessAnew) !== 0) context.tlb.dropPage(base, lo, hi, tag, true);
    const { tlb } = this;
    const probe = kind === 0 ? probeData : probeOf(kind);
    const stamp = w[base + atTick]! + 1;
    if (stamp === 0x7fffffff) return this.ranked(cpu, base, lo, hi, kind);
    w[base + atTick] = stamp;
    const entry = tlb.find(false, probe, base, lo, hi, tag);
    if (entry < 0) return this.second(cpu, base, lo, hi, kind);
    const flags = w[entry + flagsAt]!;
    // A write through a clean entry walks again, to set the dirty bit in memory.
    if (!this.allows(base, flags, kind) || ((kind & accessWrite) !== 0 && (flags & entryDirty) === 0))
      return this.blocked(cpu, base, lo, hi, kind, entry, 1);
    w[entry + stampAt] = stamp;
    this.hit = 1;
    this.frameLow = w[entry + frameAt]! | (keyOf(lo, hi, 1) & openBits(tlb.foundLevel));
    this.flags = flags;
    this.leafLevel = (flags >>> entryLeafShift) & 3;
    return done;
  }

  /** LRU stamps have come to their end: they become ranks, and the access begins again. */
  private ranked(cpu: number, base: number, lo: number, hi: number, kind: number): Result {
    this.context.words.rankStamps(base);
    return this.access(cpu, lo, hi, kind);
  }

  /** The first level missed. */
  private second(cpu: number, base: number, lo: number, hi: number, kind: number): Result {
    const { tlb, w } = this;
    const probe = probeOf(kind);
    const tag = w[base + atContext]!;
    const entry = tlb.find(true, probe, base, lo, hi, tag);
    if (entry < 0) return this.miss(cpu, base, lo, hi, kind);
    const flags = w[entry + flagsAt]!;
    if (!this.allows(base, flags, kind) || ((kind & accessWrite) !== 0 && (flags & entryDirty) === 0))
      return this.blocked(cpu, base, lo, hi, kind, entry, 2);
    w[entry + stampAt] = w[base + atTick]!;
    const level = tlb.foundLevel;
    const frame = w[entry + frameAt]!;
    tlb.fill(false, probe, base, lo, hi, w[entry]! < 0 ? tagGlobal : tag, level, frame, flags);
    this.context.clock.addSpan(cpu, this.secondLevel);
    this.hit = 2;
    this.take(lo, hi, level, frame, flags);
    return done;
  }

  /** A cached entry forbids the access, or is clean and the access a write. */
  private blocked(
    cpu: number,
    base: number,
    lo: number,
    hi: number,
    kind: number,
    entry: number,
    hit: number,
  ): Result {
    const flags = this.w[entry + flagsAt]!;
    if (this.allows(base, flags, kind)) return this.miss(cpu, base, lo, hi, kind);
    this.hit = hit;
    this.take(lo, hi, this.tlb.foundLevel, this.w[entry + frameAt]!, flags);
    return this.forbidden(cpu, lo, hi, kind);
  }

  private miss(cpu: number, base: number, lo: number, hi: number, kind: number): Result {
    const { context } = this;
    context.clock.missOne(cpu);
    context.clock.addSpan(cpu, this.walking);
    const status = this.begin(cpu, lo, hi, -1);
    if (status !== walkDone) return this.absent(cpu, lo, hi, kind, status);
    const late = this.lateFault(cpu, kind);
    if (late !== done) return this.fault(cpu, lo, hi);
    this.walker.mark(cpu, (kind & accessWrite) !== 0);
    this.walker.keep(base, lo, hi, probeOf(kind));
    this.take(lo, hi, this.leafLevel, this.walk.frame, this.walk.flags);
    return done;
  }

  speculate(cpu: number, lo: number, hi: number, kind: number, startLevel = -1): boolean {
    const base = this.context.base(cpu);
    if (!this.translates(base, hi)) return false;
    const status = this.begin(cpu, lo, hi, startLevel);
    if (status !== walkDone || !this.walker.usable()) return false;
    this.walker.mark(cpu, false);
    this.context.words.tick(base);
    this.walker.keep(base, lo, hi, probeOf(kind));
    return true;
  }

  speculatePaging(cpu: number, lo: number, hi: number, level: number): boolean {
    const base = this.context.base(cpu);
    if (!this.translates(base, hi)) return false;
    this.begin(cpu, lo, hi, 0);
    // The entry of `level` was read and found to point to a table if the walk went on below it.
    if (this.walk.level >= level || this.walk.top < level) return false;
    if (this.walker.startLevel !== 0) return false;
    this.walker.markUpper(cpu, level);
    this.context.words.tick(base);
    this.walker.keepPaging(base, lo, hi, level);
    return true;
  }

  peek(cpu: number, lo: number, hi: number, kind: number): Result {
    const base = this.context.base(cpu);
    this.hit = 0;
    if (!this.context.arm && this.w[base + atCr0]! >= 0) return this.untranslated(lo, hi);
    if (!this.context.canonical(base, hi)) return this.notCanonical(kind);
    const status = this.begin(cpu, lo, hi, 0);
    if (status !== walkDone) return this.report(kind, status);
    const late = this.lateFault(cpu, kind);
    this.take(lo, hi, this.leafLevel, this.walk.frame, this.walk.flags);
    return late;
  }

  cached(cpu: number, lo: number, hi: number, which = 0): number {
    const base = this.context.base(cpu);
    const { tlb } = this.context;
    const entry = tlb.match(base, lo, hi, this.context.tag(base), which);
    if (entry >= 0) {
      this.hit = tlb.foundFirst ? 1 : 2;
      this.take(lo, hi, tlb.foundLevel, this.w[entry + frameAt]!, this.w[entry + flagsAt]!);
    }
    return tlb.matches;
  }

  permits(cpu: number, flags: number, kind: number): boolean {
    return this.allows(this.context.base(cpu), flags, kind);
  }

  private allows(base: number, flags: number, kind: number): boolean {
    if (this.arm) return permitsArm64(flags, kind);
    return permitsX86(flags, kind, this.w[base + atCr0]!, this.w[base + atCr4]!);
  }

  evict(cpu: number, lo: number, hi: number): void {
    const base = this.context.base(cpu);
    this.context.tlb.dropPage(base, lo, hi, this.context.tag(base), true);
  }

  count(cpu: number, what: 'translations' | 'paging'): number {
    const { layout, words } = this.context;
    const shapes = what === 'paging' ? layout.paging : layout.caches;
    return shapes.reduce((sum, shape) => sum + words.entries(this.context.base(cpu), shape), 0);
  }

  entries(cpu: number): CachedEntry[] {
    return contents(this.context, cpu);
  }

  occupancy(cpu: number): ReturnType<Translation['occupancy']> {
    return occupancyOf(this.context, cpu);
  }

  caches(cpu: number): ReturnType<Translation['caches']> {
    return cachesOf(this.context, cpu);
  }

  compare(cpu: number, entry: CachedEntry, root: number): EntryState {
    return compareEntry(this.walker, cpu, entry, root);
  }

  /** x86: a page fault drops what is cached for the page (SDM 4.10.4.1), global entries too, or it would recur. */
  private fault(cpu: number, lo: number, hi: number): Result {
    const context = this.context;
    if (context.arm) return pageFault;
    const base = context.base(cpu);
    const tag = context.tag(base);
    context.tlb.dropPage(base, lo, hi, tag, true);
    context.paging.dropFor(base, lo, hi, tag);
    context.dropMore(base);
    return pageFault;
  }

  /** A cached entry forbids the access. */
  private forbidden(cpu: number, lo: number, hi: number, kind: number): Result {
    this.errorCode = forbiddenCode(this.arm, this.leafLevel, kind);
    return this.fault(cpu, lo, hi);
  }

  /** The walk did not reach a leaf. */
  private absent(cpu: number, lo: number, hi: number, kind: number, status: number): Result {
    const result = this.report(kind, status);
    return result === pageFault ? this.fault(cpu, lo, hi) : result;
  }

  private report(kind: number, status: number): Result {
    if (status === walkNoTable) return noTable;
    this.errorCode = absentCode(this.arm, this.walk.level, kind, status === walkReserved);
    return pageFault;
  }

  /** What is wrong with the leaf that the walk found; `errorCode` says it. */
  private lateFault(cpu: number, kind: number): Result {
    if (!this.walker.usable()) {
      this.errorCode = accessFlagCode(this.leafLevel, kind);
      return pageFault;
    }
    if (this.permits(cpu, this.walk.flags, kind)) return done;
    this.errorCode = forbiddenCode(this.arm, this.leafLevel, kind);
    return pageFault;
  }

  /** An address that no table of the CPU translates. */
  private notCanonical(kind: number): Result {
    if (!this.arm) return generalProtection;
    this.errorCode = absentCode(true, 4, kind, false);
    return pageFault;
  }

  private translates(base: number, hi: number): boolean {
    return (this.context.arm || this.w[base + atCr0]! < 0) && this.context.canonical(base, hi);
  }

  /** Without paging the frame is the address's. */
  private untranslated(lo: number, hi: number): Result {
    this.leafLevel = 1;
    this.flags = entryPermissions | entryDirty | ((hi >>> 12) & frameHighMask) | (1 << entryLeafShift);
    this.frameLow = keyOf(lo, hi, 1);
    return done;
  }

  /** The answer: the 4K frame of the address in a page of `level` whose first frame is given. */
  private take(lo: number, hi: number, level: number, frame: number, flags: number): void {
    this.frameLow = frame | (keyOf(lo, hi, 1) & openBits(level));
    this.flags = flags;
    this.leafLevel = (flags >>> entryLeafShift) & 3;
  }

  private begin(cpu: number, lo: number, hi: number, startLevel: number): number {
    const status = this.walker.begin(cpu, lo, hi, startLevel);
    this.leafLevel = this.walk.level;
    return status;
  }
}
