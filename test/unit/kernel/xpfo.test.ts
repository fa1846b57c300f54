/** XPFO in the model kernel: what an unmapping flushes where, and who can still reach the page (semantics of the series). */
import assert from 'node:assert/strict';
import type { Step, World, WorldOptions } from '../../../src/kernel/world';
import { loadParser } from '../code/c/support';
import { boot, counts, finish, start } from './support';

/** Direct-map pages of other CPUs are in their TLBs when CPU 0 works on them. */
const others = (cpus: number, more: readonly Step[] = []): Step[][] =>
  Array.from({ length: cpus - 1 }, (): Step[] => [
    { kind: 'direct', do: 'read', first: 0, count: 4 },
    { kind: 'barrier', name: 'read' },
    { kind: 'measure' },
    ...more,
    { kind: 'barrier', name: 'worked' },
  ]);

const copying = (pages: number, more: readonly Step[] = []): Step[] => [
  { kind: 'direct', do: 'give-user', first: 0, count: pages },
  { kind: 'barrier', name: 'read' },
  { kind: 'measure' },
  { kind: 'direct', do: 'copy', first: 0, count: pages },
  ...more,
  { kind: 'barrier', name: 'worked' },
];

function run(variant: string, programs: Step[][], options: Partial<WorldOptions> = {}): World {
  return finish(
    boot(variant, {
      ...{ cpus: programs.length, programs, features: new Set(['PGE']) },
      spaces: [
        { name: 'a', regions: [{ start, pages: 4 }] },
        { name: 'b', regions: [{ start, pages: 4 }] },
      ],
      ...options,
    }),
  );
}

const exposed = (world: World): number[] => {
  for (const { verdict } of world.staleUses) assert.equal(verdict, 'exposure');
  return world.staleUses.map(({ cpu }) => cpu);
};

describe('XPFO in the model kernel', function () {
  this.timeout(60_000);
  before(loadParser);

  it('each unmapping is one interrupt to each CPU, and one INVLPG there', () => {
    const world = run('base', [copying(4), ...others(3)]);
    assert.deepEqual(counts(world), { INVLPG: 4, IPI: 8, IPI_WAIT: 4 });
    for (const cpu of [1, 2]) assert.deepEqual(counts(world, cpu), { INVLPG: 4 });
    assert.deepEqual(exposed(world), []);
  });

  it('only the last user of a mapping closes it; freed pages and kernel pages stay open', () => {
    const free: Step[] = [
      ...copying(1),
      { kind: 'direct', do: 'free', first: 0, count: 1 },
      { kind: 'direct', do: 'read', first: 0, count: 1 },
      { kind: 'direct', do: 'give-kernel', first: 1, count: 1 },
      { kind: 'direct', do: 'copy', first: 1, count: 1 },
    ];
    const world = run('base', [free, ...others(2)]);
    assert.deepEqual(counts(world), { INVLPG: 1, IPI: 1, IPI_WAIT: 1 });
    assert.deepEqual(exposed(world), []);
  });

  it('giving a page of the kernel to user space flushes it, once', () => {
    const give: Step = { kind: 'direct', do: 'give-user', first: 0, count: 2 };
    const world = run('base', [[{ kind: 'measure' }, give, give], []]);
    assert.deepEqual(counts(world), { INVLPG: 2, IPI: 2, IPI_WAIT: 2 });
  });

  it('an access to a closed page faults, and is no exposure', () => {
    const world = run('base', [
      copying(2, [{ kind: 'direct', do: 'read', first: 0, count: 2 }]),
      ...others(2),
    ]);
    assert.deepEqual(exposed(world), []);
  });

  it('omitted: nothing is flushed, every CPU that has it cached reaches the page', () => {
    const world = run('xpfo-omit-flush', [copying(2), ...others(3)]);
    assert.deepEqual(counts(world), {});
    assert.deepEqual(exposed(world), [0, 1, 2]);
  });

  it('omitted, but asked for at boot: as without the patch', () => {
    const world = run('xpfo-omit-flush', [copying(2), ...others(3)], {
      keys: new Map([['xpfo_do_tlb_flush', true]]),
    });
    assert.deepEqual(counts(world), { INVLPG: 2, IPI: 4, IPI_WAIT: 2 });
    assert.deepEqual(exposed(world), []);
  });

  it('local: one INVLPG, and the other CPUs keep what they have', () => {
    const world = run('xpfo-local-flush', [copying(2), ...others(3)]);
    assert.deepEqual(counts(world), { INVLPG: 2 });
    assert.deepEqual(exposed(world), [1, 2]);
  });

  it('deferred: local INVLPG; the others flush everything at their next switch, once', () => {
    const switches: Step[] = [
      { kind: 'switch', space: 'b' },
      { kind: 'switch', space: 'a' },
    ];
    const world = run('xpfo-deferred-flush', [copying(3), [...others(2)[0]!, ...switches]]);
    assert.deepEqual(counts(world), { INVLPG: 3 });
    // Everything, global entries too: CR4.PGE off and on; then two ordinary switches.
    assert.deepEqual(counts(world, 1), { CR3_FLUSH: 2, CR4_WRITE: 2 });
    assert.deepEqual(exposed(world), [1]);
  });

  it('batch: a refill of any size is one full flush here; the entries stay, so every CPU reaches the pages', () => {
    const refill: Step[] = [
      { kind: 'barrier', name: 'read' },
      { kind: 'measure' },
      { kind: 'direct', do: 'refill', first: 0, count: 31 },
      { kind: 'direct', do: 'refill', first: 0, count: 31 },
      { kind: 'barrier', name: 'worked' },
    ];
    const world = run('xpfo-batch-refill', [refill, ...others(2)]);
    // The second refill finds the pages marked: no flush.
    assert.deepEqual(counts(world), { CR4_WRITE: 2 });
    assert.deepEqual(exposed(world), [0, 1]);
  });

  it('under PTI the page goes from both PCIDs, and the other slots owe a flush', () => {
    const world = run('base', [copying(1), ...others(2)], {
      features: new Set(['PTI', 'PCID', 'INVPCID', 'PGE']),
    });
    const { INVLPG, INVPCID_ADDR } = world.figures(0).counts;
    assert.deepEqual({ INVLPG, INVPCID_ADDR }, { INVLPG: 1, INVPCID_ADDR: 1 });
    assert.equal(world.vm.read(['cpu_tlbstate', 'invalidate_other'], 0), 1n);
  });

  it('pages outside of the direct map are refused with their step', () =>
    assert.throws(
      () => run('base', [[{ kind: 'direct', do: 'copy', first: 60, count: 5 }]]),
      /pages 0 to 63/,
    ));
});
