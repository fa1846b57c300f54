/** The mm side on one CPU under PTI: fork, copy on write, mprotect, reclaim, kernel threads. Values by hand. */
import assert from 'node:assert/strict';
import type { Step, World, WorldOptions } from '../../../src/kernel/world';
import { loadParser } from '../code/c/support';
import { boot, counts, finish, start } from './support';

describe('the mm side of the model kernel', function () {
  this.timeout(60_000);
  before(loadParser);

  const run = (steps: readonly Step[], options: Partial<WorldOptions> = {}): World =>
    finish(
      boot('base', {
        spaces: [
          { name: 'a', regions: [{ start, pages: 64 }] },
          { name: 'child', regions: [] },
        ],
        programs: [steps],
        ...options,
      }),
    );

  it('fork flushes everything once', () => {
    const world = run([{ kind: 'fork', into: 'child' }]);
    // In; the local flush reads and writes CR3 and marks the user PCID; out with a flush.
    assert.deepEqual(counts(world), { CR3_READ: 3, CR3_NOFLUSH: 1, CR3_FLUSH: 2 });
    assert.equal(world.spaceState('a').tlb_gen, 1n);
    assert.equal(world.spaceState('child').tlb_gen, 0n);
  });

  it('a write to a shared page faults, gets a copy, and flushes one page', () => {
    const world = run([
      { kind: 'fork', into: 'child' },
      { kind: 'measure' },
      { kind: 'touch', start, pages: 1, write: true },
      { kind: 'touch', start, pages: 1, write: true },
    ]);
    assert.deepEqual(counts(world), { CR3_READ: 2, CR3_NOFLUSH: 2, INVLPG: 1, INVPCID_ADDR: 1 });
  });

  it('the last owner of a page gets the right to write without a flush', () => {
    const world = run([
      { kind: 'fork', into: 'child' },
      { kind: 'touch', start, pages: 1, write: true },
      { kind: 'switch', space: 'child' },
      { kind: 'measure' },
      { kind: 'touch', start, pages: 1, write: true },
    ]);
    assert.deepEqual(counts(world), { CR3_READ: 2, CR3_NOFLUSH: 2 });
  });

  it('mprotect flushes the range, and nothing where nothing was mapped', () => {
    const steps: Step[] = [{ kind: 'mprotect', start, pages: 8, writable: false }];
    assert.deepEqual(counts(run(steps)), { CR3_READ: 2, CR3_NOFLUSH: 2, INVLPG: 8, INVPCID_ADDR: 8 });
    const empty = [
      { name: 'a', regions: [{ start, pages: 64, populated: false }] },
      { name: 'child', regions: [] },
    ];
    assert.deepEqual(counts(run(steps, { spaces: empty })), { CR3_READ: 2, CR3_NOFLUSH: 2 });
  });

  it('reclaim increments the generation for each page, and flushes once for each 32', () => {
    const world = run([{ kind: 'reclaim', space: 'a', start, pages: 40 }]);
    assert.deepEqual(counts(world), { CR3_READ: 4, CR3_NOFLUSH: 1, CR3_FLUSH: 3 });
    assert.equal(world.spaceState('a').tlb_gen, 40n);
    assert.equal(world.flushState(0).ctxs[0]!.tlb_gen, 40n);
  });

  it('whoever finds entries that reclaim has cleared flushes under the lock', () => {
    const world = run([
      { kind: 'reclaim', space: 'a', start, pages: 1 },
      { kind: 'measure' },
      { kind: 'madvise', start, pages: 1 },
    ]);
    // Reclaim leaves tlb_flush_batched set, although it has flushed: one full flush more.
    assert.deepEqual(counts(world), { CR3_READ: 3, CR3_NOFLUSH: 1, CR3_FLUSH: 2 });
  });

  it('a kernel thread keeps the space loaded; back to the same space costs only the way out', () => {
    const world = run([{ kind: 'lazy' }, { kind: 'measure' }, { kind: 'switch', space: 'a' }]);
    assert.deepEqual(counts(world), { CR3_READ: 1, CR3_NOFLUSH: 1 });
    assert.equal(world.flushState(0).is_lazy, 0n);
  });

  it('a CPU that starts on init_mm loads a space in a new slot', () => {
    const world = run([{ kind: 'switch', space: 'a' }], { start: [{ space: null }] });
    // The slot is new: a flushing write, and its user PCID is flushed on the way out.
    assert.deepEqual(counts(world), { CR3_READ: 1, CR3_FLUSH: 2 });
    assert.equal(world.flushState(0).loaded_mm_asid, 1n);
    assert.deepEqual(world.spaceState('a').cpumask, [0]);
  });
});
