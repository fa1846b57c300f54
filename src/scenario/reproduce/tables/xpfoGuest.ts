/** R13: XPFO in a guest, each page flushed on this CPU or on all. */
import { cycles, machine, withFigures, type Lab } from '../lab';
import { exactly, figureAt, notModelled, type Prediction, type PublishedTable, type TableModel } from '../model'; // prettier-ignore
import r09 from '../published/r09.json';
import { xpfoPageCycles } from './xpfoPages';

/** kernbench runs half as many jobs as there are CPUs first: two of them. */
const cpus = 4;
/** Before PTI and PCIDs. */
const features = ['PGE'];

/** Cycles that a flush on all CPUs takes more than one here, for a page of user space. */
function dearer(published: PublishedTable, lab: Lab): number {
  const host = machine(published.machine);
  const exit = cycles(host, 'vmexit_roundtrip').cycles;
  const remote = figureAt(r09, 'first remote CPU', 'before');
  // Sending is an exit; what is left of R9's remote CPU is the way to it, its handler and the answer.
  const way = Math.max(0, remote - exit - cycles(host, 'ipi_handler_overhead').cycles);
  const guest = withFigures(host, {
    ipi_icr_write: exit,
    ipi_delivery_same_socket: way / host.clock.assumedCoreGhz,
  });
  const page = (patches: readonly string[]): number =>
    xpfoPageCycles(lab, { machine: guest, features, cpus, patches })[0];
  return (page([]) - page(['xpfo-local-flush'])) / host.clock.assumedCoreGhz;
}

export function xpfoGuest(published: PublishedTable, lab: Lab): TableModel {
  const at = (row: string, column: string): number => figureAt(published, row, column);
  const nsOfPage = dearer(published, lab);
  const pages = ((at('system', '-j2, all CPUs') - at('system', '-j2, local')) * 1e9) / nsOfPage;
  const added = (pages * nsOfPage) / 1e9;
  const predicted = (value: number, reason: string): Prediction => ({
    ...{ value, low: value, high: value, role: 'predicted', reason },
  });
  return {
    fitted: [
      { name: 'pages that user space gets, millions', value: pages / 1e6, unit: 'pages', on: 'system, -j2' },
      ...['system', 'elapsed'].flatMap(row =>
        ['-j2', '-j4'].map(jobs => ({
          ...{ name: 'the build with local flushes', value: at(row, `${jobs}, local`), unit: 's' },
          on: `${row}, ${jobs}, local`,
        })),
      ),
    ],
    takes: [
      `a flush on all of ${cpus} CPUs instead of one: ${Math.round(nsOfPage)} ns a page more, by the model kernel with what a remote CPU costs in R9, another guest`,
      'how many CPUs work at once: the published CPU % with local flushes, for elapsed times',
    ],
    leavesOut: [
      'The number of CPUs is not published: half as many jobs as CPUs is what the benchmark does by default. No row depends on it, only the number of pages.',
      'Interrupts that user code is charged with, and what its caches lose: user time grew by a fifth.',
    ],
    predict(row, column) {
      const [jobs = '', where = ''] = column.split(', ');
      if (row === 'system, all CPUs over local') {
        const ratio = 1 + added / at('system', `${jobs}, local`);
        return jobs === '-j2'
          ? exactly(ratio, 'gives the number of pages')
          : predicted(ratio, 'as many pages as with two jobs: the same time is added');
      }
      if (row !== 'system' && row !== 'elapsed')
        return notModelled('what the build does beside flushing is not modelled');
      if (where === 'local') return exactly(at(row, column), 'the build with local flushes');
      if (where !== 'all CPUs') return null;
      const local = at(row, `${jobs}, local`);
      if (row === 'elapsed')
        return predicted(
          local + added / (at('CPU', `${jobs}, local`) / 100),
          'the added system time, shared among the CPUs that work',
        );
      return jobs === '-j2'
        ? exactly(local + added, 'gives the number of pages')
        : predicted(local + added, 'as many pages as with two jobs: the same time is added');
    },
  };
}
