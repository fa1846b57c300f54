/** A cached entry against the page tables as they are now. */
import type { CachedEntry, EntryState } from '../hardware';
import { entryDirty, entryPermissions } from './flags';
import { openBits } from './keys';
import { frameNumber } from './tlb';
import { walkDone } from './walk';
import type { Walker } from './walker';

/** `root`: frame of the root; −1: the one in effect. Accessed bits are not looked at. */
export function compareEntry(walker: Walker, cpu: number, entry: CachedEntry, root: number): EntryState {
  const status = walker.begin(cpu, entry.lo, entry.hi, 0, root);
  const { walk } = walker;
  if (entry.paging) {
    // The entry of its level was read and leads to a table if the walk went on below it.
    if (walk.level >= entry.level || walk.top < entry.level) return 'table';
    const now = walk.conjunctions[entry.level]!;
    if (frameNumber(walk.frames[entry.level]!, now) !== entry.frame) return 'table';
    return rights(entry.flags, now);
  }
  if (status !== walkDone) return 'absent';
  // A piece of a larger page begins at a frame of its own within it.
  const pages = walk.level > entry.level ? openBits(walk.level) - openBits(entry.level) : 0;
  const within = ((entry.lo >>> 12) | (entry.hi << 20)) & pages;
  if (walk.level < entry.level) return 'size';
  if (frameNumber(walk.frame, walk.flags) + within !== entry.frame) return 'frame';
  const state = rights(entry.flags, walk.flags);
  if (state === 'permission') return state;
  return (entry.flags & ~walk.flags & entryDirty) !== 0 ? 'dirty' : state;
}

function rights(cached: number, now: number): EntryState {
  if ((cached & ~now & entryPermissions) !== 0) return 'permission';
  return (~cached & now & entryPermissions) !== 0 ? 'narrower' : 'fresh';
}
