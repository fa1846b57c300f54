/**
 * Bugs that kernels have had, put into the model: each is found by a run that the model itself passes. The programs
 * follow from the bug: who caches what, and who may use it when.
 */
import assert from 'node:assert/strict';
import { bootWorld } from '../../../src/kernel/boot';
import { lowerKernel, type LoweredTree } from '../../../src/kernel/lower';
import { modelTree } from '../../../src/kernel/tree';
import type { Step, WorldOptions } from '../../../src/kernel/world';
import { defaultMachine } from '../../../src/machine/registry';
import { loadParser } from '../code/c/support';
import { ptiFeatures, start } from './support';

type Edit = readonly [path: string, from: string, to: string];

const pages = 64;
const barrier = (name: string): Step => ({ kind: 'barrier', name });
const touch = (count: number, from = 0): Step => ({
  ...{ kind: 'touch', start: start + BigInt(from * 4096), pages: count, write: true },
});
const again = (times: number, count: number): Step => ({ kind: 'repeat', times, steps: [touch(count)] });
const madvise = (count: number, from = 0): Step => ({
  ...{ kind: 'madvise', start: start + BigInt(from * 4096), pages: count },
});
const nothing: Step = { kind: 'enter', by: 'syscall' };
const reclaim = (count: number): Step => ({ kind: 'reclaim', space: 'a', start, pages: count });

/** Both programs: user code goes on through the first page while CPU 0 works. */
const inTheMeantime = (work: Step, ...others: Step[][]): Step[][] => [
  [barrier('go'), work],
  [barrier('go'), again(800, 1)],
  ...others.map(steps => [barrier('go'), ...steps]),
];
/** CPU 0 works, then CPU 1 uses all pages. */
const afterwards = (work: Step[], before: Step[] = [], back: Step[] = []): Step[][] => [
  [barrier('go'), ...work, barrier('done')],
  [...before, barrier('go'), barrier('done'), ...back, touch(pages)],
];

interface Mutant {
  readonly bug: string;
  readonly edits: readonly Edit[];
  readonly programs: Step[][];
  readonly kind: string;
  readonly options?: Partial<WorldOptions>;
}

const spaceB = { name: 'b', regions: [{ start, pages: 4 }] };
const tlb = 'arch/x86/mm/tlb.c';
const lazy: Step = { kind: 'lazy' };
const toA: Step = { kind: 'switch', space: 'a' };

const mutants: readonly Mutant[] = [
  {
    bug: 'pages are freed while the request to flush is on its way',
    edits: [
      [tlb, 'flush_tlb_func, (void *)info, true, cpumask)', 'flush_tlb_func, (void *)info, false, cpumask)'],
    ],
    programs: inTheMeantime(madvise(1)),
    kind: 'stale-data',
  },
  {
    bug: 'two madvise at once: the second finds nothing to flush and returns before the first has flushed',
    edits: [['mm/mmu_gather.c', 'if (mm_tlb_flush_nested(tlb->mm)) {', 'if (0) {']],
    programs: inTheMeantime(madvise(pages), [nothing, madvise(1)]),
    kind: 'stale-data',
  },
  {
    bug: 'madvise of what reclaim has taken and not flushed yet',
    edits: [['mm/memory.c', '	flush_tlb_batched_pending(mm);\n', '']],
    programs: inTheMeantime(reclaim(pages), [nothing, madvise(1)]),
    kind: 'stale-data',
  },
  {
    bug: 'reclaim frees pages before its flush',
    edits: [
      ['mm/rmap.c', '		try_to_unmap_flush();\n		for', '		for'],
      ['mm/rmap.c', '			put_frame(pfn);\n		}\n', '			put_frame(pfn);\n		}\n		try_to_unmap_flush();\n'],
    ],
    programs: inTheMeantime(reclaim(4)),
    kind: 'stale-data',
  },
  {
    bug: 'reclaim forgets the CPUs of the space',
    edits: [
      [
        'arch/x86/include/asm/tlbflush.h',
        '	cpumask_or(&batch->cpumask, &batch->cpumask, mm_cpumask(mm));\n',
        '	cpumask_set_cpu(smp_processor_id(), &batch->cpumask);\n',
      ],
    ],
    programs: inTheMeantime(reclaim(4)),
    kind: 'stale-data',
  },
  {
    bug: 'the generation is not raised',
    edits: [[tlb, 'new_tlb_gen = inc_mm_tlb_gen(mm);', 'new_tlb_gen = atomic64_read(&mm->context.tlb_gen);']],
    programs: afterwards([madvise(8)]),
    kind: 'stale-data',
  },
  {
    bug: 'a CPU that is no longer lazy does not look at the generation',
    edits: [[tlb, '		smp_mb();\n		next_tlb_gen', '		return;\n		next_tlb_gen']],
    programs: afterwards([madvise(8)], [lazy], [toA]),
    kind: 'stale-data',
  },
  {
    bug: 'a switch back into a slot does not look at the generation',
    edits: [
      [
        tlb,
        '*need_flush = this_cpu_read(cpu_tlbstate.ctxs[slot].tlb_gen) < next_tlb_gen;',
        '*need_flush = false;',
      ],
    ],
    programs: afterwards([madvise(8)], [{ kind: 'switch', space: 'b' }], [toA]),
    kind: 'stale-data',
    options: { spaces: [{ name: 'a', regions: [{ start, pages }] }, spaceB] },
  },
  {
    bug: 'a switch between threads of a process takes the CPU out of the mask',
    edits: [
      [
        tlb,
        '	if (real_prev == next) {\n',
        '	if (real_prev == next) {\n		cpumask_clear_cpu(cpu, mm_cpumask(next));\n',
      ],
    ],
    programs: afterwards([madvise(8)], [toA]),
    kind: 'stale-data',
  },
  {
    bug: 'the exit reads that a flush is owed, and does not pay',
    edits: [
      [
        'arch/x86/entry/calling.h',
        '	btr	\\scratch_reg2, OWED\n	jmp	.Lload_user_cr3_\\@\n',
        '	btr	\\scratch_reg2, OWED\n',
      ],
    ],
    programs: afterwards([madvise(40)]),
    kind: 'stale-data',
  },
  {
    bug: 'a range that leaves out its last page',
    edits: [
      [
        'mm/mmu_gather.c',
        'flush_tlb_mm_range(tlb->mm, tlb->start, tlb->end,',
        'flush_tlb_mm_range(tlb->mm, tlb->start, tlb->end - PAGE_SIZE,',
      ],
    ],
    programs: afterwards([madvise(8)]),
    kind: 'stale-data',
  },
  {
    bug: 'fork takes the right to write, and does not flush',
    edits: [['kernel/fork.c', '	flush_tlb_mm(oldmm);\n', '']],
    programs: afterwards([{ kind: 'fork', into: 'child' }]),
    kind: 'stale-perm',
    options: {
      spaces: [
        { name: 'a', regions: [{ start, pages }] },
        { name: 'child', regions: [] },
      ],
    },
  },
];

const lowered = new Map<string, LoweredTree>();

/** The model with replacements of text, each of which is there once. */
function treeWith(name: string, edits: readonly Edit[]): LoweredTree {
  let found = lowered.get(name);
  if (found) return found;
  const tree = modelTree();
  for (const [path, from, to] of edits) {
    const parts = tree.get(path)!.split(from);
    assert.equal(parts.length, 2, `${path}: ${from}`);
    tree.set(path, parts.join(to));
  }
  lowered.set(name, (found = lowerKernel(tree)));
  return found;
}

/** Kinds of stale use in one run; how it ended, if not well. */
function kinds(tree: LoweredTree, programs: Step[][], options: Partial<WorldOptions> = {}): string[] {
  const world = bootWorld(
    {
      ...{
        tree: modelTree(),
        machine: defaultMachine(),
        cpus: programs.length,
        features: new Set(ptiFeatures),
      },
      spaces: [{ name: 'a', regions: [{ start, pages }] }],
      programs: programs.map(steps => [touch(pages), ...steps]),
      ...options,
    },
    tree,
  );
  world.run(5_000_000);
  const { verdict } = world.ending;
  return [
    ...new Set([...world.staleUses.map(one => one.verdict), ...(verdict === 'finished' ? [] : [verdict])]),
  ];
}

describe('bugs that kernels have had', function () {
  this.timeout(120_000);
  before(loadParser);

  for (const { bug, edits, programs, kind, options } of mutants)
    it(bug, () => {
      assert.deepEqual(kinds(treeWith('model', []), programs, options), []);
      assert.deepEqual(kinds(treeWith(bug, edits), programs, options), [kind]);
    });

  describe('mprotect of what reclaim has taken and not flushed yet', () => {
    const forgetful: Edit = ['mm/mprotect.c', '	flush_tlb_batched_pending(vma->vm_mm);\n', ''];
    const programs = inTheMeantime(reclaim(pages), [
      nothing,
      { kind: 'mprotect', start, pages: 1, writable: false },
    ]);

    it('ends the task that writes to it afterwards', () =>
      assert.deepEqual(kinds(treeWith('model', []), programs), ['fault']));

    it('lets it write where the flush is forgotten', () =>
      assert.equal(kinds(treeWith('mprotect forgets', [forgetful]), programs)[0], 'stale-perm'));
  });
});
