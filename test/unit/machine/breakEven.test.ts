/** Break-even by hand. */
import { strict as assert } from 'node:assert';
import { breakEven } from '../../../src/machine/breakEven';
import { findMachine, machineProfiles } from '../../../src/machine/registry';

const pages = (id: string): Record<number, number> =>
  Object.fromEntries(breakEven(findMachine(id)!).map(one => [one.refilled, one.pages]));

describe('break-even of a full flush', () => {
  it('Skylake under PTI: 235 cycles and 25.8 an entry against 542.5 a page', () => {
    // 235 / 542.5; (235 + 64 × 25.8) / 542.5; (235 + 512 × 25.8) / 542.5; (235 + 1536 × 25.8) / 542.5
    assert.deepEqual(pages('skylake-client'), { 0: 0.4, 64: 3.5, 512: 24.8, 1536: 73.5 });
  });

  it('a guest whose flushes are calls: near 6 pages whatever is fetched again', () => {
    // 46,020 / 7,100; 30 cycles an entry hardly count.
    const guest = pages('pvm-guest');
    assert.equal(guest[0], 6.5);
    assert.equal(guest[64], 6.8);
  });

  it('there is none on arm64, and a range around the value elsewhere', () => {
    assert.deepEqual(breakEven(findMachine('neoverse-n1')!), []);
    for (const profile of machineProfiles)
      for (const one of breakEven(profile)) assert.ok(one.low <= one.pages && one.pages <= one.high);
  });
});
