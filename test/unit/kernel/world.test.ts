/** What a world refuses, repeats and remembers; entry and exit by each path; pending ranges. */
import assert from 'node:assert/strict';
import { findMachine } from '../../../src/machine/registry';
import type { Step, World, WorldOptions } from '../../../src/kernel/world';
import { WorldError } from '../../../src/kernel/world';
import { Trace } from '../../../src/vm/trace';
import { loadParser } from '../code/c/support';
import { boot, counts, finish, operands, start } from './support';

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

  it('areas are flushed in the order of their addresses', () => {
    const regions = [40, 0, 20].map(at => ({ start: page(at), pages: 1 }));
    const world = finish(
      boot('base', {
        spaces: [{ name: 'a', regions }],
        programs: [[{ kind: 'mprotect', start, pages: 64, writable: false }]],
        trace: new Trace(100_000),
      }),
    );
    assert.deepEqual(operands(world, 'INVLPG'), [page(0), page(20), page(40)]);
  });

  describe('an entry with steps', () => {
    const calls: Step[] = [
      { kind: 'madvise', start, pages: 2 },
      { kind: 'madvise', start: page(4), pages: 3, each: 1 },
    ];
    const one = (variant: string, step: Step, more: Partial<WorldOptions> = {}): World =>
      finish(boot(variant, { programs: [[step]], ...more }));

    it('is entered and left once, whatever is done in it', () => {
      const world = one('base', { kind: 'enter', by: 'syscall', steps: calls });
      assert.deepEqual(counts(world), { CR3_READ: 2, CR3_NOFLUSH: 2, INVLPG: 5, INVPCID_ADDR: 5 });
      assert.equal(world.spaceState('a').tlb_gen, 4n);
    });

    it('leaves with the pending range by the stack, with a full flush by the other ways', () => {
      // The range of pages 0 to 6 is dropped page by page; page 2 and 3 lie in it although nobody asked for them.
      const stack = { CR3_READ: 2, CR3_NOFLUSH: 2, INVLPG: 5 + 7, LFENCE: 1 };
      for (const by of ['syscall', 'interrupt'] as const)
        assert.deepEqual(counts(one('deferred-user-flush', { kind: 'enter', by, steps: calls })), stack);
      assert.deepEqual(
        counts(one('deferred-user-flush', { kind: 'enter', by: 'syscall', exit: 'nostack', steps: calls })),
        { CR3_READ: 2, CR3_NOFLUSH: 1, CR3_FLUSH: 1, INVLPG: 5 },
      );
      // The paranoid exit has what CR3 was: it does not read it again.
      assert.deepEqual(counts(one('deferred-user-flush', { kind: 'enter', by: 'paranoid', steps: calls })), {
        ...{ CR3_READ: 1, CR3_NOFLUSH: 1, CR3_FLUSH: 1, INVLPG: 5 },
      });
    });

    it('takes NMIs and traps from the kernel, which leave the pending range alone', () => {
      const inner: Step[] = [
        { kind: 'madvise', start, pages: 2 },
        { kind: 'enter', by: 'nmi' },
        { kind: 'enter', by: 'paranoid' },
        { kind: 'enter', by: 'interrupt' },
      ];
      // NMI and trap read CR3, find the kernel's, and write it back without a flush.
      assert.deepEqual(counts(one('deferred-user-flush', { kind: 'enter', by: 'syscall', steps: inner })), {
        ...{ CR3_READ: 4, CR3_NOFLUSH: 4, INVLPG: 4, LFENCE: 1 },
      });
    });

    it('a switch in it leaves the kernel in the other space; its range becomes a full flush', () => {
      const spaces = ['a', 'b'].map(name => ({ name, regions: [{ start, pages: 8 }] }));
      const steps: Step[] = [
        { kind: 'madvise', start, pages: 2 },
        { kind: 'switch', space: 'b' },
      ];
      const world = one('deferred-user-flush', { kind: 'enter', by: 'syscall', steps }, { spaces });
      assert.equal(world.flushState(0).loaded_mm, 'b');
      assert.equal(world.flushState(0).user_flush_end, all);
      // Slot 0 still owes its flush; that of b's slot was paid on the way out.
      assert.equal(world.flushState(0).user_pcid_flush_mask, 0b10n);
      assert.deepEqual(counts(world), { CR3_READ: 2, CR3_NOFLUSH: 1, CR3_FLUSH: 2, INVLPG: 2 });
    });

    it('waits in the kernel with interrupts on, and answers the flush of another CPU there', () => {
      const meet = ['in', 'flushed'].map((name): Step => ({ kind: 'barrier', name }));
      const world = finish(
        boot('deferred-user-flush', {
          cpus: 2,
          programs: [
            [meet[0]!, { kind: 'madvise', start, pages: 3 }, meet[1]!],
            [{ kind: 'enter', by: 'paranoid', steps: meet }],
          ],
        }),
      );
      assert.deepEqual(counts(world, 1), { CR3_READ: 1, CR3_NOFLUSH: 1, CR3_FLUSH: 1, INVLPG: 3 });
    });

    it('refuses what the kernel does not do', () => {
      const refused = (step: Step): string => refusal({ programs: [[step]] }).message;
      const within = (inner: Step, by: 'syscall' | 'paranoid' = 'syscall'): string =>
        refused({ kind: 'enter', by, steps: [inner] });
      assert.match(within({ kind: 'touch', start, pages: 1 }), /'touch' is not done in the kernel/);
      assert.match(within({ kind: 'enter', by: 'syscall' }), /makes no system calls/);
      assert.match(within({ kind: 'enter', by: 'interrupt', steps: calls }), /does not lie in another/);
      assert.match(within({ kind: 'switch', space: 'a' }, 'paranoid'), /no switch in it/);
      assert.match(within({ kind: 'unmap', start, pages: 1, exit: 'nostack' }), /one way out/);
      assert.match(refused({ kind: 'enter', by: 'nmi', steps: calls }), /an NMI has no steps/);
      assert.match(refused({ kind: 'enter', by: 'interrupt', exit: 'nostack' }), /only a system call/);
    });
  });

  describe('a pending range', () => {
    // Two calls in one entry: the range is there after the first, and its fate is decided by the second.
    const two = (first: number, second: number, pages: number): bigint[] => {
      const range = (at: number): Step => ({ kind: 'madvise', start: page(at), pages });
      const world = finish(
        boot('deferred-user-flush', {
          programs: [[{ kind: 'enter', by: 'syscall', steps: [range(first), range(second)] }]],
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
