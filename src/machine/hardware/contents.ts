/** The entries that a CPU has cached, for panels and tests. */
import type { CachedEntry } from '../hardware';
import type { Context } from './context';
import { entryLeafShift, tagContextMask, tagLevelShift } from './flags';
import { addressHi, addressLo } from './keys';
import { flagsAt, frameAt, stampAt } from './shapes';
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
