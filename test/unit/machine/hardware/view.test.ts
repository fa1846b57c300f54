/** The state of one CPU as plain data, and how cached entries compare with the page tables. */
import { strict as assert } from 'node:assert';
import type { Hardware } from '../../../../src/machine/hardware';
import { cpuEntriesView, globalTag, staleByTag } from '../../../../src/machine/hardware/entriesView';
import { cpuHardwareView } from '../../../../src/machine/hardware/view';
import { A, access, bench, D, G, load, user, XD } from './memory';

const va = 0x7000_0000_1000n;
const write = 1;

/** States of the entries for one page, without the upper ones. */
const states = (machine: Hardware, rootOf?: (tag: number) => number | null): string[] => [
  ...new Set(
    cpuEntriesView(machine, 0, rootOf)
      .filter(({ paging }) => !paging)
      .map(({ state }) => state),
  ),
];

describe('a CPU for panels', () => {
  it('names registers, interrupts and entries by PCID; it is JSON', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    memory.map(root, va + 0x1000n, 0x12, user | G);
    load(machine, 0, root, 3);
    access(machine, 0, va);
    access(machine, 0, va + 0x1000n);
    load(machine, 0, root, 5);
    access(machine, 0, va);
    machine.interrupts.send(1, 0, 2);
    machine.mailboxes.post(2, 0);
    const view = cpuHardwareView(machine, 0);
    assert.deepEqual(JSON.parse(JSON.stringify(view)), view);
    assert.deepEqual(
      { ...view.registers, cr4: '' },
      {
        ...{ architecture: 'x86', cr3: `0x${((root << 12) | 5).toString(16)}`, root, pcid: 5, cr4: '' },
        ...{ pge: true, pcide: true, smep: false, smap: false },
      },
    );
    // One page in both TLB levels; three upper entries a PCID. The global entry was made under PCID 3.
    assert.deepEqual(view.occupancy, [
      { tag: 3, global: false, translations: 2, paging: 3 },
      { tag: 5, global: false, translations: 2, paging: 3 },
      { tag: 0, global: true, translations: 2, paging: 0 },
    ]);
    assert.equal(
      view.caches.reduce((sum, { valid }) => sum + valid, 0),
      12,
    );
    assert.equal(view.interrupts.enabled, false);
    assert.deepEqual(
      view.interrupts.pending.map(({ vector, takes }) => [vector, takes]),
      [[2, false]],
    );
    assert.deepEqual(view.requests, [{ from: 2, taken: false }]);
    machine.mailboxes.take(0);
    assert.deepEqual(cpuHardwareView(machine, 0).requests, [{ from: 2, taken: true }]);
    assert.equal(cpuHardwareView(machine, 2).unacknowledged, 1);
    assert.equal(view.misses, 3);
  });

  it('an interrupt is on its way until the delivery has passed', () => {
    const { machine } = bench();
    machine.interrupts.send(1, 0, 2);
    const [sent] = cpuHardwareView(machine, 0).interrupts.pending;
    assert.equal(sent!.arrived, false);
    machine.clocks.add(0, sent!.arrives, sent!.arrives, sent!.arrives);
    assert.equal(cpuHardwareView(machine, 0).interrupts.pending[0]!.arrived, true);
  });

  it('costs are count times price; without a price there is none', () => {
    const { machine } = bench();
    machine.x86!.invlpg(0, 0x1000, 0);
    machine.x86!.invlpg(0, 0x2000, 0);
    machine.clocks.charge(0, machine.clocks.operation('SERIALIZE'));
    const { operations, time, unpriced } = cpuHardwareView(machine, 0);
    const invlpg = operations.find(({ name }) => name === 'INVLPG')!;
    assert.equal(invlpg.count, 2);
    assert.deepEqual(invlpg.time, time);
    assert.ok(time.low <= time.cycles && time.cycles <= time.high);
    assert.deepEqual(operations.find(({ name }) => name === 'SERIALIZE')!.time, null);
    assert.equal(unpriced, 1);
  });

  it('an arm64 PE has its own registers', () => {
    const { machine } = bench({ profile: 'neoverse-n1' });
    machine.arm64!.reset(0, 0x100, 0x200, 7);
    const { registers } = cpuHardwareView(machine, 0);
    assert.equal(registers.architecture === 'arm64' && registers.asid, 7);
  });
});

describe('cached entries against the page tables', () => {
  const changed = (change: bigint | 'unmap', before = user, kind = 0): string[] => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11, before);
    access(machine, 0, va, kind);
    memory.set(root, va, 1, change === 'unmap' ? 0n : change);
    return states(machine);
  };
  const entry = (frame: bigint, flags: bigint): bigint => (frame << 12n) | flags;

  it('fresh while nothing changes, whatever becomes of the accessed bit', () =>
    assert.deepEqual(changed(entry(0x11n, user)), ['fresh']));
  it('absent after the entry was cleared', () => assert.deepEqual(changed('unmap'), ['absent']));
  it('another frame', () => assert.deepEqual(changed(entry(0x12n, user | A)), ['frame']));
  it('a right is gone: writing, user mode, execution', () => {
    assert.deepEqual(changed(entry(0x11n, user & ~2n)), ['permission']);
    assert.deepEqual(changed(entry(0x11n, user & ~4n)), ['permission']);
    assert.deepEqual(changed(entry(0x11n, user | XD)), ['permission']);
  });
  it('a right was added: harmless', () =>
    assert.deepEqual(changed(entry(0x11n, user), user & ~2n), ['narrower']));
  it('dirty where the tables say clean', () => {
    assert.deepEqual(changed(entry(0x11n, user | A), user, write), ['dirty']);
    assert.deepEqual(changed(entry(0x11n, user | A | D), user, write), ['fresh']);
  });
  it('a region in smaller pages now', () => {
    const { memory, machine, root } = bench();
    memory.map(root, 0x4000_0000n, 0x200, user, 2);
    access(machine, 0, 0x4000_0000n);
    memory.set(root, 0x4000_0000n, 2, 0n);
    memory.map(root, 0x4000_0000n, 0x200, user, 1);
    assert.deepEqual(states(machine), ['size']);
  });
  it('a piece of a large page is fresh while the page is', () => {
    const { memory, machine, root } = bench({ fragments: 'always' });
    memory.map(root, 0x4000_0000n, 0x200, user, 2);
    access(machine, 0, 0x4000_5000n);
    assert.deepEqual(states(machine), ['fresh']);
    memory.map(root, 0x4000_0000n, 0x400, user, 2);
    assert.deepEqual(states(machine), ['frame']);
  });
  it('an upper entry that leads to another table', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va);
    memory.set(root, va, 2, (BigInt(memory.table()) << 12n) | user);
    const upper = cpuEntriesView(machine, 0).filter(({ paging }) => paging);
    assert.deepEqual(
      upper.map(({ structure, state, stale }) => [structure, state, stale]),
      [
        ['PDE cache', 'table', true],
        ['PDPTE cache', 'fresh', false],
        ['PML4E cache', 'fresh', false],
      ],
    );
  });
  it('another PCID: unknown, unless its root is said', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    load(machine, 0, root, 3);
    access(machine, 0, va);
    load(machine, 0, memory.table(), 5);
    assert.deepEqual(states(machine), ['unknown']);
    assert.deepEqual(
      cpuEntriesView(machine, 0).map(({ stale }) => stale),
      Array.from({ length: 5 }, () => null),
    );
    assert.deepEqual(
      states(machine, tag => (tag === 3 ? root : null)),
      ['fresh'],
    );
  });
  it('stale translations by tag: of both levels, no upper entries, none whose root is not known', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    memory.map(root, va + 0x1000n, 0x12, user | G);
    memory.map(root, va + 0x2000n, 0x13);
    load(machine, 0, root, 3);
    for (const page of [0n, 0x1000n, 0x2000n]) access(machine, 0, va + page);
    load(machine, 0, root, 5);
    const stale = (rootOf: (tag: number) => number | null): [number, number][] => [
      ...staleByTag(machine, 0, rootOf),
    ];
    const known = (tag: number): number | null => (tag === 3 ? root : null);
    assert.deepEqual(stale(known), []);
    memory.set(root, va, 1, 0n);
    memory.set(root, va + 0x1000n, 1, 0n);
    assert.deepEqual(
      new Map(stale(known)),
      new Map([
        [3, 2],
        [globalTag, 2],
      ]),
    );
    assert.deepEqual(
      stale(() => null),
      [[globalTag, 2]],
    );
  });
  it('looking changes nothing', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va);
    const before = machine.snapshot();
    cpuHardwareView(machine, 0);
    cpuEntriesView(machine, 0);
    assert.ok(machine.equals(before));
  });
});
