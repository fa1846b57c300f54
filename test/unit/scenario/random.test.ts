/** Random scenarios on the model kernel: always a verdict or a message, the same each time, and never a stale use. */
import { strict as assert } from 'node:assert';
import * as fc from 'fast-check';
import { defaultMachineId, findMachine } from '../../../src/machine/registry';
import { checkScenario } from '../../../src/scenario/check';
import { runScenario, ScenarioError, type RunResult } from '../../../src/scenario/run';
import { variantTree, worldBooter } from '../../../src/scenario/variants';
import { loadParser } from '../code/c/support';

const machine = findMachine(defaultMachineId)!;
const boot = worldBooter();
const patches = ['range-interface', 'deferred-user-flush', 'no-deferral-on-shootdown'];
const trees = [[], patches].map(names => variantTree('linux', { name: 'x', patches: names, line: 0 }));

const range = fc.record({ from: fc.nat(3), pages: fc.integer({ min: 1, max: 4 }) });
const step = fc.oneof(
  range.map(touch => ({ touch })),
  range.map(one => ({ touch: { ...one, access: 'read' } })),
  range.map(madvise => ({ madvise })),
  range.map(one => ({ madvise: { ...one, exit: 'nostack' } })),
  range.map(one => ({ mprotect: { ...one, protection: 'read' } })),
  range.map(one => ({ mprotect: { ...one, protection: 'read-write' } })),
  range.map(one => ({ reclaim: { ...one, space: 'a' } })),
  fc.constantFrom({ enter: { by: 'nmi' } }, { enter: { by: 'interrupt' } }, { enter: { by: 'paranoid' } }),
  fc.constantFrom({ nmi: { cpu: 0 } }, { nmi: { cpu: 1 } }),
);
/** Away and back, so that what follows may use the space again. */
const detour = fc.constantFrom(
  [{ lazy: {} }, { switch: { space: 'a' } }],
  [{ switch: { space: 'b' } }, { touch: {} }, { switch: { space: 'a' } }],
);
/** Work of several calls in one entry, with a switch away and back at times. */
const inner = fc.oneof(
  range.map(madvise => ({ madvise })),
  range.map(one => ({ mprotect: { ...one, protection: 'read-write', each: 1 } })),
  range.map(one => ({ reclaim: { ...one, space: 'a' } })),
  fc.constantFrom({ enter: { by: 'nmi' } }, { enter: { by: 'interrupt' } }, { enter: { by: 'paranoid' } }),
);
const entry = fc
  .record({
    by: fc.constantFrom('syscall', 'interrupt', 'paranoid'),
    steps: fc.array(inner, { minLength: 1, maxLength: 4 }),
    away: fc.boolean(),
  })
  .map(({ by, steps: work, away }) =>
    away && by !== 'paranoid'
      ? [
          { enter: { by, steps: [...work, { switch: { space: 'b' } }] } },
          { touch: {} },
          { switch: { space: 'a' } },
        ]
      : [{ enter: { by, steps: work } }],
  );
const steps = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: step.map(one => [one]) },
      { weight: 1, arbitrary: detour },
      { weight: 2, arbitrary: entry },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map(lists => lists.flat());

describe('random scenarios', function () {
  this.timeout(120_000);
  before(loadParser);

  it('end with a verdict, the same twice', () => {
    const verdicts = new Map<string, number>();
    fc.assert(
      fc.property(fc.tuple(steps, steps), fc.integer({ min: 1, max: 1000 }), ([first, second], seed) => {
        const text = JSON.stringify({
          ...{ title: 'Random', kernel: 'linux', cpus: 2, seed, features: ['PTI', 'PCID', 'INVPCID', 'PGE'] },
          spaces: { a: { pages: 8 }, b: { pages: 8 } },
          tasks: [
            { cpu: 0, warm: 4, steps: first },
            { cpu: 1, warm: 4, steps: second },
          ],
        });
        const checked = checkScenario(text);
        assert.ok(checked.ok);
        for (const tree of trees) {
          const once = (): RunResult[] => [
            ...runScenario(checked.scenario, { machine, boot, treeOf: () => tree }),
          ];
          const [run] = once();
          assert.deepEqual(once(), [run]);
          verdicts.set(run!.verdict, (verdicts.get(run!.verdict) ?? 0) + 1);
          // Writing to what mprotect made read-only is a fault of the random program.
          assert.ok(['safe', 'fault'].includes(run!.verdict), `${run!.why.join()}\n${text}`);
        }
      }),
      { numRuns: 25, seed: 5 },
    );
    assert.ok(verdicts.get('safe')! > 10, JSON.stringify([...verdicts]));
  });

  it('a kernel without its variables is refused with a reason', () => {
    const checked = checkScenario(
      '{"title":"x","kernel":"linux","cpus":1,"spaces":{"a":{"pages":1}},"tasks":[{"cpu":0,"steps":[{"touch":{}}]}]}',
    );
    assert.ok(checked.ok);
    const torn = new Map(trees[0]);
    torn.set('arch/x86/mm/tlb.c', '}}} ((');
    assert.throws(
      () => [...runScenario(checked.scenario, { machine, boot, treeOf: () => torn })],
      (error: unknown) => error instanceof ScenarioError && /no per-CPU 'cpu_tlbstate'/.test(error.message),
    );
  });
});
