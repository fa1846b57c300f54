/** The paging-structure caches (walk caches) of all CPUs: one small fully associative cache per level, never global. */
import { tagContextMask, tagHighShift } from './flags';
import type { CacheWords } from './cacheWords';
import { keyOf, tagOf } from './keys';
import type { Layout } from './layout';
import type { CacheShape } from './shapes';

export class PagingCaches {
  private readonly words: CacheWords;
  private readonly w: Int32Array;
  private readonly shapes: readonly CacheShape[];

  constructor(words: CacheWords, layout: Layout) {
    this.words = words;
    this.w = words.w;
    this.shapes = layout.paging;
  }

  /** The cached entry of `level` (2 to 5) that a walk of the address would use, or −1. */
  find(base: number, level: number, lo: number, hi: number, context: number): number {
    const shape = this.shapes[level - 2]!;
    const w = this.w;
    const key = keyOf(lo, hi, level);
    const tag = tagOf(hi, level) | context;
    const start = base + shape.start;
    for (let i = start; i < start + shape.ways; i++) if (w[i] === key && w[i + shape.ways] === tag) return i;
    return -1;
  }

  frame(level: number, i: number): number {
    return this.w[i + 3 * this.shapes[level - 2]!.ways]!;
  }

  flags(level: number, i: number): number {
    return this.w[i + 4 * this.shapes[level - 2]!.ways]!;
  }

  /** It was used: its stamp is the present one. */
  touch(level: number, i: number, stamp: number): void {
    this.w[i + 2 * this.shapes[level - 2]!.ways] = stamp;
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
    const i = this.words.victim(base + shape.start, shape.ways, key, tag);
    this.words.put(base, shape, i, key, tag, frame, flags);
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
      const start = base + shape.start;
      for (let i = start; i < start + shape.ways; i++) {
        const found = this.w[i + shape.ways]!;
        if (found === 0 || this.w[i] !== key || (found & ~tagContextMask) !== tag) continue;
        if (context < 0 || (found & tagContextMask) === context) this.words.remove(base, shape, i);
      }
    }
  }

  /** Drops what walks of the `pages` 4K pages from `first` on would use, from `lowest` level up. */
  dropRange(base: number, first: number, pages: number, context: number, lowest: number): void {
    for (let level = lowest; level <= 5; level++) {
      const shape = this.shapes[level - 2]!;
      if (this.words.entries(base, shape) === 0) continue;
      const size = 512 ** (level - 1);
      this.words.each(base, shape, (i, tag) => {
        const page = pagingPage(this.w[i]!, tag, level);
        if (page >= first + pages || page + size <= first) return;
        if (context < 0 || (tag & tagContextMask) === context) this.words.remove(base, shape, i);
      });
    }
  }
}

/** Number of the first 4K page (bits 56:12) of the region of an entry. */
function pagingPage(key: number, tag: number, level: number): number {
  const high = level === 2 ? (tag >>> tagHighShift) & 0xf : 0;
  return ((key >>> 0) + high * 0x100000000) * 512 ** (level - 1);
}
