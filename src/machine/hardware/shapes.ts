/** Shapes of the caches: sets, ways, page sizes, and which of them a look-up probes. */
import type { TlbStructure } from '../profile';

/** One set-associative cache of a CPU. A set is a block of words: `ways` keys, then `ways` entries of four words. */
export interface CacheShape {
  readonly id: string;
  readonly level: 'L1' | 'L2' | 'paging';
  readonly holds: TlbStructure['holds'];
  /** Levels of the pages that it holds, ascending; of a paging-structure cache its one level. */
  readonly pageLevels: readonly number[];
  readonly sets: number;
  readonly ways: number;
  readonly block: number;
  /** `sets − 1` if that is a mask, else −1. */
  readonly mask: number;
  /** Words from the start of the CPU's block: the first set, and the four counts of valid entries by level. */
  start: number;
  count: number;
}

/** An entry is its tag (0: empty), LRU stamp, frame and flags. Keys lie apart: a look-up reads them all. */
export const entryWords = 4;
export const stampAt = 1;
export const frameAt = 2;
export const flagsAt = 3;

const levelOf = { '4K': 1, '2M': 2, '1G': 3 } as const;

function shape(
  id: string,
  level: CacheShape['level'],
  holds: CacheShape['holds'],
  pageLevels: readonly number[],
  entries: number,
  ways: number,
): CacheShape {
  const sets = Math.max(1, Math.floor(entries / ways));
  const mask = (sets & (sets - 1)) === 0 ? sets - 1 : -1;
  return {
    ...{
      id,
      level,
      holds,
      pageLevels: [...pageLevels].sort(),
      sets,
      ways,
      block: ways * (1 + entryWords),
      mask,
    },
    ...{ start: 0, count: 0 },
  };
}

/** Where the associativity is not known: full for small arrays, else 8. */
function waysOf({ entries, ways }: TlbStructure): number {
  if (ways === 'full') return entries;
  return Math.min(entries, ways ?? (entries <= 64 ? entries : 8));
}

/** The translation caches of a profile; a structure that shares another's array adds its page sizes there. */
export function cacheShapes(structures: readonly TlbStructure[]): CacheShape[] {
  const own = structures.filter(one => one.entries > 0 && one.sharedWith === undefined);
  return own.map(one => {
    if (one.entries > 65536) throw new RangeError(`${one.id} has ${one.entries} entries: the limit is 65536`);
    const shared = structures.filter(other => other.sharedWith === one.id);
    const sizes = [one, ...shared].flatMap(({ pageSizes }) => pageSizes.map(size => levelOf[size]));
    return shape(one.id, one.level, one.holds, [...new Set(sizes)], one.entries, waysOf(one));
  });
}

const pagingNames = ['PDE cache', 'PDPTE cache', 'PML4E cache', 'PML5E cache'];

/** The paging-structure caches for levels 2 to 5, fully associative. */
export function pagingShapes(entries: readonly number[]): CacheShape[] {
  return pagingNames.map((name, index) => {
    const size = Math.max(1, Math.min(1024, entries[index] ?? 4));
    return shape(name, 'paging', 'both', [index + 2], size, size);
  });
}

/** What an access may be: indexes of the probe lists. */
export const probeData = 0;
export const probeStore = 1;
export const probeCode = 2;

/** The caches that hold translations of one kind of access at one cache level, by page level (index 1 to 3). */
export type ProbeList = readonly (readonly CacheShape[])[];

/** Probe lists of a cache level for data, stores and code. A cache of its own for stores serves them alone. */
export function probeLists(caches: readonly CacheShape[], cacheLevel: 'L1' | 'L2'): ProbeList[] {
  const at = caches.filter(({ level }) => level === cacheLevel);
  const stores = at.some(({ holds }) => holds === 'store');
  const serves = (holds: CacheShape['holds'], probe: number): boolean =>
    holds === 'both' ||
    holds === (probe === probeCode ? 'code' : probe === probeStore && stores ? 'store' : 'data');
  return [probeData, probeStore, probeCode].map(probe =>
    [0, 1, 2, 3].map(level =>
      at.filter(({ holds, pageLevels }) => serves(holds, probe) && pageLevels.includes(level)),
    ),
  );
}
