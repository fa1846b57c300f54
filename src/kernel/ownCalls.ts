/**
 * Calls between CPUs by the tree's own `kernel/smp.c`: what it needs of the interrupt controller, and what a kernel has
 * set up before: a request of each CPU for each other one, and masks to work with.
 */
import type { IrModule } from '../code/ir';
import type { ExtraObject } from '../vm/memory';
import type { LinkedProgram } from '../vm/link';
import { callVector } from '../vm/prelude';
import type { Vm } from '../vm/vm';
import { WorldError } from './world';

export const ownCallsPath = 'world/apic.c';

/** These replace functions of the tree and of the harness. */
export const ownCallsText = `
struct cpumask {
	unsigned long bits[];
};

void generic_smp_call_function_single_interrupt(void);

void generic_smp_call_function_interrupt(void)
{
	generic_smp_call_function_single_interrupt();
}

void arch_send_call_function_single_ipi(int cpu)
{
	vm_send_interrupt(cpu, ${callVector});
}

void send_call_function_single_ipi(int cpu)
{
	vm_send_interrupt(cpu, ${callVector});
}

void arch_send_call_function_ipi_mask(const struct cpumask *mask)
{
	unsigned long cpu;

	for (cpu = find_first_bit(mask->bits, vm_cpus()); cpu < vm_cpus();
	     cpu = find_next_bit(mask->bits, vm_cpus(), cpu + 1))
		vm_send_interrupt(cpu, ${callVector});
}
`;

/** Static keys of \`kernel/smp.c\` that are off without a boot parameter. */
export const ownCallsKeys: ReadonlyMap<string, boolean> = new Map([['csdlock_debug_enabled', false]]);

const requests = (cpu: number): string => `world_requests${cpu}`;
const masks = [
  ['cpumask', 'world_call_mask'],
  ['cpumask_ipi', 'world_call_mask_ipi'],
] as const;

/** The member of `cfd_data` with a CPU's requests, and their type: with statistics in 6.1, without before and after. */
const requestKinds = [
  ['pcpu', 'cfd_percpu'],
  ['csd', '__call_single_data'],
] as const;

const kindOf = (modules: readonly IrModule[]): (typeof requestKinds)[number] =>
  requestKinds.find(([member]) =>
    modules.some(({ structs }) =>
      structs?.some(
        ({ tag, members }) => tag === 'call_function_data' && members.some(one => one.name === member),
      ),
    ),
  ) ?? requestKinds[0];

export function ownCallsObjects(cpus: number, modules: readonly IrModule[]): ExtraObject[] {
  const [, tag] = kindOf(modules);
  return [
    ...Array.from({ length: cpus }, (_, cpu): ExtraObject => ({
      name: requests(cpu),
      type: { kind: 'struct', tag },
      perCpu: true,
    })),
    ...masks.map(([, name]): ExtraObject => ({
      name,
      type: { kind: 'struct', tag: 'cpumask' },
      perCpu: true,
    })),
  ];
}

/** Throws {@link WorldError} for a tree whose calls keep their requests elsewhere. */
export function fillOwnCalls(
  vm: Vm,
  program: LinkedProgram,
  cpus: number,
  modules: readonly IrModule[],
): void {
  const [member] = kindOf(modules);
  if (!program.locate(['cfd_data', member]))
    throw new WorldError(`the tree's kernel/smp.c keeps no requests in 'cfd_data' (${member})`);
  for (const name of ['oops_in_progress', 'early_boot_irqs_disabled'])
    if (program.locate([name])) vm.define(name);
  for (let cpu = 0; cpu < cpus; cpu++) {
    vm.write(['cfd_data', member], vm.perCpuOffset([requests(cpu)]), cpu);
    for (const [field, name] of masks)
      if (program.locate(['cfd_data', field])) vm.write(['cfd_data', field], vm.address([name], cpu), cpu);
  }
}
