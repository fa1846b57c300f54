/**
 * Linux 6.1's own call path between CPUs (kernel/smp.c, lib/llist.c), unmodified from Debian's source, instead of the
 * prelude: the initiator queues a request for each target, sends the interrupts, runs the function itself if it is
 * named, and waits until each target has run it.
 */
import assert from 'node:assert/strict';
import type { IrModule } from '../../../src/code/ir';
import { loadParser } from '../code/c/support';
import { hasTree, lowerTree } from './linuxTree';
import { lowered, machineFor } from './support';
import type { Vm } from '../../../src/vm/vm';

/** The interrupt controller, and functions of files that are not unpacked. */
const rest = `
void arch_send_call_function_single_ipi(int cpu)
{
	vm_send_interrupt(cpu, 1);
}
void send_call_function_single_ipi(int cpu)
{
	vm_send_interrupt(cpu, 1);
}
void arch_send_call_function_ipi_mask(const struct cpumask *mask)
{
	unsigned long cpu;

	for (cpu = find_first_bit(mask->bits, vm_cpus()); cpu < vm_cpus();
	     cpu = find_next_bit(mask->bits, vm_cpus(), cpu + 1))
		vm_send_interrupt(cpu, 1);
}
struct cpumask {
	unsigned long bits[];
};
DEFINE_PER_CPU(unsigned long, tq_seen);
static void tq_func(void *info)
{
	this_cpu_add(tq_seen, (unsigned long)info);
}
struct cpumask tq_mask;
void tq_call(unsigned long value)
{
	on_each_cpu_cond_mask(NULL, tq_func, (void *)value, 1, &tq_mask);
}
`;

describe('kernel/smp.c of Linux 6.1 on the VM', function () {
  this.timeout(60_000);
  let module: IrModule;

  before(async function () {
    if (!hasTree()) {
      console.log('      no tree: run node scripts/linux-source.mjs');
      this.skip();
    }
    await loadParser();
    module = lowerTree(['kernel/smp.c']);
  });

  const cpus = 4;

  function build(tasks: Parameters<typeof machineFor>[1]): Vm {
    const vm = machineFor([module], {
      cpus,
      hardware: {},
      features: new Set(),
      keys: new Map([['csdlock_debug_enabled', false]]),
      handlers: new Map([[1, 'generic_smp_call_function_single_interrupt']]),
      link: {
        replacing: [lowered(rest, 'kernel/tq_rest.c')],
        objects: [
          // Each initiator has a request of its own for each target.
          ...Array.from({ length: cpus }, (_, cpu) => ({
            name: `tq_csd${cpu}`,
            type: { kind: 'struct', tag: 'cfd_percpu' } as const,
            perCpu: true,
          })),
          { name: 'tq_cpumask', type: { kind: 'struct', tag: 'cpumask' }, perCpu: true },
          { name: 'tq_cpumask_ipi', type: { kind: 'struct', tag: 'cpumask' }, perCpu: true },
        ],
      },
      ...tasks,
    });
    const everyone = (1n << BigInt(cpus)) - 1n;
    vm.write(['nr_cpu_ids'], BigInt(cpus));
    vm.write(['__cpu_online_mask', 'bits', 0], everyone);
    for (const name of ['oops_in_progress', 'early_boot_irqs_disabled']) vm.define(name);
    for (let cpu = 0; cpu < cpus; cpu++) {
      vm.write(['cfd_data', 'pcpu'], vm.perCpuOffset([`tq_csd${cpu}`]), cpu);
      vm.write(['cfd_data', 'cpumask'], vm.address(['tq_cpumask'], cpu), cpu);
      vm.write(['cfd_data', 'cpumask_ipi'], vm.address(['tq_cpumask_ipi'], cpu), cpu);
    }
    return vm;
  }

  it('runs a function on the CPUs of a mask, the caller’s among them', () => {
    const vm = build({ tasks: [[{ function: 'tq_call', args: [5n] }]] });
    vm.write(['tq_mask', 'bits', 0], 0b1011n);
    vm.run(1_000_000);
    const { verdict, name, why, position } = vm.ending;
    assert.equal(verdict, 'finished', `${name}: ${why} at ${position.file}:${position.line}`);
    assert.deepEqual(
      [0, 1, 2, 3].map(cpu => vm.read(['tq_seen'], cpu)),
      [5n, 5n, 0n, 5n],
    );
  });

  it('serves several initiators at once, again and again', () => {
    const task = [{ function: 'tq_call', args: [1n], times: 20 }];
    for (const seed of [1, 2, 3]) {
      const vm = build({ seed, tasks: [task, task, task] });
      vm.write(['tq_mask', 'bits', 0], 0b1111n);
      vm.run(5_000_000);
      const { verdict, name, why, position } = vm.ending;
      assert.equal(verdict, 'finished', `${name}: ${why} at ${position.file}:${position.line}`);
      assert.deepEqual(
        [0, 1, 2, 3].map(cpu => vm.read(['tq_seen'], cpu)),
        [60n, 60n, 60n, 60n],
      );
    }
  });
});
