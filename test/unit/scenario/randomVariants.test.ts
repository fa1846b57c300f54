/** Early acknowledgement and broadcasts under random programs: never a stale use; a tree that forgets its part is caught. */
import { strict as assert } from 'node:assert';
import * as fc from 'fast-check';
import type { KernelTree } from '../../../src/kernel/world';
import { findMachine } from '../../../src/machine/registry';
import { checkScenario } from '../../../src/scenario/check';
import { runScenario } from '../../../src/scenario/run';
import { variantTree, worldBooter } from '../../../src/scenario/variants';
import { loadParser } from '../code/c/support';

const range = fc.record({ from: fc.nat(3), pages: fc.integer({ min: 1, max: 4 }) });
const step = fc.oneof(
  range.map(touch => [{ touch }]),
  range.map(one => [{ touch: { ...one, access: 'read' } }]),
  range.map(madvise => [{ madvise }]),
  range.map(one => [{ mprotect: { ...one, protection: 'read' } }]),
  range.map(one => [{ mprotect: { ...one, protection: 'read-write' } }]),
  range.map(one => [{ reclaim: { ...one, space: 'a' } }]),
  fc.constantFrom([{ enter: { by: 'nmi' } }], [{ enter: { by: 'interrupt' } }]),
  fc.constantFrom(
    [{ lazy: {} }, { switch: { space: 'a' } }],
    [{ switch: { space: 'b' } }, { touch: {} }, { switch: { space: 'a' } }],
  ),
);
const program = fc.array(step, { minLength: 1, maxLength: 5 }).map(parts => parts.flat());
/** Each space as long as its programs need it: who is through stays in user mode. */
const programs = (cpus: number) =>
  fc.record({ lists: fc.array(program, { minLength: cpus, maxLength: cpus }), seed: fc.integer({ min: 1, max: 1_000 }) }); // prettier-ignore

interface Setting {
  readonly machine: string;
  readonly features: readonly string[];
  readonly cpus: number;
}
const acknowledged: Setting = { machine: 'haswell', features: ['PTI', 'PCID', 'INVPCID', 'PGE'], cpus: 3 };
const broadcast: Setting = { machine: 'zen3', features: ['PCID', 'INVPCID', 'PGE', 'INVLPGB'], cpus: 5 };

/** When all are through, each uses what it has cached. */
const afterAll = [{ barrier: { name: 'end' } }, { touch: { pages: 8, access: 'read' } }];

const boot = worldBooter();

function verdict(
  tree: KernelTree,
  { machine, features, cpus }: Setting,
  lists: readonly object[][],
  seed: number,
): string {
  // prettier-ignore
  const text = JSON.stringify({
    ...{ title: 'Random', kernel: 'linux', cpus, seed, features },
    spaces: { a: { pages: 8 }, b: { pages: 4 } },
    tasks: lists.map((steps, cpu) => ({ cpu, warm: 4, steps: [...steps, ...afterAll] })),
    expect: [{ what: 'verdict', is: 'safe' }],
  });
  const checked = checkScenario(text);
  assert.ok(checked.ok, JSON.stringify(checked));
  const [run] = runScenario(checked.scenario, { machine: findMachine(machine)!, boot, treeOf: () => tree });
  return `${run!.verdict} ${run!.why.join('; ')}`;
}

/** The tree with one piece of its code replaced. */
function mutated(patch: string, from: string, to: string): KernelTree {
  const path = 'arch/x86/mm/tlb.c';
  const tree = new Map(variantTree('linux', { name: patch, patches: [patch], line: 0 }));
  const code = tree.get(path)!;
  assert.ok(code.includes(from), from);
  return tree.set(path, code.replace(from, to));
}

const explore = (tree: KernelTree, setting: Setting, numRuns: number) =>
  fc.check(
    fc.property(programs(setting.cpus), ({ lists, seed }) => {
      // A write to a page that may only be read ends the task: that is the program's own fault.
      const found = verdict(tree, setting, lists, seed);
      assert.match(found, /^(safe|fault) /, found);
    }),
    { numRuns, seed: 7 },
  );

describe('variants under random programs', function () {
  this.timeout(120_000);
  before(loadParser);
  const tree = (name: string): KernelTree => variantTree('linux', { name, patches: [name], line: 0 });

  it('early-acknowledgement: no stale use', () => {
    const { failed, counterexample } = explore(tree('early-acknowledgement'), acknowledged, 150);
    assert.ok(!failed, JSON.stringify(counterexample));
  });

  it('broadcast-flush: no stale use, while CPUs move to the common slot and after', () => {
    const { failed, counterexample } = explore(tree('broadcast-flush'), broadcast, 150);
    assert.ok(!failed, JSON.stringify(counterexample));
  });

  it('broadcast-flush: CPUs that have not moved yet are not reached by broadcasts', () => {
    const forgetful = mutated('broadcast-flush', 'WRITE_ONCE(mm->context.asid_transition, true);', ';');
    assert.ok(explore(forgetful, broadcast, 400).failed);
  });

  it('broadcast-flush: without the broadcast nobody drops anything', () => {
    const forgetful = mutated('broadcast-flush', '\t\tbroadcast_flush(info);\n', '');
    assert.ok(explore(forgetful, broadcast, 400).failed);
  });

  it('early-acknowledgement: who answers and does not flush is caught', () => {
    const forgetful = mutated(
      'early-acknowledgement',
      'smp_call_function_done(f->initiating_cpu);',
      '{ smp_call_function_done(f->initiating_cpu); return; }',
    );
    assert.ok(explore(forgetful, acknowledged, 400).failed);
  });
});
