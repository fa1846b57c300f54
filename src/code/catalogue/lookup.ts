/**
 * Finds the row of a kernel name. The same name means different things in different kernels (`flush_tlb_all`,
 * `flush_tlb_mask`, `flush_tlb_local` of Linux x86, Linux arm64 and Xen), so the place decides.
 */
import type {
  CatalogueCost,
  CatalogueEntry,
  CatalogueMatch,
  KernelCode,
  LookupHints,
  VersionRange,
} from './entry';
import { loadHelpers, loadSections, type CatalogueSection } from './load';

interface Index {
  readonly sections: readonly CatalogueSection[];
  readonly rows: ReadonlyMap<string, readonly CatalogueEntry[]>;
  readonly helpers: ReadonlyMap<string, CatalogueEntry>;
  readonly prefixes: ReadonlyMap<string, CatalogueEntry>;
}

let index: Index | null = null;

/** Built at first use, so that starting the extension costs nothing. */
function catalogueIndex(): Index {
  if (index) return index;
  const sections = loadSections();
  const rows = new Map<string, CatalogueEntry[]>();
  for (const { entries } of sections)
    for (const entry of entries)
      for (const name of entry.names) {
        const known = rows.get(name);
        if (known) known.push(entry);
        else rows.set(name, [entry]);
      }
  const helpers = new Map<string, CatalogueEntry>();
  const prefixes = new Map<string, CatalogueEntry>();
  for (const group of loadHelpers()) {
    for (const name of group.entry.names) helpers.set(name, group.entry);
    for (const prefix of group.prefixes) prefixes.set(prefix, group.entry);
  }
  index = { sections, rows, helpers, prefixes };
  return index;
}

/** Every row that matters to the TLB, by section, in the order of the data file. */
export function catalogueSections(): readonly CatalogueSection[] {
  return catalogueIndex().sections;
}

/** Which kernel a file belongs to, by its path in the tree. */
export function kernelOfPath(path: string): KernelCode | 'other' {
  if (path.startsWith('xen/'))
    return path.startsWith('xen/arch/') && !path.startsWith('xen/arch/x86/') ? 'other' : 'X';
  const at = path.startsWith('arch/') ? 0 : path.indexOf('/arch/') + 1;
  if (at === 0 && !path.startsWith('arch/')) {
    if (path.startsWith('include/asm-x86/') || path.startsWith('include/asm-x86_64/')) return 'Lx';
    return 'Lg';
  }
  const folder = path.slice(at + 'arch/'.length);
  if (folder.startsWith('x86/xen/')) return 'Lp';
  if (folder.startsWith('x86') || folder.startsWith('i386/')) return 'Lx';
  if (folder.startsWith('arm64/')) return 'La';
  return 'Lo';
}

/** In which order rows are preferred. A row of no kernel in the list does not hold there. */
function preference(hints: LookupHints): readonly KernelCode[] {
  const kernel = kernelOfPath(hints.path);
  switch (kernel) {
    case 'X':
      return ['X'];
    case 'Lp':
      return ['Lp', 'Lx', 'S', 'XF', 'Lg'];
    case 'La':
      return ['La', 'XF', 'Lg'];
    case 'Lo':
      return ['Lo'];
    case 'other':
      return [];
    default:
      return hints.architecture === 'arm64' ? ['La', 'XF', 'Lg'] : ['Lx', 'Lg', 'S', 'XF', 'Lp'];
  }
}

/** Compares dotted versions number by number: `4.9` < `4.20`. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.');
  const right = b.split('.');
  for (let part = 0; part < Math.max(left.length, right.length); part++) {
    const difference = Number(left[part] ?? 0) - Number(right[part] ?? 0);
    if (difference) return difference;
  }
  return 0;
}

/** Whether `version` lies in `range`. */
export function inRange(version: string, range: VersionRange | undefined): boolean {
  if (!range) return true;
  if (range.from !== null && compareVersions(version, range.from) < 0) return false;
  // `4.16` as an end includes every `4.16.x`.
  const end = range.to;
  return end === null || compareVersions(version.split('.').slice(0, end.split('.').length).join('.'), end) <= 0;
}

const rangeText = (range: VersionRange): string => {
  if (range.from === null) return `up to ${range.to ?? 'any'}`;
  if (range.to === null) return `${range.from} and later`;
  return range.from === range.to ? range.from : `${range.from} to ${range.to}`;
};

/** Picks the row that fits the version; says what it assumes where the version is not known. */
function chooseByVersion(rows: readonly CatalogueEntry[], hints: LookupHints, series: boolean) {
  const known = series ? hints.seriesVersion?.toString() : hints.kernelVersion;
  const fitting = known === undefined ? rows : rows.filter(row => inRange(known, row.versions));
  const entry = fitting.at(-1) ?? rows.at(-1)!;
  const subject = series ? 'XPFO series' : 'Linux';
  let assumption: string | null = null;
  if (known === undefined && entry.versions && rows.length > 1)
    assumption = `${subject} ${rangeText(entry.versions)} assumed`;
  else if (known !== undefined && !fitting.length && entry.versions)
    assumption = `the name is that of ${subject} ${rangeText(entry.versions)}`;
  return { entry, assumption };
}

const x86Only: ReadonlySet<string> = new Set([
  ...['INVLPG', 'INVPCID_ADDR', 'INVPCID_CTX', 'INVPCID_ALL_GLOBAL', 'INVPCID_ALL', 'CR3_WRITE'],
  ...['CR3_READ', 'CR3_FLUSH', 'CR3_NOFLUSH', 'CR4_READ', 'CR4_WRITE', 'INVLPGB', 'TLBSYNC', 'LFENCE'],
]);

const usesX86 = (cost: CatalogueCost): boolean => Object.keys(cost.ops).some(name => x86Only.has(name));

/** A row of the generic code counts x86's operations; on another architecture they are not known. */
function withoutX86(entry: CatalogueEntry): CatalogueEntry {
  if (!entry.costs.some(usesX86)) return entry;
  return { ...entry, effect: 'unknown', unknown: 'what this costs on this architecture is not known' };
}

/** A known name in a kernel for which the catalogue has no figures: unknown, never nothing. */
function elsewhere(entry: CatalogueEntry): CatalogueEntry | null {
  if (entry.effect === 'memory' || entry.effect === 'none') return entry;
  return { ...entry, effect: 'unknown', unknown: "this architecture's operations are not in the catalogue" };
}

function findRow(name: string, hints: LookupHints): { entry: CatalogueEntry; assumption: string | null } | null {
  const rows = catalogueIndex().rows.get(name);
  if (!rows) return null;
  const order = preference(hints);
  for (const kernel of order) {
    const here = rows.filter(row => row.where.includes(kernel));
    if (!here.length) continue;
    const choice = chooseByVersion(here, hints, kernel === 'XF');
    const arm64 = order[0] === 'La' && kernel !== 'La';
    return arm64 ? { ...choice, entry: withoutX86(choice.entry) } : choice;
  }
  if (order.length > 1) return null;
  // Xen and other architectures: a name of theirs that is only known from elsewhere.
  const entry = elsewhere(rows[0]!);
  return entry && { entry, assumption: null };
}

function findHelper(name: string): CatalogueEntry | null {
  const { helpers, prefixes } = catalogueIndex();
  const exact = helpers.get(name);
  if (exact) return exact;
  for (let at = name.indexOf('_'); at !== -1; at = name.indexOf('_', at + 1)) {
    const entry = prefixes.get(name.slice(0, at + 1));
    if (entry) return entry;
  }
  return null;
}

/**
 * What the catalogue knows about `name` at the place that `hints` describe; null if nothing.
 * Null means *unknown*, not free: what is free has a row that says so.
 */
export function lookup(name: string, hints: LookupHints): CatalogueMatch | null {
  const row = findRow(name, hints);
  if (row) return { name, ...row };
  const helper = findHelper(name);
  return helper && { name, entry: helper, assumption: null };
}

/** Whether a condition of an element of `costs` holds: `PTI` on, `!PTI` off. */
function conditionHolds(when: readonly string[], has: (feature: string) => boolean): boolean {
  return when.every(literal => (literal.startsWith('!') ? !has(literal.slice(1)) : has(literal)));
}

/** The element of `costs` that applies under the features that are on. */
export function chooseCost(
  entry: CatalogueEntry,
  has: (feature: string) => boolean,
  kernelVersion?: string,
): CatalogueCost {
  return (
    entry.costs.find(
      cost =>
        conditionHolds(cost.when, has) &&
        (kernelVersion === undefined || inRange(kernelVersion, cost.versions)),
    ) ?? entry.costs.at(-1)!
  );
}
