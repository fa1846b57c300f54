/**
 * Built-in primitives of a world: what hardware and memory do, one line each in the table at the end. Everything else
 * is code of the tree or of the harness. State lies in objects of the VM's memory, so that snapshots hold it.
 */
import { Tag } from '../vm/kinds';
import type { Core } from '../vm/core';
import { Detail, Outcome, Stop, Verdict } from '../vm/outcomes';
import type { LinkedProgram } from '../vm/link';
import { halves } from '../vm/pairs';
import type { Primitive } from '../vm/primitives';
import { deviceVector } from './harness';
import { closeDirectMap, kernelAccess, openDirectMap } from './directMap';
import { callBegins, callReturns } from './promises';
import { cleanFrame, userAccess } from './staleUses';
import type { Surroundings } from './surroundings';
import {
  firstFrame,
  firstHugeFrame,
  hugeFrames,
  pageSlots,
  setBaseline,
  tableUsed,
  tableWasUsed,
} from './surroundings';

/** A change of a word of the world: it wakes those who wait for it. */
function set(core: Core, cpu: number, slot: number, lo: number, hi = 0): void {
  core.tags[slot]! |= Tag.Defined;
  core.commit(cpu, slot, lo, hi);
}

type Make = (around: Surroundings) => Primitive;

function setUserMode(around: Surroundings, core: Core, cpu: number, on: boolean): void {
  set(core, cpu, around.userModeSlot(core, cpu), on ? 1 : 0);
  core.machine.interrupts.setEnabled(cpu, on);
  core.changed();
  if (on && core.machine.interrupts.pending(cpu) !== 0) core.poke(cpu);
}

/** SYSCALL, an interrupt or a fault in user mode: kernel mode, and interrupts are off. */
const trap: Make = around => (core, cpu) => {
  setUserMode(around, core, cpu, false);
  return core.give(0, 0);
};

const sysret: Make = around => (core, cpu) => {
  setUserMode(around, core, cpu, true);
  return Outcome.Done;
};

/** IRET: the frame's CS says where to. In the kernel the VM restores IF when the handler's frame is left. */
const iret: Make = around => (core, cpu) => {
  const register = core.program.machineRegisters.indexOf('rsp');
  const at = (cpu * core.layout.machineRegisters + register) * 2;
  const slot = core.slotOf(cpu, core.machineRegisters[at]!, core.machineRegisters[at + 1]!);
  if (slot < 0 || !core.isDefined(cpu, slot + 1)) return Outcome.Stop;
  core.read(cpu, slot + 1);
  if ((core.resultLo & 3) !== 0) setUserMode(around, core, cpu, true);
  core.machineRegisters[at]! += 40;
  return Outcome.Done;
};

/** The lowest free element of a list of states; −1: there is none. */
function takeFree(core: Core, first: number, count: number, isFree: (word: number) => boolean): number {
  for (let at = 0; at < count; at++) if (isFree(core.memoryLo[first + at]!)) return at;
  return -1;
}

/** More memory than the world has been given is a limit. */
const usedUp = (core: Core, cpu: number): Outcome =>
  core.stop(cpu, Verdict.Unbounded, Detail.Code | Stop.Memory);

const allocTable: Make = around => (core, cpu) => {
  const free = takeFree(core, around.tableState, around.tableCount, word => word !== tableUsed);
  if (free < 0) return usedUp(core, cpu);
  set(core, cpu, around.tableState + free, tableUsed);
  const slot = around.tables + free * pageSlots;
  for (let at = slot; at < slot + pageSlots; at++)
    if (core.memoryLo[at]! | core.memoryHi[at]!) set(core, cpu, at, 0);
  return core.give(...halves(BigInt(slot * 8)));
};

const freeTable: Make = around => (core, cpu) => {
  const index = around.tableAt(core.args[0]! >>> 12);
  if (index < 0) return core.give(0, 0);
  set(core, cpu, around.tableState + index, tableWasUsed);
  return core.give(0, 0);
};

const allocFrame: Make = around => (core, cpu) => {
  const free = takeFree(core, around.frames, around.frameCount, word => word === 0);
  if (free < 0) return usedUp(core, cpu);
  set(core, cpu, around.frames + free, 1);
  return core.give(firstFrame + free, 0);
};

const allocHugeFrame: Make = around => (core, cpu) => {
  const free = takeFree(core, around.huge, around.hugeCount, word => word === 0);
  if (free < 0) return usedUp(core, cpu);
  set(core, cpu, around.huge + free, 1);
  return core.give(firstHugeFrame + free * hugeFrames, 0);
};

const changeUsers =
  (by: number): Make =>
  around =>
  (core, cpu) => {
    const slot = around.usersSlot(core.args[0]!);
    set(core, cpu, slot, core.memoryLo[slot]! + by, core.memoryHi[slot]);
    if (by < 0 && core.memoryLo[slot] === 0) around.freed?.();
    return core.give(core.memoryLo[slot]!, 0);
  };

/** `world_arrive(&count, parties)`: counts this CPU, and says at which count everybody of its round is there. */
const arrive: Make = () => (core, cpu) => {
  const slot = core.argSlot(cpu, 0);
  if (slot < 0) return Outcome.Stop;
  const parties = Math.max(1, core.args[2]!);
  const count = core.memoryLo[slot]! + 1;
  set(core, cpu, slot, count);
  return core.give(Math.ceil(count / parties) * parties, 0);
};

/** `world_wait(&count, at)`: until the count is reached. */
const wait: Make = () => (core, cpu) => {
  const slot = core.argSlot(cpu, 0);
  if (slot < 0) return Outcome.Stop;
  return core.memoryLo[slot]! >= core.args[2]! ? core.give(0, 0) : core.waitForSlot(cpu, slot);
};

const measure: Make = around => (core, cpu) => {
  setBaseline(core, cpu, around);
  return core.give(0, 0);
};

/** `world_send_nmi(cpu)`: an IPI to another CPU; on this CPU itself, one that a device causes. */
const sendNmi: Make = around => (core, cpu) => {
  const to = core.args[0]!;
  core.sends(cpu, to);
  if (to === cpu) around.hardware!.interrupts.raiseNmi(to);
  else around.hardware!.interrupts.sendNmi(cpu, to);
  core.changed();
  core.poke(to);
  return core.give(0, 0);
};

const raise: Make = around => (core, cpu) => {
  core.sends(cpu, cpu);
  around.hardware!.interrupts.raise(cpu, deviceVector);
  core.changed();
  core.poke(cpu);
  return core.give(0, 0);
};

const table: readonly (readonly [string, (program: LinkedProgram) => Make])[] = [
  ['world_trap', () => trap],
  ['world_access', program => around => userAccess(program, around)],
  ['world_call_begins', callBegins],
  ['world_call_returns', () => callReturns],
  ['world_kernel_access', () => kernelAccess],
  ['direct_map_closed', () => closeDirectMap],
  ['direct_map_opened', () => openDirectMap],
  ['world_arrive', () => arrive],
  ['world_wait', () => wait],
  ['world_measure', () => measure],
  ['world_send_nmi', () => sendNmi],
  ['world_raise_interrupt', () => raise],
  ['sysret', () => sysret],
  ['sysretq', () => sysret],
  ['sysretl', () => sysret],
  ['iret', () => iret],
  ['iretq', () => iret],
  ['alloc_table', () => allocTable],
  ['free_table', () => freeTable],
  ['alloc_frame', () => allocFrame],
  ['alloc_huge_frame', () => allocHugeFrame],
  ['get_frame', () => changeUsers(1)],
  ['put_frame', () => changeUsers(-1)],
  ['frame_users', () => changeUsers(0)],
  ['frame_cleaned', () => cleanFrame],
];

/** Names that the linker takes for primitives of this room. */
export const worldPrimitiveNames: ReadonlySet<string> = new Set(table.map(([name]) => name));

export function worldPrimitives(program: LinkedProgram, around: Surroundings): Map<string, Primitive> {
  return new Map(table.map(([name, make]) => [name, make(program)(around)]));
}
