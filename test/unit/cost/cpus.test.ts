/** A function run on every CPU of a mask: what only the CPU that asked does, what only the others do. */
import { strict as assert } from 'node:assert';
import { differentCpus, cpuBehind, cpuKey, thisCpu, whereRuns } from '../../../src/cost/cpus';
import { parse, print } from '../../../src/cost/polynomial';
import { ValueSpace } from '../../../src/cost/values';
import { patchOf, priced, shown } from './support';

/** A callback with the test `test` around one more flush, run by `call`. */
const shootdown = (test: string, call: string, mark = 'smp_processor_id()'): string =>
  patchOf(
    'arch/x86/mm/tq.c',
    `
 static void tq_run(void *data)
 {
 	struct tq_job *job = data;
 
 	asm volatile("invlpg (%0)" : : "r" (job->addr) : "memory");
+	if (${test})
+		invpcid_flush_one(1, job->addr);
 }
 
 void tq_shoot(struct cpumask *mask, unsigned long addr)
 {
 	struct tq_job *job = this_cpu_ptr(&tq_jobs);
 
 	job->addr = addr;
 	job->asker = ${mark};
 	${call}
 }`,
  );

async function root(patch: string) {
  const { roots } = (await priced(patch, { features: ['INVPCID'] })).total.patches[0]!;
  assert.deepEqual(roots.map(({ function: name }) => name), ['tq_shoot']); // prettier-ignore
  const [only] = roots;
  return { delta: shown(only!.delta), other: only!.other && shown(only!.other.delta) };
}

const everyone = 'on_each_cpu_mask(mask, tq_run, job, 1);';

describe('the CPU that asks and those that are asked', function () {
  this.timeout(60_000);

  for (const [test, count] of [
    ['job->asker == smp_processor_id()', '1'],
    ['smp_processor_id() == job->asker', '1'],
    ['!(job->asker != raw_smp_processor_id())', '1'],
    ['job->asker != smp_processor_id()', 'c'],
    ['smp_processor_id() != job->asker', 'c'],
  ] as const)
    it(`${test}: ${count}`, async () => {
      assert.deepEqual(await root(shootdown(test, everyone)), {
        delta: { INVPCID_ADDR: count },
        other: null,
      });
    });

  it('get_cpu() gives the same number', async () => {
    const patch = shootdown('job->asker == smp_processor_id()', everyone, 'get_cpu()');
    assert.deepEqual((await root(patch)).delta, { INVPCID_ADDR: '1' });
  });

  it('a call that leaves this CPU out never runs the part of the one that asked', async () => {
    const call = 'smp_call_function_many(mask, tq_run, job, 1);';
    assert.deepEqual((await root(shootdown('job->asker == smp_processor_id()', call))).delta, {});
    assert.deepEqual((await root(shootdown('job->asker != smp_processor_id()', call))).delta, {
      INVPCID_ADDR: 'c',
    });
  });

  // A condition that is not settled and guards the changed line is taken so that the line is reached.
  for (const test of ['==', '!='])
    it(`one CPU by its number may be this one or another: ${test} is not settled`, async () => {
      const call = 'smp_call_function_single(cpumask_first(mask), tq_run, job, 1);';
      assert.deepEqual(await root(shootdown(`job->asker ${test} smp_processor_id()`, call)), {
        delta: { INVPCID_ADDR: '1' },
        other: null,
      });
    });

  it('a number that is not known is not compared: on each CPU it may be this one', async () => {
    const patch = shootdown('job->asker == smp_processor_id()', everyone, 'tq_owner');
    const { delta, other } = await root(patch);
    assert.deepEqual([delta, other === null], [{ INVPCID_ADDR: 'c+1' }, false]);
  });

  it('a run that does not ask for its CPU counts as before', async () => {
    assert.deepEqual((await root(shootdown('1', everyone))).delta, { INVPCID_ADDR: 'c+1' });
  });
});

describe('where a function runs', () => {
  const parts = (text: string) => whereRuns(parse(text)!).map(({ cpu, count }) => `${cpu} ${print(count)}`);

  it('is split by c', () => {
    assert.deepEqual(parts('c+1'), ['here 1', 'elsewhere c']);
    assert.deepEqual(parts('c'), ['elsewhere c']);
    assert.deepEqual(parts('1'), ['either 1']);
  });

  it('only a CPU and one that it asked are known to differ', () => {
    const space = new ValueSpace();
    const number = (cpu: string) => space.symbol('cpu', cpuKey(cpu));
    const asked = cpuBehind(thisCpu, 'elsewhere');
    const twice = cpuBehind(asked, 'elsewhere');
    const either = cpuBehind(thisCpu, 'either');
    assert.equal(differentCpus(number(thisCpu), number(asked)), true);
    assert.equal(differentCpus(number(asked), number(twice)), true);
    // It may have asked the first one.
    assert.equal(differentCpus(number(thisCpu), number(twice)), false);
    assert.equal(differentCpus(number(thisCpu), number(either)), false);
    assert.notEqual(cpuBehind(either, 'elsewhere'), either);
    assert.equal(cpuBehind(asked, 'here'), asked);
  });
});
