/** What all caches have in common: choosing a victim, writing and removing an entry, sweeping. */
import { entryLeafShift, tagContextMask, tagLevelShift } from './flags';
import { atFragments, atLarge, atTick, type Layout } from './layout';
import { entryWords, flagsAt, frameAt, stampAt, type CacheShape } from './shapes';

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

  /** The way to fill in the set at word `set`: the one with this key and tag, a free one, or the oldest. */
  victim(set: number, ways: number, key: number, tag: number): number {
    const w = this.w;
    let free = -1;
    let oldest = 0;
    let age = 0x7fffffff;
    for (let way = 0, entry = set + ways; way < ways; way++, entry += entryWords) {
      const found = w[entry]!;
      if (found === 0) {
        if (free < 0) free = way;
      } else if (found === tag && w[set + way] === key) return way;
      else if (w[entry + stampAt]! < age) {
        age = w[entry + stampAt]!;
        oldest = way;
      }
    }
    return free < 0 ? oldest : free;
  }

  /** Empties a way if it holds something; its words become 0. */
  remove(base: number, shape: CacheShape, set: number, way: number): void {
    const w = this.w;
    const entry = set + shape.ways + way * entryWords;
    const tag = w[entry]!;
    if (tag === 0) return;
    const level = (tag >>> tagLevelShift) & 3;
    const at = base + shape.count + level;
    w[at] = w[at]! - 1;
    if (shape.level !== 'paging') {
      if (level > 1) w[base + atLarge] = w[base + atLarge]! - 1;
      if (isPiece(w[entry + flagsAt]!, level)) w[base + atFragments] = w[base + atFragments]! - 1;
    }
    w[set + way] = w[entry] = w[entry + stampAt] = w[entry + frameAt] = w[entry + flagsAt] = 0;
  }

  /** Writes a way in place of what is there. */
  put(
    base: number,
    shape: CacheShape,
    set: number,
    way: number,
    key: number,
    tag: number,
    frame: number,
    flags: number,
  ): void {
    const w = this.w;
    const entry = set + shape.ways + way * entryWords;
    const level = (tag >>> tagLevelShift) & 3;
    const old = w[entry]!;
    // Counts stand where an entry of the same kind is replaced.
    const same = old !== 0 && (((old ^ tag) >>> tagLevelShift) & 3) === 0;
    if (!same || w[base + atFragments] !== 0 || isPiece(flags, level)) {
      this.remove(base, shape, set, way);
      const at = base + shape.count + level;
      w[at] = w[at]! + 1;
      if (shape.level !== 'paging') {
        if (level > 1) w[base + atLarge] = w[base + atLarge]! + 1;
        if (isPiece(flags, level)) w[base + atFragments] = w[base + atFragments]! + 1;
      }
    }
    w[set + way] = key;
    w[entry] = tag;
    w[entry + stampAt] = w[base + atTick]!;
    w[entry + frameAt] = frame;
    w[entry + flagsAt] = flags;
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
      for (let way = 0; way < ways; way++) {
        const tag = w[set + ways + way * entryWords]!;
        if (tag === 0) continue;
        left -= 1;
        const goes = tag < 0 ? globals : context < 0 || (tag & tagContextMask) === context;
        if (goes) this.remove(base, shape, set, way);
      }
  }

  /** Drops all entries of a cache. Those of all translation caches: the caller clears the sums over caches too. */
  clear(base: number, shape: CacheShape): void {
    if (this.entries(base, shape) === 0) return;
    const start = base + shape.start;
    this.w.fill(0, start, start + shape.sets * shape.block);
    this.w.fill(0, base + shape.count, base + shape.count + 4);
  }

  /**
   * Calls `visit` for every valid entry of a cache, in order, with its key and the word of its tag; drops those for
   * which it is true. For panels, tests and rare sweeps.
   */
  filter(base: number, shape: CacheShape, visit: (key: number, entry: number) => boolean): void {
    const w = this.w;
    const { ways, block, sets } = shape;
    for (let set = base + shape.start, n = 0; n < sets; n++, set += block)
      for (let way = 0; way < ways; way++) {
        const entry = set + ways + way * entryWords;
        if (w[entry] !== 0 && visit(w[set + way]!, entry)) this.remove(base, shape, set, way);
      }
  }

  /** Stamps become their rank in the set, from 1; with `sort` the ways are put in that order, with `forget` in that of their tags. */
  rankStamps(base: number, order: 'keep' | 'sort' | 'forget' = 'keep'): void {
    let highest = 0;
    for (const shape of [...this.layout.caches, ...this.layout.paging]) {
      if (this.entries(base, shape) === 0) continue;
      for (let set = base + shape.start, n = 0; n < shape.sets; n++, set += shape.block)
        highest = Math.max(highest, this.rankSet(set, shape.ways, order));
    }
    this.w[base + atTick] = highest;
  }

  /** Ranks one set; returns the highest rank. */
  private rankSet(set: number, ways: number, order: 'keep' | 'sort' | 'forget'): number {
    const w = this.w;
    const tagAt = (way: number): number => set + ways + way * entryWords;
    const valid: number[] = [];
    for (let way = 0; way < ways; way++) if (w[tagAt(way)] !== 0) valid.push(way);
    if (valid.length === 0) return 0;
    const byTag = (a: number, b: number): number => w[set + a]! - w[set + b]! || w[tagAt(a)]! - w[tagAt(b)]!;
    const byAge = (a: number, b: number): number =>
      w[tagAt(a) + stampAt]! - w[tagAt(b) + stampAt]! || (order === 'sort' ? byTag(a, b) : a - b);
    valid.sort(order === 'forget' ? byTag : byAge);
    if (order === 'keep') {
      valid.forEach((way, rank) => (w[tagAt(way) + stampAt] = rank + 1));
      return valid.length;
    }
    const copies = valid.map(way => [w[set + way]!, ...w.subarray(tagAt(way), tagAt(way) + entryWords)]);
    w.fill(0, set, set + ways * (1 + entryWords));
    copies.forEach(([key, ...entry], way) => {
      w[set + way] = key!;
      w.set(entry, tagAt(way));
      w[tagAt(way) + stampAt] = order === 'forget' ? 0 : way + 1;
    });
    return order === 'forget' ? 0 : valid.length;
  }
}

/** Whether an entry of `level` is a piece of a larger leaf. */
const isPiece = (flags: number, level: number): boolean => ((flags >>> entryLeafShift) & 3) > level;
