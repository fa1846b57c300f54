/** Pages of 2M: stride, ceiling, counts of strides, permissions. Values by hand, on one CPU under PTI. */
import assert from 'node:assert/strict';
import type { Range, Step, World, WorldOptions } from '../../../src/kernel/world';
import { Trace } from '../../../src/vm/trace';
import { loadParser } from '../code/c/support';
import { boot, counts, finish, operands, start } from './support';

const page = (at: number): bigint => start + (BigInt(at) << 21n);
const range = (at: number, pages: number): Range => ({ start: page(at), pages, pageShift: 21 });

describe('pages of 2M', function () {
  this.timeout(60_000);
  before(loadParser);

  const run = (variant: string, steps: readonly Step[], more: Partial<WorldOptions> = {}): World =>
    finish(
      boot(variant, {
        spaces: [{ name: 'a', regions: [range(0, 64)] }],
        start: [{ space: 'a', warm: [range(0, 40)] }],
        programs: [steps],
        ...more,
      }),
    );

  it('a flush goes in strides of 2M, up to 33 of them', () => {
    const world = run('base', [{ kind: 'madvise', ...range(1, 3) }], { trace: new Trace(100_000) });
    assert.deepEqual(operands(world, 'INVLPG'), [page(1), page(2), page(3)]);
    assert.deepEqual(counts(world), { CR3_READ: 2, CR3_NOFLUSH: 2, INVLPG: 3, INVPCID_ADDR: 3 });
    const most = counts(run('base', [{ kind: 'madvise', ...range(0, 33) }]));
    assert.deepEqual(most, { CR3_READ: 2, CR3_NOFLUSH: 2, INVLPG: 33, INVPCID_ADDR: 33 });
    const all = counts(run('base', [{ kind: 'madvise', ...range(0, 34) }]));
    assert.deepEqual(all, { CR3_READ: 3, CR3_NOFLUSH: 1, CR3_FLUSH: 2 });
  });

  it('a deferred range keeps its stride', () => {
    const world = run('deferred-user-flush', [{ kind: 'madvise', ...range(1, 2) }], {
      trace: new Trace(100_000),
    });
    assert.deepEqual(operands(world, 'INVLPG'), [page(1), page(2), page(1), page(2)]);
    assert.equal(world.flushState(0).user_flush_stride_shift, 21n);
  });

  it('mprotect flushes by the size of the area, and the right is gone', () => {
    const protect: Step = { kind: 'mprotect', ...range(0, 4), writable: false };
    assert.deepEqual(counts(run('base', [protect])), {
      ...{ CR3_READ: 2, CR3_NOFLUSH: 2, INVLPG: 4, INVPCID_ADDR: 4 },
    });
    const world = boot('base', {
      spaces: [{ name: 'a', regions: [range(0, 4)] }],
      programs: [[protect, { kind: 'touch', ...range(0, 1), write: true }]],
    });
    world.run(1_000_000);
    assert.equal(world.ending.verdict, 'fault');
    // Given back, the next write faults once, and needs no flush.
    const again = run('base', [
      protect,
      { ...protect, writable: true },
      { kind: 'measure' },
      { kind: 'touch', ...range(0, 2), write: true },
    ]);
    assert.deepEqual(counts(again), { CR3_READ: 4, CR3_NOFLUSH: 4 });
  });

  it('is mapped at the first access, one translation a page, and unmapped with its tables', () => {
    const far = range(1000, 2);
    const world = run('base', [
      { kind: 'map', ...far },
      { kind: 'touch', ...far, write: true },
      { kind: 'measure' },
      { kind: 'touch', start: page(1000) + 4096n, pages: 511 },
      { kind: 'unmap', ...far },
    ]);
    assert.equal(world.figures(0).misses, 0, '511 other pages of 4K lie in the same translation');
    assert.deepEqual(counts(world), { CR3_READ: 2, CR3_NOFLUSH: 2, INVLPG: 2, INVPCID_ADDR: 2 });
  });

  it('a flush that is forgotten is found, for a page of 2M as well', () => {
    const world = run('without-flush', [
      { kind: 'madvise', ...range(0, 1) },
      { kind: 'touch', start: page(0) + 8192n, pages: 1 },
    ]);
    assert.deepEqual(
      world.staleUses.map(({ verdict, address }) => [verdict, address]),
      [['stale-data', page(0) + 8192n]],
    );
  });

  it('a range begins at a multiple of its size', () => {
    const odd: Step = { kind: 'madvise', start: start + 4096n, pages: 1, pageShift: 21 };
    assert.throws(() => run('base', [odd]), /multiple of 2097152/);
  });
});
