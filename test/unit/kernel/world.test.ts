/** What a world refuses, repeats and remembers; entry and exit by each path; pending ranges. */
import assert from 'node:assert/strict';
import { findMachine } from '../../../src/machine/registry';
import type { Step, WorldOptions } from '../../../src/kernel/world';
import { WorldError } from '../../../src/kernel/world';
import { loadParser } from '../code/c/support';
import { boot, counts, finish, start } from './support';

const all = 2n ** 64n - 1n;
const page = (at: number): bigint => start + BigInt(at) * 4096n;

describe('a world', function () {
  this.timeout(60_000);
  before(loadParser);

  const refusal = (options: Partial<WorldOptions>): WorldError => {
    try {
      boot('base', options);
    } catch (error) {
      assert.ok(error instanceof WorldError, String(error));
      return error;
    }
    return assert.fail('it was not refused');
  };

  it('names what it refuses, and the step', () => {
    assert.match(refusal({ cpus: 257 }).message, /1 to 256 CPUs, not 257/);
    assert.match(refusal({ machine: findMachine('cortex-a72')! }).message, /x86/);
    assert.match(refusal({ spaces: [] }).message, /1 to 8 spaces/);
    const nmi = refusal({ programs: [[{ kind: 'measure' }, { kind: 'nmi', cpu: 99 }]] });
    assert.match(nmi.message, /no CPU 99/);
    assert.deepEqual(nmi.step, [0, 1]);
    const inner: Step = { kind: 'repeat', times: 2, steps: [{ kind: 'touch', start, pages: 0 }] };
    assert.deepEqual(refusal({ programs: [[inner]] }).step, [0, 0, 0]);
    assert.match(refusal({ programs: [[{ kind: 'switch', space: 'x' }]] }).message, /no space 'x'/);
    assert.match(
      refusal({ programs: [[{ kind: 'touch', start: 1n, pages: 1 }]] }).message,
      /multiple of 4096/,
    );
    const two: Step[] = [{ kind: 'measure' }, { kind: 'measure' }];
    assert.match(
      refusal({ programs: [[{ kind: 'repeat', times: 1e9, steps: two }]] }).message,
      /20000 calls/,
    );
    assert.match(
      refusal({ programs: [[{ kind: 'lazy' }, { kind: 'madvise', start, pages: 1 }]] }).message,
      /kernel thread/,
    );
  });

  it('ends a billion repetitions and a barrier that nobody comes to', () => {
    const world = boot('base', {
      budget: 100_000,
      programs: [[{ kind: 'repeat', times: 1e9, steps: [{ kind: 'enter', by: 'syscall' }] }]],
    });
    world.run(10_000_000);
    assert.equal(world.ending.verdict, 'unbounded');
    const alone = boot('base', {
      cpus: 2,
      programs: [
        [{ kind: 'barrier', name: 'b' }],
        [
          { kind: 'barrier', name: 'b' },
          { kind: 'barrier', name: 'b' },
        ],
      ],
    });
    alone.run(1_000_000);
    assert.equal(alone.ending.verdict, 'deadlock');
  });

  it('refuses an access to memory that is not mapped as a fault', () => {
    const world = boot('base', { programs: [[{ kind: 'touch', start: page(100), pages: 1 }]] });
    world.run(1_000_000);
    assert.equal(world.ending.verdict, 'fault');
    assert.equal(world.ending.position.file, 'arch/x86/mm/fault.c');
  });

  it('maps at the first access, and unmaps', () => {
    const world = finish(
      boot('base', {
        programs: [
          [
            { kind: 'map', start: page(1000), pages: 3 },
            { kind: 'touch', start: page(1000), pages: 3, write: true },
            { kind: 'unmap', start: page(1000), pages: 3 },
          ],
        ],
      }),
    );
    // One system call and three faults in and out, then the flush of three pages with a freed table.
    assert.deepEqual(counts(world), { CR3_READ: 10, CR3_NOFLUSH: 10, INVLPG: 3, INVPCID_ADDR: 3 });
  });

  for (const by of ['syscall', 'interrupt', 'nmi', 'paranoid'] as const)
    it(`in and out by ${by}: two writes of CR3, and nothing is flushed`, () => {
      const world = finish(boot('base', { programs: [[{ kind: 'enter', by }]] }));
      // RESTORE_CR3 has what CR3 was: it does not read it again.
      assert.deepEqual(counts(world), { CR3_READ: by === 'paranoid' ? 1 : 2, CR3_NOFLUSH: 2 });
    });

  it('accesses that were warm do not walk', () => {
    const steps: Step[] = [{ kind: 'touch', start, pages: 8 }];
    const warm = [{ space: 'a', warm: [{ start, pages: 8 }] }];
    assert.equal(finish(boot('base', { programs: [steps] })).figures(0).misses, 8);
    assert.equal(finish(boot('base', { programs: [steps], start: warm })).figures(0).misses, 0);
  });

  it('measures from a step on', () => {
    const world = finish(
      boot('base', {
        programs: [
          [{ kind: 'touch', start, pages: 8 }, { kind: 'measure' }, { kind: 'touch', start, pages: 8 }],
        ],
      }),
    );
    assert.equal(world.figures(0).misses, 0);
    assert.deepEqual(counts(world), {});
  });

  it('spins in user mode until the others are done, and takes interrupts', () => {
    const world = finish(
      boot('base', { cpus: 2, programs: [[{ kind: 'madvise', start, pages: 1 }], [{ kind: 'spin' }]] }),
    );
    assert.equal(counts(world, 1)['INVLPG'], 1);
  });

  describe('a pending range', () => {
    // The kernel's side of a reclaim-free system call: two ranges before the way out need one system call with two
    // areas, so mprotect over two areas, which flushes each.
    const two = (first: number, second: number, pages: number): bigint[] => {
      const regions = [
        { start: page(first), pages },
        { start: page(second), pages },
      ];
      // Areas are a list with the last one first.
      const world = finish(
        boot('deferred-user-flush', {
          spaces: [{ name: 'a', regions: [...regions].reverse() }],
          programs: [
            [{ kind: 'mprotect', start: page(Math.min(first, second)), pages: 64, writable: false }],
          ],
        }),
      );
      const state = world.flushState(0);
      return [state.user_flush_start!, state.user_flush_end!];
    };

    it('is extended by one behind it that stays below the ceiling', () => {
      assert.deepEqual(two(0, 8, 4), [page(0), page(12)]);
    });

    it('becomes a full flush when it would be too long, or begins before', () => {
      assert.deepEqual(two(0, 40, 4), [page(0), all]);
      assert.deepEqual(two(8, 0, 4), [page(8), all]);
      // (end − start) >> 12 must be below 33: 32 pages fit, 33 do not.
      assert.deepEqual(two(0, 28, 4), [page(0), page(32)]);
      assert.deepEqual(two(0, 29, 4), [page(0), all]);
    });

    it('of a space that is left becomes a full flush', () => {
      const world = finish(
        boot('deferred-user-flush', {
          spaces: [
            { name: 'a', regions: [{ start, pages: 4 }] },
            { name: 'b', regions: [] },
          ],
          programs: [
            [
              { kind: 'madvise', start, pages: 1 },
              { kind: 'switch', space: 'b' },
            ],
          ],
        }),
      );
      assert.equal(world.flushState(0).user_flush_end, all);
    });
  });

  it('gives the same trace again, steps and goes back', () => {
    const options: Partial<WorldOptions> = {
      cpus: 3,
      programs: [
        [{ kind: 'madvise', start, pages: 5 }],
        [{ kind: 'touch', start, pages: 9, write: true }],
        [{ kind: 'mprotect', start, pages: 9, writable: false }],
      ],
    };
    const once = finish(boot('base', options));
    const again = boot('base', options);
    again.run(700);
    const there = again.vm.snapshot();
    const hash = again.vm.hash();
    finish(again);
    assert.equal(again.vm.hash(), once.vm.hash());
    again.vm.restore(there);
    assert.equal(again.vm.hash(), hash);
    finish(again);
    assert.equal(again.vm.hash(), once.vm.hash());
  });
});
