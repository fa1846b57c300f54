/** G1: madvise in a paravirtual guest, where a flush is a call of the hypervisor: the ceiling is a matter of the machine. */
import { machine, pagesFrom, type Lab } from '../lab';
import { exactly, figureAt, leadingNumber, type PublishedTable, type TableModel } from '../model';

const ceiling = 33;
const most = 16_384;

export function paravirtual(published: PublishedTable, lab: Lab): TableModel {
  const profile = machine(published.machine);
  const at = (row: string): number => figureAt(published, row, 'madvise');
  const perPage = (at('33 pages') - at('1 page')) / 32;
  const fixed = at('1 page') - perPage;
  const entry = (at('50 pages') - at('34 pages')) / 16;
  const full = at('34 pages') - 34 * entry;
  /** Whether the model kernel flushes a range of so many pages one by one. */
  const single = (pages: number): boolean => {
    const program = [{ kind: 'measure' }, { kind: 'madvise', ...pagesFrom(0, pages) }] as const;
    const { counts } = lab.run({
      ...{ machine: profile, features: profile.features, spaces: [pages], programs: [program] },
    });
    return (counts['INVLPG'] ?? 0) === pages;
  };
  const fittedRows = new Set([1, 33, 34, 50]);
  return {
    fitted: [
      { name: 'fixed part, page by page', value: fixed, unit: 'cycles', on: '1 and 33 pages' },
      { name: 'a page, its flush and its entry', value: perPage, unit: 'cycles', on: '1 and 33 pages' },
      { name: 'fixed part with a full flush', value: full, unit: 'cycles', on: '34 and 50 pages' },
      { name: "a page's entry alone", value: entry, unit: 'cycles', on: '34 and 50 pages' },
    ],
    takes: [`which way the model kernel flushes: page by page up to ${ceiling} pages`],
    leavesOut: [
      'A busy neighbour on the second CPU makes a page about five times as dear: one number for an instruction does not exist in such a guest.',
    ],
    predict(row, column) {
      if (column !== 'madvise') return null;
      const broken = (full - fixed) / (perPage - entry);
      if (row === 'break-even')
        return {
          value: broken,
          low: broken,
          high: broken,
          role: 'predicted',
          reason: 'where the two lines cross',
        };
      const pages = leadingNumber(row);
      if (pages === null || pages < 1 || pages > most) return null;
      const value = single(pages) ? fixed + perPage * pages : full + entry * pages;
      if (fittedRows.has(pages)) return exactly(value, 'fitted');
      return {
        ...{ value, low: value, high: value, role: 'predicted' },
        reason: single(pages) ? 'the line of flushes page by page' : 'the line of full flushes',
      };
    },
  };
}
