/** R14: a compile in a guest of Xen under XPTI, with global pages and without. */
import type { Step } from '../../../kernel/world';
import { machine, type Lab } from '../lab';
import { exactly, figureAt, type Prediction, type PublishedTable, type TableModel } from '../model';

/** ns: what a system call of the guest saves, as the border of the hypervisor runs. */
function savedByCall(published: PublishedTable, lab: Lab): number {
  const profile = machine(published.machine);
  const call: Step = { kind: 'enter', by: 'syscall' };
  const cycles = (patches: readonly string[]): number =>
    lab.run({
      ...{ machine: profile, kernel: 'xen', patches, features: ['XPTI', 'PGE'], spaces: [4, 4] },
      // CR4 is loaded with a root: a switch there and back first.
      programs: [[{ kind: 'switch', space: 'b' }, { kind: 'switch', space: 'a' }, { kind: 'measure' }, call]],
    }).cycles;
  return (cycles([]) - cycles(['no-global-pages'])) / profile.clock.assumedCoreGhz;
}

export function xenGlobalPages(published: PublishedTable, lab: Lab): TableModel {
  const before = (row: string): number => figureAt(published, row, 'before');
  const elapsed = figureAt(published, 'elapsed', 'global pages off');
  const nsOfCall = savedByCall(published, lab);
  // How many CPUs work at once turns elapsed time into their time.
  const busy = (before('system') + before('user')) / before('elapsed');
  const calls = ((before('elapsed') - elapsed) * busy * 1e9) / nsOfCall;
  const saved = (calls * nsOfCall) / 1e9;
  const predicted = (value: number, reason: string): Prediction => ({
    ...{ value, low: value, high: value, role: 'predicted', reason },
  });
  const how = 'as many system calls, each without four CR4 writes: all of it is time of the kernel';
  return {
    fitted: [
      {
        ...{ name: 'system calls and interrupts of the guest, millions', value: calls / 1e6, unit: 'calls' },
        on: 'elapsed, both columns',
      },
      ...['system', 'user', 'elapsed'].map(row => ({
        ...{ name: 'the compile with global pages', value: before(row), unit: 's', on: `${row}, before` },
      })),
    ],
    takes: [
      `a system call of the guest saves ${Math.round(nsOfCall)} ns: the tree xen, run before and after, at the profile's (estimated) price of a CR4 write`,
      `${busy.toFixed(2)} CPUs work at once: system and user time over elapsed time, before`,
    ],
    leavesOut: [
      'The machine is not named. Its price of a CR4 write changes the number of system calls and no row.',
      'Both kernels flush all of the TLB on the way to the guest, so that what is fetched again is the same; global pages are said to pay on older processors.',
      "Copies of the guest's top-level table, hypercalls for page tables, and what the guest's kernel does.",
    ],
    predict(row, column) {
      if (column === 'before') return exactly(before(row), 'the compile with global pages');
      if (row === 'elapsed') return exactly(elapsed, 'gives the number of system calls');
      if (row === 'elapsed, change')
        return exactly(100 * (elapsed / before('elapsed') - 1), 'of the fitted figures');
      if (row === 'system') return predicted(before('system') - saved, how);
      if (row === 'system, change') return predicted((-100 * saved) / before('system'), how);
      return row === 'user' ? predicted(before('user'), 'user code pays nothing for the border') : null;
    },
  };
}
