/** A kernel tree of the user's own: Linux 6.1 with the model around it, and made-up trees that lack something. */
import { strict as assert } from 'node:assert';
import { modelTree } from '../../../src/kernel/tree';
import { userTree } from '../../../src/kernel/userTree';
import type { KernelTree } from '../../../src/kernel/world';
import { defaultMachineId, findMachine } from '../../../src/machine/registry';
import { readPatch } from '../../../src/patch/read';
import { builtinScenarios } from '../../../src/scenario/builtin';
import { checkScenario } from '../../../src/scenario/check';
import type { Scenario } from '../../../src/scenario/model';
import { runScenario, ScenarioError, type RunResult, type RunSettings } from '../../../src/scenario/run';
import { reviewedTree, underReview, userVariantTree, worldBooter } from '../../../src/scenario/variants';
import { loadParser } from '../code/c/support';
import { hasTree, treeFiles } from '../vm/linuxTree';
import { countedNames, expectedCounts, featureSets, namesOf } from './counts';

const machine = findMachine(defaultMachineId)!;
const tlb = 'arch/x86/mm/tlb.c';
/** Lowers a tree once for all tests that follow each other on it. */
const boot = worldBooter();

/** A scenario, its variants replaced by one that is the tree as it is. */
function scenarioOf(text: string): Scenario {
  const checked = checkScenario(text);
  assert.ok(checked.ok);
  return { ...checked.scenario, variants: [{ name: 'tree', patches: [], line: 0 }] };
}

const builtin = (name: string): Scenario => scenarioOf(builtinScenarios.find(one => one.name === name)!.text);

const runs = (scenario: Scenario, tree: KernelTree, more: Partial<RunSettings> = {}): RunResult[] => [
  ...runScenario(scenario, {
    ...{ machine: findMachine(scenario.machine ?? '') ?? machine, boot, treeOf: () => tree, ...more },
  }),
];

const one = JSON.stringify({
  ...{ title: 'Dropped, and used elsewhere', kernel: './linux', cpus: 2, spaces: { a: { pages: 8 } } },
  features: ['PTI', 'PCID', 'INVPCID', 'PGE'],
  tasks: [
    { cpu: 0, warm: 4, steps: [{ madvise: { pages: 2 } }, { barrier: { name: 'x' } }] },
    { cpu: 1, warm: 4, steps: [{ barrier: { name: 'x' } }, { touch: { pages: 2 } }] },
  ],
});

describe('Linux 6.1 as the kernel tree', function () {
  this.timeout(120_000);
  let tree: KernelTree;

  before(async function () {
    if (!hasTree()) {
      console.log('      no tree: run node scripts/linux-source.mjs');
      return this.skip();
    }
    await loadParser();
    tree = userTree(treeFiles())!;
  });

  it('flushes as stated independently, for every set of features', () => {
    const scenario = builtin('madvise-one-thread');
    for (const has of featureSets)
      for (const run of runs(scenario, tree, { features: namesOf(has) })) {
        const found = Object.fromEntries(countedNames.map(name => [name, run.counts[name] ?? 0]));
        assert.equal(run.verdict, 'safe');
        assert.deepEqual(found, expectedCounts(run.parameters['n']!, has, false));
      }
  });

  // A Linux tree is no hypervisor.
  for (const { name } of builtinScenarios.filter(one => builtin(one.name).kernel !== 'xen'))
    it(`${name}: what the scenario expects of every variant holds`, () => {
      for (const run of runs(builtin(name), tree)) {
        assert.deepEqual([run.verdict, run.complete], ['safe', true], run.why.join());
        assert.deepEqual(
          run.expect.filter(({ ok }) => !ok),
          [],
        );
      }
    });

  it('its own kernel/smp.c calls other CPUs, when it is asked for', () => {
    const own = userTree(treeFiles(), true)!;
    for (const name of ['madvise-threads', 'freed-tables', 'lazy-cpus', 'reclaim-batch', 'fork-cow'])
      for (const run of runs(builtin(name), own)) {
        assert.deepEqual([run.verdict, run.complete], ['safe', true], run.why.join());
        // It waits by looking at each request, which is no operation.
        const failed = run.expect.filter(({ ok, text }) => !ok && !text.startsWith('IPI_WAIT'));
        assert.deepEqual(failed, []);
        assert.equal(run.counts['IPI_WAIT'], undefined);
        const from = (file: string): string[] =>
          run.sources.filter(source => source.file === file).map(source => source.from);
        assert.deepEqual([from('kernel/smp.c'), from('vm/prelude.c')], [['tree'], []]);
        assert.ok(run.assumed.some(text => text.startsWith('kernel/smp.c waits')));
      }
    assert.equal(userTree(new Map([[tlb, '']]), true), null);
  });

  it('says whose the files are', () => {
    const [run] = runs(scenarioOf(one), tree);
    const from = (file: string): string[] =>
      run!.sources.filter(one => one.file === file).map(source => source.from);
    assert.deepEqual(from(tlb), ['tree']);
    assert.deepEqual(from('arch/x86/entry/calling.h'), ['tree']);
    assert.deepEqual(from('mm/madvise.c'), ['model']);
    assert.deepEqual(from('vm/prelude.c'), ['built in']);
  });

  it('is run before and after a patch; what the patch breaks is found', () => {
    // The request of a flush gets no generation of its own: nobody flushes.
    const line = 'new_tlb_gen = inc_mm_tlb_gen(mm);';
    const number = tree
      .get(tlb)!
      .split('\n')
      .findIndex(text => text.trim() === line);
    assert.ok(number >= 0);
    const patch = readPatch(
      [
        ...[`--- a/${tlb}`, `+++ b/${tlb}`, `@@ -${number + 1} +${number + 1} @@`],
        ...[`-\t${line}`, '+\tnew_tlb_gen = atomic64_read(&mm->context.tlb_gen);', ''],
      ].join('\n'),
    ).files;
    const [before, after] = [
      ...runScenario(underReview(scenarioOf(one)), {
        ...{ machine, boot, touched: [tlb, 'mm/mmu_gather.c'] },
        treeOf: ({ name }) => (name === 'after' ? reviewedTree(tree, patch) : tree),
      }),
    ];
    assert.equal(before!.verdict, 'safe');
    assert.equal(after!.verdict, 'stale-data');
    assert.match(after!.why[0]!, /^stale-data on CPU 1 at 0x7f0000000000/);
    assert.ok(
      after!.notes.includes('not run: the patch changes mm/mmu_gather.c, which takes no part in this run'),
    );
  });

  it('a patch that was made for another tree is refused with its hunk', () => {
    const patch = readPatch(
      [`--- a/${tlb}`, `+++ b/${tlb}`, '@@ -1,2 +1 @@', ' tq_nothing', '-tq_like_this', ''].join('\n'),
    ).files;
    assert.throws(
      () => reviewedTree(tree, patch),
      (error: unknown) =>
        error instanceof ScenarioError &&
        error.message ===
          `line 3: the patch does not apply to hunk 1 of ${tlb}: its 2 old lines are not found near line 1`,
    );
    assert.throws(() => reviewedTree(modelTree(), patch), /made for: give that as --tree DIR$/);
  });
});

describe('a tree that is no whole kernel', function () {
  this.timeout(60_000);
  before(loadParser);

  /** The model's TLB code and headers, without the rest; `change` makes it another's. */
  const partial = (change: (text: string) => string): KernelTree => {
    const files = new Map([...modelTree()].filter(([path]) => path === tlb || path.endsWith('.h')));
    files.set(tlb, change(files.get(tlb)!));
    const tree = userTree(files)!;
    assert.ok(tree.rest);
    return tree;
  };

  it('runs its TLB code', () => {
    const [run] = runs(
      scenarioOf(one),
      partial(text => text.replace('ceiling = 33', 'ceiling = 1')),
    );
    assert.equal(run!.verdict, 'safe');
    assert.deepEqual([run!.counts['INVLPG'], run!.counts['CR3_FLUSH']], [undefined, 4]);
  });

  it('ends unknown, with the place, where it calls what nobody defines', () => {
    const mark = 'new_tlb_gen = inc_mm_tlb_gen(mm);';
    const tree = partial(text => text.replace(mark, `tq_elsewhere(mm);\n\t${mark}`));
    const [run] = runs(scenarioOf(one), tree);
    assert.equal(run!.verdict, 'unknown');
    const line =
      tree
        .get(tlb)!
        .split('\n')
        .findIndex(text => text.includes('tq_elsewhere')) + 1;
    assert.deepEqual(run!.unknown[0], {
      ...{ name: 'tq_elsewhere', file: tlb, line },
      why: run!.unknown[0]!.why,
    });
    assert.equal(run!.cycles.low, null);
  });

  it('the CR3 macros of the entry code are the tree’s, if it has those that are needed', () => {
    const header = 'arch/x86/entry/calling.h';
    const exits = builtin('ways-out');
    const small = { ...exits, parameters: [{ name: 'n', values: [2] }] };
    const runWith = (text: string): RunResult => {
      const files = new Map([...modelTree()].filter(([path]) => path === tlb || path.endsWith('.h')));
      files.set(header, text);
      return runs(small, userTree(files)!)[0]!;
    };
    const from = ({ sources }: RunResult): string | undefined =>
      sources.find(({ file }) => file === header)?.from;
    const text = modelTree().get(header)!;
    assert.equal(from(runWith(text)), 'tree');
    // Later kernels call it so; the paranoid exit still comes back to user mode.
    const renamed = runWith(text.replace('.macro RESTORE_CR3', '.macro PARANOID_RESTORE_CR3'));
    assert.equal(from(renamed), 'tree');
    assert.deepEqual([renamed.verdict, renamed.counts['CR3_NOFLUSH']], ['safe', 10]);
    const other = runWith(text.replace('.macro SWITCH_TO_KERNEL_CR3', '.macro TQ_TO_KERNEL'));
    assert.notEqual(from(other), 'tree');
    assert.equal(other.verdict, 'safe');
  });

  it('never runs the model’s TLB code instead of the tree’s', () => {
    const only = (text: string): KernelTree => userTree(new Map([[tlb, text]]))!;
    const unread = /no per-CPU 'cpu_tlbstate'/;
    for (const text of ['', '}}} ((', '\0\u00ff'.repeat(500)])
      assert.throws(
        () => runs(scenarioOf(one), only(text)),
        (error: unknown) => error instanceof ScenarioError && unread.test(error.message),
      );
    const hollow = partial(text => text.replace('void flush_tlb_mm_range(', 'void tq_other_range('));
    const [run] = runs(scenarioOf(one), hollow);
    assert.deepEqual([run!.verdict, run!.unknown[0]!.name], ['unknown', 'flush_tlb_mm_range']);
    assert.ok(!run!.sources.some(({ file, from }) => file === tlb && from !== 'tree'));
  });

  it('a folder without TLB code is none; a copy of the model runs as it is', () => {
    assert.equal(userTree(new Map([['mm/memory.c', '']])), null);
    assert.deepEqual(userTree(modelTree()), modelTree());
  });

  it('patches of its variants are files; those of the model are not for it', () => {
    const tree = partial(text => text);
    const patch = [
      ...[`--- a/${tlb}`, `+++ b/${tlb}`, '@@ -10 +10 @@'],
      ...['-unsigned long tlb_single_page_flush_ceiling = 33;'],
      ...['+unsigned long tlb_single_page_flush_ceiling = 1;', ''],
    ].join('\n');
    const variant = (name: string) => ({ name: 'x', patches: [name], line: 7 });
    const changed = userVariantTree(tree, variant('./one.patch'), () => patch);
    assert.match(changed.get(tlb)!, /ceiling = 1;/);
    assert.match(tree.get(tlb)!, /ceiling = 33;/);
    assert.throws(
      () => userVariantTree(tree, variant('serial-flush'), () => ''),
      (error: unknown) =>
        error instanceof ScenarioError && error.line === 7 && /is a patch of the model/.test(error.message),
    );
  });
});
