/** Several CPUs: interrupts, calls on other CPUs, locks, deadlocks, the same run for the same seed. */
import assert from 'node:assert/strict';
import { loadParser } from '../code/c/support';
import { callHandlers, lowered, machineFor, prelude, resultOf } from './support';
import type { Setup } from './support';
import type { Vm } from '../../../src/vm/vm';

const shoot = `
struct cpumask { unsigned long bits[]; };
struct tq_info { unsigned long value; };
struct tq_info tq_info;
struct cpumask tq_mask;
DEFINE_PER_CPU(unsigned long, tq_seen);
static void tq_func(void *info)
{
	struct tq_info *i = info;
	this_cpu_write(tq_seen, i->value + smp_processor_id());
}
static bool tq_odd(int cpu, void *info) { return cpu & 1; }
unsigned long tq_all(unsigned long v)
{
	tq_info.value = v;
	on_each_cpu(tq_func, &tq_info, 1);
	return per_cpu(tq_seen, 1) + per_cpu(tq_seen, 2);
}
void tq_some(unsigned long v, unsigned long mask)
{
	tq_info.value = v;
	tq_mask.bits[0] = mask;
	on_each_cpu_cond_mask(tq_odd, tq_func, &tq_info, true, &tq_mask);
}
unsigned long tq_spin(int n) { unsigned long s = 0; while (n-- > 0) s += n; return s; }
`;

const shooting = (setup: Setup): Vm =>
  machineFor([lowered(shoot)], { handlers: callHandlers, link: { replacing: [prelude()] }, ...setup });

describe('several CPUs on the VM', () => {
  before(loadParser);

  it('calls a function on every CPU and waits for it, while others compute', () => {
    const spin = [{ function: 'tq_spin', args: [200n] }];
    const vm = shooting({ cpus: 3, tasks: [[{ function: 'tq_all', args: [100n] }], spin, spin] });
    assert.equal(resultOf(vm), 101n + 102n);
    assert.equal(vm.result(1), 19900n);
    assert.equal(vm.read(['tq_seen'], 0), 100n);
  });

  it('interrupts idle CPUs too, and only those that the condition names', () => {
    const vm = shooting({ cpus: 4, tasks: [[{ function: 'tq_some', args: [50n, 0b1101n] }]] });
    resultOf(vm);
    assert.deepEqual(
      [0, 1, 2, 3].map(cpu => vm.read(['tq_seen'], cpu)),
      [0n, 0n, 0n, 53n],
    );
  });

  it('lets a CPU go on until an interrupt that is on its way arrives, however much its sender has done before', () => {
    const text = `
struct cpumask { unsigned long bits[]; };
struct cpumask tq_mask;
unsigned long tq_count, tq_sent, tq_taken;
static bool tq_ask(int cpu, void *info) { tq_sent = tq_count; return true; }
static void tq_take(void *info) { tq_taken = tq_count; }
void tq_go(int n) { while (n-- > 0) tq_count++; }
void tq_ping(int n)
{
	unsigned long done = 0;
	while (n-- > 0) done++;
	tq_mask.bits[0] = 2;
	on_each_cpu_cond_mask(tq_ask, tq_take, NULL, true, &tq_mask);
}
`;
    for (const n of [0n, 2_000n]) {
      const vm = machineFor([lowered(text)], {
        ...{ cpus: 2, hardware: {}, handlers: callHandlers, link: { replacing: [prelude()] } },
        tasks: [[{ function: 'tq_ping', args: [n] }], [{ function: 'tq_go', args: [20_000n] }]],
      });
      resultOf(vm);
      // A thousand cycles and more on the way: at one unit an instruction, at least 50 rounds of a short loop.
      assert.ok(vm.read(['tq_taken'])! - vm.read(['tq_sent'])! > 50n);
    }
  });

  it('lets two CPUs shoot at each other', () => {
    const vm = shooting({
      cpus: 3,
      tasks: [[{ function: 'tq_all', args: [100n] }], [{ function: 'tq_all', args: [200n] }]],
    });
    vm.run(1_000_000);
    assert.equal(vm.ending.verdict, 'finished');
  });

  it('calls two CPUs that wait for each other with interrupts off a deadlock', () => {
    const text = `
${shoot}
void tq_stuck(void) { local_irq_disable(); on_each_cpu(tq_func, &tq_info, 1); local_irq_enable(); }
`;
    const task = [{ function: 'tq_stuck' }];
    const vm = machineFor([lowered(text)], {
      ...{ cpus: 2, tasks: [task, task], handlers: callHandlers, link: { replacing: [prelude()] } },
    });
    vm.run(1_000_000);
    assert.equal(vm.ending.verdict, 'deadlock');
    assert.equal(vm.ending.position.function, 'vm_call_others');
  });

  it('says that nothing handles an interrupt, instead of dropping it', () => {
    const vm = shooting({ cpus: 3, tasks: [[{ function: 'tq_all', args: [1n] }]], handlers: new Map() });
    vm.run(1_000_000);
    assert.deepEqual([vm.ending.verdict, vm.ending.name], ['unknown', 'vector 1']);
  });

  it('takes an NMI with interrupts off, above all registers of what it interrupts', () => {
    const text = `
unsigned long tq_nmis;
void tq_nmi(void) { unsigned long a = 1, b = 2, c = 3; tq_nmis += a + b + c - 5; }
unsigned long tq_work(unsigned long a, unsigned long b)
{
	unsigned long s = 0, i;
	local_irq_disable();
	for (i = 0; i < 100; i++)
		s += a * i + b;
	local_irq_enable();
	return s;
}`;
    const vm = machineFor([lowered(text)], {
      tasks: [[{ function: 'tq_work', args: [3n, 5n] }]],
      handlers: new Map([[32, 'tq_nmi']]),
    });
    let taken = 0n;
    while (vm.run(41) === 41) {
      vm.machine.interrupts.raiseNmi(0);
      vm.core.poke(0);
      taken++;
    }
    assert.equal(vm.result(0), 3n * 4950n + 500n);
    const seen = vm.read(['tq_nmis'])!;
    assert.ok(seen > 10n && seen <= taken, `${seen} of ${taken}`);
  });

  it('keeps a counter under a spin lock, and not without', () => {
    const text = (lock: string, unlock: string): string => `
struct tq_lock { unsigned int v; };
struct tq_lock tq_lock;
unsigned long tq_n;
void tq_add(int times) { while (times-- > 0) { ${lock} tq_n = tq_n + 1; ${unlock} } }
`;
    const task = [{ function: 'tq_add', args: [50n] }];
    const total = (module: ReturnType<typeof lowered>, seed: number): bigint | null => {
      const vm = machineFor([module], { cpus: 4, tasks: [task, task, task, task], seed, quantum: 3 });
      vm.run(1_000_000);
      assert.equal(vm.ending.verdict, 'finished');
      return vm.read(['tq_n']);
    };
    const locked = lowered(text('spin_lock(&tq_lock);', 'spin_unlock(&tq_lock);'));
    for (const seed of [1, 2, 3]) assert.equal(total(locked, seed), 200n);
    const racing = lowered(text('', ''));
    assert.ok([1, 2, 3].some(seed => total(racing, seed)! < 200n));
    const atomic = lowered(text('', '').replace('tq_n = tq_n + 1', 'atomic64_inc(&tq_n)'));
    assert.equal(total(atomic, 1), 200n);
  });

  it('waits in a loop until another CPU stores, and knows when nobody will', () => {
    const text = `
unsigned long tq_flag;
void tq_wait(void) { while (!READ_ONCE(tq_flag)) cpu_relax(); }
void tq_bare(void) { while (!READ_ONCE(tq_flag)) ; }
void tq_set(void) { WRITE_ONCE(tq_flag, 1); }
`;
    const end = (functions: readonly string[]): string => {
      const tasks = functions.map(name => [{ function: name }]);
      const vm = machineFor([lowered(text)], { cpus: 2, tasks });
      vm.run(3_000_000);
      return vm.ending.verdict;
    };
    assert.equal(end(['tq_wait', 'tq_set']), 'finished');
    assert.equal(end(['tq_bare', 'tq_set']), 'finished');
    assert.equal(end(['tq_wait']), 'deadlock');
    assert.equal(end(['tq_bare', 'tq_wait']), 'deadlock');
  });

  it('waits with smp_cond_load_acquire for a condition on the value', () => {
    const text = `
unsigned int tq_lock;
unsigned int tq_wait(void) { return smp_cond_load_acquire(&tq_lock, (VAL & 2) && !(VAL & 1)); }
void tq_set(void) { WRITE_ONCE(tq_lock, 1); WRITE_ONCE(tq_lock, 3); WRITE_ONCE(tq_lock, 6); }
`;
    const wait = [{ function: 'tq_wait' }];
    const vm = machineFor([lowered(text)], { cpus: 2, tasks: [wait, [{ function: 'tq_set' }]] });
    assert.equal(resultOf(vm), 6n);
    const stuck = machineFor([lowered(text)], { cpus: 2, tasks: [wait] });
    stuck.run(10_000);
    assert.equal(stuck.ending.verdict, 'deadlock');
  });

  it('lets the caller choose the CPU of each instruction: every order of two increments is there', () => {
    const text = `
unsigned long tq_n;
void tq_add(void) { tq_n = tq_n + 1; }
`;
    const module = lowered(text);
    const task = [{ function: 'tq_add' }];
    const start = machineFor([module], { cpus: 2, tasks: [task, task], trace: null });
    const results = new Set<bigint | null>();
    const seen = new Set<string>();
    const open = [start.snapshot()];
    while (open.length > 0) {
      const state = open.pop()!;
      for (const cpu of [0, 1]) {
        start.restore(state);
        if (!start.stepCpu(cpu)) continue;
        const hash = start.hash('situation');
        if (seen.has(hash)) continue;
        seen.add(hash);
        open.push(start.snapshot());
        if (!start.canRun(0) && !start.canRun(1)) results.add(start.read(['tq_n']));
      }
    }
    assert.deepEqual([...results].sort(), [1n, 2n]);
    // Two CPUs at one of a few places each, in all orders, and no more.
    assert.ok(seen.size < 200, String(seen.size));
  });

  it('ends an endless computation at its budget, and endless recursion at its depth', () => {
    const text = `
unsigned long tq_n;
void tq_count(void) { for (;;) tq_n++; }
unsigned long tq_deep(unsigned long n) { return tq_deep(n + 1) + 1; }
`;
    for (const [name, why] of [
      ['tq_count', /budget/],
      ['tq_deep', /calls in calls/],
    ] as const) {
      const vm = machineFor([lowered(text)], {
        tasks: [[{ function: name, args: [0n], times: 1_000_000_000 }]],
        budget: 100_000,
      });
      vm.run(10_000_000);
      assert.equal(vm.ending.verdict, 'unbounded');
      assert.match(vm.ending.why, why);
      assert.equal(vm.ending.position.function, name);
    }
  });

  it('gives the same trace, byte for byte, for the same seed, stepped or straight; another for another', () => {
    const spin = [{ function: 'tq_spin', args: [300n] }];
    const tasks = [
      [{ function: 'tq_all', args: [7n], times: 5 }],
      [{ function: 'tq_all', args: [9n], times: 5 }],
      spin,
    ];
    const bytes = (seed: number, by: number): string => {
      const vm = shooting({ cpus: 3, tasks, seed });
      while (!vm.isOver) vm.run(by);
      assert.equal(vm.ending.verdict, 'finished');
      return [...vm.trace!.words()].map(words => Buffer.from(words.slice().buffer).toString('base64')).join();
    };
    const first = bytes(1, 1_000_000);
    assert.equal(bytes(1, 1), first);
    assert.equal(bytes(1, 13), first);
    assert.notEqual(bytes(2, 1_000_000), first);
  });
});
