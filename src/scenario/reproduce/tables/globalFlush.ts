/** R11: flushes of everything, and context switches, on laptops. */
import { exactly, figureAt, notModelled, type PublishedTable, type TableModel } from '../model';

export function globalFlush(published: PublishedTable): TableModel {
  const invpcid = figureAt(published, 'INVPCID type 2', 'full flush');
  const toggle = figureAt(published, 'CR4.PGE off and on', 'full flush');
  return {
    fitted: [
      { name: 'prctl and INVPCID of everything', value: invpcid, unit: 'ns', on: 'INVPCID type 2' },
      {
        name: 'two CR4 writes less that INVPCID',
        value: toggle - invpcid,
        unit: 'ns',
        on: 'CR4.PGE off and on',
      },
    ],
    takes: [],
    leavesOut: [
      'Both flushes are fitted: the table validates nothing. The profile takes its CR4 and INVPCID figures from it.',
      'Wake-ups and the scheduler, which are most of a context switch.',
    ],
    predict(row, column) {
      if (column === 'context switch')
        return notModelled('most of it is waking up and scheduling, which the model kernel does not have');
      if (row === 'INVPCID type 2') return exactly(invpcid, 'fitted');
      if (row === 'CR4.PGE off and on') return exactly(toggle, 'fitted');
      return row === 'difference' ? exactly(toggle - invpcid, 'difference of the two figures') : null;
    },
  };
}
