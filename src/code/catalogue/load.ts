/** Turns the rows of the data files into {@link CatalogueEntry} objects, filling in what rows leave out. */
import type {
  ArgumentSelect,
  CatalogueCost,
  CatalogueEntry,
  KernelCode,
  NameEffect,
  OperationCounts,
} from './entry';
import operationsData from './operations.json';
import helpersData from './helpers.json';

/** A row of `operations.json`: an entry in which most things may be left out. */
interface RawRow extends Partial<Omit<CatalogueEntry, 'names' | 'where' | 'why' | 'costs' | 'select'>> {
  readonly names: readonly string[];
  readonly where: readonly KernelCode[];
  readonly why: string;
  /** The elements, or the name of some in `shared`. */
  readonly costs?: string | readonly CatalogueCost[];
  /** Stands for one element of `costs` without a condition. */
  readonly ops?: OperationCounts;
  readonly select?: {
    readonly argument: number;
    readonly when?: readonly string[];
    /** The cases, or the name of some in `cases`. */
    readonly cases: string | ArgumentSelect['cases'];
  };
}

interface RawCatalogue {
  readonly shared: Readonly<Record<string, readonly CatalogueCost[]>>;
  readonly cases: Readonly<Record<string, ArgumentSelect['cases']>>;
  readonly sections: readonly { readonly title: string; readonly rows: readonly RawRow[] }[];
}

interface RawHelpers {
  readonly groups: readonly {
    readonly why: string;
    readonly effect?: NameEffect;
    readonly ops?: OperationCounts;
    readonly names: readonly string[];
    readonly prefixes?: readonly string[];
  }[];
}

/** Rows about one subject, with the heading under which they are listed. */
export interface CatalogueSection {
  readonly title: string;
  readonly entries: readonly CatalogueEntry[];
}

const hasCounts = (cost: CatalogueCost): boolean => Object.keys(cost.ops).length > 0;

function completeEntry(row: RawRow, catalogue: RawCatalogue): CatalogueEntry {
  const { costs, ops, select, ...rest } = row;
  let elements: readonly CatalogueCost[] = [{ when: [], ops: ops ?? {} }];
  if (typeof costs === 'string') elements = catalogue.shared[costs] ?? [];
  else if (costs) elements = costs;
  const acts = elements.some(hasCounts) || select !== undefined || row.callback !== undefined;
  const effect = row.unknown !== undefined ? 'unknown' : acts ? 'operations' : (row.effect ?? 'none');
  const base: CatalogueEntry = {
    kind: 'function',
    gate: [],
    reach: 'this',
    tlb: true,
    ...rest,
    costs: elements,
    effect,
  };
  if (!select) return base;
  const cases = typeof select.cases === 'string' ? catalogue.cases[select.cases] : select.cases;
  return { ...base, select: { argument: select.argument, when: select.when ?? [], cases: cases ?? {} } };
}

/** The rows of `operations.json`, section by section. */
export function loadSections(): readonly CatalogueSection[] {
  const catalogue = operationsData as unknown as RawCatalogue;
  return catalogue.sections.map(({ title, rows }) => ({
    title,
    entries: rows.map(row => completeEntry(row, catalogue)),
  }));
}

/** A group of helpers as one entry, with the prefixes by which it is known besides its names. */
export interface HelperGroup {
  readonly entry: CatalogueEntry;
  /** Each ends in an underscore. */
  readonly prefixes: readonly string[];
}

/** The groups of `helpers.json`. They hold in every kernel. */
export function loadHelpers(): readonly HelperGroup[] {
  const { groups } = helpersData as unknown as RawHelpers;
  return groups.map(group => ({
    prefixes: group.prefixes ?? [],
    entry: {
      names: group.names,
      where: ['Lx', 'Lg', 'La', 'Lp', 'Lo', 'X', 'XF', 'S'],
      kind: 'function',
      effect: group.ops ? 'operations' : (group.effect ?? 'none'),
      costs: [{ when: [], ops: group.ops ?? {} }],
      gate: [],
      reach: 'none',
      tlb: false,
      why: group.why,
    },
  }));
}
