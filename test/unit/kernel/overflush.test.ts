/** Translations that flushes drop although they are right: by hand, on one CPU under PTI. */
import assert from 'node:assert/strict';
import type { Step, World, WorldOptions } from '../../../src/kernel/world';
import { loadParser } from '../code/c/support';
import { boot, finish, start } from './support';

const page = (at: number): bigint => start + BigInt(at) * 4096n;

describe('what flushes drop needlessly', function () {
  this.timeout(60_000);
  before(loadParser);

  const run = (variant: string, steps: readonly Step[], more: Partial<WorldOptions> = {}): World =>
    finish(
      boot(variant, {
        start: [{ space: 'a', warm: [{ start, pages: 40 }] }],
        programs: [steps],
        overflush: true,
        ...more,
      }),
    );
  const drop = (at: number, pages: number): Step => ({ kind: 'madvise', start: page(at), pages });

  it('nothing, if a flush drops what it has to', () => {
    assert.equal(run('base', [drop(0, 10)]).overflushed(0), 0);
    assert.equal(run('deferred-user-flush', [drop(0, 10)]).overflushed(0), 0);
    assert.equal(run('base', [drop(0, 40)]).overflushed(0), 0, 'everything had to go');
  });

  it('the rest of a full flush', () => {
    // 34 of 40 pages had to go.
    assert.equal(run('base', [drop(0, 34)]).overflushed(0), 6);
    // Without INVPCID one page costs the user's PCID.
    const features = new Set(['PTI', 'PCID', 'PGE']);
    assert.equal(run('base', [drop(0, 1)], { features }).overflushed(0), 39);
  });

  it('the gap in a deferred range, which INVLPG drops page by page', () => {
    const two: Step = { kind: 'enter', by: 'syscall', steps: [drop(0, 2), drop(5, 2)] };
    assert.equal(run('deferred-user-flush', [two]).overflushed(0), 3);
    assert.equal(run('base', [two]).overflushed(0), 0);
  });

  it('counts from the last measure, and only when it is asked to', () => {
    assert.equal(run('base', [drop(0, 34), { kind: 'measure' }]).overflushed(0), 0);
    assert.equal(run('base', [drop(0, 34)], { overflush: false }).overflushed(0), 0);
  });

  it('counts the same again after going back', () => {
    const options: Partial<WorldOptions> = {
      ...{
        start: [{ space: 'a', warm: [{ start, pages: 40 }] }],
        programs: [[drop(0, 34)]],
        overflush: true,
      },
    };
    const world = boot('base', options);
    const there = world.vm.snapshot();
    finish(world);
    assert.equal(world.overflushed(0), 6);
    world.vm.restore(there);
    finish(world);
    assert.equal(world.overflushed(0), 6);
  });
});
