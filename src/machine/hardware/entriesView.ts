/**
 * What a CPU's TLBs and paging-structure caches hold, each entry compared with the page tables, as plain data. Reading it
 * changes nothing.
 */
import type { CachedEntry, EntryState, Hardware } from '../hardware';
import { entryDirty, entryExecutable, entryKernelExecutable, entryUser, entryWritable } from './flags';
import { hex, type Hex } from './view';

/** One cached entry. */
export interface TlbEntryView {
  readonly structure: string;
  /** First address of the page or region. */
  readonly address: Hex;
  /** Bytes that it translates. */
  readonly size: number;
  /** PCID or ASID; 0 of a global entry. */
  readonly tag: number;
  readonly global: boolean;
  /** True: an upper entry; `frame` is that of the table it leads to. */
  readonly paging: boolean;
  readonly frame: number;
  readonly writable: boolean;
  readonly user: boolean;
  readonly executable: boolean;
  readonly dirty: boolean;
  /** How it compares with the page tables now; `'unknown'`: under which root it belongs is not known. */
  readonly state: EntryState | 'unknown';
  /** It gives what the tables no longer give: another frame, a right, a table. null: not known. */
  readonly stale: boolean | null;
  /** A sentence about `state`; '' for a fresh entry. */
  readonly why: string;
}

const sentences: Readonly<Record<EntryState | 'unknown', string>> = {
  fresh: '',
  absent: 'the page tables no longer map the page',
  frame: 'the page tables map another frame',
  permission: 'the page tables no longer give a right that the entry gives',
  table: 'the page tables lead to another table, or to none',
  size: 'the page tables map the region in smaller pages',
  dirty: 'the page tables say that the page is clean',
  narrower: 'the page tables give a right that the entry does not: at most one fault more',
  unknown: 'which page tables this tag stands for is not known',
};

/**
 * The cached entries of a CPU, in the order of {@link Translation.entries}. `rootOf`: frame of the root under which
 * entries of a tag are filled; null: not known. Global entries are compared under the root in effect. Default: the root
 * in effect for the tag in effect, unknown for others.
 */
export function cpuEntriesView(
  hardware: Hardware,
  cpu: number,
  rootOf: (tag: number) => number | null = () => null,
): TlbEntryView[] {
  const compare = comparison(hardware, cpu, rootOf);
  return hardware.translation.entries(cpu).map(entry => entryView(entry, compare(entry)));
}

/** Tag of global entries in {@link staleByTag}. */
export const globalTag = -1;

/** How many translations (upper entries not counted) under each tag are stale: what a table of CPUs needs, without a view of each. */
export function staleByTag(
  hardware: Hardware,
  cpu: number,
  rootOf: (tag: number) => number | null,
): ReadonlyMap<number, number> {
  const compare = comparison(hardware, cpu, rootOf);
  const counts = new Map<number, number>();
  for (const entry of hardware.translation.entries(cpu)) {
    if (entry.paging || !isStale(compare(entry))) continue;
    const tag = entry.global ? globalTag : entry.tag;
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return counts;
}

function comparison(
  { translation, x86, arm64 }: Hardware,
  cpu: number,
  rootOf: (tag: number) => number | null,
): (entry: CachedEntry) => TlbEntryView['state'] {
  const current = x86 ? x86.pcid(cpu) : arm64!.asid(cpu);
  return entry => {
    const root = entry.global || entry.tag === current ? -1 : rootOf(entry.tag);
    return root === null ? 'unknown' : translation.compare(cpu, entry, root);
  };
}

/** null: not known. */
function isStale(state: TlbEntryView['state']): boolean | null {
  return state === 'unknown' ? null : state !== 'fresh' && state !== 'narrower';
}

function entryView(entry: CachedEntry, state: TlbEntryView['state']): TlbEntryView {
  const { flags, level, structure } = entry;
  const has = (bit: number): boolean => (flags & bit) !== 0;
  return {
    structure,
    address: hex(entry.lo, entry.hi),
    size: 4096 * 512 ** (level - 1),
    tag: entry.tag,
    global: entry.global,
    paging: entry.paging,
    frame: entry.frame,
    writable: has(entryWritable),
    user: has(entryUser),
    executable: has(entryExecutable) || has(entryKernelExecutable),
    dirty: !entry.paging && has(entryDirty),
    state,
    stale: isStale(state),
    why: sentences[state],
  };
}
