/** Where everything lies in the one buffer of a machine's state, in Int32 words from its start. */
import { operations } from '../operations';
import type { HardwareOptions } from '../hardwareOptions';
import type { MachineProfile } from '../profile';
import { cacheShapes, pagingShapes, type CacheShape } from './shapes';

/** Words of a CPU's block: registers first, then counts of entries, the store buffer and the caches. */
export const atCr0 = 0;
export const atCr3Lo = 1;
export const atCr3Hi = 2;
export const atCr4 = 3;
export const atEfer = 4;
/** PCID or ASID in effect, as the tag of new entries. */
export const atContext = 5;
/** Counts accesses; LRU stamps are its values. */
export const atTick = 6;
/** Sum of the `status…` bits. */
export const atStatus = 7;
export const atPending = 8;
export const atNmi = 9;
/** Entries whose leaf is larger than they are. */
export const atFragments = 10;
/** TTBR0, TTBR1: low and high half each; as written, then as in effect. */
export const atTtbr = 11;
export const atTtbrInEffect = 15;
export const atBuffered = 19;
export const atOutstanding = 20;
export const atMailOrder = 21;
/** Cached translations of more than 4K. */
export const atLarge = 22;
/** Messages to the CPU that it has not looked at, the sum of their senders, and all that are not acknowledged. */
export const atMailPosted = 23;
export const atMailSenders = 24;
export const atMailHeld = 25;
const registerWords = 26;

export const statusInterrupts = 1;
export const statusNmiBlocked = 2;
export const statusHalted = 4;
export const statusUnsynchronised = 8;

/** Words of an entry of a store buffer: 1 for a store and 2 for a barrier, address, value. */
export const storeWords = 4;
/** Words of a broadcast before the bits of the CPUs that applied it: kind, issuer, status, four operands. */
export const broadcastWords = 7;

/** The layout of one machine. */
export interface Layout {
  readonly cpus: number;
  /** First block and words of a block. */
  readonly cpuStart: number;
  readonly cpuWords: number;
  readonly stores: number;
  readonly storeDepth: number;
  /** Translation caches, then paging-structure caches (`level` 2 to 5 at index `level − 2`). */
  readonly caches: readonly CacheShape[];
  readonly paging: readonly CacheShape[];
  /** All caches of a CPU lie between these words of its block. */
  readonly cacheStart: number;
  readonly cacheEnd: number;
  readonly countStart: number;
  /** Broadcasts in flight: their number, then the entries. */
  readonly broadcasts: number;
  readonly broadcastDepth: number;
  readonly broadcastStride: number;
  readonly applyWords: number;
  /** Mailboxes by target, then sender: order, words. */
  readonly mailboxes: number;
  readonly messageWords: number;
  /** Times and counts begin here: Float64 from `times / 2`. */
  readonly times: number;
  readonly timesPerCpu: number;
  readonly vectors: number;
  /** Int32 counts: per operation, then misses and unpriced, per CPU. */
  readonly tallies: number;
  readonly talliesPerCpu: number;
  readonly words: number;
}

const whole = (name: string, value: number, low: number, high: number): number => {
  if (!Number.isInteger(value) || value < low || value > high)
    throw new RangeError(`${name} is ${value}: it must be a whole number from ${low} to ${high}`);
  return value;
};

/** More state than this is refused. */
const mostBytes = 1 << 29;

/** Lays out the state. Throws a RangeError that names the limit when an option is past it. */
export function layOut(profile: MachineProfile, options: HardwareOptions): Layout {
  const { sockets, coresPerSocket, threadsPerCore } = profile.topology;
  const cpus = whole('cpus', options.cpus ?? sockets * coresPerSocket * threadsPerCore, 1, 1024);
  const storeDepth = whole('storeBuffer', options.storeBuffer ?? 0, 0, 64);
  const broadcastDepth = whole('broadcasts', options.broadcasts ?? 64, 1, 1024);
  const vectors = whole('vectors', options.vectors ?? 8, 1, 32);
  const messageWords = whole('messageWords', options.messageWords ?? 4, 1, 64);
  let at = registerWords;
  const countStart = at;
  const caches = cacheShapes(options.tlb ?? profile.tlb);
  const paging = pagingShapes(options.pagingCaches ?? [32, 4, 4, 4]);
  for (const shape of [...caches, ...paging]) {
    shape.count = at;
    at += 4;
  }
  const stores = at;
  at += storeDepth * storeWords;
  const cacheStart = at;
  for (const shape of [...caches, ...paging]) {
    shape.start = at;
    at += shape.sets * shape.block;
  }
  const cpuWords = at;
  const applyWords = Math.ceil(cpus / 32);
  const broadcastStride = broadcastWords + applyWords;
  const broadcasts = 0;
  const mailboxes = broadcasts + 1 + broadcastDepth * broadcastStride;
  const cpuStart = mailboxes + cpus * cpus * (1 + messageWords);
  const architecture = cpuStart + cpus * cpuWords;
  const times = architecture + (architecture & 1);
  const timesPerCpu = 3 * (2 + vectors + 1);
  const tallies = times + 2 * cpus * timesPerCpu;
  const talliesPerCpu = operations.length + 2;
  const end = tallies + cpus * talliesPerCpu;
  const words = end + (end & 1);
  if (words * 4 > mostBytes)
    throw new RangeError(`the state would take ${words * 4} bytes: the limit is ${mostBytes}`);
  return {
    ...{ cpus, cpuStart, cpuWords, stores, storeDepth, caches, paging, cacheStart, cacheEnd: at, countStart },
    ...{ broadcasts, broadcastDepth, broadcastStride, applyWords, mailboxes, messageWords },
    ...{ times, timesPerCpu, vectors, tallies, talliesPerCpu, words },
  };
}
