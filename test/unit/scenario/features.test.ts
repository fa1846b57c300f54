/** One local flush of n pages by madvise, with and without PTI, PCID and INVPCID, below and above the ceiling. */
import { strict as assert } from 'node:assert';
import { defaultMachineId, findMachine } from '../../../src/machine/registry';
import { builtinScenarios } from '../../../src/scenario/builtin';
import { checkScenario } from '../../../src/scenario/check';
import { runScenario } from '../../../src/scenario/run';
import { variantTree, worldBooter } from '../../../src/scenario/variants';
import { loadParser } from '../code/c/support';
import { countedNames, expectedCounts, featureSets, namesOf } from './counts';

const machine = findMachine(defaultMachineId)!;

describe('counts by features', function () {
  this.timeout(60_000);
  before(loadParser);

  const text = builtinScenarios.find(({ name }) => name === 'madvise-one-thread')!.text;
  const boot = worldBooter();
  for (const variant of ['base', 'deferred'])
    for (const has of featureSets)
      it(`${variant}: ${[...namesOf(has)].join(', ')}`, () => {
        const checked = checkScenario(text);
        assert.ok(checked.ok);
        for (const run of runScenario(checked.scenario, {
          ...{ machine, boot, features: namesOf(has), variants: [variant] },
          treeOf: one => variantTree('linux', one),
        })) {
          const n = run.parameters['n']!;
          assert.equal(run.verdict, 'safe');
          const found = Object.fromEntries(countedNames.map(name => [name, run.counts[name] ?? 0]));
          assert.deepEqual(found, expectedCounts(n, has, variant === 'deferred'), `n = ${n}`);
        }
      });
});
