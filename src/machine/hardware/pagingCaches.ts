/** The paging-structure caches (walk caches) of all CPUs: one small fully associative cache per level, never global. */
import { tagContextMask, tagHighShift } from './flags';
import type { CacheWords } from './cacheWords';
import { keyOf, tagOf } from './keys';
import type { Layout } from './layout';
import { entryWords, type CacheShape } from './shapes';

export class PagingCaches {
  private readonly words: CacheWords;
  private readonly w: Int32Array;
  private readonly shapes: readonly CacheShape[];

  constructor(words: CacheWords, layout: Layout) {
    this.words = words;
    this.w = words.w;
    this.shapes = layout.paging;
  }

  /** The cached entry (the word of its tag) of `level` (2 to 5) that a walk of the address would use, or −1. */
  find(base: number, level: number, lo: number, hi: number, context: number): number {
    const shape = this.shapes[level - 2]!;
    const w = this.w;
    const key = keyOf(lo, hi, level);
    const tag = tagOf(hi, level) | context;
    const set = base + shape.start;
    for (let way = 0; way < shape.ways; way++) {
      const entry = set + shape.ways + way * entryWords;
      if (w[set + way] === key && w[entry] === tag) return entry;
    }
    return -1;
  }

  fill(
    base: number,
    level: number,
    lo: number,
    hi: number,
    context: number,
    frame: number,
    flags: number,
  ): void {
    const shape = this.shapes[level - 2]!;
    const key = keyOf(lo, hi, level);
    const tag = tagOf(hi, level) | context;
    const set = base + shape.start;
    const way = this.words.victim(set, shape.ways, key, tag);
    this.words.put(base, shape, set, way, key, tag, frame, flags);
  }

  /** Drops all entries of a context (−1: of all). */
  dropAll(base: number, context: number): void {
    for (const shape of this.shapes)
      if (context < 0) this.words.clear(base, shape);
      else this.words.sweep(base, shape, context, false);
  }

  /** Drops what a walk of the address would use, in a context (−1: any), from `lowest` level up. */
  dropFor(base: number, lo: number, hi: number, context: number, lowest = 2): void {
    for (let level = lowest; level <= 5; level++) {
      const shape = this.shapes[level - 2]!;
      if (this.words.entries(base, shape) === 0) continue;
      const key = keyOf(lo, hi, level);
      const tag = tagOf(hi, level);
      const set = base + shape.start;
      for (let way = 0; way < shape.ways; way++) {
        const found = this.w[set + shape.ways + way * entryWords]!;
        if (this.w[set + way] !== key || (found & ~tagContextMask) !== tag) continue;
        if (context < 0 || (found & tagContextMask) === context) this.words.remove(base, shape, set, way);
      }
    }
  }

  /** Drops what walks of the `pages` 4K pages from `first` on would use, from `lowest` level up. */
  dropRange(base: number, first: number, pages: number, context: number, lowest: number): void {
    for (let level = lowest; level <= 5; level++) {
      const shape = this.shapes[level - 2]!;
      if (this.words.entries(base, shape) === 0) continue;
      const size = 512 ** (level - 1);
      this.words.filter(base, shape, (key, entry) => {
        const tag = this.w[entry]!;
        const page = pagingPage(key, tag, level);
        if (page >= first + pages || page + size <= first) return false;
        return context < 0 || (tag & tagContextMask) === context;
      });
    }
  }
}

/** Number of the first 4K page (bits 56:12) of the region of an entry. */
function pagingPage(key: number, tag: number, level: number): number {
  const high = level === 2 ? (tag >>> tagHighShift) & 0xf : 0;
  return ((key >>> 0) + high * 0x100000000) * 512 ** (level - 1);
}
