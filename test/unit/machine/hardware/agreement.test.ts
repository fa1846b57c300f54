/** The machine and the plain reference hold the same after every operation of random sequences. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { HardwareOptions } from '../../../../src/machine/hardwareOptions';
import { Agreement, type Variant } from './agreement';
import { structure } from './memory';

const variants: readonly Variant[] = [
  { amd: false, pieces: false },
  { amd: false, pieces: true },
  { amd: true, pieces: false },
  { amd: true, pieces: true },
];

const operations = fc.array(fc.integer({ min: 0, max: 0x7fffffff }), { minLength: 1, maxLength: 30 });

describe('the machine agrees with a plain reference TLB', () => {
  for (const variant of variants)
    it(`${variant.amd ? 'AMD' : 'Intel'}, ${variant.pieces ? 'large pages in pieces' : 'large pages whole'}`, () => {
      const agreement = new Agreement(variant);
      fc.assert(
        fc.property(operations, list => {
          assert.equal(agreement.run(list), null);
        }),
        { numRuns: 25_000 },
      );
    }).timeout(60_000);

  const broken: readonly [string, HardwareOptions][] = [
    ['keeps globals at INVLPG', { invlpgKeepsGlobalsWhenPcide: true }],
    ['drops paging-structure entries it need not', { alsoDrops: 'paging-structures' }],
    ['drops translations it need not', { alsoDrops: 'everything' }],
    ['has fewer ways', { tlb: [structure('first', 'L1', 'both', ['4K', '2M'], 4, 1)] }],
  ];
  for (const [what, options] of broken)
    it(`and does not agree with a machine that ${what}`, () => {
      const agreement = new Agreement({ amd: false, pieces: false }, options);
      const found = fc.check(
        fc.property(operations, list => agreement.run(list) === null),
        { numRuns: 5000, endOnFailure: true },
      );
      assert.equal(found.failed, true);
    });
});
