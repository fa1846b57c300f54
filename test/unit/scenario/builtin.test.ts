/** The built-in scenarios, run: counts derived by hand from the protocol, and the same bytes twice. */
import { strict as assert } from 'node:assert';
import { defaultMachineId, findMachine } from '../../../src/machine/registry';
import { builtinScenarios } from '../../../src/scenario/builtin';
import { compareRuns } from '../../../src/scenario/compare';
import { checkScenario } from '../../../src/scenario/check';
import type { Scenario } from '../../../src/scenario/model';
import type { RunResult } from '../../../src/scenario/run';
import { runScenario, ScenarioError } from '../../../src/scenario/run';
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
  const own = scenario.machine === null ? machine : findMachine(scenario.machine)!;
  return [
    ...runScenario(scenario, {
      ...{ machine: own, variants, boot },
      treeOf: one => variantTree(scenario.kernel, one),
    }),
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

  it('deferred: the second half of each page goes by INVLPG on the way out, up to the ceiling', () => {
    // The loop of the way out ends with LFENCE; the CR3 write before it keeps bit 63, so nothing else is flushed.
    for (const run of runs('madvise-one-thread', ['deferred', 'no-deferral-on-shootdown'])) {
      const n = run.parameters['n']!;
      const expected: Record<string, number> =
        n <= 33
          ? { CR3_NOFLUSH: 2, CR3_READ: 2, INVLPG: 2 * n, LFENCE: 1 }
          : { CR3_FLUSH: 2, CR3_NOFLUSH: 1, CR3_READ: 3 };
      assert.deepEqual(countsOf(run), expected, `${run.variant}, n = ${n}`);
    }
  });

  it('3/3: the initiator of a shootdown uses INVPCID at once, the responders defer', () => {
    for (const run of runs('madvise-threads', ['no-deferral-on-shootdown'])) {
      const n = run.parameters['n']!;
      const c = run.parameters['c']!;
      const initiator: Record<string, number> = c > 0 ? { INVPCID_ADDR: n } : {};
      const ways = c > 0 ? c : 1;
      assert.deepEqual(
        countsOf(run),
        withoutZeros({
          CR3_NOFLUSH: 2 * (c + 1),
          CR3_READ: 2 * (c + 1),
          INVLPG: n * (c + 1) + n * ways,
          ...initiator,
          IPI: c,
          IPI_WAIT: Number(c > 0),
          LFENCE: ways,
        }),
        `n = ${n}, c = ${c}`,
      );
    }
  });

  it('a range that is left behind by a switch is no range of the process that comes back', () => {
    const scenario = scenarioNamed('switch-with-pending-range');
    const patches = ['range-interface', 'deferred-user-flush'];
    const tree = new Map(variantTree('linux', { name: 'x', patches, line: 0 }));
    const path = 'arch/x86/mm/tlb.c';
    const mark = 'this_cpu_write(cpu_tlbstate.user_flush_end, TLB_FLUSH_ALL);';
    const text = tree.get(path)!;
    const at = text.indexOf(mark);
    const before = text.slice(0, at);
    assert.ok(
      before.lastIndexOf('void switch_mm_irqs_off') > before.lastIndexOf('static void clear_asid_other'),
    );
    tree.set(path, `${before};${text.slice(at + mark.length)}`);
    const [first] = scenario.variants.filter(({ name }) => name === 'deferred');
    const run = [
      ...runScenario(scenario, { machine, boot, variants: [first!.name], treeOf: () => tree }),
    ][0]!;
    assert.equal(run.verdict, 'stale-data');
    assert.match(run.why[0]!, /at 0x7f0000000000/);
  });

  it('the exit without a stack writes CR3 with a flush instead of the deferred range', () => {
    for (const run of runs('no-stack-exit', ['deferred'])) {
      assert.equal(run.counts['CR3_FLUSH'], 1);
      assert.equal(run.counts['INVLPG'], run.parameters['n']);
      assert.equal(run.counts['LFENCE'], undefined);
    }
  });

  it('compares variants under the same parameters', () => {
    const all = runs('madvise-one-thread', ['base', 'deferred']);
    const [first] = compareRuns(all);
    assert.deepEqual(
      [first!.before, first!.after, first!.parameters, first!.counts],
      ['base', 'deferred', { n: 1 }, { INVLPG: 1, INVPCID_ADDR: -1, LFENCE: 1 }],
    );
    // INVLPG 120 and LFENCE 4.25 for an INVPCID of 258.
    assert.equal(first!.cycles, -133.75);
    assert.equal(compareRuns(all).length, 6);
  });

  it('a deadlock is a verdict, and what was counted until then is no result', () => {
    const text = JSON.stringify({
      ...{ title: 'Two barriers', kernel: 'linux', cpus: 2, spaces: { a: { pages: 4 } } },
      tasks: [
        { cpu: 0, steps: [{ barrier: { name: 'x' } }, { barrier: { name: 'x' } }] },
        { cpu: 1, steps: [{ barrier: { name: 'x' } }] },
      ],
      expect: [
        { what: 'verdict', is: 'deadlock' },
        { what: 'INVLPG', is: 0 },
      ],
    });
    const checked = checkScenario(text);
    assert.ok(checked.ok);
    const [run] = runScenario(checked.scenario, { machine, boot, treeOf: one => variantTree('linux', one) });
    assert.equal(run!.verdict, 'deadlock');
    assert.equal(run!.cycles.low, null);
    assert.deepEqual(
      run!.expect.map(({ ok }) => ok),
      [true, false],
    );
  });

  it('a tree that forgets the flush is caught', () => {
    const path = 'arch/x86/mm/tlb.c';
    const head = 'void flush_tlb_mm_range(';
    const forgetful = new Map(variantTree('linux', { name: 'base', patches: [], line: 0 }));
    const code = forgetful.get(path)!;
    assert.ok(code.includes(head));
    const nothing = `${head}struct mm_struct *mm, unsigned long start, unsigned long end,\n\t\t\tunsigned int stride_shift, bool freed_tables)\n{\n}\n`;
    forgetful.set(path, code.replace(head, 'void tq_unused_flush(') + nothing);
    const text = JSON.stringify({
      ...{ title: 'Dropped, and used', kernel: 'linux', cpus: 1, spaces: { a: { pages: 4 } } },
      tasks: [{ cpu: 0, warm: 2, steps: [{ madvise: { pages: 2 } }, { touch: { from: 1 } }] }],
      expect: [{ what: 'verdict', is: 'stale-data' }],
    });
    const checked = checkScenario(text);
    assert.ok(checked.ok);
    const [bad] = runScenario(checked.scenario, { machine, boot, treeOf: () => forgetful });
    assert.equal(bad!.verdict, 'stale-data');
    assert.match(bad!.why[0]!, /^stale-data on CPU 0 at 0x7f0000001000: /);
    assert.equal(bad!.expect[0]!.ok, true);
    const [good] = runScenario(checked.scenario, { machine, boot, treeOf: one => variantTree('linux', one) });
    assert.equal(good!.verdict, 'safe');
    assert.equal(good!.expect[0]!.ok, false);
  });

  it('a patch that the tree does not have is a message at its line', () => {
    const variant = { name: 'x', patches: ['nothing'], line: 12 };
    assert.throws(
      () => variantTree('linux', variant),
      (error: unknown) =>
        error instanceof ScenarioError && error.line === 12 && error.message.startsWith("no patch 'nothing'"),
    );
  });

  it('a feature that the machine lacks: the run stops at the instruction, and says which', () => {
    const scenario = scenarioNamed('madvise-one-thread');
    const [run] = runScenario(scenario, {
      ...{ machine: findMachine('ivy-bridge-i5-3550')!, variants: ['base'], boot },
      treeOf: one => variantTree(scenario.kernel, one),
    });
    assert.equal(run!.verdict, 'fault');
    assert.match(run!.why.join('; '), /#UD.*; Ivy Bridge lacks INVPCID, which this run has on$/);
    // Counted until then: the first INVLPG ran.
    assert.equal(run!.counts['INVLPG'], 1);
    assert.deepEqual([run!.cycles.total, run!.cycles.low, run!.cycles.dominant], [null, null, null]);
  });

  it('an operation without a price makes the total unknown, with a lower bound', () => {
    const figures = Object.fromEntries(
      Object.entries(machine.figures).filter(([id]) => id !== 'control_register_read'),
    );
    const scenario = scenarioNamed('madvise-one-thread');
    const [run] = runScenario(scenario, {
      ...{ machine: { ...machine, figures }, variants: ['base'], boot },
      treeOf: one => variantTree(scenario.kernel, one),
    });
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
