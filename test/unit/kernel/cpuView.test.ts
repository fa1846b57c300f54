/** What a panel is told of a CPU: hardware and the kernel's books, as plain data. */
import assert from 'node:assert/strict';
import type { World } from '../../../src/kernel/world';
import { loadParser } from '../code/c/support';
import { boot, finish, start } from './support';

const until = (world: World, holds: () => boolean): void => {
  for (let steps = 0; steps < 1_000_000; steps++) {
    if (holds()) return;
    if (world.run(1) === 0) break;
  }
  assert.fail('this never came about');
};

describe('the view of a CPU', function () {
  this.timeout(60_000);
  before(loadParser);

  it('user mode: the user root with its PCID, the space by hardware and by the books', () => {
    const view = boot('base').cpuView(0);
    assert.deepEqual(JSON.parse(JSON.stringify(view)), view);
    assert.equal(view.mode, 'user');
    assert.deepEqual(
      { half: view.root.half, pcid: view.root.pcid, space: view.root.space },
      { half: 'user', pcid: 0x801, space: 'a' },
    );
    assert.equal(view.kernel.loadedMm, 'a');
    assert.equal(view.kernel.slot, 0);
    assert.equal(view.kernel.lazy, false);
    assert.equal(view.kernel.owed, null);
    assert.deepEqual(view.kernel.slots[0], {
      ...{ slot: 0, space: 'a', ctxId: '0x2', generation: '0x0', newest: '0x0' },
    });
    assert.equal(view.kernel.slots[1]!.space, null);
    assert.equal(view.cost.time.cycles, 0);
  });

  it('without PTI there is one root', () => {
    const view = boot('base', { features: new Set(['PCID', 'PGE']) }).cpuView(0);
    assert.equal(view.root.half, 'both');
    assert.equal(view.root.pcid, 1);
  });

  it('a lazy CPU runs in the kernel, with the space loaded', () => {
    const view = boot('base', { cpus: 2, start: [{ space: 'a' }, { space: 'a', lazy: true }] }).cpuView(1);
    assert.equal(view.mode, 'kernel');
    assert.equal(view.root.half, 'kernel');
    assert.equal(view.root.space, 'a');
    assert.equal(view.kernel.lazy, true);
  });

  it('a request on its way: interrupt, request, and who waits for whom', () => {
    const world = boot('base', { cpus: 2, programs: [[{ kind: 'madvise', start, pages: 1 }]] });
    until(world, () => world.cpuView(1).hardware.interrupts.pending.length > 0);
    const target = world.cpuView(1);
    assert.deepEqual(target.hardware.requests, [{ from: 0, taken: false }]);
    assert.equal(world.cpuView(0).hardware.unacknowledged, 1);
    assert.equal(world.cpuView(0).mode, 'kernel');
    until(world, () => world.cpuView(0).doing.wait?.for === 'requests');
    finish(world);
    assert.deepEqual(world.cpuView(1).hardware.requests, []);
  });

  it('an entry is stale from the store to the flush, in the PCID of the kernel half and of the user half', () => {
    const world = boot('base', {
      start: [{ space: 'a', warm: [{ start, pages: 2 }] }],
      programs: [[{ kind: 'madvise', start, pages: 1 }]],
    });
    const stale = (): string[] => [
      ...new Set(
        world
          .cpuEntries(0)
          .filter(one => one.stale !== false)
          .map(one => `${one.tag.toString(16)}:${one.address} ${one.state}`),
      ),
    ];
    assert.deepEqual(stale(), []);
    until(world, () => stale().length > 0);
    assert.deepEqual(stale(), ['801:0x7f0000000000 absent']);
    finish(world);
    assert.deepEqual(stale(), []);
  });

  it('a flush that is owed at the return to user mode, with its range', () => {
    const world = boot('deferred-user-flush', { programs: [[{ kind: 'madvise', start, pages: 2 }]] });
    until(world, () => world.cpuView(0).kernel.owed?.kind === 'range');
    assert.deepEqual(world.cpuView(0).kernel.owed, {
      ...{ kind: 'range', start: `0x${start.toString(16)}`, end: `0x${(start + 0x2000n).toString(16)}` },
    });
    finish(world);
    assert.equal(world.cpuView(0).kernel.owed, null);
  });

  it('a tree without the slots: what is missing is null', () => {
    const world = boot('base');
    const { vm } = world;
    assert.equal(vm.slot(['cpu_tlbstate', 'next_asid']) === null, false);
    assert.equal(world.cpuView(0).kernel.nextSlot, 1);
    assert.equal(world.flushState(0).user_flush_end, null);
  });

  it('looking changes nothing', () => {
    const world = boot('base', { cpus: 2, programs: [[{ kind: 'madvise', start, pages: 1 }]] });
    world.run(500);
    const before = world.vm.snapshot();
    world.cpuView(0);
    world.cpuEntries(0);
    assert.ok(world.vm.equals(before));
  });
});
