/**
 * madvise(MADV_DONTNEED) on one CPU. Expected values are derived from the protocol: up to 33 pages go one by one, more
 * are one flush; under PTI the user PCID is flushed page by page (INVPCID), or by the CR3 write of the next exit when
 * its bit (slot + 1) is set, or, deferred, by INVLPG on the way out with an LFENCE behind. Each system call reads CR3
 * twice and writes it twice (in and out), without a flush unless the user PCID owes one.
 */
import assert from 'node:assert/strict';
import { whole } from '../../../src/vm/pairs';
import type { World } from '../../../src/kernel/world';
import { loadParser } from '../code/c/support';
import { boot, counts, finish, ptiFeatures, start } from './support';

const all = 2n ** 64n - 1n;
/** Bit of slot 0. */
const bit = 2n;

type Counts = Record<string, number>;

/** Values that user_pcid_flush_mask took, in order. */
function maskValues(world: World): bigint[] {
  const slot = world.vm.slot(['cpu_tlbstate', 'user_pcid_flush_mask'], 0);
  const { trace } = world.vm;
  return Array.from({ length: trace!.recorded }, (_, seq) => trace!.event(seq))
    .filter(({ kind, extra }) => kind === 'store' && extra === slot)
    .map(({ lo, hi }) => whole(lo, hi));
}

const entryAndExit: Counts = { CR3_READ: 2, CR3_NOFLUSH: 2 };
const flushed: Counts = { CR3_READ: 3, CR3_NOFLUSH: 1, CR3_FLUSH: 2 };
const immediate = (n: number): Counts => ({ ...entryAndExit, INVLPG: n, INVPCID_ADDR: n });
const deferred = (n: number): Counts => ({ ...entryAndExit, INVLPG: 2 * n, LFENCE: 1 });

describe('madvise(MADV_DONTNEED) on one CPU', function () {
  this.timeout(60_000);
  before(loadParser);

  const run = (variant: string, pages: number, features = ptiFeatures, exit?: 'nostack'): World =>
    finish(
      boot(variant, {
        features: new Set(features),
        programs: [[{ kind: 'madvise', start, pages, ...(exit ? { exit } : {}) }]],
      }),
    );

  const now = ['base', 'serial-flush', 'range-interface', 'v6.1-early-out'];
  const later = ['deferred-user-flush', 'no-deferral-on-shootdown', 'full-deferred-flush-on-freed-tables'];

  for (const variant of [...now, ...later])
    for (const pages of [1, 10, 33, 34])
      it(`${variant}, ${pages} pages`, () => {
        const world = run(variant, pages);
        const defers = later.includes(variant);
        const partial = pages <= 33;
        assert.deepEqual(counts(world), partial ? (defers ? deferred : immediate)(pages) : flushed);
        assert.deepEqual(maskValues(world), partial && !defers ? [] : [bit, 0n]);
        const state = world.flushState(0);
        assert.equal(state.user_pcid_flush_mask, 0n);
        assert.deepEqual(state.ctxs[0], { ctx_id: 2n, tlb_gen: 1n });
        assert.equal(world.spaceState('a').tlb_gen, 1n);
        const range = [state.user_flush_start, state.user_flush_end, state.user_flush_stride_shift];
        if (!defers) assert.deepEqual(range, [null, null, null]);
        else if (partial) assert.deepEqual(range, [start, start + BigInt(pages) * 4096n, 12n]);
        else assert.equal(state.user_flush_end, all);
        assert.deepEqual(world.staleUses, []);
      });

  it('without PTI: INVLPG, and CR3 is left alone', () => {
    for (const variant of [...now, ...later])
      assert.deepEqual(counts(run(variant, 3, ['PCID', 'INVPCID', 'PGE'])), { INVLPG: 3 });
  });

  it('without INVPCID: the user PCID is flushed on the way out, or its range', () => {
    const without = ['PTI', 'PCID', 'PGE'];
    const owed = { CR3_READ: 2, CR3_NOFLUSH: 1, CR3_FLUSH: 1, INVLPG: 3 };
    for (const variant of now) assert.deepEqual(counts(run(variant, 3, without)), owed);
    for (const variant of later) assert.deepEqual(counts(run(variant, 3, without)), deferred(3));
  });

  it('without PCID: every write of CR3 flushes', () => {
    const expected = { CR3_READ: 2, CR3_FLUSH: 2, INVLPG: 3 };
    assert.deepEqual(counts(run('range-interface', 3, ['PTI', 'PGE'])), expected);
  });

  it('an exit without a stack flushes the PCID instead of the range', () => {
    const world = run('deferred-user-flush', 3, ptiFeatures, 'nostack');
    assert.deepEqual(counts(world), { CR3_READ: 2, CR3_NOFLUSH: 1, CR3_FLUSH: 1, INVLPG: 3 });
    assert.deepEqual(maskValues(world), [bit, 0n]);
  });

  it('freed tables: at once, or as a full flush on the way out', () => {
    const unmap = (variant: string): World =>
      finish(
        boot(variant, {
          spaces: [{ name: 'a', regions: [{ start, pages: 2 }] }],
          programs: [[{ kind: 'unmap', start, pages: 2 }]],
        }),
      );
    for (const variant of ['base', 'range-interface', 'deferred-user-flush', 'no-deferral-on-shootdown'])
      assert.deepEqual(counts(unmap(variant)), immediate(2), variant);
    const world = unmap('full-deferred-flush-on-freed-tables');
    assert.deepEqual(counts(world), { CR3_READ: 2, CR3_NOFLUSH: 1, CR3_FLUSH: 1, INVLPG: 2 });
    assert.equal(world.flushState(0).user_flush_end, all);
  });
});
