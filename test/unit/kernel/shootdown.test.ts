/** Flushes on several CPUs: who does what, and what each knows afterwards. Values derived from the protocol by hand. */
import assert from 'node:assert/strict';
import type { Step, World } from '../../../src/kernel/world';
import { loadParser } from '../code/c/support';
import { boot, counts, finish, ptiFeatures, start } from './support';

type Counts = Record<string, number>;

const border: Counts = { CR3_READ: 2, CR3_NOFLUSH: 2 };
const immediate: Counts = { ...border, INVLPG: 2, INVPCID_ADDR: 2 };
const deferred: Counts = { ...border, INVLPG: 4, LFENCE: 1 };

describe('shootdowns of the model kernel', function () {
  this.timeout(60_000);
  before(loadParser);

  const cases: readonly (readonly [string, Counts, Counts])[] = [
    ['base', immediate, immediate],
    ['serial-flush', immediate, immediate],
    ['range-interface', immediate, immediate],
    ['deferred-user-flush', deferred, deferred],
    ['no-deferral-on-shootdown', immediate, deferred],
    ['full-deferred-flush-on-freed-tables', immediate, deferred],
    ['v6.1-early-out', immediate, immediate],
  ];
  for (const responders of [1, 3])
    for (const [variant, initiator, responder] of cases)
      it(`${variant}, ${responders} responders`, () => {
        const world = finish(
          boot(variant, { cpus: responders + 1, programs: [[{ kind: 'madvise', start, pages: 2 }]] }),
        );
        assert.deepEqual(counts(world, 0), { ...initiator, IPI: responders, IPI_WAIT: 1 });
        for (let cpu = 1; cpu <= responders; cpu++) assert.deepEqual(counts(world, cpu), responder);
        for (let cpu = 0; cpu <= responders; cpu++) {
          assert.deepEqual(world.flushState(cpu).ctxs[0], { ctx_id: 2n, tlb_gen: 1n });
          assert.equal(world.flushState(cpu).user_pcid_flush_mask, 0n);
        }
      });

  it('flushing at the same time is faster than one after the other', () => {
    const cycles = (variant: string): number =>
      finish(boot(variant, { cpus: 2, programs: [[{ kind: 'madvise', start, pages: 10 }]] })).figures(0)
        .cycles;
    assert.ok(cycles('base') < cycles('serial-flush'));
  });

  const withLazy = (steps: readonly Step[]): World =>
    finish(
      boot('base', {
        cpus: 2,
        spaces: [{ name: 'a', regions: [{ start, pages: 2 }] }],
        start: [{ space: 'a' }, { space: 'a', lazy: true }],
        programs: [steps],
      }),
    );

  it('a lazy CPU is left alone, and looks at the generation when it wakes up', () => {
    const world = withLazy([{ kind: 'madvise', start, pages: 1 }]);
    assert.deepEqual(counts(world, 1), {});
    // Nobody is asked, so nobody is waited for.
    assert.deepEqual(counts(world, 0), { ...border, INVLPG: 1, INVPCID_ADDR: 1 });
    assert.equal(world.flushState(1).loaded_mm, 'a');
    assert.equal(world.flushState(1).ctxs[0]!.tlb_gen, 0n);
    const woken = finish(
      boot('base', {
        cpus: 2,
        start: [{ space: 'a' }, { space: 'a', lazy: true }],
        programs: [
          [
            { kind: 'madvise', start, pages: 1 },
            { kind: 'barrier', name: 'b' },
          ],
          [
            { kind: 'barrier', name: 'b' },
            { kind: 'switch', space: 'a' },
          ],
        ],
      }),
    );
    // The switch flushes (one CR3 write), and the way out flushes the user PCID.
    assert.deepEqual(counts(woken, 1), { CR3_READ: 1, CR3_FLUSH: 2 });
    assert.equal(woken.flushState(1).ctxs[0]!.tlb_gen, 1n);
  });

  it('a lazy CPU drops the root when tables are freed', () => {
    const world = withLazy([{ kind: 'unmap', start, pages: 2 }]);
    // init_mm is a stranger to slots 0 and 1: slot 1 is its, with a flush.
    assert.deepEqual(counts(world, 1), { CR3_FLUSH: 1 });
    assert.equal(world.flushState(1).loaded_mm, 'init_mm');
    assert.deepEqual(world.spaceState('a').cpumask, [0]);
  });

  it('a CPU that runs another space is not interrupted, and switching back flushes', () => {
    const world = finish(
      boot('base', {
        cpus: 2,
        spaces: [
          { name: 'a', regions: [{ start, pages: 4 }] },
          { name: 'b', regions: [] },
        ],
        programs: [
          [
            { kind: 'barrier', name: 'left' },
            { kind: 'madvise', start, pages: 1 },
            { kind: 'barrier', name: 'done' },
          ],
          [
            { kind: 'switch', space: 'b' },
            { kind: 'barrier', name: 'left' },
            { kind: 'barrier', name: 'done' },
            { kind: 'measure' },
            { kind: 'switch', space: 'a' },
            { kind: 'touch', start, pages: 1 },
          ],
        ],
      }),
    );
    // In, the switch to slot 0 with a flush, out with a flush; then a fault of the page that is gone: in and out.
    assert.deepEqual(counts(world, 1), { CR3_READ: 4, CR3_NOFLUSH: 3, CR3_FLUSH: 2 });
    assert.equal(world.figures(0).counts['IPI'], undefined);
    assert.equal(world.flushState(1).ctxs[0]!.tlb_gen, 1n);
    assert.equal(world.flushState(1).ctxs[1]!.ctx_id, 3n);
  });

  it('finds the use of a freed page when the flush is left out', () => {
    const steps: Step[] = [
      { kind: 'touch', start, pages: 1 },
      { kind: 'madvise', start, pages: 1 },
      { kind: 'touch', start, pages: 1 },
    ];
    assert.deepEqual(finish(boot('base', { programs: [steps] })).staleUses, []);
    const world = finish(boot('without-flush', { programs: [steps] }));
    assert.deepEqual(
      world.staleUses.map(({ verdict, cpu, address }) => [verdict, cpu, address]),
      [['stale-data', 0, start]],
    );
  });

  it('finds a walk through a freed table', () => {
    const world = boot('without-flush', {
      spaces: [{ name: 'a', regions: [{ start, pages: 2 }] }],
      programs: [
        [
          { kind: 'touch', start, pages: 1 },
          { kind: 'unmap', start, pages: 2 },
          { kind: 'touch', start: start + 4096n, pages: 1 },
        ],
      ],
    });
    world.run(1_000_000);
    // The second page was not cached, but the entry that leads to its table was. Then the area is not found.
    assert.deepEqual(
      world.staleUses.map(({ verdict }) => verdict),
      ['stale-walk'],
    );
    assert.equal(world.ending.verdict, 'fault');
  });

  it('finds the use of a right that was taken', () => {
    const taken = finish(
      boot('without-flush', {
        programs: [
          [
            { kind: 'touch', start, pages: 1, write: true },
            { kind: 'mprotect', start, pages: 64, writable: false },
            { kind: 'touch', start, pages: 1, write: true },
          ],
        ],
      }),
    );
    assert.deepEqual(
      taken.staleUses.map(({ verdict }) => verdict),
      ['stale-perm'],
    );
  });

  it('fork, copy on write, reclaim, mprotect and munmap leave nothing stale on four CPUs', () => {
    const busy: Step[] = [
      { kind: 'touch', start, pages: 16, write: true },
      { kind: 'madvise', start, pages: 4 },
      { kind: 'touch', start, pages: 16 },
    ];
    for (const variant of ['base', 'serial-flush', 'full-deferred-flush-on-freed-tables', 'v6.1-early-out']) {
      const world = finish(
        boot(variant, {
          cpus: 4,
          features: new Set(ptiFeatures),
          spaces: [
            { name: 'a', regions: [{ start, pages: 64 }] },
            { name: 'child', regions: [] },
          ],
          programs: [
            [
              { kind: 'fork', into: 'child' },
              { kind: 'touch', start, pages: 8, write: true },
              { kind: 'switch', space: 'child' },
              { kind: 'touch', start, pages: 8, write: true },
            ],
            [{ kind: 'reclaim', space: 'a', start: start + 0x2_0000n, pages: 32 }, ...busy],
            [{ kind: 'repeat', times: 3, steps: busy }],
            [
              { kind: 'enter', by: 'nmi' },
              { kind: 'enter', by: 'paranoid' },
              { kind: 'enter', by: 'interrupt' },
              { kind: 'nmi', cpu: 2 },
              { kind: 'madvise', start, pages: 40 },
              ...busy,
            ],
          ],
        }),
        20_000_000,
      );
      assert.deepEqual(world.staleUses, [], variant);
    }
  });
});
