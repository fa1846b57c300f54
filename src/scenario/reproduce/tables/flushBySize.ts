/** R2: a local flush by its size on Ivy Bridge. */
import { cycles, machine, pagesFrom, type Lab } from '../lab';
import { fitLine } from '../fit';
import { leadingNumber, notModelled, type Prediction, type PublishedTable, type TableModel } from '../model';
import r02 from '../published/r02.json';

const ceiling = 33;

/** Page walks for each flush of the kernel compile: what a CPU fetches again, at most, before the next flush. */
export function walksPerFlush(): number {
  const of = (row: string, column: string): number =>
    r02.figures.find(one => one.row === row && one.column === column)!.value;
  return (of('load', 'walks') + of('store', 'walks') + of('code', 'walks')) / of('code', 'ITLB flushes');
}

export function flushBySize(published: PublishedTable, lab: Lab): TableModel {
  const profile = machine(published.machine);
  const points = published.figures.flatMap(({ row, column, value }) => {
    const pages = leadingNumber(row);
    return column === 'flush' && pages !== null && pages <= ceiling ? [{ x: pages, y: value }] : [];
  });
  const line = fitLine(points);
  const full = (): Prediction => {
    const program = [{ kind: 'measure' }, { kind: 'madvise', ...pagesFrom(0, ceiling + 1) }] as const;
    const { counts } = lab.run({ machine: profile, features: ['PGE'], spaces: [64], programs: [program] });
    const [flush, read] = [cycles(profile, 'mov_cr3_flush'), cycles(profile, 'control_register_read')];
    const total = (of: 'cycles' | 'low' | 'high'): number =>
      line.intercept + (counts['CR3_FLUSH'] ?? 0) * flush[of] + (counts['CR3_READ'] ?? 0) * read[of];
    return {
      ...{ value: total('cycles'), low: total('low'), high: total('high'), role: 'predicted' },
      reason:
        "the line's fixed part and the profile's CR3 write and read, as the model kernel counts them; measured it lies between 3 and 4 pages, here between 1 and 2: a miss. Probably full flushes come from colder code (exit, exec) than single pages do, and the walk caches they empty are filled again inside the traced part",
    };
  };
  return {
    fitted: [
      { name: 'fixed part, tracing included', value: line.intercept, unit: 'cycles', on: 'flushes of 1 to 33 pages, each row alike' }, // prettier-ignore
      { name: 'a page', value: line.slope, unit: 'cycles', on: 'flushes of 1 to 33 pages, each row alike' },
    ],
    takes: ["CR3 write and read: the profile's (derived, estimated), for the full flush only"],
    leavesOut: [
      'Rows of a few samples scatter: 24 of the 35 rows are 0.1 % of the flushes or less.',
      'What a full flush costs later, when its entries are fetched again, lies outside the traced part.',
    ],
    predict(row, column) {
      if (column !== 'flush')
        return notModelled(
          column === 'page walk' && !row.includes('Ivy')
            ? 'there is no profile of a Sandy Bridge'
            : "an input: the profile's figures of walks, and the refill of R3, are made of it",
        );
      if (row === 'all') return full();
      const pages = leadingNumber(row);
      if (pages === null || pages < 1) return null;
      const value = line.intercept + line.slope * pages;
      const band = line.halfBand(pages);
      const fitted = pages <= ceiling;
      return {
        ...{ value, low: value - band, high: value + band, role: fitted ? 'fitted' : 'predicted' },
        reason: fitted ? 'the line' : 'the line, extended: this kernel flushed page by page up to 128 pages',
      };
    },
  };
}
