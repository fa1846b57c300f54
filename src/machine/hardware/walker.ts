/** Walks that begin in the paging-structure caches or at the root, mark the entries they used, and are cached. */
import type { Context } from './context';
import {
  cr4La57,
  cr4Pge,
  descriptorAccessFlag,
  descriptorReadOnly,
  entryDirty,
  entryPermissions,
  pteAccessed,
  pteDirty,
  tagGlobal,
} from './flags';
import { atCr3Hi, atCr3Lo, atCr4, atTtbrInEffect } from './layout';
import { flagsAt, frameAt, stampAt } from './shapes';
import { frameNumber } from './tlb';
import { Walk, walkNoTable } from './walk';

export class Walker {
  /** Level of the cached entry from which the last walk began; 0: from the root. */
  startLevel = 0;
  /** Whether an entry made of a leaf of another size is cached for the page of the last fill. */
  conflict = false;
  readonly walk: Walk;
  private readonly w: Int32Array;

  constructor(private readonly context: Context) {
    this.walk = new Walk(context.bus);
    this.w = context.w;
  }

  /** Walks from the root (0), from the cached entry of a level, or from the deepest one (−1). `root`: a frame instead of that of the CPU's root. */
  begin(cpu: number, lo: number, hi: number, startLevel: number, root = -1): number {
    const { paging, arm } = this.context;
    const w = this.w;
    const base = this.context.base(cpu);
    const tag = this.context.tag(base);
    this.conflict = false;
    this.startLevel = 0;
    const levels = !arm && (w[base + atCr4]! & cr4La57) !== 0 ? 5 : 4;
    let level = levels;
    let permissions = entryPermissions;
    let from = -1;
    if (startLevel < 0) {
      for (let at = 2; at <= levels && from < 0; at++) {
        from = paging.find(base, at, lo, hi, tag);
        if (from >= 0) this.startLevel = at;
      }
    } else if (startLevel > 0) {
      from = paging.find(base, startLevel, lo, hi, tag);
      if (from < 0) return (this.walk.status = walkNoTable);
      this.startLevel = startLevel;
    }
    let table = root < 0 ? this.root(base, hi) : root;
    if (from >= 0) {
      const flags = w[from + flagsAt]!;
      w[from + stampAt] = this.context.words.tick(base);
      table = frameNumber(w[from + frameAt]!, flags);
      permissions = flags & entryPermissions;
      level = this.startLevel - 1;
    }
    const status = arm
      ? this.walk.arm64(cpu, lo, hi, level, table, permissions, this.hardwareFlags())
      : this.walk.x86(cpu, lo, hi, level, table, permissions);
    return status;
  }

  private root(base: number, hi: number): number {
    const w = this.w;
    if (!this.context.arm) return (w[base + atCr3Lo]! >>> 12) + (w[base + atCr3Hi]! & 0xfffff) * 0x100000;
    const at = base + atTtbrInEffect + (hi < 0 ? 2 : 0);
    return (w[at]! >>> 12) + (w[at + 1]! & 0xffff) * 0x100000;
  }

  private hardwareFlags(): boolean {
    return this.context.options.hardwareAccessFlag === true;
  }

  /** Whether the leaf may be cached as far as its access flag goes: the walker of x86 sets it, that of Arm may not. */
  usable(): boolean {
    return !this.context.arm || this.hardwareFlags() || this.walk.accessFlag();
  }

  /** Sets accessed (and dirty) bits of the entries that the walk used. */
  mark(cpu: number, write: boolean): void {
    const { walk } = this;
    const { arm, bus } = this.context;
    const level = walk.level;
    if (!arm) this.markUpper(cpu, level + 1);
    const lo = walk.los[level]!;
    let wanted = arm ? lo | (this.hardwareFlags() ? descriptorAccessFlag : 0) : lo | pteAccessed;
    if (write) {
      wanted = arm
        ? wanted & ((walk.flags & entryDirty) === 0 ? ~descriptorReadOnly : -1)
        : wanted | pteDirty;
      walk.flags |= entryDirty;
    }
    if (wanted === lo) return;
    bus.writeEntry(cpu, walk.tables[level]!, level, walk.indexes[level]!, wanted, walk.his[level]!);
  }

  markUpper(cpu: number, lowest: number): void {
    const { walk } = this;
    if (this.context.arm) return;
    for (let level = walk.top; level >= lowest; level--) {
      const lo = walk.los[level]!;
      if ((lo & pteAccessed) !== 0) continue;
      const { tables, indexes, his } = walk;
      this.context.bus.writeEntry(cpu, tables[level]!, level, indexes[level]!, lo | pteAccessed, his[level]!);
    }
  }

  /** Caches what the walk found. */
  keep(base: number, lo: number, hi: number, probe: number): void {
    const { tlb, arm } = this.context;
    const { walk } = this;
    const tag = this.context.tag(base);
    const leaf = walk.level;
    const global = walk.global && (arm || (this.w[base + atCr4]! & cr4Pge) !== 0);
    this.conflict = tlb.otherSize(base, lo, hi, tag, leaf);
    const mark = global ? tagGlobal : tag;
    tlb.fill(true, probe, base, lo, hi, mark, leaf, walk.frame, walk.flags);
    tlb.fill(false, probe, base, lo, hi, mark, leaf, walk.frame, walk.flags);
    this.keepPaging(base, lo, hi, leaf + 1);
  }

  keepPaging(base: number, lo: number, hi: number, lowest: number): void {
    const { walk } = this;
    const tag = this.context.tag(base);
    for (let level = walk.top; level >= Math.max(2, lowest); level--)
      this.context.paging.fill(base, level, lo, hi, tag, walk.frames[level]!, walk.conjunctions[level]!);
  }
}
