/** Keys and tags: how an address is matched at each level. The key holds the page number's low 32 bits, the tag the rest. */
import { tagHighShift, tagLevelShift } from './flags';

/** Low 32 bits of the page number at `level` (1: 4K pages … 5), of an address up to bit 56. */
export function keyOf(lo: number, hi: number, level: number): number {
  switch (level) {
    case 1:
      return (lo >>> 12) | (hi << 20);
    case 2:
      return (lo >>> 21) | (hi << 11);
    case 3:
      return ((lo >>> 30) | (hi << 2)) & 0x7ffffff;
    case 4:
      return (hi >>> 7) & 0x3ffff;
    default:
      return (hi >>> 16) & 0x1ff;
  }
}

/** Tag without context and global bit; never 0. Levels 4 and 5 lie in caches of their own. */
export function tagOf(hi: number, level: number): number {
  if (level === 1) return (((hi >>> 12) & 0x1fff) << tagHighShift) | (1 << tagLevelShift);
  if (level === 2) return (((hi >>> 21) & 0xf) << tagHighShift) | (2 << tagLevelShift);
  return (level > 3 ? 1 : 3) << tagLevelShift;
}

/** Low half of the first address of a page with that key at `level`. */
export function addressLo(key: number, level: number): number {
  if (level === 1) return key << 12;
  if (level === 2) return key << 21;
  return level === 3 ? key << 30 : 0;
}

/** High half of that address; bits above 56 repeat the highest bit that is kept. */
export function addressHi(key: number, tag: number, level: number, width: number): number {
  const rest = (tag >>> tagHighShift) & 0x1fff;
  const hi = level === 1 ? (key >>> 20) | (rest << 12) : upperHi(key, rest, level);
  const shift = 64 - width;
  return (hi << shift) >> shift;
}

function upperHi(key: number, rest: number, level: number): number {
  if (level === 2) return (key >>> 11) | (rest << 21);
  if (level === 3) return key >>> 2;
  return level === 4 ? key << 7 : key << 16;
}

/** Frames within a page of `level`, less one: the bits of the 4K page number that a leaf of that level leaves open. */
export const openBits = (level: number): number => (1 << (9 * (level - 1))) - 1;
