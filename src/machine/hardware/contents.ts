/** The entries that a CPU has cached, for panels and tests. */
import type { CachedEntry, Translation } from '../hardware';
import type { Context } from './context';
import { entryLeafShift, tagContextMask, tagLevelShift } from './flags';
import { addressHi, addressLo } from './keys';
import { entryWords, flagsAt, frameAt, stampAt } from './shapes';
import { frameNumber } from './tlb';

/** Every valid entry of the CPU: structures in the profile's order, then the paging-structure caches, sets ascending. */
export function contents(context: Context, cpu: number): CachedEntry[] {
  const { layout, words, w } = context;
  const base = context.base(cpu);
  const width = context.width(base);
  const result: CachedEntry[] = [];
  for (const shape of [...layout.caches, ...layout.paging])
    words.filter(base, shape, (key, entry) => {
      const tag = w[entry]!;
      const paging = shape.level === 'paging';
      const level = paging ? shape.pageLevels[0]! : (tag >>> tagLevelShift) & 3;
      const flags = w[entry + flagsAt]!;
      result.push({
        structure: shape.id,
        paging,
        lo: addressLo(key, level),
        hi: addressHi(key, tag, level, width),
        tag: tag & tagContextMask,
        global: tag < 0,
        level,
        leafLevel: paging ? level : (flags >>> entryLeafShift) & 3,
        frame: frameNumber(w[entry + frameAt]!, flags),
        flags: flags & ~0xff,
        stamp: w[entry + stampAt]!,
      });
      return false;
    });
  return result;
}

/** Valid entries by tag. */
export function occupancyOf(context: Context, cpu: number): ReturnType<Translation['occupancy']> {
  const { layout, words, w } = context;
  const base = context.base(cpu);
  const byTag = new Map<number, ReturnType<Translation['occupancy']>[number]>();
  for (const shape of [...layout.caches, ...layout.paging]) {
    let left = words.entries(base, shape);
    const { ways, block } = shape;
    for (let set = base + shape.start; left > 0; set += block)
      for (let way = 0; way < ways; way++) {
        const word = w[set + ways + way * entryWords]!;
        if (word === 0) continue;
        left -= 1;
        const global = word < 0;
        const tag = global ? 0 : word & tagContextMask;
        const key = global ? -1 : tag;
        let found = byTag.get(key);
        if (!found) byTag.set(key, (found = { tag, global, translations: 0, paging: 0 }));
        if (shape.level === 'paging') found.paging += 1;
        else found.translations += 1;
      }
  }
  return [...byTag.values()].sort((a, b) => Number(a.global) - Number(b.global) || a.tag - b.tag);
}

/** The caches of a CPU, and how full they are. */
export function cachesOf(context: Context, cpu: number): ReturnType<Translation['caches']> {
  const { layout, words } = context;
  return [...layout.caches, ...layout.paging].map(shape => ({
    structure: shape.id,
    level: shape.level,
    entries: shape.sets * shape.ways,
    valid: words.entries(context.base(cpu), shape),
  }));
}
