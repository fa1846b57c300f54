/** R12: system time of a kernel build with XPFO, on 4 CPUs and on 96. */
import { machine, type Lab } from '../lab';
import { exactly, figureAt, notModelled, type Prediction, type PublishedTable, type TableModel } from '../model'; // prettier-ignore
import { xpfoPageCycles, type Three } from './xpfoPages';

const machines: Readonly<Record<string, { readonly id: string; readonly cpus: number }>> = {
  '8160, 96 CPUs': { id: 'skylake-sp-8160', cpus: 96 },
  'i5-3550, 4 CPUs': { id: 'ivy-bridge-i5-3550', cpus: 4 },
};
/** The machine that gives the number of pages; the other one is predicted. */
const fittedOn = { row: 'v8: XPFO', column: 'i5-3550, 4 CPUs' } as const;

/** Patches of the model tree that make the kernel of a row, and the row of the kernel without XPFO. */
const kernels: Readonly<Record<string, { readonly base: string; readonly patches: readonly string[] }>> = {
  'v8: XPFO': { base: 'v8: 4.20', patches: [] },
  'v8: deferred': { base: 'v8: 4.20', patches: ['xpfo-deferred-flush'] },
  'v8: deferred and batch': { base: 'v8: 4.20', patches: ['xpfo-deferred-flush', 'xpfo-batch-refill'] },
  'v7: XPFO': { base: 'v7: base', patches: [] },
  'v7: deferred': { base: 'v7: base', patches: ['xpfo-deferred-flush'] },
  'v9: all optimisations': { base: 'v9: 5.0', patches: ['xpfo-deferred-flush', 'xpfo-batch-refill'] },
};
const perCpu: Readonly<Record<string, string>> = {
  'v8: added by XPFO per CPU': 'v8: XPFO',
  'v8: added per CPU, deferred': 'v8: deferred',
  'v8: added per CPU, deferred and batch': 'v8: deferred and batch',
};

/** Seconds of all CPUs together that XPFO takes for one page. */
function pageCost(lab: Lab, column: string, patches: readonly string[]): Three {
  const { id, cpus } = machines[column]!;
  const profile = machine(id);
  const scale = 1 / (profile.clock.assumedCoreGhz * 1e9);
  const one = xpfoPageCycles(lab, { machine: profile, features: profile.features, cpus, patches });
  return [one[0] * scale, one[1] * scale, one[2] * scale];
}

export function xpfoBuild(published: PublishedTable, lab: Lab): TableModel {
  const known = new Map<string, Three>();
  const cost = (column: string, patches: readonly string[]): Three => {
    const key = `${column} ${patches.join(' ')}`;
    const found = known.get(key) ?? pageCost(lab, column, patches);
    known.set(key, found);
    return found;
  };
  const base = (row: string, column: string): number => figureAt(published, row, column);
  const unit = cost(fittedOn.column, kernels[fittedOn.row]!.patches);
  const addedThere = base(fittedOn.row, fittedOn.column) - base(kernels[fittedOn.row]!.base, fittedOn.column);
  const pages = addedThere / unit[0];
  const baseRows = [...new Set(Object.values(kernels).map(kernel => kernel.base))];

  /** Seconds that a kernel adds to the system time. The two machines' figures are moved one after the other. */
  const added = (row: string, column: string): Three => {
    const here = cost(column, kernels[row]!.patches);
    const value = pages * here[0];
    const spread = (own: number, fitted: number): number =>
      value * Math.hypot(own / here[0] - 1, unit[0] / fitted - 1);
    return [value, Math.max(0, value - spread(here[1], unit[2])), value + spread(here[2], unit[1])];
  };
  const predicted = (row: string, column: string, make: (time: number) => number): Prediction => {
    const [value, low, high] = added(row, column).map(make);
    if (row.endsWith(': XPFO') && column === fittedOn.column)
      return exactly(value!, 'gives the number of pages');
    return {
      ...{ value: value!, low: low!, high: high!, role: 'predicted' },
      reason: {
        0: 'as many pages as on the other machine, each flushed twice by an interrupt to every CPU, as the model kernel runs it',
        1: 'as many pages, each flushed twice here, the other CPUs marked',
        2: 'as many pages, each flushed once here, and everything once for a refill of 31',
      }[kernels[row]!.patches.length]!,
    };
  };

  return {
    fitted: [
      {
        ...{ name: 'pages that user space gets, millions', value: pages / 1e6, unit: 'pages' },
        on: `${fittedOn.row}, ${fittedOn.column}`,
      },
      ...baseRows.flatMap(row =>
        Object.keys(machines).map(column => ({
          ...{ name: 'the build without XPFO', value: base(row, column), unit: 's' },
          on: `${row}, ${column}`,
        })),
      ),
    ],
    takes: [
      'interrupts, flushes, CR3 writes of the entry under PTI: the two profiles, mostly estimated',
      'a page is flushed when user space gets it and when the kernel has written it, as the code says',
    ],
    leavesOut: [
      'Both machines are taken to build the same; their system times without XPFO differ by a factor of 1.6.',
      'Many CPUs that flush at once: a CPU that waits answers others meanwhile, and its time is counted twice here.',
      'Splitting of 2M pages of the direct map and what smaller pages cost from then on, page_ext or struct page lines that miss the cache, contended marks: once flushes are deferred these are most of what is left, and they are not there. So the time that remains is too small.',
      'Full flushes at context switches, and what is fetched again after them: their number is not published.',
      'Time of handlers that interrupt user mode counts as system time here; kernels that sample it at ticks may not.',
    ],
    predict(row, column) {
      if (!(column in machines))
        return notModelled('the machine is not named, and what else its build takes is not published');
      if (baseRows.includes(row)) return exactly(base(row, column), 'the build without XPFO');
      const kernel = kernels[row];
      if (kernel) return predicted(row, column, time => base(kernel.base, column) + time);
      const of = perCpu[row];
      return of ? predicted(of, column, time => time / machines[column]!.cpus) : null;
    },
  };
}
