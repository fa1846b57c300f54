/** The verdicts of a run, each by a tree that earns it and one that does not: only the order of two steps differs. */
import assert from 'node:assert/strict';
import { bootWorld } from '../../../src/kernel/boot';
import { lowerKernel, type LoweredTree } from '../../../src/kernel/lower';
import { modelTree } from '../../../src/kernel/tree';
import type { Step, World, WorldOptions } from '../../../src/kernel/world';
import { defaultMachine } from '../../../src/machine/registry';
import { loadParser } from '../code/c/support';
import { boot, finish, ptiFeatures, start } from './support';

type Edit = readonly [path: string, from: string, to: string];

const lowered = new Map<string, LoweredTree>();

/** The model with replacements of text, each of which must be there once. */
function treeWith(name: string, edits: readonly Edit[]): LoweredTree {
  let found = lowered.get(name);
  if (found) return found;
  const tree = modelTree();
  for (const [path, from, to] of edits) {
    const text = tree.get(path)!;
    assert.equal(text.split(from).length, 2, `${path}: ${from}`);
    tree.set(
      path,
      text.replace(from, () => to),
    );
  }
  lowered.set(name, (found = lowerKernel(tree)));
  return found;
}

function run(tree: LoweredTree, options: Partial<WorldOptions>): World {
  const world = bootWorld(
    {
      ...{ tree: modelTree(), machine: defaultMachine(), cpus: 1, features: new Set(ptiFeatures) },
      ...{ spaces: [{ name: 'a', regions: [{ start, pages: 32 }] }], programs: [] },
      ...options,
    },
    tree,
  );
  return finish(world);
}

/** Kinds found with some seed. */
function kinds(tree: LoweredTree, options: Partial<WorldOptions>, seeds = 6): string[] {
  const found = new Set<string>();
  for (let seed = 1; seed <= seeds; seed++)
    for (const { verdict } of run(tree, { ...options, seed }).staleUses) found.add(verdict);
  return [...found].sort();
}

const base = (): LoweredTree => treeWith('base', []);

describe('verdicts (semantics 13)', function () {
  this.timeout(120_000);
  before(loadParser);

  describe('lost-dirty: a write through a dirty entry after the page was declared clean', () => {
    const write: Step = { kind: 'touch', start, pages: 32, write: true };
    const programs: Step[][] = [
      [write, { kind: 'barrier', name: 'dirty' }, { kind: 'reclaim', space: 'a', start, pages: 32 }],
      [write, { kind: 'barrier', name: 'dirty' }, { kind: 'repeat', times: 40, steps: [write] }],
    ];
    const early = (): LoweredTree =>
      treeWith('clean before the flush', [
        [
          'mm/rmap.c',
          '				taken[nr] = entry;\n',
          '				taken[nr] = entry;\n				frame_cleaned((entry & PTE_PFN_MASK) >> PAGE_SHIFT);\n',
        ],
      ]);

    it('is found where pages are cleaned before the flush', () =>
      assert.deepEqual(kinds(early(), { cpus: 2, programs }), ['lost-dirty']));

    it('is not where they are cleaned after it', () =>
      assert.deepEqual(kinds(base(), { cpus: 2, programs }), []));

    it('is not where nobody writes in between', () =>
      assert.deepEqual(
        kinds(early(), { cpus: 2, programs: [programs[0]!, [write, { kind: 'barrier', name: 'dirty' }]] }),
        [],
      ));

    it('reading through the entry loses nothing', () => {
      const read: Step = { kind: 'touch', start, pages: 32 };
      const reader: Step[] = [
        write,
        { kind: 'barrier', name: 'dirty' },
        { kind: 'repeat', times: 40, steps: [read] },
      ];
      assert.deepEqual(kinds(early(), { cpus: 2, programs: [programs[0]!, reader] }), []);
    });

    it('a write that sets the dirty bit anew is recorded', () => {
      // Cleaned while mapped, dirty bit cleared and flushed, as before a write-back: the next write walks.
      const tree = treeWith('write back', [
        [
          'mm/rmap.c',
          '		entry = ptep_get_and_clear(pte);\n		set_tlb_ubc_flush_pending(mm);\n',
          `		pte->pte = pte->pte & ~_PAGE_DIRTY;
		spin_unlock(&mm->page_table_lock);
		flush_tlb_mm(mm);
		frame_cleaned((pte->pte & PTE_PFN_MASK) >> PAGE_SHIFT);
		return 0;
`,
        ],
      ]);
      assert.deepEqual(kinds(tree, { cpus: 2, programs }), []);
    });
  });

  describe('spec-only: stale entries that only speculation in kernel code can use', () => {
    const programs: Step[][] = [[{ kind: 'madvise', start, pages: 2 }]];
    const options: Partial<WorldOptions> = { programs, speculation: true };
    const variant = (name: string, more: Partial<WorldOptions> = {}): string[] =>
      finish(
        boot(name, { spaces: [{ name: 'a', regions: [{ start, pages: 4 }] }], ...options, ...more }),
      ).staleUses.map(({ verdict }) => verdict);

    it('none where both PCIDs are flushed before the pages are freed', () => {
      assert.deepEqual(variant('base'), []);
      assert.deepEqual(
        variant('no-deferral-on-shootdown', { cpus: 2 }).filter(kind => kind !== 'spec-only'),
        [],
      );
    });

    it('between the CR3 write of the exit and its INVLPGs, where the flush of user mappings is deferred', () => {
      const world = boot('deferred-user-flush', {
        spaces: [{ name: 'a', regions: [{ start, pages: 4 }] }],
        ...options,
      });
      finish(world);
      assert.deepEqual(
        world.staleUses.map(({ verdict, cpu, address }) => [verdict, cpu, address]),
        [['spec-only', 0, start]],
      );
    });

    it('is not looked for, and nothing is cached by itself, without the option', () =>
      assert.deepEqual(variant('deferred-user-flush', { speculation: false }), []));

    it('speculation refills what was flushed before the entry was cleared: then user code uses it', () => {
      // Flush, then clear: accesses alone do not bring the entry back in between.
      const tree = treeWith('flush first', [
        [
          'mm/memory.c',
          '		entry = ptep_get_and_clear(pte);\n		__tlb_adjust_range(tlb, addr, PAGE_SIZE);\n',
          '		flush_tlb_mm(mm);\n		entry = ptep_get_and_clear(pte);\n',
        ],
      ]);
      const touching: Step[][] = [
        [
          { kind: 'madvise', start, pages: 2 },
          { kind: 'touch', start, pages: 2 },
        ],
      ];
      const found = (speculation: boolean): string[] =>
        run(tree, { programs: touching, speculation, features: new Set(['PCID', 'PGE']) }).staleUses.map(
          ({ verdict }) => verdict,
        );
      assert.ok(found(true).includes('stale-data'));
      assert.deepEqual(found(false), []);
    });

    it('too many pages are refused at the door', () =>
      assert.throws(
        () => run(base(), { speculation: true, spaces: [{ name: 'a', regions: [{ start, pages: 257 }] }] }),
        /256 pages at most/,
      ));
  });

  describe('runs that do not come to their end', () => {
    const ending = (name: string, statement: string, options: Partial<WorldOptions>): string => {
      const tree = treeWith(name, [
        ['mm/madvise.c', '	zap_page_range(mm, start', `	${statement}\n	zap_page_range(mm, start`],
      ]);
      const world = bootWorld(
        {
          ...{ tree: modelTree(), machine: defaultMachine(), cpus: 1, features: new Set(ptiFeatures) },
          ...{ spaces: [{ name: 'a', regions: [{ start, pages: 4 }] }], programs: [] },
          ...options,
        },
        tree,
      );
      world.run(2_000_000);
      const { verdict, name: about, position } = world.ending;
      return `${verdict} ${about} ${position.file}`;
    };
    const drop: Step = { kind: 'madvise', start, pages: 1 };
    const both: Step[] = [{ kind: 'barrier', name: 'both' }, drop];

    it('deadlock: two CPUs that wait for each other with interrupts off', () =>
      assert.match(
        ending('interrupts off', 'local_irq_disable();', { cpus: 2, programs: [both, both] }),
        /^deadlock /,
      ));

    it('fault: #GP by a CR3 write with bit 63 while PCIDE is clear (1.4)', () =>
      assert.equal(
        ending('no flush', 'asm volatile("mov %0,%%cr3" : : "r" (0x8000000000001000UL));', {
          features: new Set(['PGE']),
          programs: [[drop]],
        }),
        'fault #GP mm/madvise.c',
      ));

    it('unknown: a function that nothing defines is reached', () =>
      assert.equal(
        ending('unknown', 'tq_nowhere(mm);', { programs: [[drop]] }),
        'unknown tq_nowhere mm/madvise.c',
      ));

    it('unbounded: a loop that only counts', () =>
      assert.match(
        ending('endless', 'while (1) mm->tlb_flush_pending++;', { programs: [[drop]], budget: 100_000 }),
        /^unbounded /,
      ));
  });

  it('a stale use before the flush has returned is allowed (1.3)', () => {
    const use: Step = { kind: 'touch', start, pages: 32 };
    const programs: Step[][] = [
      [use, { kind: 'barrier', name: 'warm' }, { kind: 'mprotect', start, pages: 32, writable: false }],
      [use, { kind: 'barrier', name: 'warm' }, { kind: 'repeat', times: 20, steps: [use] }],
    ];
    assert.deepEqual(kinds(base(), { cpus: 2, programs }), []);
    const dropping = [[...programs[0]!.slice(0, 2), { ...use, kind: 'madvise' } as Step], programs[1]!];
    assert.deepEqual(kinds(base(), { cpus: 2, programs: dropping }), []);
  });

  describe("exposure: the direct map reaches a page that is the user's alone", () => {
    /** A page of the direct map that `madvise` takes away from the kernel, with a flush of one's own choice. */
    const xpfo = (name: string, clear: string, flush: string): LoweredTree =>
      treeWith(`direct map: ${name}`, [
        [
          'mm/madvise.c',
          'int do_madvise(struct mm_struct *mm, unsigned long start, unsigned long len, int behavior)\n{\n',
          `unsigned long world_kernel_access(unsigned long addr, unsigned long kind);
void direct_map_closed(unsigned long addr);
pte_t *alloc_to_pte(struct mm_struct *mm, unsigned long addr);
static void tq_local(void *info) { asm volatile("invlpg (%0)" ::"r" (info) : "memory"); }
static void tq_use(void *info) { world_kernel_access((unsigned long)info, 0); }
static void tq_unmap_page(struct mm_struct *mm, unsigned long kaddr)
{
	pte_t *pte = alloc_to_pte(mm, kaddr);

	pte->pte = 0x100000163;
	on_each_cpu(tq_use, (void *)kaddr, 1);
	${clear}
	${flush}
	direct_map_closed(kaddr);
}
int do_madvise(struct mm_struct *mm, unsigned long start, unsigned long len, int behavior)
{
	tq_unmap_page(mm, 0xffff888000000000UL);
`,
        ],
      ]);
    const kaddr = 0xffff_8880_0000_0000n;
    const cleared = 'pte->pte = 0;';
    const exposed = (name: string, clear: string, flush: string): number[] => {
      const world = bootWorld(
        {
          ...{ tree: modelTree(), machine: defaultMachine(), cpus: 3, features: new Set(['PCID', 'PGE']) },
          ...{ spaces: [{ name: 'a', regions: [{ start, pages: 2 }] }] },
          programs: [[{ kind: 'madvise', start, pages: 1 }]],
        },
        xpfo(name, clear, flush),
      );
      finish(world);
      for (const { verdict, address } of world.staleUses) {
        assert.equal(verdict, 'exposure');
        assert.equal(address, kaddr);
      }
      return world.staleUses.map(({ cpu }) => cpu);
    };
    const all = 'on_each_cpu(tq_local, (void *)kaddr, 1);';

    it('none where the entry is cleared and every CPU flushes', () =>
      assert.deepEqual(exposed('all', cleared, all), []));
    it('on the other CPUs where only one flushes', () =>
      assert.deepEqual(exposed('local', cleared, 'tq_local((void *)kaddr);'), [1, 2]));
    it('everywhere where the entry stays: flushing is useless', () =>
      assert.deepEqual(exposed('kept', '', all), [0, 1, 2]));
  });
});
