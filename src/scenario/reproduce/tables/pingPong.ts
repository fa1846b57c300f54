/** R10: two processes in turn on one CPU, with PCIDs and without. */
import { cycles, machine, pagesFrom, type Lab } from '../lab';
import { exactly, figureAt, leadingNumber, type Prediction, type PublishedTable, type TableModel } from '../model'; // prettier-ignore
import r10 from '../published/r10.json';

const laptopMhz = 2300;
const fittedPages = 512;

const time = (column: string): number => figureAt(r10, '512 pages', column);

/** Cycles of one entry that is fetched again, of the laptop: what every one of 512 pages adds without PCIDs. */
export const refillCycles = (): number => ((time('nopcid') - time('PCID')) * laptopMhz) / fittedPages;

/** Page walks of one turn of one process, once both have run before. */
function missesATurn(lab: Lab, profile: ReturnType<typeof machine>, pages: number, pcid: boolean): number {
  const turns = 4;
  const round = [
    { kind: 'touch', ...pagesFrom(0, pages) },
    { kind: 'switch', space: 'b' },
    { kind: 'touch', ...pagesFrom(0, pages) },
    { kind: 'switch', space: 'a' },
  ] as const;
  const { misses } = lab.run({
    ...{ machine: profile, features: pcid ? ['PGE', 'PCID'] : ['PGE'], spaces: [pages, pages] },
    programs: [[...round, { kind: 'measure' }, { kind: 'repeat', times: turns, steps: round }]],
  });
  return misses / (2 * turns);
}

export function pingPong(published: PublishedTable, lab: Lab): TableModel {
  const profile = machine(published.machine);
  const refill = refillCycles();
  const bare = cycles(profile, 'context_switch').cycles / (profile.clock.assumedCoreGhz * 1000);
  const touch = (time('PCID') - bare) / fittedPages;
  const known = new Map<string, number>();
  const misses = (pages: number, pcid: boolean): number => {
    const key = `${pages} ${pcid}`;
    const found = known.get(key) ?? missesATurn(lab, profile, pages, pcid);
    known.set(key, found);
    return found;
  };
  const turns = (figureAt(published, '512 pages, dTLB misses', 'nopcid') * 1e6) / misses(fittedPages, false);
  const predicted = (value: number, reason: string): Prediction => ({
    ...{ value, low: value, high: value, role: 'predicted', reason },
  });
  return {
    fitted: [
      { name: 'a turn with PCIDs', value: time('PCID'), unit: 'us', on: '512 pages, PCID' },
      { name: 'an entry fetched again', value: refill, unit: 'cycles', on: '512 pages, nopcid' },
      { name: 'turns', value: turns, unit: '', on: 'dTLB misses, nopcid' },
    ],
    takes: [
      `${bare.toFixed(2)} us a turn that touches nothing: the profile's context switch, for other numbers of pages only`,
      "misses: the model kernel on the profile's TLBs",
    ],
    leavesOut: [
      "The kernel's own translations, the hypervisor's second level of tables, and everything else that runs there.",
    ],
    predict(row, column) {
      const pages = leadingNumber(row);
      const pcid = column === 'PCID';
      if (pages === null || pages < 1 || pages > 8192 || !['PCID', 'nopcid', 'before'].includes(column))
        return null;
      if (row.endsWith('dTLB misses')) {
        const value = (turns * misses(pages, pcid)) / 1e6;
        if (column === 'nopcid' && pages === fittedPages) return exactly(value, 'gives the number of turns');
        return predicted(value, pcid ? 'both processes fit the second level of the profile, so nothing misses: a miss of this model. Measured is 5 % of the other column: the kernel and the rest of the system use entries too' : 'the kernel without PCIDs drops the same entries'); // prettier-ignore
      }
      const value = bare + touch * pages + (misses(pages, pcid) * refill) / laptopMhz;
      if (pages === fittedPages && column !== 'before') return exactly(value, 'fitted');
      return predicted(value, column === 'before' ? 'the same operations as nopcid' : 'misses of the model kernel, priced as at 512 pages'); // prettier-ignore
    },
  };
}
