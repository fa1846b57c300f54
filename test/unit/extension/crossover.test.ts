import { strict as assert } from 'node:assert';
import { crossover } from '../../../src/extension/present/crossover';
import { machine } from './samples';

const values = { n: 10, c: 3 };

describe('crossover', () => {
  it('is where what is saved per page has paid for what is added once', () => {
    // One INVPCID of 250 (200 to 300) instead of n INVLPG of 100 (90 to 120): 2.5 pages, from 200/120 to 300/90.
    assert.deepEqual(crossover({ INVPCID_ADDR: '1', INVLPG: '-n' }, machine, values), {
      pages: { value: 2.5, low: 200 / 120, high: 300 / 90 },
      cheaper: 'above',
    });
    assert.equal(crossover({ INVPCID_ADDR: '-1', INVLPG: 'n' }, machine, values)?.cheaper, 'below');
  });

  it('is not given where one side always wins, where it is not linear, or where a figure is missing', () => {
    for (const delta of [
      { INVLPG: 'n' },
      { INVLPG: 'n', INVPCID_ADDR: '1' },
      { INVLPG: '-n', INVPCID_ADDR: '1', ISB: '1' },
      { INVLPG: '-n*n', INVPCID_ADDR: '1' },
      { INVLPG: '-(f->nr)', INVPCID_ADDR: '1' },
    ])
      assert.equal(
        crossover(delta as unknown as Record<string, string>, machine, values),
        null,
        JSON.stringify(delta),
      );
  });
});
