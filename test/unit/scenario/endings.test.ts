/** Runs that cannot come to an end, or meet what cannot be known: a verdict with its place, and no figures. */
import { strict as assert } from 'node:assert';
import { defaultMachineId, findMachine } from '../../../src/machine/registry';
import { checkScenario } from '../../../src/scenario/check';
import { runScenario, type RunResult } from '../../../src/scenario/run';
import { variantTree, worldBooter } from '../../../src/scenario/variants';
import { loadParser } from '../code/c/support';

const machine = findMachine(defaultMachineId)!;
const tlb = 'arch/x86/mm/tlb.c';

/** Two threads that drop pages at the same time, on a tree with a piece of its TLB code replaced. */
function run(replace: string, by: string): { result: RunResult; line: number } {
  const checked = checkScenario(
    JSON.stringify({
      ...{ title: 'Two at once', kernel: 'linux', cpus: 2, spaces: { a: { pages: 8 } } },
      features: ['PTI', 'PCID', 'INVPCID', 'PGE'],
      tasks: [0, 1].map(cpu => ({
        ...{ cpu, warm: 8 },
        steps: [{ barrier: { name: 'go' } }, { madvise: { from: 4 * cpu, pages: 2 } }],
      })),
      expect: [{ what: 'INVLPG', atLeast: 0 }],
    }),
  );
  assert.ok(checked.ok);
  const tree = new Map(variantTree('linux', { name: 'x', patches: [], line: 0 }));
  const text = tree.get(tlb)!;
  assert.ok(text.includes(replace));
  const changed = text.replace(replace, by);
  tree.set(tlb, changed);
  const [result] = runScenario(checked.scenario, { machine, boot: worldBooter(), treeOf: () => tree });
  const line = changed.split('\n').findIndex(one => one.includes('/* here */')) + 1;
  return { result: result!, line };
}

describe('endings of runs', function () {
  this.timeout(120_000);
  before(loadParser);

  const send = '		flush_tlb_multi(mm_cpumask(mm), info);';
  const increment = '	new_tlb_gen = inc_mm_tlb_gen(mm);';

  function ends({ result, line }: { result: RunResult; line: number }, verdict: string, why: RegExp): void {
    assert.equal(result.verdict, verdict, result.why.join());
    assert.equal(result.complete, false);
    assert.match(result.why[0]!, why);
    if (line > 0) assert.ok(result.why[0]!.includes(`(${tlb}:${line})`), `${result.why[0]!}, line ${line}`);
    const { total, low, high, perCpu } = result.cycles;
    assert.deepEqual([total, low, high, ...perCpu], [null, null, null, null, null]);
    // What was counted until then is no result.
    assert.deepEqual(
      result.expect.map(({ ok, found }) => [ok, found]),
      [[false, null]],
    );
  }

  it('two CPUs that wait for each other with interrupts off: deadlock', () => {
    const stuck = run(send, `\t\tlocal_irq_disable();\n${send}\n\t\tlocal_irq_enable();`);
    ends({ ...stuck, line: 0 }, 'deadlock', /^deadlock on CPU 0: every CPU waits/);
    assert.match(stuck.result.why[0]!, /\(vm\/prelude\.c:\d+\)/);
  });

  it('a loop that changes nothing: deadlock', () => {
    ends(
      run(increment, `\twhile (1) /* here */\n\t\tcpu = cpu;\n${increment}`),
      'deadlock',
      /every CPU waits/,
    );
  });

  it('a loop that counts without end: unbounded', () => {
    const endless = run(increment, `\tfor (;;)\n\t\tmm->tlb_flush_pending.counter += 2; /* here */\n`);
    ends(endless, 'unbounded', /^unbounded on CPU \d: the budget of instructions/);
  });

  it('recursion without end: unbounded', () => {
    ends(
      run(
        increment,
        `\tflush_tlb_mm_range(mm, start, end, stride_shift, freed_tables); /* here */\n${increment}`,
      ),
      'unbounded',
      /too many calls|used up/,
    );
  });

  it('a callee that nobody defines: unknown, by name', () => {
    const lost = run(increment, `\ttq_nobody(mm); /* here */\n${increment}`);
    ends(lost, 'unknown', /^unknown on CPU \d: tq_nobody: /);
    assert.deepEqual(lost.result.unknown.map(({ name, file, line }) => [name, file, line])[0], [
      'tq_nobody',
      tlb,
      lost.line,
    ]);
  });

  it('a value that nobody sets: unknown', () => {
    const open = run(increment, `\tif (new_tlb_gen > 7) /* here */\n\t\treturn;\n${increment}`);
    ends(open, 'unknown', /new_tlb_gen/);
  });

  it('a null pointer: fault', () => {
    ends(
      run(increment, `\tinfo = NULL;\n\tinfo->mm = mm; /* here */\n${increment}`),
      'fault',
      /null pointer/,
    );
  });

  it('text that cannot be read: unknown', () => {
    const torn = run(increment, `\t)) new_tlb_gen = = ; /* torn */\n${increment}`);
    ends({ ...torn, line: 0 }, 'unknown', /^unknown on CPU \d: /);
    assert.equal(torn.result.unknown[0]!.file, tlb);
  });
});
