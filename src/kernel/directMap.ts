/**
 * Pages that the kernel's own direct map must no longer reach (XPFO: the page is the user's, and UNMAPPED is set). Code
 * of a tree says when: `direct_map_closed(address)` when the operation that promised it returns, `direct_map_opened`.
 * `world_kernel_access(address, kind)` is an access of kernel code through its translation.
 */
import { accessExecute, accessWrite, done, pageFault } from '../machine/hardware';
import { Tag } from '../vm/kinds';
import type { Core } from '../vm/core';
import { Detail, Outcome, Stop, Verdict } from '../vm/outcomes';
import type { Primitive } from '../vm/primitives';
import { noteStale, translate } from './staleUses';
import type { Surroundings } from './surroundings';
import { closedPages } from './surroundings';

type Make = (around: Surroundings) => Primitive;

/** Slot that holds the page of an address among the closed ones, or the first free one with `free`; −1: none. */
function slotOf(core: Core, around: Surroundings, lo: number, hi: number, free = false): number {
  for (let slot = around.closed; slot < around.closed + closedPages; slot++) {
    const isFree = (core.memoryLo[slot]! & 1) === 0;
    if (free && isFree) return slot;
    if (!isFree && core.memoryLo[slot] === ((lo & ~0xfff) | 1) && core.memoryHi[slot] === hi) return slot;
  }
  return -1;
}

/** Whether a CPU could reach the page now: by a cached translation, or by a walk. */
function reaches(around: Surroundings, cpu: number, lo: number, hi: number): boolean {
  const { translation } = around.hardware!;
  const was = around.walkedDead;
  const cached = translation.cached(cpu, lo, hi) > 0;
  const reached = cached || translation.peek(cpu, lo, hi, 0) === done;
  around.walkedDead = was;
  return reached;
}

export const closeDirectMap: Make = around => (core, cpu) => {
  const [lo, hi] = [core.args[0]!, core.args[1]!];
  if (slotOf(core, around, lo, hi) < 0) {
    const slot = slotOf(core, around, lo, hi, true);
    if (slot < 0) return core.stop(cpu, Verdict.Unbounded, Detail.Code | Stop.Memory);
    core.tags[slot]! |= Tag.Defined;
    core.commit(cpu, slot, (lo & ~0xfff) | 1, hi);
  }
  for (let other = 0; other < core.layout.cpus; other++)
    if (reaches(around, other, lo, hi)) noteStale(core, other, around, 'exposure', lo, hi);
  return core.give(0, 0);
};

export const openDirectMap: Make = around => (core, cpu) => {
  const slot = slotOf(core, around, core.args[0]!, core.args[1]!);
  if (slot >= 0) core.commit(cpu, slot, 0, 0);
  return core.give(0, 0);
};

/** 0, or the error code of the fault, which nothing handles here. */
export const kernelAccess: Make = around => (core, cpu) => {
  const hardware = around.hardware!;
  const [lo, hi] = [core.args[0]!, core.args[1]!];
  const result = translate(core, cpu, hardware, core.args[2]! & (accessWrite | accessExecute));
  if (result === pageFault) return core.give(hardware.translation.errorCode | 8, 0);
  if (result !== done) return core.give(8, 0);
  if (slotOf(core, around, lo, hi) >= 0) noteStale(core, cpu, around, 'exposure', lo, hi);
  return Outcome.Done;
};
