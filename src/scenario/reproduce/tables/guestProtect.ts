/** R9: mprotect of a page in a guest, alone and with another thread. */
import { cycles, machine } from '../lab';
import { exactly, figureAt, leadingNumber, type PublishedTable, type TableModel } from '../model';

export function guestProtect(published: PublishedTable): TableModel {
  const profile = machine(published.machine);
  const exit = cycles(profile, 'vmexit_roundtrip');
  const flush = ['invlpg', 'invpcid_type0'].map(figure => cycles(profile, figure));
  const alone = figureAt(published, '1 thread', 'before');
  const remote = figureAt(published, '2 threads', 'before') - alone;
  return {
    fitted: [
      { name: 'a call without another CPU', value: alone, unit: 'cycles', on: '1 thread' },
      { name: 'a flush on the first other CPU, in a guest', value: remote, unit: 'cycles', on: '2 threads' },
    ],
    takes: [
      "an exit for the interrupt of each further CPU: the profile's (estimated), for more threads only",
    ],
    leavesOut: [
      'Both figures are fitted: the table validates nothing; its remote CPU is what a guest pays for an interrupt.',
      'The host is not stated; a hypervisor that delivers interrupts without an exit is cheaper.',
    ],
    predict(row, column) {
      if (column === 'flush avoided' && leadingNumber(row) !== null) {
        const total = (of: 'cycles' | 'low' | 'high'): number =>
          alone - flush.reduce((sum, figure) => sum + figure[of], 0);
        return {
          ...{ value: total('cycles'), low: total('high'), high: total('low'), role: 'predicted' },
          reason: 'a call that needs no flush: neither INVLPG and INVPCID here nor anything elsewhere',
        };
      }
      if (column !== 'before') return null;
      if (row === 'first remote CPU') return exactly(remote, 'difference of the two figures');
      const threads = leadingNumber(row);
      if (threads === null || threads < 1) return null;
      if (threads <= 2) return exactly(alone + (threads - 1) * remote, 'fitted');
      const total = (each: number): number => alone + remote + (threads - 2) * each;
      return {
        ...{ value: total(exit.cycles), low: total(exit.low), high: total(exit.high), role: 'predicted' },
        reason: 'the first other CPU, and an exit for the interrupt of each further one',
      };
    },
  };
}
