/**
 * What a call has promised. While a flush of an mm is under way its stale entries may be used; but once another call
 * over the same pages has returned (madvise: they are gone; mprotect: nobody writes to them), they may not, whoever's
 * flush is still to come. Each CPU keeps the promise of its last call; a fault on one of its pages ends it.
 */
import type { Core } from '../vm/core';
import type { LinkedProgram } from '../vm/link';
import type { Primitive } from '../vm/primitives';
import { loadedMm } from './loadedMm';
import type { Surroundings } from './surroundings';

/** What a call promises, by its number; others promise nothing. */
const munmap = 11;
const madvise = 28;
const mprotect = 10;
const protWrite = 2;

/** Kinds of promise. */
export const nothingPromised = 0;
export const pagesGone = 1;
export const noWrites = 2;
/** Added while the call runs. */
const underWay = 4;

/** Slots of a CPU's promise: its kind, the mm (its slot), the first address and the one behind the last. */
const [kindAt, mmAt, startAt, endAt] = [0, 1, 2, 3];

/** Nobody waits for these words, and they are no store of the kernel's: no event. */
function put(core: Core, slot: number, lo: number, hi = 0): void {
  core.memoryLo[slot] = lo;
  core.memoryHi[slot] = hi;
}

/** Addresses are below 2^47: exact as numbers. */
const addressAt = (core: Core, slot: number): number =>
  core.memoryHi[slot]! * 2 ** 32 + (core.memoryLo[slot]! >>> 0);

/** `world_call_begins(a, b, c, nr)`: a system call over `b` bytes at `a`. */
export const callBegins =
  (program: LinkedProgram) =>
  (around: Surroundings): Primitive =>
  (core, cpu) => {
    const { args } = core;
    const slot = around.promiseSlot(core, cpu);
    const nr = args[6]!;
    const isGone = nr === munmap || nr === madvise;
    const promise = isGone
      ? pagesGone
      : nr === mprotect && (args[4]! & protWrite) === 0
        ? noWrites
        : nothingPromised;
    const mm = loadedMm(core, cpu, program);
    put(core, slot + kindAt, promise === nothingPromised || mm < 0 ? nothingPromised : promise | underWay);
    put(core, slot + mmAt, mm);
    const end = args[1]! * 2 ** 32 + (args[0]! >>> 0) + args[3]! * 2 ** 32 + (args[2]! >>> 0);
    put(core, slot + startAt, args[0]!, args[1]);
    put(core, slot + endAt, end | 0, Math.floor(end / 2 ** 32) | 0);
    return core.give(0, 0);
  };

/** `world_call_returns()`: from now on what it has promised holds. */
export const callReturns =
  (around: Surroundings): Primitive =>
  (core, cpu) => {
    const slot = around.promiseSlot(core, cpu) + kindAt;
    const kind = core.memoryLo[slot]!;
    if ((kind & underWay) !== 0) put(core, slot, kind & ~underWay);
    return core.give(0, 0);
  };

/** Kinds of promise, as bits, that stand for a page of an mm. */
function standing(core: Core, around: Surroundings, mm: number, address: number): number {
  let kinds = 0;
  for (let cpu = 0; cpu < core.layout.cpus; cpu++) {
    const slot = around.promiseSlot(core, cpu);
    const kind = core.memoryLo[slot + kindAt]!;
    if (kind === nothingPromised || (kind & underWay) !== 0 || core.memoryLo[slot + mmAt] !== mm) continue;
    if (address >= addressAt(core, slot + startAt) && address < addressAt(core, slot + endAt)) kinds |= kind;
  }
  return kinds;
}

/** Promises that a call has given about the page at an address of the mm that a CPU has loaded. */
export function promised(
  core: Core,
  cpu: number,
  around: Surroundings,
  program: LinkedProgram,
  lo: number,
  hi: number,
): number {
  const mm = loadedMm(core, cpu, program);
  return mm < 0 ? nothingPromised : standing(core, around, mm, hi * 2 ** 32 + (lo >>> 0));
}

/** A fault at an address may bring a page or a right back: what was promised about its call's pages ends. */
export function endPromises(core: Core, around: Surroundings, lo: number, hi: number): void {
  const address = hi * 2 ** 32 + (lo >>> 0);
  for (let other = 0; other < core.layout.cpus; other++) {
    const slot = around.promiseSlot(core, other);
    if (core.memoryLo[slot + kindAt] === nothingPromised) continue;
    if (address >= addressAt(core, slot + startAt) && address < addressAt(core, slot + endAt))
      put(core, slot + kindAt, nothingPromised);
  }
}
