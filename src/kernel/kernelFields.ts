/** Where the kernel's own state lies, which differs between kernels: by the names that the tree at hand has. */
import type { LinkedProgram } from '../vm/link';
import type { Place, Vm } from '../vm/vm';

/** The field that says whether a CPU is lazy: apart from the rest since v5.13. */
export const lazyPlace = (program: LinkedProgram): Place =>
  program.locate(['cpu_tlbstate_shared', 'is_lazy'])
    ? ['cpu_tlbstate_shared', 'is_lazy']
    : ['cpu_tlbstate', 'is_lazy'];

/** A word of the mask of CPUs that run an mm: a struct cpumask, or words at its end. */
export const maskPlace = (program: LinkedProgram, mm: string, word: number): Place => {
  const inStruct: Place = [mm, 'cpu_bitmap', 'bits', word];
  return program.locate(inStruct) ? inStruct : [mm, 'cpu_bitmap', word];
};

/** Ticks since the kernel started, and ticks of a second. */
const now = 1000n;
const second = 250n;

/** Writes a field if the tree has it. */
function put(vm: Vm, program: LinkedProgram, place: Place, value: bigint, cpu = 0): void {
  if (program.locate(place)) vm.write(place, value, cpu);
}

/** What other parts of a kernel have set up before: how many CPUs there are, which are online, the time. */
export function fillElsewhere(vm: Vm, program: LinkedProgram, cpus: number): void {
  put(vm, program, ['nr_cpu_ids'], BigInt(cpus));
  put(vm, program, ['jiffies'], now);
  for (const mask of ['__cpu_online_mask', '__cpu_possible_mask', '__cpu_present_mask'])
    for (let first = 0; first < cpus; first += 64)
      put(vm, program, [mask, 'bits', first >> 6], (1n << BigInt(Math.min(64, cpus - first))) - 1n);
}

/** What kernels of some versions keep of each mm beside the fields that all have. */
export function fillMm(vm: Vm, program: LinkedProgram, mm: string): void {
  put(vm, program, [mm, 'context', 'next_trim_cpumask'], now + second);
}
