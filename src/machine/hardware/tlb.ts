/** The translation caches of all CPUs: look-up, fill and the ways in which entries go. */
import {
  entryLeafShift,
  frameHighMask,
  tagContextMask,
  tagGlobal,
  tagHighShift,
  tagLevelShift,
} from './flags';
import type { CacheWords } from './cacheWords';
import { keyOf, openBits, tagOf } from './keys';
import { atFragments, atLarge, type Layout } from './layout';
import { entryWords, flagsAt, probeLists, type CacheShape, type ProbeList } from './shapes';

/** Which of several caches of one level holds a page: the bits of its number above the set index decide. */
function choose(shapes: readonly CacheShape[], key: number): CacheShape {
  if (shapes.length === 1) return shapes[0]!;
  return shapes[Math.floor((key >>> 0) / shapes[0]!.sets) % shapes.length]!;
}

const setOf = (base: number, shape: CacheShape, key: number): number =>
  base + shape.start + (shape.mask >= 0 ? key & shape.mask : (key >>> 0) % shape.sets) * shape.block;

/** Words of a plan: start, mask, block, ways. */
const planWords = 4;
const planMask = 1;
const planBlock = 2;
const planWays = 3;

export class Tlb {
  readonly words: CacheWords;
  readonly first: readonly ProbeList[];
  readonly second: readonly ProbeList[];
  /** Of the entry found last: the level at which it matched. */
  foundLevel = 0;
  /** Of the entry matched last: whether its cache is of the first level. */
  foundFirst = false;
  private readonly w: Int32Array;
  private readonly caches: readonly CacheShape[];
  private readonly pieces: boolean;
  /** Where 4K pages lie, for each probe list in turn, so that the common look-up reads no objects. No ways: look at the list. */
  private readonly plans: Int32Array;

  constructor(words: CacheWords, layout: Layout, fragments: 'missing' | 'always') {
    this.words = words;
    this.w = words.w;
    this.caches = layout.caches;
    this.first = probeLists(layout.caches, 'L1');
    this.second = probeLists(layout.caches, 'L2');
    this.pieces = fragments === 'always';
    this.plans = new Int32Array(6 * planWords);
    [...this.first, ...this.second].forEach((list, index) => {
      const [shape, more] = list[1]!;
      if (!shape || more || shape.mask < 0) return;
      this.plans.set([shape.start, shape.mask, shape.block, shape.ways], index * planWords);
    });
  }

  /**
   * The entry (the word of its tag) that translates the address in `context`, or −1; `probe` as in `shapes.ts`. Smaller
   * pages are tried first, then an entry of the context before a global one.
   */
  find(second: boolean, probe: number, base: number, lo: number, hi: number, context: number): number {
    const w = this.w;
    const plan = this.plans;
    const at = (second ? 3 + probe : probe) * planWords;
    const ways = plan[at + planWays]!;
    if (ways !== 0) {
      const key = (lo >>> 12) | (hi << 20);
      const tag = tagOf(hi, 1);
      const set = base + plan[at]! + (key & plan[at + planMask]!) * plan[at + planBlock]!;
      const found = this.scan(set, ways, key, tag | context, tag | tagGlobal);
      if (found >= 0) {
        this.foundLevel = 1;
        return found;
      }
      if (w[base + atLarge] === 0) return -1;
    }
    const list = second ? this.second[probe]! : this.first[probe]!;
    for (let level = ways === 0 ? 1 : 2; level <= 3; level++) {
      const shapes = list[level]!;
      if (shapes.length === 0) continue;
      const key = keyOf(lo, hi, level);
      const shape = choose(shapes, key);
      if (w[base + shape.count + level] === 0) continue;
      const tag = tagOf(hi, level);
      const found = this.scan(setOf(base, shape, key), shape.ways, key, tag | context, tag | tagGlobal);
      if (found < 0) continue;
      this.foundLevel = level;
      return found;
    }
    return -1;
  }

  private scan(set: number, ways: number, key: number, own: number, global: number): number {
    const w = this.w;
    let result = -1;
    for (let way = 0; way < ways; way++) {
      if (w[set + way] !== key) continue;
      const entry = set + ways + way * entryWords;
      const found = w[entry];
      if (found === own) return entry;
      if (found === global) result = entry;
    }
    return result;
  }

  /**
   * Caches a translation of `sourceLevel` (that of the leaf, or of the entry it is copied from) whose first frame is
   * given, with its context or {@link tagGlobal} as `tag`; where no cache of the list holds that size, or pieces are wanted, a piece of it.
   */
  fill(
    second: boolean,
    probe: number,
    base: number,
    lo: number,
    hi: number,
    tag: number,
    sourceLevel: number,
    frame: number,
    flags: number,
  ): void {
    const list = second ? this.second[probe]! : this.first[probe]!;
    let level = this.pieces ? 1 : sourceLevel;
    while (level > 0 && list[level]!.length === 0) level -= 1;
    if (level === 0) return;
    const key = keyOf(lo, hi, level);
    const shapes = list[level]!;
    const shape = shapes.length === 1 ? shapes[0]! : choose(shapes, key);
    const set = setOf(base, shape, key);
    const whole = tagOf(hi, level) | tag;
    const way = this.words.victim(set, shape.ways, key, whole);
    const within = level === sourceLevel ? 0 : keyOf(lo, hi, 1) & openBits(sourceLevel) & ~openBits(level);
    this.words.put(base, shape, set, way, key, whole, frame | within, flags);
  }

  /**
   * Drops what translates the page of the address, of any size and with all fragments of its mapping: entries of
   * `context` (−1: any; −2: none) and global ones if asked. `leaf`: only those made of a leaf of that level; 0: any.
   */
  dropPage(base: number, lo: number, hi: number, context: number, globals: boolean, leaf = 0): void {
    const w = this.w;
    for (const shape of this.caches)
      for (const level of shape.pageLevels) {
        if (w[base + shape.count + level] === 0) continue;
        const key = keyOf(lo, hi, level);
        const tag = tagOf(hi, level);
        const set = setOf(base, shape, key);
        const ways = shape.ways;
        for (let way = 0; way < ways; way++)
          if (w[set + way] === key && this.goes(set + ways + way * entryWords, tag, context, globals, leaf))
            this.words.remove(base, shape, set, way);
      }
    if (w[base + atFragments] !== 0) this.dropFragments(base, lo, hi, context, globals, leaf);
  }

  /** Drops what translates one of the `pages` 4K pages from number `first` on. */
  dropRange(
    base: number,
    first: number,
    pages: number,
    context: number,
    globals: boolean,
    leaf: number,
  ): void {
    for (const shape of this.caches) {
      if (this.words.entries(base, shape) === 0) continue;
      this.words.filter(base, shape, (key, entry) => {
        const leafLevel = (this.w[entry + flagsAt]! >>> entryLeafShift) & 3;
        const size = openBits(leafLevel) + 1;
        const page = Math.floor(entryPage(key, this.w[entry]!) / size) * size;
        const inside = page < first + pages && page + size > first;
        return inside && this.named(entry, context, globals, leaf);
      });
    }
  }

  /** Drops all entries of a context (−1: of all), and the global ones if asked. */
  dropAll(base: number, context: number, globals: boolean): void {
    for (const shape of this.caches)
      if (context < 0 && globals) this.words.clear(base, shape);
      else this.words.sweep(base, shape, context, globals);
    if (context < 0 && globals) this.w[base + atFragments] = this.w[base + atLarge] = 0;
  }

  /** Whether an entry of another size than `level` translates the address in `context`. */
  otherSize(base: number, lo: number, hi: number, context: number, leaf: number): boolean {
    const w = this.w;
    for (const shape of this.caches)
      for (const level of shape.pageLevels) {
        if (w[base + shape.count + level] === 0) continue;
        const key = keyOf(lo, hi, level);
        const set = setOf(base, shape, key);
        for (let way = 0; way < shape.ways; way++) {
          if (w[set + way] !== key) continue;
          const entry = set + shape.ways + way * entryWords;
          const other = ((w[entry + flagsAt]! >>> entryLeafShift) & 3) !== leaf;
          if (other && this.goes(entry, tagOf(hi, level), context, true, 0)) return true;
        }
      }
    return false;
  }

  /** The `which`-th entry that translates the address, over all caches, or −1, with their number in `matches`. */
  matches = 0;
  match(base: number, lo: number, hi: number, context: number, which: number): number {
    this.matches = 0;
    let result = -1;
    for (const shape of this.caches)
      for (const level of shape.pageLevels) {
        const key = keyOf(lo, hi, level);
        const set = setOf(base, shape, key);
        for (let way = 0; way < shape.ways; way++) {
          const entry = set + shape.ways + way * entryWords;
          if (this.w[set + way] !== key || !this.goes(entry, tagOf(hi, level), context, true, 0)) continue;
          if (this.matches === which) {
            result = entry;
            this.foundFirst = shape.level === 'L1';
            this.foundLevel = level;
          }
          this.matches += 1;
        }
      }
    return result;
  }

  /** Whether an entry whose key matched is for the page and among those named. */
  private goes(entry: number, tag: number, context: number, globals: boolean, leaf: number): boolean {
    const found = this.w[entry]!;
    return (found & ~(tagContextMask | tagGlobal)) === tag && this.named(entry, context, globals, leaf);
  }

  private named(entry: number, context: number, globals: boolean, leaf: number): boolean {
    const found = this.w[entry]!;
    if (leaf !== 0 && ((this.w[entry + flagsAt]! >>> entryLeafShift) & 3) !== leaf) return false;
    if (found < 0) return globals;
    return context === -1 || (found & tagContextMask) === context;
  }

  /** The rest of a mapping of which the page is a part: software need not know that it was cached in pieces. */
  private dropFragments(
    base: number,
    lo: number,
    hi: number,
    context: number,
    globals: boolean,
    leaf: number,
  ): void {
    const w = this.w;
    const page = pageNumber(lo, hi);
    for (const shape of this.caches)
      this.words.filter(base, shape, (key, entry) => {
        const tag = w[entry]!;
        const leafLevel = (w[entry + flagsAt]! >>> entryLeafShift) & 3;
        if (leafLevel <= ((tag >>> tagLevelShift) & 3)) return false;
        const size = openBits(leafLevel) + 1;
        if (Math.floor(entryPage(key, tag) / size) !== Math.floor(page / size)) return false;
        return this.named(entry, context, globals, leaf);
      });
  }
}

/** Number of the 4K page, bits 56:12 of the address. */
export function pageNumber(lo: number, hi: number): number {
  return (lo >>> 12) + (hi & 0x1ffffff) * 0x100000;
}

/** Number of the first 4K page of an entry. */
function entryPage(key: number, tag: number): number {
  const level = (tag >>> tagLevelShift) & 3;
  const number = (key >>> 0) + ((tag >>> tagHighShift) & 0x1fff) * 0x100000000;
  return number * (openBits(level) + 1);
}

/** Frame of an entry: bits 39:32 are in its flags. */
export const frameNumber = (frame: number, flags: number): number =>
  (frame >>> 0) + (flags & frameHighMask) * 0x100000000;
