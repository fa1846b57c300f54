/**
 * The public face of the simulated hardware; `createHardware(profile, bus, options)` in `hardware/create.ts` makes one.
 * What the caller gives (the bus, the options) is in `hardwareOptions.ts`.
 *
 * Conventions. A 64-bit value is two Int32 halves, `lo` and `hi`. A CPU is its number, 0 ≤ cpu < `options.cpus`, unchecked.
 * A page table is named by its physical page-frame number, `table`, an integer below 2^40. Levels are those of Intel:
 * 1 is a PTE, 2 a PDE, 3 a PDPTE, 4 a PML4E, 5 a PML5E; lookup level n of Arm is level 4 − n here.
 * All state lies in one ArrayBuffer. What an operation returns besides its {@link Result} lies in fields such as
 * `translation.frame`; they hold until the next call and are no state. The machine never decides anything by itself:
 * speculative fills, drains of store buffers and late invalidations happen when the caller says so.
 */
import type { MachineProfile } from './profile';

/** What became of an operation: one of the constants below. Faults are values, never exceptions. */
export type Result = number;
export const done: Result = 0;
/** #UD: the machine lacks the instruction. */
export const undefinedOpcode: Result = 6;
/** #GP. */
export const generalProtection: Result = 13;
/** #PF, or an abort of Arm; `translation.errorCode` has the details. */
export const pageFault: Result = 14;
/** The walk reached a table that the bus does not have: an access to a bogus physical address. */
export const noTable: Result = 64;
/** Not yet: drive other CPUs (`broadcasts.apply`), then issue the instruction again. */
export const waiting: Result = 65;

/** How memory is accessed: a sum of these. A read by the kernel is 0. */
export const accessWrite = 1;
export const accessExecute = 2;
export const accessUser = 4;
/** EFLAGS.AC is set: SMAP does not apply. */
export const accessAc = 8;
/** As if the cached translations of the page had just been dropped: allowed at any time, for explorers. */
export const accessAnew = 16;

/** Look-ups, walks and fills. */
export interface Translation {
  /** After an access that is `done`: the 4K frame. A number below 2^40. */
  readonly frame: number;
  /** 0: walked; 1: hit in the first-level TLB; 2: in the second. Also set on a fault: then 1 or 2 = a cached entry forbade it. */
  readonly hit: number;
  /** Level of the leaf: 1 (4K), 2 (2M), 3 (1G). */
  readonly leafLevel: number;
  /** Permissions that were used, as a sum of the `entry…` constants of `hardware/flags.ts`. */
  readonly flags: number;
  /** Of a fault: x86's error code, or FSC + 64 if it was a write on Arm. */
  readonly errorCode: number;
  /** Entries read from memory. */
  readonly reads: number;
  /** Level whose paging-structure entry the walk began from (its child is the first table read); 0: from the root. */
  readonly startLevel: number;
  /** The entry that ended the walk: table, level, index. */
  readonly table: number;
  readonly level: number;
  readonly index: number;
  /** A fill found an entry of another size for the same page still cached. (Arm: TLB conflict.) */
  readonly conflict: boolean;

  /** An architectural access: hit, or walk and fill; faults invalidate as 1.4 says. */
  access(cpu: number, lo: number, hi: number, kind: number): Result;
  /** A speculative fill. `startLevel`: 0 = from the root, 2…5 = from the cached entry of that level, −1 = the deepest. False: nothing was filled. */
  speculate(cpu: number, lo: number, hi: number, kind: number, startLevel?: number): boolean;
  /** A speculative fill of the paging-structure caches only, down to the entry of `level` (2…5). */
  speculatePaging(cpu: number, lo: number, hi: number, level: number): boolean;
  /** What the page tables in memory say now, under the current root: no caches, no side effect. */
  peek(cpu: number, lo: number, hi: number, kind: number): Result;
  /** Cached translations that an access may use now (all sizes, all structures). Fills `frame`, `flags`, … with the `which`-th. */
  cached(cpu: number, lo: number, hi: number, which?: number): number;
  /** Whether a translation with these flags allows the access on that CPU now. */
  permits(cpu: number, flags: number, kind: number): boolean;
  /** Entries of the page vanish from this CPU, as they may at any time. */
  evict(cpu: number, lo: number, hi: number): void;
  /** Valid entries of the CPU: translations, or paging-structure entries. */
  count(cpu: number, what: 'translations' | 'paging'): number;
  /** Every valid entry of the CPU in a fixed order, for panels and tests. */
  entries(cpu: number): CachedEntry[];
  /** Valid entries by tag, ascending, the global ones last; without an object an entry. */
  occupancy(cpu: number): { tag: number; global: boolean; translations: number; paging: number }[];
  /** The caches of the CPU, and how many of their entries are valid. */
  caches(cpu: number): { structure: string; level: 'L1' | 'L2' | 'paging'; entries: number; valid: number }[];
  /** How an entry compares with the page tables now, under the root of that frame (−1: the one in effect). No side effect on the state. */
  compare(cpu: number, entry: CachedEntry, root: number): EntryState;
}

/**
 * A cached entry against the page tables: the same; the page is not mapped; another frame; a right is gone; an upper
 * entry that leads elsewhere; smaller pages; dirty where the tables say clean; less than the tables give (harmless: such
 * a fault heals).
 */
export type EntryState =
  'fresh' | 'absent' | 'frame' | 'permission' | 'table' | 'size' | 'dirty' | 'narrower';

/** One cached entry, for show. */
export interface CachedEntry {
  /** Id of the profile's structure, or `PDE cache`, `PDPTE cache`, … */
  readonly structure: string;
  /** Of a paging-structure cache. */
  readonly paging: boolean;
  /** First address of the page or region, as 64-bit halves. */
  readonly lo: number;
  readonly hi: number;
  /** PCID or ASID; 0 for a global entry. */
  readonly tag: number;
  readonly global: boolean;
  /** Level of the entry, and of the leaf it was made of (more than `level` for a fragment). */
  readonly level: number;
  readonly leafLevel: number;
  /** The frame, or the child table of a paging-structure entry. */
  readonly frame: number;
  readonly flags: number;
  /** LRU stamp: higher is younger. */
  readonly stamp: number;
}

/** Instructions of x86 that touch translation. Each charges its price to the CPU's clock. */
export interface X86Instructions {
  invlpg(cpu: number, lo: number, hi: number): Result;
  /** `type`, the descriptor's first 64 bits, and its address. */
  invpcid(
    cpu: number,
    type: number,
    descLo: number,
    descHi: number,
    addressLo: number,
    addressHi: number,
  ): Result;
  writeCr3(cpu: number, lo: number, hi: number): Result;
  writeCr4(cpu: number, lo: number, hi: number): Result;
  writeCr0(cpu: number, lo: number, hi: number): Result;
  /** EFER; bit 15 is AMD's TCE. Flushes nothing. */
  writeEfer(cpu: number, lo: number, hi: number): Result;
  /** A 32-bit task switch that loads CR3. */
  taskSwitch(cpu: number, lo: number, hi: number): Result;
  cr3Lo(cpu: number): number;
  cr3Hi(cpu: number): number;
  cr4(cpu: number): number;
  cr0(cpu: number): number;
  efer(cpu: number): number;
  /** Current PCID: CR3[11:0], or 0 while PCIDE is clear. */
  pcid(cpu: number): number;
  /** Frame of the current root. */
  root(cpu: number): number;
  /** CR4.PGE, PCIDE, … as at boot of a kernel that uses the features; no flush, no price. */
  reset(cpu: number, root: number, features: readonly string[]): void;
  /** AMD. Weakly ordered: see {@link Broadcasts}. */
  invlpgb(cpu: number, raxLo: number, raxHi: number, ecx: number, edx: number): Result;
  /** `waiting` until every CPU has applied the INVLPGBs of `cpu`; with `force` they are applied first. */
  tlbsync(cpu: number, force?: boolean): Result;
  /** LFENCE, MFENCE, a locked instruction, a serialising one: drains as 1.5 says; `operation` prices it. */
  fence(cpu: number, operation: 'LFENCE' | 'MFENCE' | 'ATOMIC' | 'SERIALIZE'): Result;
}

/** Instructions of arm64 that touch translation. */
export interface Arm64Instructions {
  /** `operation` is the kernel's spelling in lower case: `vmalle1`, `vale1is`, `rvae1is`, …; `operand` is Xt. */
  tlbi(cpu: number, operation: string, lo: number, hi: number): Result;
  /** `kind`: `ish`, `ishst`, `nsh`, `nshst`, `sy`, …. `waiting` until complete; with `force` the rest is applied first. */
  dsb(cpu: number, kind: string, force?: boolean): Result;
  /** Data memory barrier: orders this PE's buffered stores; completes no TLBI. */
  dmb(cpu: number, kind: string): Result;
  isb(cpu: number): Result;
  /** `register` 0 or 1. Takes effect at the next context synchronisation (ISB, exception entry or return). */
  writeTtbr(cpu: number, register: 0 | 1, lo: number, hi: number): Result;
  ttbrLo(cpu: number, register: 0 | 1): number;
  ttbrHi(cpu: number, register: 0 | 1): number;
  /** ASID in effect: that of TTBR1 (TCR.A1 = 1, as Linux sets it). */
  asid(cpu: number): number;
  /** Context synchronisation without an ISB: exception entry and return. */
  synchronise(cpu: number): void;
  /** True while a TTBR write, or a TLBI completed by DSB, has not been followed by a context synchronisation. */
  unsynchronised(cpu: number): boolean;
  reset(cpu: number, root0: number, root1: number, asid: number): void;
}

/** INVLPGBs and TLBIs in flight, oldest first. Each CPU applies each at any moment until a TLBSYNC or DSB completes them. */
export interface Broadcasts {
  readonly inFlight: number;
  issuer(index: number): number;
  applied(index: number, cpu: number): boolean;
  /** `cpu` drops what the broadcast names. It leaves the list when all have. */
  apply(index: number, cpu: number): void;
  applyAll(cpu: number): void;
  /** Whether `cpu` has any left to apply. */
  pending(cpu: number): boolean;
}

/** Store buffers. With `storeBuffer: 0` every store goes to the bus at once. */
export interface StoreBuffers {
  readonly lo: number;
  readonly hi: number;
  /** Buffers a store; a full buffer writes its oldest entry first. `address` is an Int32 that means something to the caller. */
  store(cpu: number, address: number, lo: number, hi: number): void;
  /** Forwarding: true, with `lo` and `hi`, if the CPU's own buffer holds the address (the youngest entry). */
  find(cpu: number, address: number): boolean;
  size(cpu: number): number;
  /** Which entries may leave now: the oldest on x86; on Arm any that no older store to its address or barrier holds. */
  mayDrain(cpu: number, index: number): boolean;
  /** Writes entry `index` (0 = oldest) to the bus. False if it may not leave. */
  drain(cpu: number, index?: number): boolean;
  drainAll(cpu: number): void;
}

/** Interrupts as state. Times are those of {@link Clocks}. */
export interface Interrupts {
  /** An IPI of `vector`: charges the send, and sets the vector pending on `to` from the arrival on. */
  send(from: number, to: number, vector: number): void;
  /** An NMI from another CPU; `from` may be `to`. */
  sendNmi(from: number, to: number): void;
  /** Pending at once, from a device or timer. */
  raise(to: number, vector: number): void;
  raiseNmi(to: number): void;
  /** EFLAGS.IF (PSTATE.I clear). */
  enabled(cpu: number): boolean;
  setEnabled(cpu: number, enabled: boolean): void;
  /** Bit per vector. */
  pending(cpu: number): number;
  nmiPending(cpu: number): boolean;
  /**
   * What the CPU would take now: −1 nothing, {@link nmiVector}, or the highest pending vector if IF is set.
   * With `timed`, only what has arrived by the CPU's clock.
   */
  next(cpu: number, timed: boolean): number;
  /** Earliest arrival among what `next` may give, in cycles; Infinity if there is none. */
  nextArrival(cpu: number): number;
  /** When a pending vector (or {@link nmiVector}) arrives, in cycles. */
  arrivalOf(cpu: number, vector: number): number;
  /** Takes it: the clock waits for the arrival, IF is cleared (an NMI blocks further NMIs instead). Flushes nothing. */
  accept(cpu: number, vector: number): void;
  /** IRET: NMIs are no longer blocked. Flushes nothing, drains the store buffer (ERET: synchronises the context). The caller restores IF. */
  returnFromInterrupt(cpu: number): void;
  nmiBlocked(cpu: number): boolean;
  /** HLT or another wait for an interrupt. */
  halted(cpu: number): boolean;
  setHalted(cpu: number, halted: boolean): void;
}

/** The vector number that stands for an NMI. */
export const nmiVector = 32;

/** Messages from CPU to CPU: one from each sender to each target at a time, taken in the order posted, and acknowledged. */
export interface Mailboxes {
  /** Words of the message last taken or read; a view of `messageWords` Int32s. */
  readonly words: Int32Array;
  /** Posts `words` (from `this.words`). False: the last one to `to` has not been acknowledged. */
  post(from: number, to: number): boolean;
  /** Sender of the oldest message not taken, with `words` set; −1: none. The message stays until `acknowledge`. */
  take(to: number): number;
  waitingMessages(to: number): number;
  /** The message of `from` to `to`: none, not looked at yet, or being worked on. */
  stateOf(to: number, from: number): 'none' | 'posted' | 'taken';
  /** `to` is through with the message of `from`; the news reaches `from` one cache-line transfer later. */
  acknowledge(to: number, from: number): void;
  /** Messages to `to` not acknowledged. */
  unacknowledged(to: number): number;
  /** Messages of `from` not acknowledged. */
  outstanding(from: number): number;
  /** Advances the clock of `from` to its last acknowledgement. Call when `outstanding` is 0. */
  awaitAcknowledgements(from: number): void;
}

/** Per-CPU clocks, in cycles of the profile's clock. */
export interface Clocks {
  cycles(cpu: number): number;
  low(cpu: number): number;
  high(cpu: number): number;
  /** Adds the operation's price and counts it. False: the machine has no price; the operation is counted all the same. */
  charge(cpu: number, operation: number): boolean;
  /** Counts an operation without its price: its time comes about otherwise (`IPI_WAIT`). */
  tally(cpu: number, operation: number): void;
  /** Adds a time of the caller's own. */
  add(cpu: number, cycles: number, low: number, high: number): void;
  /** The clock of `cpu` becomes at least that of `other`, value, low and high each. */
  waitFor(cpu: number, other: number): void;
  /** Times an operation ran on the CPU, by its index in `operations`. */
  count(cpu: number, operation: number): number;
  /** Operations of the CPU that have no price, so that `cycles` is a lower bound: never silently 0. */
  unpriced(cpu: number): number;
  /** Price of an operation by its index: value, low, high; null: the machine has none. */
  price(operation: number): readonly [number, number, number] | null;
  /** Index of an operation by name; −1 if there is none. */
  operation(name: string): number;
  /** Misses of the CPU: page walks of accesses. */
  misses(cpu: number): number;
  /** Figures that the profile does not have and that the clocks left out (`ipi_delivery_cross_socket`, …). */
  readonly missingFigures: readonly string[];
}

/** What part of the state is meant. `architecture` leaves out clocks, counts and arrival times. */
export type StatePart = 'all' | 'architecture';

/** A whole machine. */
export interface Hardware {
  readonly profile: MachineProfile;
  readonly cpus: number;
  readonly translation: Translation;
  /** null on the other architecture. */
  readonly x86: X86Instructions | null;
  readonly arm64: Arm64Instructions | null;
  readonly broadcasts: Broadcasts;
  readonly stores: StoreBuffers;
  readonly interrupts: Interrupts;
  readonly mailboxes: Mailboxes;
  readonly clocks: Clocks;
  socket(cpu: number): number;

  /** Int32 words of the state, at `byteOffset` of `buffer`. */
  readonly buffer: ArrayBuffer;
  readonly byteOffset: number;
  readonly words: number;
  /** A copy of the state. `into`, if given, has `words` words. */
  snapshot(into?: Int32Array): Int32Array;
  restore(snapshot: Int32Array): void;
  /** A copy that leaves out blocks of zeros: small while the TLBs are nearly empty. */
  save(): Int32Array;
  load(saved: Int32Array): void;
  /** 64-bit hash, as two Int32, into `out[0]` and `out[1]`. */
  hash(out: Int32Array, part?: StatePart): void;
  /** Whether the state equals a snapshot. */
  equals(snapshot: Int32Array, part?: StatePart): boolean;
  /** Gives states that behave alike the same words: LRU stamps become ranks, sets are sorted. `forget` drops the ages too. For explorers. */
  canonicalise(ages?: 'rank' | 'forget'): void;
}
