/** Accesses of user code, and whether the translation that answered them was still right (the verdicts of a run). */
import {
  accessExecute,
  accessUser,
  accessWrite,
  done,
  noTable,
  pageFault,
  type Hardware,
} from '../machine/hardware';
import { entryDirty } from '../machine/hardware/flags';
import type { Core } from '../vm/core';
import type { LinkedProgram } from '../vm/link';
import { Outcome } from '../vm/outcomes';
import type { Primitive } from '../vm/primitives';
import { EventKind } from '../vm/trace';
import { loadedMm } from './loadedMm';
import { endPromises, noWrites, nothingPromised, pagesGone, promised } from './promises';
import type { Surroundings, staleKinds } from './surroundings';
import { staleKindNumber } from './surroundings';

/** Whether a flush of the loaded mm is counted, or its page-table lock held. */
function isChanging(core: Core, mm: number, around: Surroundings): boolean {
  const { flush, lock } = around.pending;
  return isSet(core, mm, flush) || isSet(core, mm, lock);
}

const isSet = (core: Core, mm: number, offset: number): boolean =>
  offset >= 0 && core.memoryLo[mm + offset] !== 0;

/** Whether a change of the loaded mm's page tables is still under way, so that stale entries may be used. */
export function mayBeStale(core: Core, cpu: number, around: Surroundings, program: LinkedProgram): boolean {
  const mm = loadedMm(core, cpu, program);
  if (mm < 0 || isChanging(core, mm, around)) return true;
  return isSet(core, mm, around.pending.batched) && around.isReclaiming(core);
}

/**
 * What a call that has returned has promised, and this stale access breaks, though a flush is under way; 0: nothing.
 * That nobody writes is taken at its word only against reclaim: a change of rights does not wait for another call that
 * is taking the page away.
 */
function brokenPromise(
  core: Core,
  cpu: number,
  around: Surroundings,
  program: LinkedProgram,
  writes: boolean,
): number {
  const kinds = promised(core, cpu, around, program, core.args[0]!, core.args[1]!);
  if ((kinds & pagesGone) !== 0) return pagesGone;
  const reclaimOnly = !isChanging(core, loadedMm(core, cpu, program), around);
  return writes && reclaimOnly ? kinds & noWrites : nothingPromised;
}

/** Remembers the first of a kind on a CPU. */
export function noteStale(
  core: Core,
  cpu: number,
  around: Surroundings,
  verdict: (typeof staleKinds)[number],
  lo: number,
  hi: number,
): void {
  const kind = staleKindNumber(verdict);
  const slot = around.staleSlot(core, cpu, kind);
  if ((core.memoryLo[slot]! & 1) !== 0) return;
  core.memoryLo[slot] = (lo & ~0xfff) | 1;
  core.memoryHi[slot] = hi;
  core.event(EventKind.Stale, cpu, kind, 0, lo, hi);
}

/** An access that the hardware translates; its time counts. */
export function translate(core: Core, cpu: number, hardware: Hardware, kind: number): number {
  const before = hardware.clocks.cycles(cpu);
  const result = hardware.translation.access(cpu, core.args[0]!, core.args[1]!, kind);
  core.order[cpu]! += hardware.clocks.cycles(cpu) - before;
  core.changed();
  return result;
}

/** `world_access(address, kind)`: user code accesses memory. 0, or the error code of the fault. */
export function userAccess(program: LinkedProgram, around: Surroundings): Primitive {
  return (core, cpu) => {
    const hardware = around.hardware!;
    const { translation } = hardware;
    const { args } = core;
    const kind = accessUser | (args[2]! & (accessWrite | accessExecute));
    const result = translate(core, cpu, hardware, kind);
    if (around.takeWalkedDead() || result === noTable)
      noteStale(core, cpu, around, 'stale-walk', args[0]!, args[1]!);
    if (result === pageFault) {
      endPromises(core, around, args[0]!, args[1]!);
      core.event(EventKind.Primitive, cpu, 1, translation.errorCode, args[0]!, args[1]!);
      return core.give(translation.errorCode | 4, 0);
    }
    if (result !== done) return core.give(4, 0);
    core.event(EventKind.Primitive, cpu, 0, translation.frame, args[0]!, args[1]!);
    if (translation.hit > 0) judge(core, cpu, around, program, kind);
    return core.give(0, 0);
  };
}

/** The access was answered by a cached entry: was it still right? */
function judge(core: Core, cpu: number, around: Surroundings, program: LinkedProgram, kind: number): void {
  const { translation } = around.hardware!;
  const { frame } = translation;
  const [lo, hi] = [core.args[0]!, core.args[1]!];
  const slot = around.usersSlot(frame);
  if (core.memoryLo[slot] === 0) return noteStale(core, cpu, around, 'stale-data', lo, hi);
  const now = translation.peek(cpu, lo, hi, kind);
  const same = now === done && translation.frame === frame;
  // Declared clean: whatever is written from then on must have set the dirty bit in memory.
  const writes = (kind & accessWrite) !== 0;
  const recorded = same && (translation.flags & entryDirty) !== 0;
  if (writes && !recorded && core.memoryHi[slot] === frameIsClean)
    return noteStale(core, cpu, around, 'lost-dirty', lo, hi);
  if (same) return;
  const allowed = mayBeStale(core, cpu, around, program);
  const broken = allowed ? brokenPromise(core, cpu, around, program, writes) : nothingPromised;
  if (allowed && broken === nothingPromised) return;
  const forbids = broken === noWrites || (now !== done && (translation.errorCode & 1) !== 0);
  noteStale(core, cpu, around, forbids ? 'stale-perm' : 'stale-data', lo, hi);
}

/** High half of a frame's count of users: its contents have been declared to be written back. */
const frameIsClean = 1;

/**
 * `frame_cleaned(pfn)`: the page is declared clean, as before its write-back. A write that only a cached dirty entry
 * knows of is lost from then on.
 */
export const cleanFrame =
  (around: Surroundings): Primitive =>
  (core, cpu) => {
    const slot = around.usersSlot(core.args[0]!);
    core.commit(cpu, slot, core.memoryLo[slot]!, frameIsClean);
    return Outcome.Done;
  };
