/** The address space that a CPU has loaded, by the kernel's own books. */
import type { Core } from '../vm/core';
import type { LinkedProgram } from '../vm/link';

/** Slot of the mm that the CPU has loaded, or −1. */
export function loadedMm(core: Core, cpu: number, program: LinkedProgram): number {
  const place = program.locate(['cpu_tlbstate', 'loaded_mm']);
  if (!place) return -1;
  const slot = core.layout.perCpuSlot + cpu * core.layout.perCpuStride + place.slot;
  const mm = core.memoryLo[slot]! >>> 3;
  return mm >= 16 ? mm : -1;
}
