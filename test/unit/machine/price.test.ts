/** Prices of operations: values worked out by hand from the published tables. */
import { strict as assert } from 'node:assert';
import { operationNames } from '../../../src/code/operationNames';
import { operations } from '../../../src/machine/operations';
import { cyclesOf, figureOf, priceOf, type PricedFigure } from '../../../src/machine/price';
import { defaultMachine, findMachine, machineProfiles } from '../../../src/machine/registry';

const on = (machine: string, operation: string): PricedFigure => {
  const price = priceOf(findMachine(machine)!, operation);
  assert.ok(!('unknown' in price), 'unknown' in price ? price.unknown : '');
  return price;
};

const range = ({ cycles, low, high }: PricedFigure) => [cycles, low, high];

const why = (machine: string, operation: string): string => {
  const price = priceOf(findMachine(machine)!, operation);
  assert.ok('unknown' in price);
  return price.unknown;
};

describe('prices', () => {
  it('have the same operations as the catalogue', () => {
    assert.deepEqual(
      operations.map(({ name }) => name),
      [...operationNames],
    );
  });

  it('are the published figures, with their range', () => {
    const broadwell = 'broadwell-ep-e5-2660v4';
    assert.deepEqual(range(on(broadwell, 'INVLPG')), [120, 90, 160]);
    assert.deepEqual(range(on(broadwell, 'INVPCID_ADDR')), [258, 228, 300]);
    assert.deepEqual(range(on(broadwell, 'CR3_FLUSH')), [140, 100, 350]);
    assert.deepEqual(range(on(broadwell, 'CR3_NOFLUSH')), [120, 90, 250]);
    assert.deepEqual(range(on(broadwell, 'CR4_WRITE')), [500, 250, 900]);
    assert.deepEqual(range(on(broadwell, 'LFENCE')), [4.25, 4, 30]);
    assert.deepEqual(range(on(broadwell, 'MFENCE')), [33.25, 33, 80]);
    assert.deepEqual(range(on(broadwell, 'ATOMIC')), [19, 19, 23]);
    assert.deepEqual(range(on(broadwell, 'HYPERCALL')), [1300, 800, 1700]);
    assert.equal(on('skylake-client', 'INVPCID_ADDR').cycles, 347.5);
    assert.equal(on('ivy-bridge-i5-3550', 'INVLPG').cycles, 233);
    assert.deepEqual(range(on('haswell', 'INVPCID_ALL_GLOBAL')), [1000, 500, 1400]);
    assert.deepEqual(range(on('zen3', 'INVLPGB')), [600, 150, 2500]);
    assert.deepEqual(range(on('zen4', 'TLBSYNC')), [1500, 400, 6000]);
    assert.deepEqual(range(on('neoverse-n1', 'TLBI_VA')), [60, 20, 200]);
    assert.deepEqual(range(on('neoverse-n1', 'TLBI_VA_IS')), [60, 20, 300]);
    assert.deepEqual(range(on('cortex-a72', 'DSB')), [400, 150, 1500]);
  });

  it('give an interrupt its send and its handling', () => {
    // 250 (100 to 700) + 900 (600 to 2000)
    const ipi = on('broadwell-ep-e5-2660v4', 'IPI');
    assert.deepEqual(range(ipi), [1150, 700, 2700]);
    assert.equal(ipi.kind, 'estimated');
  });

  it('convert nanoseconds by the assumed clock and say so', () => {
    // 775 ns (500 to 1500) at 2.6 GHz is 2015 (1300 to 3900), less an INVLPG of 120 (90 to 160).
    const wait = on('broadwell-ep-e5-2660v4', 'IPI_WAIT');
    assert.deepEqual(range(wait), [1895, 1140, 3810]);
    assert.match(wait.converted!, /775 ns \(500 to 1500\) at an assumed 2\.6 GHz/);
    assert.match(wait.note, /less the local flush/);
    assert.equal(wait.holdout, true);
    // Haswell has only the sequential figure: 775 ns (700 to 850) at 2.6 GHz, less 210 (100 to 260).
    assert.deepEqual(range(on('haswell', 'IPI_WAIT')), [1805, 1560, 2110]);
    assert.equal(on('broadwell-ep-e5-2660v4', 'INVLPG').converted, null);
  });

  it('say what stands in or is assumed', () => {
    assert.match(on('zen3', 'HYPERCALL').note, /stand-in/);
    assert.match(on('neoverse-n1', 'TLBI_ASID_IS').note, /^Assumed to cost as much/);
    assert.match(on('neoverse-n1', 'TLBI_ALL').note, /^Assumed to cost as much/);
    assert.match(on('haswell', 'CR4_WRITE').note, /only where the write changes PGE/);
  });

  it('are unknown, never nothing, where no figure is known', () => {
    for (const { name } of operations)
      for (const profile of machineProfiles) {
        const price = priceOf(profile, name);
        if ('unknown' in price) assert.ok(price.unknown.length > 10, `${profile.id} ${name}`);
        else assert.ok(price.cycles > 0 && price.source.length > 0, `${profile.id} ${name}`);
      }
    assert.match(why('broadwell-ep-e5-2660v4', 'SERIALIZE'), /no published figure/);
    assert.match(why('neoverse-n1', 'ISB'), /no published figure/);
    assert.match(why('ivy-bridge-i5-3550', 'INVPCID_ADDR'), /lacks INVPCID/);
    assert.match(why('zen2', 'CR3_NOFLUSH'), /lacks PCID/);
    assert.match(why('haswell', 'INVLPGB'), /lacks INVLPGB/);
    assert.match(why('haswell', 'TLBI_ALL_IS'), /operation of arm64/);
    assert.match(why('cortex-a72', 'INVLPG'), /operation of x86/);
    assert.match(why('cortex-a72', 'IPI'), /no figure for IPI/);
    assert.match(why('haswell', 'NOTHING'), /not an operation/);
  });

  it('reads of control registers are guesses with a wide range, and say so', () => {
    for (const profile of machineProfiles.filter(({ architecture }) => architecture === 'x86'))
      for (const name of ['CR3_READ', 'CR4_READ']) {
        const price = on(profile.id, name);
        assert.deepEqual(range(price), [20, 4, 100], profile.id);
        assert.equal(price.kind, 'estimated');
        assert.match(price.note, /No measurement of this instruction was found/);
      }
  });

  it('can be had as a figure without cycles', () => {
    const figure = figureOf(defaultMachine(), 'SERIALIZE');
    assert.equal(figure.cycles, null);
    assert.match(figure.note, /no published figure/);
    assert.equal(figureOf(defaultMachine(), 'INVLPG').cycles, 120);
  });

  it('exist for other figures too', () => {
    const walk = cyclesOf(defaultMachine(), 'page_walk_cached');
    assert.ok(!('unknown' in walk));
    assert.deepEqual(range(walk), [26, 18, 45]);
    // 1.3 us (0.8 to 3) at 2.6 GHz
    const context = cyclesOf(defaultMachine(), 'context_switch');
    assert.ok(!('unknown' in context));
    assert.deepEqual(range(context), [3380, 2080, 7800]);
    assert.ok('unknown' in cyclesOf(defaultMachine(), 'tlbi_local'));
  });
});
