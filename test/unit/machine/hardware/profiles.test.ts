/** The rules hold with the caches of every machine profile. */
import { strict as assert } from 'node:assert';
import { machineProfiles } from '../../../../src/machine/registry';
import { access, bench, hi, invlpg, lo, type Memory } from './memory';

/** Both architectures: present, writable, for user code, accessed; a page, or a block of that level. */
function entry(arm: boolean, frame: number, level: number): bigint {
  const at = BigInt(frame) << 12n;
  if (arm) return at | (level === 1 ? 3n : 1n) | (1n << 6n) | (1n << 10n) | (1n << 11n);
  return at | 7n | (level > 1 ? 0x80n : 0n);
}

const places: readonly [bigint, number, number][] = [
  [0x1000n, 0x11, 1],
  [0x80000000n, 0x200, 2],
  [0xc0000000n, 0x40000, 3],
];

describe('every machine profile', () => {
  for (const { id, architecture } of machineProfiles) {
    const arm = architecture === 'arm64';
    const make = (): ReturnType<typeof bench> => {
      const one = bench({ profile: id, cpus: 1, features: ['PGE'] });
      for (const [va, frame, level] of places)
        one.memory.set(one.root, va, level, entry(arm, frame, level), 4, arm ? 3n : 7n);
      return one;
    };
    const frames = (memory: Memory): number => memory.tables.size;

    it(`${id}: pages of every size hit after a walk, for data, stores and code`, () => {
      const { memory, machine } = make();
      for (const [va, frame, level] of places)
        for (const kind of [0, 1, arm ? 6 : 2]) {
          assert.equal(access(machine, 0, va, kind), 0);
          assert.equal(access(machine, 0, va, kind), 0);
          assert.ok(machine.translation.hit > 0, `${va}, ${kind}`);
          assert.equal(machine.translation.frame, frame);
          assert.equal(machine.translation.leafLevel, level);
        }
      assert.ok(frames(memory) >= 3);
    });

    it(`${id}: an invalidation reaches every cache that holds the page`, () => {
      const { machine } = make();
      const { translation, arm64 } = machine;
      for (const [va] of places) for (const kind of [0, 1, arm ? 6 : 2]) access(machine, 0, va, kind);
      for (const [va] of places) {
        assert.ok(translation.cached(0, lo(va), hi(va)) > 0);
        if (arm64) {
          arm64.tlbi(0, 'vaae1', lo(va >> 12n), 0);
          assert.equal(arm64.dsb(0, 'nsh', true), 0);
        } else invlpg(machine, 0, va);
        assert.equal(translation.cached(0, lo(va), hi(va)), 0);
      }
      assert.equal(translation.count(0, 'translations'), 0);
    });

    it(`${id}: no cache holds more than its entries, and none is idle`, () => {
      const { memory, machine, root } = make();
      const pages = 6000;
      for (let n = 0; n < pages; n++) {
        const va = BigInt(n) << 12n;
        memory.set(root, va, 1, entry(arm, 0x1000 + n, 1), 4, arm ? 3n : 7n);
        for (const kind of [0, arm ? 6 : 2]) assert.equal(access(machine, 0, va, kind), 0);
      }
      const held = new Map<string, number>();
      for (const { structure } of machine.translation.entries(0))
        held.set(structure, (held.get(structure) ?? 0) + 1);
      for (const { id: name, entries, pageSizes, holds, sharedWith } of machine.profile.tlb) {
        if (!pageSizes.includes('4K') || sharedWith !== undefined || holds === 'store') continue;
        const count = held.get(name) ?? 0;
        assert.ok(count <= entries && count > entries / 8, `${name} holds ${count} of ${entries}`);
      }
      assert.equal(
        machine.translation.count(0, 'translations') + machine.translation.count(0, 'paging'),
        machine.translation.entries(0).length,
      );
    });
  }
});
