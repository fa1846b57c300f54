import assert from 'node:assert/strict';
import fc from 'fast-check';
import { History } from '../../../src/vm/history';
import { Trace } from '../../../src/vm/trace';
import type { Vm } from '../../../src/vm/vm';
import { loadParser } from '../code/c/support';
import { callHandlers, lowered, machineFor, prelude } from './support';

const text = `
struct cpumask { unsigned long bits[]; };
unsigned long tq_total;
DEFINE_PER_CPU(unsigned long, tq_seen);
static void tq_func(void *info) { this_cpu_add(tq_seen, (unsigned long)info); atomic64_inc(&tq_total); }
void tq_work(unsigned long n)
{
	unsigned long local[4];
	unsigned long i;

	for (i = 0; i < n; i++) {
		local[i & 3] = i;
		WRITE_ONCE(tq_total, tq_total + local[i & 3]);
		if ((i & 15) == 0)
			on_each_cpu(tq_func, (void *)i, 1);
	}
}
`;

describe('stepping back', () => {
  before(loadParser);

  const start = (): Vm => {
    const task = [{ function: 'tq_work', args: [400n] }];
    return machineFor([lowered(text)], {
      cpus: 3,
      tasks: [task, task],
      handlers: callHandlers,
      link: { replacing: [prelude()] },
      trace: new Trace(),
    });
  };

  it('equals running from the start, at random positions, in any order', () => {
    const vm = start();
    const history = new History(vm, { interval: 500 });
    history.run(10_000_000);
    assert.equal(vm.ending.verdict, 'finished');
    const total = vm.steps;
    assert.ok(total > 20_000 && history.snapshots > 40);
    const end = vm.hash();
    // What running from the start gives: one machine that only goes forward.
    const positions = [...new Set(fc.sample(fc.nat(total), { numRuns: 1000, seed: 7 }))].sort(
      (a, b) => a - b,
    );
    const forward = start();
    const expected = new Map(
      positions.map(steps => {
        forward.run(steps - forward.steps);
        return [
          steps,
          { hash: forward.hash(), situation: forward.hash('situation'), events: forward.trace!.position },
        ];
      }),
    );
    const shuffled = fc.sample(fc.shuffledSubarray(positions, { minLength: positions.length }), {
      numRuns: 1,
      seed: 3,
    })[0]!;
    for (const steps of shuffled) {
      history.goToStep(steps);
      const { hash, situation, events } = expected.get(steps)!;
      assert.equal(vm.steps, steps);
      assert.equal(vm.hash(), hash);
      assert.equal(vm.hash('situation'), situation);
      assert.equal(vm.trace!.position, events);
    }
    history.run(10_000_000);
    assert.equal(vm.hash(), end);
    assert.equal(vm.trace!.recorded, forward.trace!.recorded + forwardRest(forward));
  });

  const forwardRest = (vm: Vm): number => {
    const before = vm.trace!.recorded;
    vm.run(10_000_000);
    return vm.trace!.recorded - before;
  };

  it('goes to an event: the instruction that caused it has just run', () => {
    const vm = start();
    const history = new History(vm, { interval: 1000 });
    history.run(10_000_000);
    const trace = vm.trace!;
    for (const seq of [0, 1, 777, trace.recorded - 2, 50, 1501, 1500]) {
      history.goToEvent(seq);
      assert.ok(trace.position > seq, `${trace.position} after ${seq} of ${trace.recorded}`);
      const { position } = trace;
      const after = vm.hash();
      const steps = vm.steps;
      history.goToStep(steps - 1);
      assert.ok(trace.position <= seq, `${trace.position} ${seq}`);
      history.run(1);
      assert.equal(vm.hash(), after);
      assert.equal(trace.position, position);
    }
  });

  it('drops snapshots when they take too much', () => {
    const vm = start();
    const history = new History(vm, { interval: 100, bytes: 300_000 });
    history.run(10_000_000);
    assert.ok(history.snapshots < 80, String(history.snapshots));
    history.goToStep(12_345);
    const forward = start();
    forward.run(12_345);
    assert.equal(vm.hash(), forward.hash());
  });
});

describe('snapshots', () => {
  before(loadParser);

  it('bring back the whole state', () => {
    const task = [{ function: 'tq_work', args: [50n] }];
    const vm = machineFor([lowered(text)], {
      ...{ cpus: 2, tasks: [task], handlers: callHandlers, link: { replacing: [prelude()] } },
    });
    vm.run(500);
    const snapshot = vm.snapshot();
    const hash = vm.hash();
    assert.ok(vm.equals(snapshot));
    vm.run(300);
    assert.ok(!vm.equals(snapshot));
    vm.restore(snapshot);
    assert.equal(vm.hash(), hash);
  });

  it('of situations that differ only in dead registers are equal', () => {
    const c = `
unsigned long tq_a(unsigned long n) { unsigned long t = n * 3; tq_end(); return 1; }
void tq_end(void) { cpu_relax(); }
`;
    const at = (n: bigint): Vm => {
      const vm = machineFor([lowered(c)], { tasks: [[{ function: 'tq_a', args: [n] }]] });
      while (vm.ending.verdict === 'running' && !vm.trace!.recorded) vm.run(1);
      vm.run(4);
      return vm;
    };
    const [one, other] = [at(5n), at(6n)];
    assert.notEqual(one.hash(), other.hash());
    assert.equal(one.hash('situation'), other.hash('situation'));
  });
});
