/** R3: INVPCID a page, or one CR3 write that drops the user PCID, on Skylake. */
import { fitLine, type Line } from '../fit';
import { machine, pagesFrom, type Lab } from '../lab';
import { exactly, figureAt, leadingNumber, type Prediction, type PublishedTable, type TableModel } from '../model'; // prettier-ignore
import r03 from '../published/r03.json';
import { walksPerFlush } from './flushBySize';
import { refillCycles } from './pingPong';

const most = 33;
const cpus = 4;

const pointsOf = (column: string, weighted: boolean) =>
  r03.figures.flatMap(figure => {
    const pages = leadingNumber(figure.row);
    if (figure.column !== column || pages === null || pages > most) return [];
    const weight = weighted && 'weight' in figure ? figure.weight : 1;
    return [{ x: pages, y: figure.value, weight }];
  });

/** INVPCID of one address less INVLPG, in cycles of Skylake: with INVPCID a page is both, without one INVLPG. */
export function invpcidMinusInvlpg(): {
  readonly value: number;
  readonly low: number;
  readonly high: number;
} {
  const both = fitLine(pointsOf('with INVPCID', false));
  const invlpg = fitLine(pointsOf('without', false));
  const value = both.slope - 2 * invlpg.slope;
  const band = Math.hypot(both.slopeBand, 2 * invlpg.slopeBand);
  return { value, low: value - band, high: value + band };
}

/** Entries that one deferred flush costs again, run on the model kernel: with INVPCID they stay. */
function refilled(lab: Lab, profile: ReturnType<typeof machine>, used: number): number {
  const misses = (features: readonly string[]): number =>
    lab.run({
      ...{ machine: profile, features, spaces: [used + 1], warm: used },
      programs: [
        [
          { kind: 'measure' },
          { kind: 'madvise', ...pagesFrom(used, 1) },
          { kind: 'touch', ...pagesFrom(0, used) },
        ],
      ],
    }).misses;
  return misses(['PTI', 'PCID', 'PGE']) - misses(['PTI', 'PCID', 'PGE', 'INVPCID']);
}

export function invpcidOrCr3(published: PublishedTable, lab: Lab): TableModel {
  const profile = machine(published.machine);
  const lines: Readonly<Record<string, Line>> = {
    'with INVPCID': fitLine(pointsOf('with INVPCID', true)),
    without: fitLine(pointsOf('without', false)),
  };
  const at = (column: string, pages: number): number =>
    lines[column]!.intercept + lines[column]!.slope * pages;
  const baseline = figureAt(published, 'kernel compile', 'with INVPCID');

  /** Seconds of the compile without INVPCID: value, low, high. */
  const compile = (): readonly [number, number, number] => {
    const used = Math.round(walksPerFlush());
    const entries = refilled(lab, profile, used);
    const samples = pointsOf('with INVPCID', true);
    const flushes = samples.reduce((sum, { weight }) => sum + weight, 0);
    const saved = samples.reduce((sum, { x, weight }) => sum + weight * (at('with INVPCID', x) - at('without', x)), 0); // prettier-ignore
    const walk = profile.figures['page_walk_cached']!;
    const time = (cyclesAnEntry: number, times: number): number =>
      baseline + (times * entries * cyclesAnEntry - saved) / (cpus * profile.clock.assumedCoreGhz * 1e9);
    const more = r03.figures.find(one => one.row === '1 page' && one.column === 'without')!.weight!;
    return [time(refillCycles(), flushes), time(refillCycles() / 2, flushes), time(walk.high!, Math.max(more, flushes))]; // prettier-ignore
  };
  const compiled = (percent: boolean): Prediction => {
    const [value, low, high] = compile().map(time => (percent ? 100 * (time / baseline - 1) : time));
    return {
      ...{ value: value!, low: low!, high: high!, role: 'predicted' },
      reason:
        'flushes as sampled, less what the lines save, and the user entries that the CR3 write drops: R2 counts the walks between flushes, R10 prices one. The sign is right, the size is not: only sampled flushes count, and walks that share the caches with a compile cost more than those of R10; no spread is published',
    };
  };

  return {
    fitted: [
      { name: 'with INVPCID, fixed part', value: at('with INVPCID', 0), unit: 'cycles', on: 'with INVPCID, by samples' }, // prettier-ignore
      { name: 'with INVPCID, a page', value: lines['with INVPCID']!.slope, unit: 'cycles', on: 'with INVPCID, by samples' }, // prettier-ignore
      { name: 'without, fixed part', value: at('without', 0), unit: 'cycles', on: 'without, each row alike' },
      {
        name: 'without, a page',
        value: lines['without']!.slope,
        unit: 'cycles',
        on: 'without, each row alike',
      },
      { name: 'the compile itself', value: baseline, unit: 's', on: 'kernel compile, with INVPCID' },
    ],
    takes: [
      `${Math.round(walksPerFlush())} walks between flushes: counters of R2, another machine`,
      `${refillCycles().toFixed(1)} cycles an entry fetched again: R10`,
    ],
    leavesOut: [
      'Rows of few samples scatter (5 and 9 pages); the samples of the second column are not published, so its rows count alike.',
      'R1 takes the difference of the slopes from two lines fitted alike, each row counting the same: 541.9 less twice 193.3.',
      'Rows above 33 pages are the same lines: the table by size exists because the ceiling was raised for it.',
    ],
    predict(row, column) {
      if (row === 'kernel compile') {
        if (column === 'with INVPCID') return exactly(baseline, 'the compile itself: fitted');
        return column === 'without' || column === 'change' ? compiled(column === 'change') : null;
      }
      const pages = leadingNumber(row);
      const line = lines[column];
      if (pages === null || pages < 1 || !line) return null;
      const value = at(column, pages);
      const band = line.halfBand(pages);
      const fitted = pages <= most;
      return {
        ...{ value, low: value - band, high: value + band, role: fitted ? 'fitted' : 'predicted' },
        reason: fitted ? 'the line' : 'the line, extended',
      };
    },
  };
}
