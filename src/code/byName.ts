/** What a recognised name counts for, from its row and its arguments as written, under given features. */
import type { CatalogueCost, CatalogueEntry, DeferredWork, OperationCounts } from './catalogue/entry';
import { chooseCost } from './catalogue/lookup';
import type { Recognised } from './nameScanner';

/** The operations of one call or instruction. */
export interface NamedCounts {
  /** Operations on all CPUs together; means nothing where `unknown` is set. */
  readonly ops: OperationCounts;
  /** In place of `ops` above `ceiling` pages (null: above the machine's ceiling). */
  readonly full: OperationCounts | null;
  readonly ceiling: number | null;
  /** The cheaper answer where `condition` is open; null if there is one answer only. */
  readonly other: OperationCounts | null;
  readonly condition: string;
  /** Work left for later, not part of `ops`. */
  readonly deferred: DeferredWork | null;
  /** A function that is run besides, and how often; its own operations are not in `ops`. */
  readonly runs: { readonly name: string; readonly times: string } | null;
  /** Why the operations are not known, or null. */
  readonly unknown: string | null;
  /** Features that change the count or make the call legal. */
  readonly gates: readonly string[];
}

type HasFeature = (feature: string) => boolean;

/** Adds counts of operations that do not occur in `counts` yet. */
const withMore = (counts: OperationCounts, more: OperationCounts): OperationCounts => ({
  ...counts,
  ...more,
});

function gatesOf(entry: CatalogueEntry): string[] {
  const tested = [...entry.costs.flatMap(({ when }) => when), ...(entry.select?.when ?? [])];
  const pcid = entry.costs.some(({ ops }) => ops.CR3_WRITE !== undefined) ? ['PCID'] : [];
  const names = [
    ...entry.gate,
    ...pcid,
    ...tested.map(name => (name.startsWith('!') ? name.slice(1) : name)),
  ];
  return [...new Set(names)];
}

/** Replaces the stand-in `CR3_WRITE` by a write of a known kind. */
function withCr3(counts: OperationCounts, kind: 'CR3_FLUSH' | 'CR3_NOFLUSH'): OperationCounts {
  const { CR3_WRITE: writes, ...rest } = counts;
  return writes === undefined ? counts : withMore(rest, { [kind]: writes });
}

/** Whether the written value keeps the entries, as far as its text shows; null if it does not. */
function keepsEntries(value: string | undefined): boolean | null {
  if (value === undefined) return null;
  if (value.includes('NOFLUSH') || value.includes('noflush')) return true;
  return value.startsWith('build_cr3(') ? false : null;
}

const joinConditions = (...texts: readonly string[]): string => texts.filter(Boolean).join('; ');

/** The counts of a row whose writes of CR3 are still open, with the bit decided by text and features. */
function decideCr3(cost: CatalogueCost, value: string | undefined, has: HasFeature) {
  const other = cost.other ?? null;
  const condition = cost.condition ?? '';
  if (cost.ops.CR3_WRITE === undefined) return { ops: cost.ops, other, condition };
  const keeps = has('PCID') ? keepsEntries(value) : false;
  if (keeps !== null) {
    const kind = keeps ? 'CR3_NOFLUSH' : 'CR3_FLUSH';
    return { ops: withCr3(cost.ops, kind), other: other && withCr3(other, kind), condition };
  }
  return {
    ops: withCr3(cost.ops, 'CR3_FLUSH'),
    other: withCr3(other ?? cost.ops, 'CR3_NOFLUSH'),
    condition: joinConditions(condition, 'bit 63 of the value is clear'),
  };
}

/** The operations that an argument chooses; null if it names none of the cases. */
function selected({ entry, args }: Recognised, has: HasFeature): OperationCounts | null {
  const { select } = entry;
  if (!select || !select.when.every(has)) return {};
  const chosen = args[select.argument];
  return (chosen === undefined ? undefined : select.cases[chosen]) ?? null;
}

/** Whether the caller waits for a function that it runs elsewhere; null where the argument does not show it. */
function waits({ entry, args }: Recognised): boolean | null {
  const index = entry.callback?.wait ?? null;
  if (index === null) return false;
  const text = args[index];
  if (text === '0' || text === 'false') return false;
  return text === '1' || text === 'true' ? true : null;
}

/** What `found` performs when the features that `has` accepts are on. */
export function countByName(found: Recognised, has: HasFeature, kernelVersion?: string): NamedCounts {
  const { entry, args } = found;
  const cost = chooseCost(entry, has, kernelVersion);
  const decided = decideCr3(cost, entry.value === undefined ? undefined : args[entry.value], has);
  const more = selected(found, has);
  const wait = waits(found);
  let { other, condition } = decided;
  let ops = withMore(decided.ops, more ?? {});
  if (wait === null) {
    other ??= ops;
    condition = joinConditions(condition, 'the caller waits');
  }
  if (wait !== false) ops = withMore(ops, { IPI_WAIT: '1' });
  const callback = entry.callback && args[entry.callback.argument];
  const notSelected = more === null ? 'which operation it is does not stand at the call' : null;
  return {
    ops,
    full: cost.full ?? null,
    ceiling: cost.ceiling ?? null,
    other,
    condition,
    deferred: cost.deferred ?? null,
    runs: callback ? { name: callback, times: entry.callback.runs } : null,
    unknown: entry.unknown ?? cost.unknown ?? notSelected,
    gates: gatesOf(entry),
  };
}
