/** The tree `xen`: what crossing the hypervisor's border costs, by the code; and the same in batches. */
import assert from 'node:assert/strict';
import { bootWorld } from '../../../src/kernel/boot';
import { lowerKernel, type LoweredTree } from '../../../src/kernel/lower';
import type { Step, World } from '../../../src/kernel/world';
import { defaultMachine } from '../../../src/machine/registry';
import { applyToTree } from '../../../src/patch/apply';
import { readPatch } from '../../../src/patch/read';
import { variantTree } from '../../../src/scenario/variants';
import { xenPatches, xenTree } from '../../../src/scenario/xenTree';
import { loadParser } from '../code/c/support';
import { counts, finish, start } from '../kernel/support';

const trees = new Map<string, LoweredTree>();

function lowered(patches: readonly string[]): LoweredTree {
  const key = patches.join(' ');
  let found = trees.get(key);
  if (!found) trees.set(key, (found = lowerKernel(variantTree('xen', { name: key, patches, line: 0 }))));
  return found;
}

const to = (space: string): Step => ({ kind: 'switch', space });

function run(
  patches: readonly string[],
  steps: readonly Step[],
  features = ['XPTI', 'PGE'],
  overflush = false,
): World {
  return finish(
    bootWorld(
      {
        ...{ tree: new Map(), machine: defaultMachine(), cpus: 1, features: new Set(features), overflush },
        spaces: [
          { name: 'a', regions: [{ start, pages: 64 }] },
          { name: 'b', regions: [{ start, pages: 64 }] },
        ],
        // CR4 is loaded with a root: as if the guest had run before.
        programs: [[...(['b', 'a'] as const).map(to), { kind: 'measure' }, ...steps]],
      },
      lowered(patches),
    ),
  );
}

const call: Step = { kind: 'enter', by: 'syscall' };
const touch: Step = { kind: 'touch', start, pages: 8 };
const drop = (pages: number): Step => ({ kind: 'madvise', start, pages });

describe('the tree xen', function () {
  this.timeout(60_000);
  before(loadParser);

  for (const patches of [[], ['no-global-pages'], ['batched-flush']])
    it(`${patches.join() || 'base'}: every function is read, nothing is undefined`, () => {
      const { unreadable, modules } = lowered(patches);
      assert.deepEqual(unreadable, []);
      assert.deepEqual(
        modules.flatMap(one => one.findings.map(({ message }) => message)),
        [],
      );
      assert.deepEqual(run(patches, []).undefinedNames, []);
    });

  it('its patches apply without fuzz, and read without diagnostics', () => {
    assert.deepEqual([...xenPatches.keys()].sort(), ['batched-flush', 'no-global-pages']);
    for (const text of xenPatches.values()) {
      const { files, diagnostics } = readPatch(text);
      assert.deepEqual(diagnostics, []);
      assert.ok(applyToTree(xenTree(), files, { fuzz: 0 }).ok);
    }
  });

  // Two crossings, each: into the hypervisor, the other mode's root, out to the guest.
  it('a system call under XPTI is six CR3 writes, and global pages go off and on twice', () =>
    assert.deepEqual(counts(run([], [call])), { CR3_FLUSH: 6, CR4_WRITE: 4 }));

  it('without global pages it is the CR3 writes alone', () =>
    assert.deepEqual(counts(run(['no-global-pages'], [call])), { CR3_FLUSH: 6 }));

  it('a guest without XPTI changes the root of its modes and nothing else; user pages stay', () => {
    for (const patches of [[], ['no-global-pages']]) {
      const world = run(patches, [touch, { kind: 'measure' }, call, touch], ['PGE']);
      assert.deepEqual(counts(world), { CR3_FLUSH: 2 });
      assert.equal(world.figures(0).misses, 0);
    }
  });

  it('under XPTI user pages are fetched again after a system call, global or not', () => {
    for (const patches of [[], ['no-global-pages']])
      assert.equal(run(patches, [touch, { kind: 'measure' }, call, touch]).figures(0).misses, 8);
  });

  it('what that drops needlessly is the same in both: eight user pages', () => {
    for (const patches of [[], ['no-global-pages']])
      assert.equal(run(patches, [touch, { kind: 'measure' }, call], undefined, true).overflushed(0), 8);
  });

  it('another root: one crossing for the request; CR4 changes with it, once, if it has to', () => {
    const there: Step = { kind: 'switch', space: 'b' };
    // The system call, the crossing of the request, and the root itself.
    assert.deepEqual(counts(run([], [there])), { CR3_FLUSH: 9, CR4_WRITE: 6 });
    assert.deepEqual(counts(run(['no-global-pages'], [there])), { CR3_FLUSH: 9 });
    // write_cr3 without XPTI: global pages off, CR3, global pages on.
    for (const patches of [[], ['no-global-pages']])
      assert.deepEqual(counts(run(patches, [there], ['PGE'])), { CR3_FLUSH: 3, CR4_WRITE: 2 });
  });

  it('a flush is a hypercall for each page', () =>
    assert.deepEqual(counts(run([], [drop(5)])), { CR3_FLUSH: 6 + 2 * 5, CR4_WRITE: 4 + 2 * 5, INVLPG: 5 }));

  it('in batches it is one for each 21 pages', () => {
    for (const [pages, calls] of [
      [5, 1],
      [21, 1],
      [22, 2],
    ] as const)
      assert.deepEqual(counts(run(['batched-flush'], [drop(pages)])), {
        ...{ CR3_FLUSH: 6 + 2 * calls, CR4_WRITE: 4 + 2 * calls, INVLPG: pages },
      });
  });

  it('more than 33 pages are one full flush by the hypervisor', () =>
    assert.deepEqual(counts(run([], [drop(34)])), { CR3_FLUSH: 6 + 2, CR4_WRITE: 4 + 2 + 2 }));

  it('what an NMI finds on the guest root goes back there', () => {
    const nmi: Step = { kind: 'enter', by: 'nmi' };
    assert.deepEqual(counts(run([], [nmi])), { CR3_FLUSH: 6, CR4_WRITE: 4 });
  });

  it('no stale use in a guest that drops, switches and touches', () => {
    for (const patches of [[], ['no-global-pages'], ['batched-flush'], ['no-global-pages', 'batched-flush']])
      for (const features of [['XPTI', 'PGE'], ['PGE'], []]) {
        const world = run(
          patches,
          [
            ...[touch, drop(4), touch, { kind: 'switch', space: 'b' } as const, touch, drop(8)],
            ...[{ kind: 'switch', space: 'a' } as const, touch, drop(40), touch],
          ],
          features,
        );
        assert.deepEqual(world.staleUses, []);
      }
  });
});
