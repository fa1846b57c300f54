/**
 * `flush_tlb_mm_range` and `switch_mm` of Debian's Linux 6.1 and of the model's v6.1 variant, from the same state: the
 * same operations with the same operands on each CPU, and the same state afterwards. (6.1.192 carries some of 6.15: its
 * `should_flush_tlb` looks at `loaded_mm`, which makes no difference here: every CPU of the mask runs the mm or is lazy.)
 */
import assert from 'node:assert/strict';
import type { IrModule } from '../../../src/code/ir';
import { lowerKernel } from '../../../src/kernel/lower';
import { whole } from '../../../src/vm/pairs';
import type { Place, Vm, VmOptions } from '../../../src/vm/vm';
import { loadParser } from '../code/c/support';
import { hasTree, lowerTree } from '../vm/linuxTree';
import { callHandlers, lowered, machineFor, prelude } from '../vm/support';
import { variantTree } from './support';

const slot = 2;
const generation = 7n;
const roots = [0x123_4000n, 0x456_6000n];
const initRoot = 0x20_0000n;
const start = 0x7f00_0000_0000n;

/** What 6.1's tlb.c needs of files that are not unpacked. */
const rest = `
void cr4_update_irqsoff(unsigned long set, unsigned long clear)
{
	BUG_ON(set != 0);
}
void switch_ldt(struct mm_struct *prev, struct mm_struct *next)
{
}
`;

interface Kernel {
  readonly modules: readonly IrModule[];
  readonly bitmap: (mm: string) => Place;
  readonly lazy: Place;
  readonly extra: readonly (readonly [Place, bigint])[];
}

interface Run {
  readonly features: readonly string[];
  readonly cpus: number;
  readonly call: { readonly name: string; readonly args: (address: (name: string) => bigint) => bigint[] };
  /** The CPUs' generations before; the mm's is 7. */
  readonly behind?: bigint;
  readonly lazy?: number;
}

describe('the model’s v6.1 beside Linux 6.1', function () {
  this.timeout(60_000);
  let linux: Kernel;
  let model: Kernel;

  before(async function () {
    if (!hasTree()) {
      console.log('      no tree: run node scripts/linux-source.mjs');
      this.skip();
    }
    await loadParser();
    linux = {
      modules: [lowerTree(['arch/x86/mm/tlb.c']), lowered(rest)],
      bitmap: mm => [mm, 'cpu_bitmap', 0],
      lazy: ['cpu_tlbstate_shared', 'is_lazy'],
      extra: [
        [['nr_cpu_ids'], 0n],
        [['jiffies'], 1000n],
      ],
    };
    const [c] = lowerKernel(variantTree('v6.1-early-out')).modules;
    model = {
      modules: [c!],
      bitmap: mm => [mm, 'cpu_bitmap', 'bits', 0],
      lazy: ['cpu_tlbstate', 'is_lazy'],
      extra: [],
    };
  });

  function build(kernel: Kernel, run: Run, tasks: VmOptions['tasks']): Vm {
    return machineFor(kernel.modules, {
      cpus: run.cpus,
      features: new Set(run.features),
      handlers: callHandlers,
      hardware: {},
      link: {
        replacing: [prelude()],
        objects: ['tq_mm', 'tq_other'].map(name => ({ name, type: { kind: 'struct', tag: 'mm_struct' } })),
      },
      tasks,
    });
  }

  function prepare(vm: Vm, kernel: Kernel, run: Run): void {
    for (const name of ['cpu_tlbstate', 'init_mm']) vm.define(name);
    for (const [place, value] of kernel.extra)
      vm.write(place, place[0] === 'nr_cpu_ids' ? BigInt(run.cpus) : value);
    ['tq_mm', 'tq_other'].forEach((mm, at) => {
      vm.write([mm, 'context', 'ctx_id'], 99n + BigInt(at));
      vm.write([mm, 'context', 'tlb_gen'], generation);
      if (kernel === linux) vm.write([mm, 'context', 'next_trim_cpumask'], 2000n);
      vm.write([mm, 'pgd'], roots[at]!);
      vm.write(kernel.bitmap(mm), at === 0 ? (1n << BigInt(run.cpus)) - 1n : 0n);
    });
    vm.write(['init_mm', 'pgd'], initRoot);
    vm.write(['init_mm', 'context', 'ctx_id'], 1n);
    for (let cpu = 0; cpu < run.cpus; cpu++) {
      vm.write(['cpu_tlbstate', 'loaded_mm'], vm.address(['tq_mm']), cpu);
      vm.write(['cpu_tlbstate', 'loaded_mm_asid'], BigInt(slot), cpu);
      vm.write(['cpu_tlbstate', 'ctxs', slot, 'ctx_id'], 99n, cpu);
      vm.write(['cpu_tlbstate', 'ctxs', slot, 'tlb_gen'], generation - (run.behind ?? 0n), cpu);
      vm.write(kernel.lazy, run.lazy === cpu ? 1n : 0n, cpu);
      const on = ['PGE', 'PCID'].filter(name => run.features.includes(name));
      vm.machine.x86!.reset(cpu, Number(roots[0]! >> 12n), on);
      assert.equal(vm.machine.x86!.writeCr3(cpu, Number(roots[0]) | (slot + 1), 0), 0);
    }
  }

  /** Operations with operands, by CPU, and the state that both kernels have. */
  function outcome(kernel: Kernel, run: Run): unknown {
    const asked = build(kernel, run, []);
    const args = run.call.args(name => asked.address([name]));
    const vm = build(kernel, run, [[{ function: run.call.name, args }]]);
    prepare(vm, kernel, run);
    vm.run(1_000_000);
    const { verdict, name, why, position } = vm.ending;
    assert.equal(verdict, 'finished', `${name}: ${why} at ${position.file}:${position.line}`);
    const operations = Array.from({ length: run.cpus }, (): string[] => []);
    for (let seq = 0; seq < vm.trace!.recorded; seq++) {
      const { kind, cpu, code, lo, hi, extra } = vm.trace!.event(seq);
      const operation = vm.core.program.operations[code];
      if (kind !== 'operation' || operation === 'CR3_READ') continue;
      operations[cpu]!.push(`${operation} ${whole(lo, hi).toString(16)} ${extra}`);
    }
    const state = (cpu: number): unknown => [
      ...['loaded_mm_asid', 'next_asid', 'user_pcid_flush_mask', 'invalidate_other'].map(field =>
        vm.read(['cpu_tlbstate', field], cpu),
      ),
      ['tq_mm', 'tq_other', 'init_mm'].find(
        mm => vm.address([mm]) === vm.read(['cpu_tlbstate', 'loaded_mm'], cpu),
      ),
      vm.read(kernel.lazy, cpu),
      Array.from({ length: 6 }, (_, at) => [
        vm.read(['cpu_tlbstate', 'ctxs', at, 'ctx_id'], cpu),
        vm.read(['cpu_tlbstate', 'ctxs', at, 'tlb_gen'], cpu),
      ]),
      vm.machine.x86!.cr3Lo(cpu),
    ];
    return {
      operations,
      states: Array.from({ length: run.cpus }, (_, cpu) => state(cpu)),
      generation: vm.read(['tq_mm', 'context', 'tlb_gen']),
      masks: ['tq_mm', 'tq_other'].map(mm => vm.read(kernel.bitmap(mm))),
    };
  }

  const same = (run: Run): void => assert.deepEqual(outcome(model, run), outcome(linux, run));
  const flush = (pages: number, freed = 0n, shift = 12n): Run['call'] => ({
    name: 'flush_tlb_mm_range',
    args: address => [address('tq_mm'), start, start + (BigInt(pages) << shift), shift, freed],
  });
  const sets = [
    ['PTI', 'PCID', 'INVPCID', 'PGE'],
    ['PTI', 'PCID', 'PGE'],
    ['PCID', 'INVPCID', 'PGE'],
    ['PCID', 'PGE'],
  ];

  for (const features of sets) {
    it(`flushes with ${features.join(', ')}`, () => {
      for (const cpus of [1, 3])
        for (const pages of [1, 33, 34])
          for (const behind of [0n, 1n]) same({ features, cpus, call: flush(pages), behind });
      same({ features, cpus: 2, call: flush(2, 0n, 21n) });
    });

    it(`lazy CPUs and freed tables with ${features.join(', ')}`, () => {
      for (const freed of [0n, 1n])
        for (const lazy of [0, 1]) same({ features, cpus: 2, call: flush(3, freed), lazy });
    });

    it(`switches with ${features.join(', ')}`, () => {
      for (const to of ['tq_mm', 'tq_other', 'init_mm'])
        for (const lazy of [undefined, 0])
          for (const behind of [0n, 1n]) {
            const call = {
              name: 'switch_mm',
              args: (address: (name: string) => bigint) => [
                address('tq_mm'),
                address(to),
                address('tq_other'),
              ],
            };
            same({ features, cpus: 1, call, behind, ...(lazy === undefined ? {} : { lazy }) });
          }
    });
  }
});
