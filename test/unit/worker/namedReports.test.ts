import { strict as assert } from 'node:assert';
import { readPatch } from '../../../src/patch/read';
import { analyse } from '../../../src/worker/analyse';
import { NamedReports } from '../../../src/worker/namedReports';
import { PageRange } from '../../../src/worker/pageRange';

const text = [
  '--- a/arch/x86/mm/tq.c',
  '+++ b/arch/x86/mm/tq.c',
  '@@ -1,3 +1,4 @@ void tq(void)',
  ' {',
  '+\tflush_tlb_kernel_range(start, end);',
  ' \ttq_more();',
  ' }',
  '',
].join('\n');
const options = { features: [], machine: 'broadwell-ep-e5-2660v4', n: 10, c: 3, firstInvalidLine: null };

describe('a report by name', () => {
  it('is made once for numbers of pages that no limit lies between', () => {
    const patch = readPatch(text);
    const reports = new NamedReports();
    const of = (n: number, features: string[] = []) => {
      const steps = reports.of(patch, { ...options, n, features });
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
      }
    };
    // Linux flushes everything above 33 pages.
    assert.equal(of(20), of(33));
    const above = of(34);
    assert.deepEqual(above, analyse(text, { ...options, n: 34 }));
    assert.notDeepEqual(above.annotations, of(33).annotations);
    assert.notEqual(of(33), of(33, ['PTI']));
  });

  it('holds between the limits it was compared with', () => {
    const range = new PageRange(10);
    assert.ok(range.holdsFor(1) && range.holdsFor(1e9));
    assert.equal(range.exceeds(33), false);
    assert.equal(range.exceeds(8), true);
    assert.deepEqual([8, 9, 33, 34].map(pages => range.holdsFor(pages)), [false, true, true, false]); // prettier-ignore
  });
});
