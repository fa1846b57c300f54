/** Every figure of every machine has a source and an honest range. */
import { strict as assert } from 'node:assert';
import type { FigureKind } from '../../../src/machine/profile';
import {
  defaultMachine,
  defaultMachineId,
  figureTitles,
  findMachine,
  kernelConstants,
  machineProfiles,
  sourceLine,
  sources,
} from '../../../src/machine/registry';

const kinds: readonly FigureKind[] = ['measured', 'vendor', 'derived', 'estimated'];

describe('machine profiles', () => {
  it('are known by ids that occur once, the default first', () => {
    const ids = machineProfiles.map(profile => profile.id);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(defaultMachineId, 'broadwell-ep-e5-2660v4');
    assert.equal(defaultMachine().id, defaultMachineId);
    assert.equal(findMachine('zen4')?.microarchitecture, 'Zen 4');
    assert.equal(findMachine('none'), null);
  });

  for (const profile of machineProfiles)
    describe(profile.id, () => {
      it('has a title, a source, a kind and a range around the value for every figure', () => {
        assert.ok(Object.keys(profile.figures).length >= 12);
        for (const [id, figure] of Object.entries(profile.figures)) {
          const { value, low, high, kind, unit, note } = figure;
          assert.ok(figureTitles[id], `${id} has no title`);
          assert.ok(kinds.includes(kind), id);
          assert.ok(['cycles', 'ns', 'us', 'ratio'].includes(unit), id);
          assert.ok(figure.sources.length > 0, `${id} has no source`);
          for (const source of figure.sources) assert.ok(sources[source], `${id}: ${source}`);
          assert.equal(typeof figure.holdout, 'boolean');
          if (value === null) {
            assert.deepEqual([low, high], [null, null], id);
            assert.match(note, /not available/i, `${id}: says that it is not there`);
            continue;
          }
          assert.ok(low! <= value && value <= high!, `${id}: ${low} ${value} ${high}`);
          assert.ok(low! > 0, id);
          if (kind === 'estimated') assert.ok(high! > low!, `${id}: an estimate has a range`);
          assert.ok(note !== '', `${id}: no basis`);
        }
      });

      it('has sources for topology, clock, features and TLBs', () => {
        const { topology, clock, hardware, tlb, pageWalkers } = profile;
        for (const part of [topology, clock, hardware, ...tlb, ...(pageWalkers ? [pageWalkers] : [])]) {
          assert.ok(part.sources.length > 0);
          for (const source of part.sources) assert.ok(sources[source], source);
        }
        assert.ok(topology.sockets * topology.coresPerSocket * topology.threadsPerCore >= 2);
        assert.ok(clock.assumedCoreGhz > 1 && clock.assumedCoreGhz < 6);
        for (const { entries, ways, sharedWith } of tlb) {
          if (sharedWith !== undefined) assert.ok(tlb.some(({ id }) => id === sharedWith));
          assert.ok(entries >= 0);
          assert.ok(ways === null || ways === 'full' || (ways > 0 && entries % ways === 0));
        }
      });

      it('does not have on what it lacks', () => {
        for (const feature of profile.features) assert.ok(!profile.lacks.includes(feature), feature);
      });
    });

  it('say who wrote a source, what and when', () => {
    for (const [id, { who, title, date, reference }] of Object.entries(sources)) {
      assert.ok(who && title && reference, id);
      assert.match(date, /^(19|20)\d\d$/, id);
    }
    assert.match(sourceLine('DH2014'), /^Dave Hansen \(Intel\): .*, 2014\. Linux commit a5102476a24b/);
    assert.match(sourceLine('SKY19'), /quoted from memory/);
  });

  it('have the constants of the kernel with sources', () => {
    assert.equal(kernelConstants.flushCeiling.value, 33);
    assert.equal(kernelConstants.dynamicAsids.value, 6);
    for (const constant of Object.values(kernelConstants))
      for (const source of constant.sources) assert.ok(sources[source], source);
  });
});

describe('features of machines', () => {
  it('are those of the parts', () => {
    assert.deepEqual(defaultMachine().features, ['PTI', 'PCID', 'INVPCID', 'PGE', 'X2APIC']);
    // Ivy Bridge has PCID but not INVPCID; Rome has neither; Meltdown does not touch AMD.
    assert.deepEqual(findMachine('ivy-bridge-i5-3550')!.features, ['PTI', 'PCID', 'PGE']);
    assert.ok(findMachine('ivy-bridge-i5-3550')!.lacks.includes('INVPCID'));
    assert.ok(findMachine('zen2')!.lacks.includes('PCID'));
    for (const id of ['zen3', 'zen4', 'zen5']) {
      assert.ok(findMachine(id)!.features.includes('INVLPGB'));
      assert.ok(!findMachine(id)!.features.includes('PTI'));
      assert.equal(findMachine(id)!.hardware.invlpgbMaxPages, 8);
    }
    assert.deepEqual(findMachine('neoverse-n1')!.features, []);
    assert.ok(findMachine('neoverse-n1')!.lacks.includes('PCID'));
  });

  it('come with the TLBs of the default machine', () => {
    const sizes = Object.fromEntries(
      defaultMachine().tlb.map(({ id, entries, ways }) => [id, [entries, ways]]),
    );
    assert.deepEqual(sizes, {
      l1d_4k: [64, 4],
      l1d_2m: [32, 4],
      l1d_1g: [4, 4],
      l1i_4k: [128, 8],
      l1i_2m: [8, 'full'],
      stlb_4k_2m: [1536, 6],
      stlb_1g: [16, 4],
    });
    assert.equal(findMachine('haswell')!.tlb.find(({ id }) => id === 'stlb_1g')!.entries, 0);
  });
});
