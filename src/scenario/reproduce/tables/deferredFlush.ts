/** R1: madvise under PTI, and the same with the user PCID's flush deferred. */
import { cycles, machine, pagesFrom, type Lab } from '../lab';
import { exactly, figureAt, leadingNumber, notModelled, type Prediction, type PublishedTable, type TableModel } from '../model'; // prettier-ignore
import { invpcidMinusInvlpg } from './invpcidOrCr3';

const features = ['PTI', 'PCID', 'INVPCID', 'PGE'];
const deferred = ['range-interface', 'deferred-user-flush'];
const ceiling = 33;

/**
 * The first column is a line through its two figures. The second differs by what the patched kernel runs instead: the
 * model kernel says how often, R3 (another machine, another kernel) what an INVLPG saves against an INVPCID.
 */
export function deferredFlush(published: PublishedTable, lab: Lab): TableModel {
  const profile = machine(published.machine);
  const one = figureAt(published, '1 page', 'concurrent');
  const ten = figureAt(published, '10 pages', 'concurrent');
  const perPage = (ten - one) / 9;
  const fixed = one - perPage;
  const difference = invpcidMinusInvlpg();
  const lfence = cycles(profile, 'lfence');

  const counts = (patches: readonly string[], pages: number): Readonly<Record<string, number>> =>
    lab.run({
      ...{ machine: profile, patches, features, spaces: [64], warm: pages },
      programs: [[{ kind: 'measure' }, { kind: 'madvise', ...pagesFrom(0, pages) }]],
    }).counts;

  /** Deferred less concurrent: value, low, high. */
  const change = (pages: number): readonly [number, number, number] => {
    const before = counts([], pages);
    const after = counts(deferred, pages);
    const of = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0);
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    const swapped = of('INVLPG');
    for (const name of names)
      if (!['INVLPG', 'INVPCID_ADDR', 'LFENCE'].includes(name) && of(name) !== 0)
        throw new Error(`R1: ${name} changes as well`);
    if (swapped + of('INVPCID_ADDR') !== 0) throw new Error('R1: not one INVLPG for each INVPCID');
    return [
      of('LFENCE') * lfence.cycles - swapped * difference.value,
      of('LFENCE') * lfence.low - swapped * difference.high,
      of('LFENCE') * lfence.high - swapped * difference.low,
    ];
  };
  const predicted = (value: number, low: number, high: number, reason: string): Prediction => ({
    ...{ value, low: Math.min(low, high), high: Math.max(low, high), role: 'predicted', reason },
  });
  const how = `the concurrent line, an INVLPG for each INVPCID (${difference.value.toFixed(1)} cycles less, from R3) and an LFENCE, as the model kernel counts them`;
  const line = (pages: number): number => fixed + perPage * pages;

  const predict = (row: string, column: string): Prediction | null => {
    if (row === 'per page') {
      if (column === 'concurrent') return exactly(perPage, 'slope of the two figures');
      const slope = (at: 0 | 1 | 2): number => (change(10)[at] - change(1)[at]) / 9;
      if (column === 'saved') return predicted(-slope(0), -slope(1), -slope(2), 'from R3');
      return predicted(perPage + slope(0), perPage + slope(1), perPage + slope(2), how);
    }
    if (row === 'fixed part') {
      if (column === 'concurrent') return exactly(fixed, 'intercept of the two figures');
      return predicted(fixed + lfence.cycles, fixed + lfence.low, fixed + lfence.high, 'the fixed part of the concurrent column, and an LFENCE'); // prettier-ignore
    }
    const pages = leadingNumber(row);
    if (pages === null || pages < 1) return null;
    if (pages > ceiling)
      return notModelled('above the ceiling; what a page costs without its flush is not known');
    if (column === 'concurrent') {
      const value = line(pages);
      return pages === 1 || pages === 10
        ? exactly(value, 'a line through both figures of the column')
        : predicted(value, value, value, 'the line through the figures of 1 and 10 pages');
    }
    const [value, low, high] = change(pages);
    if (column === 'deferred')
      return predicted(line(pages) + value, line(pages) + low, line(pages) + high, how);
    if (column !== 'change as published') return null;
    const percent = (by: number): number => (100 * by) / (line(pages) + (pages === 1 ? by : 0));
    return predicted(
      percent(value),
      percent(low),
      percent(high),
      'from the two columns, divided as published',
    );
  };

  return {
    fitted: [
      { name: 'fixed part of the call', value: fixed, unit: 'cycles', on: 'concurrent, 1 and 10 pages' },
      { name: 'a page, INVLPG and INVPCID and its entry', value: perPage, unit: 'cycles', on: 'concurrent, 1 and 10 pages' }, // prettier-ignore
    ],
    takes: [
      `INVPCID less INVLPG ${difference.value.toFixed(1)} cycles (${difference.low.toFixed(0)} to ${difference.high.toFixed(0)}): two lines fitted on R3, a Skylake; nothing of the second column`,
      `LFENCE ${lfence.cycles} cycles (${lfence.low} to ${lfence.high}): the profile's, measured`,
    ],
    leavesOut: [
      'The bookkeeping of the deferral and what its LFENCE waits for.',
      'Cycles here are probably of a 2.0 GHz time stamp counter, those of R3 of a core: the saving of a page comes out too big.',
    ],
    predict,
  };
}
