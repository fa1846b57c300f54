/** New scenario files: valid by both checkers, and what they expect holds. */
import { strict as assert } from 'node:assert';
import { Ajv } from 'ajv';
import { parse, type ParseError } from 'jsonc-parser/lib/esm/main.js';
import schema from '../../../schemas/scenario.schema.json';
import { findMachine, defaultMachineId } from '../../../src/machine/registry';
import { checkScenario } from '../../../src/scenario/check';
import { describeScenario } from '../../../src/scenario/describe';
import { runScenario } from '../../../src/scenario/run';
import { scenarioTemplates } from '../../../src/scenario/templates';
import { variantTree, worldBooter } from '../../../src/scenario/variants';
import { loadParser } from '../code/c/support';

const accepts = new Ajv({ allErrors: false, keywords: ['allowTrailingCommas'] }).compile(schema);
const options = { title: 'A "quoted" title', appliesTo: ['arch/x86/mm/tlb.c', 'flush_tlb_mm_range'] };

describe('templates of scenarios', () => {
  before(loadParser);

  for (const template of scenarioTemplates) {
    it(`${template.id} is valid by the schema and by the checker`, () => {
      const text = template.text(options);
      const errors: ParseError[] = [];
      const value: unknown = parse(text, errors, { allowTrailingComma: true });
      assert.deepEqual(errors, []);
      assert.ok(accepts(value), JSON.stringify(accepts.errors));
      const described = describeScenario(text);
      assert.ok(described.ok, JSON.stringify(described));
      assert.equal(described.info.title, options.title);
      assert.deepEqual(described.info.appliesTo, options.appliesTo);
    });

    it(`${template.id} keeps what it expects`, () => {
      const checked = checkScenario(template.text(options));
      assert.ok(checked.ok);
      const runs = [
        ...runScenario(checked.scenario, {
          machine: findMachine(defaultMachineId)!,
          boot: worldBooter(),
          treeOf: variant => variantTree('linux', variant),
        }),
      ];
      for (const run of runs)
        assert.deepEqual(
          run.expect.filter(({ ok }) => !ok),
          [],
          `${run.variant} ${JSON.stringify(run.parameters)} ${run.why.join()}`,
        );
      assert.ok(runs.every(run => run.expect.length > 0));
    });
  }

  it('take no path or name as JSON', () => {
    const hostile = { title: '","kernel":"x', appliesTo: ['"] , [', '\\', '*/ // \u2028'] };
    const described = describeScenario(scenarioTemplates[0]!.text(hostile));
    assert.ok(described.ok);
    assert.deepEqual(described.info.appliesTo, hostile.appliesTo);
  });
});
