/** R9: mprotect of a page in a guest, alone and with another thread. */
import { cycles, machine } from '../lab';
import { exactly, figureAt, leadingNumber, type PublishedTable, type TableModel } from '../model';

export function guestProtect(published: PublishedTable): TableModel {
  const exit = cycles(machine(published.machine), 'vmexit_roundtrip');
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
