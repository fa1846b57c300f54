/** What the models are asked to reach, and whether they do. A miss stays a miss. */
import type { ReproducedRow, ReproducedTable } from './model';
import { leadingNumber } from './model';
import { numberIn, percentIn } from './numbers';
import r02 from './published/r02.json';
import r03 from './published/r03.json';

export interface JudgedMeasure {
  readonly table: string;
  readonly text: string;
  readonly met: boolean;
  /** What was found. */
  readonly found: string;
}

interface Measure {
  readonly table: string;
  readonly text: string;
  readonly judge: (rows: readonly ReproducedRow[]) => { readonly met: boolean; readonly found: string };
}

const worst = (rows: readonly ReproducedRow[]): ReproducedRow | null =>
  rows.reduce<ReproducedRow | null>(
    (found, row) =>
      found === null || Math.abs(row.error ?? Infinity) > Math.abs(found.error ?? Infinity) ? row : found,
    null,
  );

/** Every row that `of` takes is within a share of what was published. */
function within(share: number, of: (row: ReproducedRow) => boolean): Measure['judge'] {
  return rows => {
    const far = worst(rows.filter(of));
    if (far === null) return { met: false, found: 'no such row' };
    return {
      met: far.error !== null && Math.abs(far.error) <= share,
      found: `worst ${percentIn(far.error)} (${far.row}, ${far.column}, ${far.role})`,
    };
  };
}

const at = (rows: readonly ReproducedRow[], row: string, column: string): ReproducedRow | null =>
  rows.find(one => one.row === row && one.column === column) ?? null;

const pagesUpTo = (row: ReproducedRow, most: number): boolean => {
  const pages = leadingNumber(row.row);
  return pages !== null && pages <= most;
};

const samplesOf = (row: ReproducedRow): number => {
  const figure = r03.figures.find(one => one.row === row.row && one.column === row.column);
  return figure && 'weight' in figure ? figure.weight : 0;
};

const measures: readonly Measure[] = [
  {
    ...{ table: 'R1', text: 'four cycle counts within 5 %' },
    judge: within(0.05, row => row.unit === 'cycles' && leadingNumber(row.row) !== null),
  },
  {
    ...{ table: 'R1', text: 'difference of the slopes within 15 %' },
    judge: within(0.15, row => row.row === 'per page' && row.column === 'saved'),
  },
  {
    ...{ table: 'R2', text: 'every row up to 33 pages within 15 %' },
    judge: within(0.15, row => row.column === 'flush' && pagesUpTo(row, 33)),
  },
  {
    ...{ table: 'R2', text: 'the full flush between the rows of 3 and 4 pages' },
    judge(rows) {
      const full = at(rows, 'all', 'flush')?.predicted ?? null;
      const [three, four] = [3, 4].map(
        pages => r02.figures.find(one => one.row === `${pages} pages` && one.column === 'flush')!.value,
      );
      return {
        met: full !== null && full > three! && full < four!,
        found: `${numberIn(full)} where ${three} and ${four} are the neighbours`,
      };
    },
  },
  {
    ...{ table: 'R3', text: 'with INVPCID, rows of 1,000 samples or more within 15 %' },
    judge: within(
      0.15,
      row => row.column === 'with INVPCID' && row.unit === 'cycles' && samplesOf(row) >= 1000,
    ),
  },
  {
    ...{ table: 'R3', text: 'without, the median row within 10 %' },
    judge(rows) {
      const errors = rows
        .filter(row => row.column === 'without' && row.unit === 'cycles')
        .map(row => Math.abs(row.error ?? Infinity))
        .sort((a, b) => a - b);
      const middle = errors.length >> 1;
      const median = errors.length % 2 ? errors[middle] : (errors[middle - 1]! + errors[middle]!) / 2;
      const far = worst(rows.filter(row => row.column === 'without' && row.unit === 'cycles'));
      return {
        met: median !== undefined && median <= 0.1,
        found: `median ${percentIn(median ?? null)}, worst ${percentIn(far?.error ?? null)} (${far?.row ?? 'none'})`,
      };
    },
  },
  {
    ...{ table: 'R3', text: 'the compile is slower without INVPCID, as measured' },
    judge(rows) {
      const change = at(rows, 'kernel compile', 'change');
      return {
        met: change !== null && Math.sign(change.predicted ?? NaN) === Math.sign(change.published),
        found: `${numberIn(change?.predicted ?? null)} % where ${numberIn(change?.published ?? null)} % was measured`,
      };
    },
  },
  {
    ...{ table: 'R4', text: 'cells that were not fitted within 15 %' },
    judge: within(0.15, row => row.role === 'predicted'),
  },
  {
    ...{ table: 'R4', text: 'cells in order: later versions cheaper, more threads dearer' },
    judge(rows) {
      const value = (threads: string, column: string): number => at(rows, threads, column)?.predicted ?? NaN;
      const columns = ['before', 'RFC v1', 'RFC v2'];
      const cheaper = ['2 threads', '4 threads'].every(
        row => value(row, 'before') > value(row, 'RFC v1') && value(row, 'RFC v1') > value(row, 'RFC v2'),
      );
      const dearer = columns.every(
        column => value('1 thread', column) < value('2 threads', column) && value('2 threads', column) < value('4 threads', column), // prettier-ignore
      );
      return { met: cheaper && dearer, found: cheaper && dearer ? 'in order' : 'not in order' };
    },
  },
  {
    ...{ table: 'R12', text: 'system times of the machine that was not fitted within a factor of 1.5' },
    judge: factor(1.5, row => onUnfitted(row) && !row.row.includes('added')),
  },
  {
    ...{
      table: 'R12',
      text: 'what a flush on every CPU adds, divided by the CPUs, alike on 4 and on 96 (factor 1.5)',
    },
    judge(rows) {
      const each = ['8160, 96 CPUs', 'i5-3550, 4 CPUs'].map(
        column => at(rows, 'v8: added by XPFO per CPU', column)?.predicted ?? NaN,
      );
      const ratio = each[0]! / each[1]!;
      return {
        met: ratio > 1 / 1.5 && ratio < 1.5,
        found: `${numberIn(each[0]!)} s and ${numberIn(each[1]!)} s`,
      };
    },
  },
  {
    ...{
      table: 'R12',
      text: 'what is left once flushes are deferred, without the build, within a factor of 1.5',
    },
    judge: factor(1.5, row => onUnfitted(row) && row.row.includes('deferred') && row.row.includes('added')),
  },
  {
    ...{ table: 'R13', text: 'ratios of system times within 30 %' },
    judge: within(0.3, row => row.unit === 'times'),
  },
  {
    ...{ table: 'R14', text: 'change of system time: sign, and size within a factor of 2' },
    judge: factor(2, row => row.row === 'system, change'),
  },
  {
    ...{ table: 'G1', text: 'pages below the ceiling within 6 %' },
    judge: within(0.06, row => pagesUpTo(row, 33)),
  },
  {
    ...{ table: 'G1', text: 'the drop above the ceiling, and break-even near 6 pages' },
    judge(rows) {
      const [below, above] = ['33 pages', '34 pages'].map(row => at(rows, row, 'madvise')?.predicted ?? NaN);
      const even = at(rows, 'break-even', 'madvise')?.predicted ?? NaN;
      return {
        met: above! < below! / 2 && Math.abs(even - 6) <= 1,
        found: `${numberIn(below!)} to ${numberIn(above!)} cycles, break-even at ${numberIn(even)}`,
      };
    },
  },
];

/** A row of R12's machine that gives no constant but the build without XPFO. */
const onUnfitted = ({ role, unit, column }: ReproducedRow): boolean =>
  role !== 'fitted' && unit === 's' && column === '8160, 96 CPUs';

/** Every row that `of` takes has the sign that was measured, and lies within a factor of it. */
function factor(most: number, of: (row: ReproducedRow) => boolean): Measure['judge'] {
  return rows => {
    const taken = rows.filter(of);
    if (!taken.some(({ predicted }) => predicted !== null)) return { met: false, found: 'not modelled' };
    const ratios = taken.map(({ predicted, published }) => (predicted ?? NaN) / published);
    const far = Math.max(...ratios.map(ratio => (ratio > 0 ? Math.max(ratio, 1 / ratio) : Infinity)));
    return { met: far <= most, found: `worst factor ${numberIn(far)}` };
  };
}

/** Judges the measures of the tables that are there. */
export function judgeMeasures(tables: readonly ReproducedTable[]): JudgedMeasure[] {
  return measures.flatMap(({ table, text, judge }) => {
    const found = tables.find(({ id }) => id === table);
    return found ? [{ table, text: `${table}: ${text}`, ...judge(found.rows) }] : [];
  });
}
