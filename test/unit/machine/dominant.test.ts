/** Which figure moves a range most: widths by hand from the default machine's figures. */
import { strict as assert } from 'node:assert';
import { dominantOf } from '../../../src/machine/dominant';
import { figureOf } from '../../../src/machine/price';
import { defaultMachine, findMachine } from '../../../src/machine/registry';

const of = (counts: Record<string, number>, machine = defaultMachine()) =>
  dominantOf(Object.entries(counts).map(([name, times]) => ({ figure: figureOf(machine, name), times })));

describe('the figure that moves a range most', () => {
  it('is the widest times its count', () => {
    // INVLPG 90 to 160, INVPCID 228 to 300.
    assert.deepEqual(of({ INVLPG: 10, INVPCID_ADDR: -1 }), {
      ...{ figure: 'invlpg', kind: 'derived', cycles: 700, share: 0.907 },
    });
    assert.equal(of({ INVLPG: 1, INVPCID_ADDR: -1 })!.figure, 'invpcid_type0');
  });

  it('is a published figure, not an operation: an IPI is its send and its handling', () => {
    // 600 to 2000 against 100 to 700.
    assert.deepEqual(of({ IPI: 3 }), {
      ...{ figure: 'ipi_handler_overhead', kind: 'estimated', cycles: 4200, share: 0.7 },
    });
  });

  it('what one price adds another may take off', () => {
    // On Haswell IPI_WAIT is 775 ns (700 to 850 at 2.6 GHz) less an INVLPG, so one INVLPG beside it cancels.
    const haswell = findMachine('haswell')!;
    const found = of({ IPI_WAIT: 1, INVLPG: 1 }, haswell)!;
    assert.deepEqual([found.figure, found.share], ['shootdown_first_remote_added_sequential', 1]);
    assert.equal(found.cycles, 390);
  });

  it('is none where nothing has a price or a range', () => {
    assert.equal(of({}), null);
    assert.equal(of({ INVLPG: 0 }), null);
    assert.equal(of({ SERIALIZE: 1, INVLPGB: 2 }), null);
  });
});
