/** Published figures that belong beside a sweep of a built-in scenario: a new pair is one entry here. */
import guest from './reproduce/published/g1.json';
import deferral from './reproduce/published/r01.json';
import type { PublishedTable } from './reproduce/model';

export interface PublishedAt {
  /** Value of the parameter. */
  readonly x: number;
  /** Cycles. */
  readonly value: number;
  /** What was measured, and what of it the simulation leaves out. */
  readonly label: string;
  /** Id of the table, as `tlbscope reproduce` lists it. */
  readonly source: string;
}

interface Pair {
  /** Name of the built-in scenario, and its parameter. */
  readonly scenario: string;
  readonly parameter: string;
  readonly table: PublishedTable;
  /** Column of the table → what it is called beside the plot. */
  readonly columns: Readonly<Record<string, string>>;
}

const wholeCall = 'the whole call: also code that has no price here';

const pairs: readonly Pair[] = [
  {
    ...{ scenario: 'flush-ceiling', parameter: 'n', table: guest },
    columns: { madvise: `measured, as base; ${wholeCall}` },
  },
  {
    ...{ scenario: 'madvise-one-thread', parameter: 'n', table: deferral },
    columns: {
      concurrent: `measured, as base; ${wholeCall}`,
      deferred: `measured, as deferred; ${wholeCall}`,
    },
  },
];

/** Those of the machine that the scenario ran on, rising in `x`. */
export function publishedPoints(scenario: string, parameter: string, machine: string): PublishedAt[] {
  return pairs
    .filter(
      pair => pair.scenario === scenario && pair.parameter === parameter && pair.table.machine === machine,
    )
    .flatMap(({ table, columns }) =>
      table.figures.flatMap(({ row, column, unit, value }) => {
        const pages = /^(\d{1,6}) pages?$/.exec(row);
        const label = Object.hasOwn(columns, column) ? columns[column] : undefined;
        if (!pages || label === undefined || unit !== 'cycles') return [];
        return [{ x: Number(pages[1]), value, label, source: `${table.id}: ${table.title}` }];
      }),
    )
    .sort((a, b) => a.x - b.x);
}
