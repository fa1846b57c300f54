/** Rates of the VM, by processor time, on C of this file's own: on a machine without TLBs, and on the simulated hardware. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Bench, BenchRow } from './bench';
import { History } from '../../src/vm/history';
import { eventBytes, Trace } from '../../src/vm/trace';
import type { Vm } from '../../src/vm/vm';
import { loadParser } from '../unit/code/c/support';
import { callHandlers, lowered, machineFor, prelude } from '../unit/vm/support';

/** A flush in the shape of the kernel's: per-CPU state, a loop over addresses, calls, features. */
const text = `
struct cpumask { unsigned long bits[]; };
struct tq_ctx { u64 ctx_id; u64 tlb_gen; };
struct tq_state { struct tq_mm *loaded_mm; u16 asid; u16 mask; struct tq_ctx ctxs[6]; };
struct tq_mm { u64 ctx_id; u64 tlb_gen; struct cpumask cpus; };
struct tq_info { struct tq_mm *mm; unsigned long start, end; u64 gen; u8 shift; };
DEFINE_PER_CPU(struct tq_state, tq_state);
struct tq_mm tq_mm;
DEFINE_PER_CPU(struct tq_info, tq_info);
static u16 tq_pcid(u16 asid) { return asid + 1; }
static void tq_one(unsigned long addr)
{
	asm volatile("invlpg (%0)" ::"r" (addr) : "memory");
	if (!static_cpu_has(X86_FEATURE_PTI))
		return;
	__set_bit(tq_pcid(this_cpu_read(tq_state.asid)), (unsigned long *)this_cpu_ptr(&tq_state.mask));
}
static void tq_flush(void *arg)
{
	struct tq_info *f = arg;
	unsigned long addr;
	u16 asid = this_cpu_read(tq_state.asid);

	if (this_cpu_read(tq_state.ctxs[asid].tlb_gen) == f->gen)
		return;
	for (addr = f->start; addr < f->end; addr += 1UL << f->shift)
		tq_one(addr);
	this_cpu_write(tq_state.ctxs[asid].tlb_gen, f->gen);
}
void tq_range(unsigned long start, unsigned long pages)
{
	struct tq_info *f = this_cpu_ptr(&tq_info);

	f->mm = &tq_mm;
	f->start = start;
	f->end = start + (pages << 12);
	f->shift = 12;
	f->gen = atomic64_inc_return(&tq_mm.tlb_gen);
	local_irq_disable();
	tq_flush(f);
	local_irq_enable();
}
void tq_everywhere(unsigned long start, unsigned long pages)
{
	struct tq_info *f = this_cpu_ptr(&tq_info);

	f->start = start;
	f->end = start + (pages << 12);
	f->shift = 12;
	f->gen = atomic64_inc_return(&tq_mm.tlb_gen);
	on_each_cpu(tq_flush, f, 1);
}
`;

const steps = 4_000_000;

/** Milliseconds of processor time that `work` takes: others may use the machine at the same time. */
function spent(work: () => void): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;

interface Shape {
  readonly trace: Trace | null;
  readonly cpus?: number;
  readonly call?: string;
  readonly times?: number;
  readonly full?: boolean;
}

function machine({ trace, cpus = 1, call = 'tq_range', times = 1_000_000, full = false }: Shape): Vm {
  return machineFor([module()], {
    ...(full ? { hardware: {} } : {}),
    ...{ cpus, trace, features: new Set(['PTI']), handlers: callHandlers, budget: 1_000_000_000 },
    tasks: [[{ function: call, args: [0x7000_0000n, 33n], times }]],
    link: { replacing: [prelude()] },
  });
}

let lowering: ReturnType<typeof lowered> | null = null;
const module = (): ReturnType<typeof lowered> => (lowering ??= lowered(text));

function rate(shape: () => Shape, run: (vm: Vm) => void): number {
  const rates = Array.from({ length: 6 }, () => {
    const vm = machine(shape());
    const time = spent(() => run(vm));
    return vm.steps / time / 1000;
  });
  // The first run is the compiler's.
  return median(rates.slice(1));
}

/** Additions that a plain loop over typed arrays does: what the machine gives now, to hold other figures against. */
function plainLoop(): number {
  const values = Int32Array.from({ length: 4096 }, (_, at) => at);
  const rounds = 20_000;
  const rates = Array.from({ length: 6 }, () => {
    let sum = 0;
    const time = spent(() => {
      for (let round = 0; round < rounds; round++)
        for (let at = 0; at < values.length; at++) sum = (sum + values[at]!) | 0;
    });
    values[0] = sum;
    return (rounds * values.length) / time / 1000;
  });
  return median(rates.slice(1));
}

function rows(): BenchRow[] {
  // First: what others leave behind would count as its memory.
  const stepping = back();
  const plain = plainLoop();
  const straight = rate(
    () => ({ trace: null }),
    vm => vm.run(steps * 5),
  );
  const stepped = rate(
    () => ({ trace: new Trace() }),
    vm => {
      for (let n = 0; n < steps; n++) vm.run(1);
    },
  );
  const full = rate(
    () => ({ trace: new Trace(), full: true }),
    vm => {
      for (let n = 0; n < steps; n++) vm.run(1);
    },
  );
  const tracedStraight = rate(
    () => ({ trace: new Trace() }),
    vm => vm.run(steps),
  );
  return [
    { what: 'a plain loop of additions, for comparison', value: plain, unit: 'M/s' },
    { what: 'straight run, no trace', value: straight, unit: 'M/s', floor: 60, goal: 200 },
    {
      what: 'additions of the plain loop in an instruction',
      value: plain / straight,
      unit: '',
      lowerIsBetter: true,
    },
    { what: 'straight run with trace', value: tracedStraight, unit: 'M/s', floor: 20 },
    { what: 'one step a call, with trace', value: stepped, unit: 'M/s', floor: 20, goal: 60 },
    { what: 'one step a call, with trace, full machine', value: full, unit: 'M/s', floor: 20, goal: 60 },
    ...stepping,
    { what: 'bytes an event', value: eventBytes, unit: 'B', floor: 24, lowerIsBetter: true },
    ...shootdowns(),
  ];
}

function shootdowns(): BenchRow[] {
  const [few, many] = [shootdown(64), shootdown(256)];
  const growth = { what: '256 CPUs against 64 (linear: 4)', value: many.value / few.value, unit: '×' };
  return [few, many, { ...growth, floor: 8, lowerIsBetter: true }];
}

/** Time of one shootdown on the full machine, from a machine that is ready. */
function shootdown(cpus: number): BenchRow {
  const times = Array.from({ length: 30 }, () => {
    const vm = machine({ trace: new Trace(), cpus, call: 'tq_everywhere', times: 1, full: true });
    const time = spent(() => vm.run(10_000_000));
    if (vm.ending.verdict !== 'finished') throw new Error(vm.ending.why);
    return time;
  });
  const limits = cpus === 256 ? { floor: 30, goal: 20 } : {};
  return {
    what: `shootdown on ${cpus} CPUs, full machine, best of 30`,
    value: Math.min(...times),
    unit: 'ms',
    ...limits,
    lowerIsBetter: true,
  };
}

/** Megabytes in use, typed arrays included. */
function memory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

/** How many of so many random positions, in any order, have the state that a run from the start has there. */
function equalPositions(history: History, vm: Vm, count: number): number {
  const end = vm.steps;
  let seed = 4711;
  const at = Array.from({ length: count }, () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    return seed % end;
  });
  const forward = machine({ trace: new Trace(), cpus: 4, call: 'tq_everywhere', full: true });
  const hashes = new Map<number, string>();
  for (const steps of [...at].sort((a, b) => a - b)) {
    forward.run(steps - forward.steps);
    hashes.set(steps, forward.hash());
  }
  return at.filter(steps => {
    history.goToStep(steps);
    return vm.steps === steps && vm.hash() === hashes.get(steps);
  }).length;
}

/** Stepping back from the end of a million events of four CPUs with TLBs. */
function back(): BenchRow[] {
  const before = memory();
  const vm = machine({ trace: new Trace(), cpus: 4, call: 'tq_everywhere', full: true });
  const history = new History(vm);
  while (vm.trace!.recorded < 1_000_000) history.run(100_000);
  const used = memory() - before;
  const end = vm.steps;
  let worst = 0;
  let seed = 12345;
  for (let n = 0; n < 100; n++) {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    worst = Math.max(
      worst,
      spent(() => history.goToEvent(seed % 1_000_000)),
    );
    history.goToStep(end);
  }
  const positions = 1000;
  return [
    {
      what: 'of 1,000 positions in 10^6 events equal to a run from the start',
      value: equalPositions(history, vm, positions),
      unit: '',
      floor: positions,
    },
    {
      what: 'step back in 10^6 events, slowest of 100',
      value: worst,
      unit: 'ms',
      floor: 50,
      goal: 5,
      lowerIsBetter: true,
    },
    {
      what: 'memory of these 10^6 events, with the snapshots',
      value: used,
      unit: 'MB',
      floor: 500,
      lowerIsBetter: true,
    },
  ];
}

export const benches: readonly Bench[] = [
  {
    name: 'interpreter',
    async run() {
      await loadParser();
      return rows();
    },
  },
];
