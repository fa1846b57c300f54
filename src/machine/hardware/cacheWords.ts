/** What all caches have in common: choosing a victim, writing and removing an entry, sweeping. */
import { entryLeafShift, tagGlobal, tagContextMask, tagLevelShift } from './flags';
import { atFragments, atTick, type Layout } from './layout';
import { columns, type CacheShape } from './shapes';

/** Words of the state, with the operations that every cache needs. */
export class CacheWords {
  readonly w: Int32Array;
  readonly layout: Layout;

  constructor(w: Int32Array, layout: Layout) {
    this.w = w;
    this.layout = layout;
  }

  /** First word of the block of `cpu`. */
  base(cpu: number): number {
    return this.layout.cpuStart + cpu * this.layout.cpuWords;
  }

  /** Next LRU stamp of the CPU. Before they run out, stamps become ranks. */
  tick(base: number): number {
    const w = this.w;
    const next = w[base + atTick]! + 1;
    if (next < 0x7fffffff) return (w[base + atTick] = next);
    this.rankStamps(base);
    return (w[base + atTick] = w[base + atTick]! + 1);
  }

  /** Valid entries of a cache. */
  entries(base: number, shape: CacheShape): number {
    const at = base + shape.count;
    const w = this.w;
    return w[at]! + w[at + 1]! + w[at + 2]! + w[at + 3]!;
  }

  /** The entry to fill in the set at word `set`: the one with this key and tag, a free one, or the oldest. */
  victim(set: number, ways: number, key: number, tag: number): number {
    const w = this.w;
    let free = -1;
    let oldest = set;
    let age = 0x7fffffff;
    const end = set + ways;
    for (let i = set; i < end; i++) {
      const found = w[i + ways]!;
      if (found === 0) {
        if (free < 0) free = i;
      } else if (found === tag && w[i] === key) return i;
      else if (w[i + 2 * ways]! < age) {
        age = w[i + 2 * ways]!;
        oldest = i;
      }
    }
    return free < 0 ? oldest : free;
  }

  /** Empties entry `i` if it holds something; its words become 0. */
  remove(base: number, shape: CacheShape, i: number): void {
    const w = this.w;
    const ways = shape.ways;
    const tag = w[i + ways]!;
    if (tag === 0) return;
    const level = (tag >>> tagLevelShift) & 3;
    const at = base + shape.count + level;
    w[at] = w[at]! - 1;
    if (shape.level !== 'paging' && ((w[i + 4 * ways]! >>> entryLeafShift) & 3) > level)
      w[base + atFragments] = w[base + atFragments]! - 1;
    w[i] = w[i + ways] = w[i + 2 * ways] = w[i + 3 * ways] = w[i + 4 * ways] = 0;
  }

  /** Writes entry `i` in place of what is there. */
  put(
    base: number,
    shape: CacheShape,
    i: number,
    key: number,
    tag: number,
    frame: number,
    flags: number,
  ): void {
    this.remove(base, shape, i);
    const w = this.w;
    const ways = shape.ways;
    const level = (tag >>> tagLevelShift) & 3;
    w[i] = key;
    w[i + ways] = tag;
    w[i + 2 * ways] = w[base + atTick]!;
    w[i + 3 * ways] = frame;
    w[i + 4 * ways] = flags;
    const at = base + shape.count + level;
    w[at] = w[at]! + 1;
    if (shape.level !== 'paging' && ((flags >>> entryLeafShift) & 3) > level)
      w[base + atFragments] = w[base + atFragments]! + 1;
  }

  /** Drops the entries of a context (−1: of any), and the global ones if asked. */
  sweep(base: number, shape: CacheShape, context: number, globals: boolean): void {
    let left = this.entries(base, shape);
    if (left === 0) return;
    const w = this.w;
    const { ways, block, sets } = shape;
    const start = base + shape.start;
    const end = start + sets * block;
    for (let set = start; set < end && left > 0; set += block)
      for (let i = set; i < set + ways; i++) {
        const tag = w[i + ways]!;
        if (tag === 0) continue;
        left -= 1;
        const goes = tag < 0 ? globals : context < 0 || (tag & tagContextMask) === context;
        if (goes) this.remove(base, shape, i);
      }
  }

  /** Drops all entries of a cache. */
  clear(base: number, shape: CacheShape): void {
    if (this.entries(base, shape) === 0) return;
    const start = base + shape.start;
    this.w.fill(0, start, start + shape.sets * shape.block);
    this.w.fill(0, base + shape.count, base + shape.count + 4);
  }

  /** Calls `visit` for every valid entry of a cache, in order. For panels, tests and rare sweeps. */
  each(base: number, shape: CacheShape, visit: (entry: number, tag: number) => void): void {
    const w = this.w;
    const { ways, block, sets } = shape;
    for (let set = base + shape.start, n = 0; n < sets; n++, set += block)
      for (let i = set; i < set + ways; i++) if (w[i + ways] !== 0) visit(i, w[i + ways]!);
  }

  /** Stamps become their rank in the set, from 1; with `sort` the entries are put in that order, `forget` in that of their tags. */
  rankStamps(base: number, order: 'keep' | 'sort' | 'forget' = 'keep'): void {
    const w = this.w;
    let highest = 0;
    for (const shape of [...this.layout.caches, ...this.layout.paging]) {
      if (this.entries(base, shape) === 0) continue;
      const { ways, block, sets } = shape;
      for (let set = base + shape.start, n = 0; n < sets; n++, set += block) {
        const valid: number[] = [];
        for (let i = set; i < set + ways; i++) if (w[i + ways] !== 0) valid.push(i);
        if (valid.length === 0) continue;
        const byTag = (a: number, b: number): number => w[a]! - w[b]! || w[a + ways]! - w[b + ways]!;
        const byAge = (a: number, b: number): number =>
          w[a + 2 * ways]! - w[b + 2 * ways]! || (order === 'sort' ? byTag(a, b) : a - b);
        valid.sort(order === 'forget' ? byTag : byAge);
        highest = Math.max(highest, order === 'forget' ? 0 : valid.length);
        if (order === 'keep') valid.forEach((i, rank) => (w[i + 2 * ways] = rank + 1));
        else this.rewrite(set, ways, valid, order === 'forget');
      }
    }
    w[base + atTick] = highest;
  }

  /** Puts the entries `from` first in their set, in that order. */
  private rewrite(set: number, ways: number, from: readonly number[], forget: boolean): void {
    const w = this.w;
    const copies = from.map(i => Array.from({ length: columns }, (_, column) => w[i + column * ways]!));
    w.fill(0, set, set + columns * ways);
    copies.forEach((copy, way) => {
      copy.forEach((word, column) => (w[set + way + column * ways] = word));
      w[set + way + 2 * ways] = forget ? 0 : way + 1;
    });
  }
}

/** Whether a tag is of a global entry. */
export const isGlobal = (tag: number): boolean => (tag & tagGlobal) !== 0;
