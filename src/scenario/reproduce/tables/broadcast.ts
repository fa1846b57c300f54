/** R8: flushes by interrupts and by INVLPGB, many threads at once. */
import { cycles, machine } from '../lab';
import { exactly, figureAt, leadingNumber, type Prediction, type PublishedTable, type TableModel } from '../model'; // prettier-ignore

/** Active CPUs from which on the kernel broadcasts. */
const broadcastFrom = 4;
const cpus = 72;
const cores = 36;
const coresPerCcx = 8;

/**
 * Every thread loops and so interrupts every other: a loop takes its own time and that of one interrupt from and to each
 * other thread. Two things can only be done one after the other and bound all threads together: the line with the
 * generation moves to every CPU once a loop, and a broadcast goes to all CPUs before the next one.
 */
export function broadcast(published: PublishedTable): TableModel {
  const profile = machine(published.machine);
  const rate = (row: string, column: string): number => figureAt(published, row, column);
  /** Microseconds of one loop of one thread. */
  const loop = (threads: number, column: string): number =>
    (1000 * threads) / rate(threads === 1 ? '1 thread' : `${threads} threads`, column);
  const alone = { IPI: loop(1, 'IPI'), INVLPGB: loop(1, 'INVLPGB') };
  const interrupt = (loop(broadcastFrom, 'IPI') - alone.IPI) / (broadcastFrom - 1);
  const all = loop(broadcastFrom, 'INVLPGB') - alone.INVLPGB;
  const us = (figure: string): number =>
    cycles(profile, figure).cycles / (profile.clock.assumedCoreGhz * 1000);
  const near = us('cacheline_transfer_same_ccx');
  const far = us('cacheline_transfer_same_socket');

  /** Thousand loops a second, and what bounds them. */
  const rateOf = (threads: number, column: 'IPI' | 'INVLPGB'): readonly [number, string] => {
    const byInterrupt = column === 'IPI' || threads < broadcastFrom;
    const own = alone[column] + (byInterrupt ? (threads - 1) * interrupt : all);
    const ccxs = Math.ceil(Math.min(threads, cores) / coresPerCcx);
    const line = (ccxs - 1) * far + (threads - ccxs) * near;
    const shared = threads === 1 ? 0 : byInterrupt ? line : all;
    const free = threads / own;
    if (shared > 0 && 1 / shared < free)
      return [1000 / shared, byInterrupt ? 'the line of the generation' : 'one broadcast at a time'];
    return [1000 * free, "the threads' own loops"];
  };
  return {
    fitted: [
      { name: 'a loop of one thread, IPI', value: alone.IPI, unit: 'us', on: '1 thread, IPI' },
      {
        name: 'an interrupt from and to each other thread',
        value: interrupt,
        unit: 'us',
        on: '4 threads, IPI',
      },
      { name: 'a loop of one thread, INVLPGB', value: alone.INVLPGB, unit: 'us', on: '1 thread, INVLPGB' },
      { name: 'INVLPGB and TLBSYNC less the local flush', value: all, unit: 'us', on: '4 threads, INVLPGB' },
    ],
    takes: [
      `transfers of a line ${(1000 * near).toFixed(0)} ns in a CCX, ${(1000 * far).toFixed(0)} ns to another: the profile's, measured`,
    ],
    leavesOut: [
      'As many constants as figures: the table validates nothing. The shape for other numbers of threads is what can be checked.',
      'The variant broadcast-flush of the model kernel runs the same protocol; the figures of INVLPGB and TLBSYNC in the profile are guesses and are not used here.',
      'Ranges are guessed: half to one and a half of the value.',
      'Other lines that all threads share (the lock of the mm, counters of pages) and the two threads of a core.',
    ],
    predict(row, column) {
      const threads = leadingNumber(row);
      if (threads === null || threads < 1 || threads > cpus || (column !== 'IPI' && column !== 'INVLPGB'))
        return null;
      const [value, bound] = rateOf(threads, column);
      if (threads === 1 || threads === broadcastFrom) return exactly(value, 'fitted');
      const prediction: Prediction = {
        ...{ value, low: value / 2, high: value * 1.5, role: 'predicted' },
        reason: `bounded by ${bound}; locks that all threads share are left out`,
      };
      return prediction;
    },
  };
}
