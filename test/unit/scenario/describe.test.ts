/** What an editor shows of a scenario file: its runs, the expectations that speak of each, and names that are not there. */
import { strict as assert } from 'node:assert';
import { describeScenario, mostListedRuns } from '../../../src/scenario/describe';
import { builtinScenarios } from '../../../src/scenario/builtin';
import { changed, sample, textOf } from './support';

/** `machine` and the variant's patch are names that exist. */
const told = (scenario: unknown) => {
  const described = describeScenario(textOf(scenario));
  assert.ok(described.ok, JSON.stringify(described));
  return described.info;
};

function mistakes(scenario: unknown): { line: string; message: string }[] {
  const text = textOf(scenario);
  const described = describeScenario(text);
  assert.ok(!described.ok);
  return described.diagnostics.map(({ line, message }) => ({
    line: text.split('\n')[line - 1]!.trim(),
    message,
  }));
}

describe('describing a scenario', () => {
  it('lists the runs in their order, parameters inside variants', () => {
    const { runs, runCount, variants } = told(sample());
    assert.deepEqual(variants, ['base', 'serial']);
    // Two variants, two values of n, three of c.
    assert.equal(runCount, 12);
    assert.deepEqual(runs[0], {
      variant: 'base',
      parameters: { n: 1, c: 0, one: 1 },
      expectations: [0, 1, 2],
    });
    assert.deepEqual(runs[1]!.parameters, { n: 1, c: 1, one: 1 });
    assert.equal(runs[6]!.variant, 'serial');
    assert.deepEqual(runs[6]!.expectations, [1, 2], 'the first speaks of base only');
  });

  it('leaves out expectations whose condition does not hold', () => {
    const { runs } = told(changed(['expect', 0, 'when'], 'n > 1'));
    assert.deepEqual(runs[0]!.expectations, [1, 2]);
    assert.deepEqual(runs[3]!.expectations, [0, 1, 2]);
  });

  it('says each expectation in one line, and where it stands', () => {
    const { expectations } = told(sample());
    assert.deepEqual(
      expectations.map(({ text }) => text),
      ['INVLPG of CPU 0 == n in base when n <= 33', 'cycles <= 100000, cycles >= 1', 'verdict == safe'],
    );
    const lines = textOf(sample()).split('\n');
    assert.deepEqual(
      expectations.map(({ line }) => lines[line]!.trim()),
      ['"what": "INVLPG",', '"what": "cycles",', '"what": "verdict",'],
    );
  });

  it('finds names that are not there, at their lines', () => {
    assert.deepEqual(mistakes(changed(['kernel'], 'plan9')), [
      { line: '"kernel": "plan9",', message: "no kernel tree 'plan9'; there are linux, xen" },
    ]);
    const [machine] = mistakes(changed(['machine'], 'pdp-11'));
    assert.equal(machine!.line, '"machine": "pdp-11",');
    assert.match(machine!.message, /^no machine 'pdp-11'; there are .*skylake-sp-8160/);
    const [patch] = mistakes(changed(['variants', 'serial'], ['nothing']));
    assert.match(patch!.line, /^"serial": \[/);
    assert.match(patch!.message, /^no patch 'nothing' of the tree 'linux'/);
  });

  it('finds patches that do not apply on each other', () => {
    const [found] = mistakes(changed(['variants', 'serial'], ['deferred-user-flush']));
    assert.match(found!.message, /^deferred-user-flush does not apply to arch\/x86/);
  });

  it('lists a bounded number of runs', () => {
    const many = changed(['parameters', 'n'], { from: 1, to: 300 });
    const { runs, runCount } = told(changedPages(many));
    assert.equal(runCount, 1800);
    assert.equal(runs.length, mostListedRuns);
  });

  it('knows all that is built in', () => {
    for (const { name, text } of builtinScenarios) assert.ok(describeScenario(text).ok, name);
  });
});

/** Room for 300 pages in the space and its steps. */
function changedPages(scenario: Record<string, unknown>): Record<string, unknown> {
  const spaces = scenario['spaces'] as Record<string, { pages: unknown }>;
  spaces['a']!.pages = 400;
  return scenario;
}
