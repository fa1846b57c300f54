/** The built-in scenarios, run: counts derived by hand from the protocol, and the same bytes twice. */
import { strict as assert } from 'node:assert';
import { defaultMachineId, findMachine } from '../../../src/machine/registry';
import { builtinScenarios } from '../../../src/scenario/builtin';
import { checkScenario } from '../../../src/scenario/check';
import type { Scenario } from '../../../src/scenario/model';
import type { RunResult } from '../../../src/scenario/run';
import { runScenario } from '../../../src/scenario/run';
import { traceLines } from '../../../src/scenario/traceLines';
import { variantTree, worldBooter } from '../../../src/scenario/variants';
import { loadParser } from '../code/c/support';

const machine = findMachine(defaultMachineId)!;
const boot = worldBooter();

function scenarioNamed(name: string): Scenario {
  const checked = checkScenario(builtinScenarios.find(one => one.name === name)!.text);
  assert.ok(checked.ok, name);
  return checked.scenario;
}

function runs(name: string, variants: readonly string[] = []): RunResult[] {
  const scenario = scenarioNamed(name);
  return [
    ...runScenario(scenario, { machine, variants, boot, treeOf: one => variantTree(scenario.kernel, one) }),
  ];
}

/** The counts of a run, without ATOMIC: how many locked instructions mm code takes is no matter of TLBs. */
function countsOf(run: RunResult): Record<string, number> {
  return Object.fromEntries(Object.entries(run.counts).filter(([name]) => name !== 'ATOMIC'));
}

const withoutZeros = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

describe('the built-in scenarios', function () {
  this.timeout(60_000);
  before(loadParser);

  for (const { name } of builtinScenarios)
    it(`${name} keeps what it expects`, () => {
      const scenario = scenarioNamed(name);
      assert.ok(scenario.expect.length > 0 && scenario.appliesTo.length > 0);
      for (const run of runs(name)) {
        const failed = run.expect.filter(({ ok }) => !ok);
        assert.deepEqual(failed, [], `${run.variant} ${JSON.stringify(run.parameters)} ${run.why.join()}`);
      }
    });

  it('madvise of one thread: each page twice; above 33 a CR3 write, and one on the way out', () => {
    // In and out of the kernel under PTI: CR3 is read and written without a flush, each once.
    for (const run of runs('madvise-one-thread', ['base'])) {
      const n = run.parameters['n']!;
      const expected: Record<string, number> =
        n <= 33
          ? { CR3_NOFLUSH: 2, CR3_READ: 2, INVLPG: n, INVPCID_ADDR: n }
          : { CR3_FLUSH: 2, CR3_NOFLUSH: 1, CR3_READ: 3 };
      assert.deepEqual(countsOf(run), expected, `n = ${n}`);
    }
  });

  it('madvise with threads: every responder does the same, an IPI each, one wait', () => {
    for (const run of runs('madvise-threads', ['base'])) {
      const n = run.parameters['n']!;
      const c = run.parameters['c']!;
      const cpus = c + 1;
      assert.deepEqual(
        countsOf(run),
        withoutZeros({
          CR3_NOFLUSH: 2 * cpus,
          CR3_READ: 2 * cpus,
          INVLPG: n * cpus,
          INVPCID_ADDR: n * cpus,
          IPI: c,
          IPI_WAIT: Number(c > 0),
        }),
        `n = ${n}, c = ${c}`,
      );
    }
  });

  it('an operation without a price makes the total unknown, with a lower bound', () => {
    const [run] = runs('madvise-one-thread', ['base']);
    assert.equal(run!.cycles.total, null);
    assert.equal(run!.cycles.byOperation['CR3_READ'], null);
    assert.ok(run!.cycles.low! > 0);
    assert.deepEqual(
      run!.unknown.map(({ name }) => name),
      ['CR3_READ'],
    );
  });

  it('give the same bytes twice, traces too', () => {
    const once = (): string => {
      const scenario = scenarioNamed('madvise-threads');
      const small = {
        ...scenario,
        parameters: [
          { name: 'n', values: [2] },
          { name: 'c', values: [3] },
        ],
      };
      let text = '';
      const treeOf = (one: Scenario['variants'][number]) => variantTree(scenario.kernel, one);
      for (const result of runScenario(small, {
        ...{ machine, variants: ['base'], boot, treeOf, trace: true },
        ran: (_, world, index) => void (text += [...traceLines(world, index)].join('')),
      }))
        text += JSON.stringify(result);
      return text;
    };
    const first = once();
    assert.ok(first.split('\n').length > 100);
    assert.equal(first, once());
  });

  it('every event of a trace has its keys, in order', () => {
    const scenario = scenarioNamed('refill');
    const small = {
      ...scenario,
      parameters: [
        { name: 'n', values: [2] },
        { name: 'w', values: [4] },
      ],
    };
    const treeOf = (one: Scenario['variants'][number]) => variantTree(scenario.kernel, one);
    const events: Record<string, unknown>[] = [];
    const settings = {
      ...{ machine, variants: ['base'], boot, treeOf, trace: true },
      ran: (_: RunResult, world: Parameters<typeof traceLines>[0], index: number) => {
        for (const line of traceLines(world, index)) events.push(JSON.parse(line) as Record<string, unknown>);
      },
    };
    assert.equal([...runScenario(small, settings)].length, 1);
    events.forEach((event, seq) => {
      assert.equal(event['seq'], seq);
      for (const key of ['cpu', 'cycles', 'line']) assert.equal(typeof event[key], 'number');
      for (const key of ['kind', 'file']) assert.equal(typeof event[key], 'string');
    });
    const invlpg = events.filter(({ kind, name }) => kind === 'operation' && name === 'INVLPG');
    assert.equal(invlpg.length, 2);
  });
});
