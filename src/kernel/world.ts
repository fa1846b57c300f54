/**
 * The face of this room for `src/scenario`: what a world is made of, what its CPUs can be told to do, and what can be
 * read afterwards. `bootWorld` in `boot.ts` makes one; the tree comes from `modelTree` in `tree.ts`, or is the user's own.
 *
 * A world is a kernel tree, lowered, on the CPUs of a machine, with address spaces whose page tables are filled. A CPU
 * starts in user mode. What a step does is done by the tree's own functions: system calls and interrupts go through its
 * entry code, page faults through its fault handler. Only what hardware does, and memory itself, are built in.
 */
import type { Hardware } from '../machine/hardware';
import type { TlbEntryView } from '../machine/hardware/entriesView';
import type { HardwareOptions } from '../machine/hardwareOptions';
import type { MachineProfile } from '../machine/profile';
import type { Position } from '../vm/program';
import type { Trace } from '../vm/trace';
import type { Ending } from '../vm/verdicts';
import type { Vm } from '../vm/vm';
import type { CpuView } from './cpuView';

/**
 * Path in the tree → text, after variants. `rest`: a tree of the model's kind that supplies what this one leaves out
 * (see `userTree.ts`); the other files are read when something asks for them.
 */
export type KernelTree = ReadonlyMap<string, string> & {
  readonly rest?: ReadonlyMap<string, string>;
  /** Calls between CPUs are those of the tree's `kernel/smp.c`, not the built-in ones. */
  readonly ownCalls?: boolean;
};

/** Where a file whose functions take part in a run comes from. */
export interface SourceFile {
  readonly file: string;
  readonly from: 'tree' | 'model' | 'built in';
}

/** Limits at the door; `bootWorld` throws a {@link WorldError} that names the one that is exceeded. */
export const worldLimits = {
  cpus: 256,
  spaces: 8,
  /** Pages of one region or step. */
  pages: 16_384,
  /** Calls of one CPU after unrolling groups; a repeated single step is one. */
  calls: 20_000,
} as const;

/** A mistake of the caller: `step` is the path of indexes into `programs`, such as `[cpu, step, inner step]`. */
export class WorldError extends Error {
  constructor(
    message: string,
    readonly step: readonly number[] = [],
  ) {
    super(message);
  }
}

/** log2 of the size of a page: 4K or 2M. */
export type PageShift = 12 | 21;

/** Pages of one size. */
export interface Range {
  /** First address; a multiple of the size of a page, below 2^47. */
  readonly start: bigint;
  readonly pages: number;
  /** Default 12. */
  readonly pageShift?: PageShift;
}

/** A range that a system call works on; `each`: in calls of so many pages each. Default: in one call. */
export interface CallRange extends Range {
  readonly each?: number;
}

/** Pages in an address space. */
export interface Region extends Range {
  /** Default true. */
  readonly writable?: boolean;
  /** Whether pages are there before the run, rather than at the first access. Default true. */
  readonly populated?: boolean;
}

/** An address space (an mm with its page tables). */
export interface AddressSpace {
  readonly name: string;
  readonly regions: readonly Region[];
}

/** How a CPU starts. */
export interface CpuStart {
  /** Name of the address space that its thread runs; null: a kernel thread on init_mm. */
  readonly space: string | null;
  /** A kernel thread runs, and the space stays loaded (lazy TLB). Default false. */
  readonly lazy?: boolean;
  /** Ranges whose pages are in its TLB already (through accesses that are not counted). */
  readonly warm?: readonly Range[];
}

/** By which code of the tree a CPU goes back to user mode. `nostack`: the 32-bit SYSRET exit, without a stack. */
export type ExitPath = 'stack' | 'nostack';

export type EntryPath = 'syscall' | 'interrupt' | 'nmi' | 'paranoid';

/** Pages of the direct map that the model kernel has. */
export const directMapPages = 64;

/**
 * What the kernel does with a page of its direct map: an access that asks nobody; giving it to user space or to the
 * kernel; work on a user page (kmap, a write, kunmap); freeing it; filling a CPU's list of free pages.
 */
export const directWorks = ['read', 'give-user', 'give-kernel', 'copy', 'free', 'refill'] as const;

export type DirectWork = (typeof directWorks)[number];

/** What a CPU does next. System calls enter and leave by the tree's entry code; `exit` says by which path. */
export type Step =
  /** User code accesses each page once. */
  | ({ readonly kind: 'touch'; readonly write?: boolean; readonly execute?: boolean } & Range)
  /** mmap of anonymous memory; no page is there yet. */
  | ({ readonly kind: 'map'; readonly writable?: boolean; readonly exit?: ExitPath } & Range)
  /** munmap: the pages and the page tables that become empty. */
  | ({ readonly kind: 'unmap'; readonly exit?: ExitPath } & CallRange)
  /** madvise(MADV_DONTNEED). */
  | ({ readonly kind: 'madvise'; readonly exit?: ExitPath } & CallRange)
  | ({ readonly kind: 'mprotect'; readonly writable: boolean; readonly exit?: ExitPath } & CallRange)
  /** Copies the running space into `into`, an empty space; writable pages become copy-on-write in both. */
  | { readonly kind: 'fork'; readonly into: string; readonly exit?: ExitPath }
  /** Reclaim on this CPU unmaps pages of a space in one batch. */
  | ({ readonly kind: 'reclaim'; readonly space: string } & Range)
  /** The kernel works on pages of its direct map, `first` and those after it (XPFO): in one entry. */
  | { readonly kind: 'direct'; readonly do: DirectWork; readonly first: number; readonly count: number }
  /** The scheduler switches to a thread of the space (also back from a kernel thread). */
  | { readonly kind: 'switch'; readonly space: string }
  /** The scheduler switches to a kernel thread; the space stays loaded. */
  | { readonly kind: 'lazy' }
  /**
   * Enters the kernel by a system call, a device interrupt, an NMI or a debug trap (paranoid), and leaves it again.
   * `steps` are done in between, with interrupts on: what several system calls do, switches, barriers, interrupts.
   */
  | {
      readonly kind: 'enter';
      readonly by: EntryPath;
      readonly exit?: ExitPath;
      readonly steps?: readonly Step[];
    }
  /** Sends an NMI to a CPU. */
  | { readonly kind: 'nmi'; readonly cpu: number }
  /** User code that takes interrupts until every CPU with other steps left has come to its end. */
  | { readonly kind: 'spin' }
  /** Waits until all CPUs whose programs name this barrier have come to it equally often. */
  | { readonly kind: 'barrier'; readonly name: string }
  /** Figures of this CPU count from here. */
  | { readonly kind: 'measure' }
  | { readonly kind: 'repeat'; readonly times: number; readonly steps: readonly Step[] };

export interface WorldOptions {
  readonly tree: KernelTree;
  readonly machine: MachineProfile;
  readonly cpus: number;
  /** Exactly the features that are on, by the design's names (`PTI`, `PCID`, `INVPCID`, `PGE`, …). */
  readonly features: ReadonlySet<string>;
  /** Static keys, and CONFIG_ symbols by full name, that differ from their default. */
  readonly keys?: ReadonlyMap<string, boolean>;
  readonly config?: ReadonlyMap<string, boolean>;
  readonly spaces: readonly AddressSpace[];
  /** Per CPU. A CPU that is not listed runs the first space. */
  readonly start?: readonly CpuStart[];
  /** Per CPU. A CPU without steps stays in user mode and takes interrupts. */
  readonly programs: readonly (readonly Step[])[];
  readonly hardware?: Omit<HardwareOptions, 'cpus' | 'buffer' | 'byteOffset' | 'lacks'>;
  readonly seed?: number;
  /** Instructions of one CPU; more is the verdict `unbounded`. Default 20 million. */
  readonly budget?: number;
  /** Counts translations that flushes drop needlessly. Default false: it takes time with each flush. */
  readonly overflush?: boolean;
  /**
   * CPUs fill their TLBs with the user pages of their root (at most 256 of all spaces) whenever
   * they may, and `spec-only` is looked for. Default false: then nothing is cached but what was accessed.
   */
  readonly speculation?: boolean;
  /** Default: a trace of every kind of event. null: none. */
  readonly trace?: Trace | null;
}

/** What a CPU has spent since the start, or since its last `measure`. */
export interface CpuFigures {
  readonly cycles: number;
  readonly low: number;
  readonly high: number;
  /** Operations by the design's names; those that did not run are not listed. */
  readonly counts: Readonly<Record<string, number>>;
  /** Page walks of accesses. */
  readonly misses: number;
  /** Operations without a price on this machine: with any, `cycles` is a lower bound and no total. */
  readonly unpriced: number;
}

/** A use of a translation that was no longer valid. The run goes on after it. */
export interface StaleUse {
  readonly verdict: 'stale-data' | 'stale-perm' | 'stale-walk' | 'lost-dirty' | 'exposure' | 'spec-only';
  readonly cpu: number;
  readonly address: bigint;
  /** What the access found, and what it should have found. */
  readonly why: string;
}

/** A per-CPU or per-mm field of the kernel, by the kernel's name; null where the tree has none, or it is not set. */
export type StateValue = bigint | null;

/** Flush state of one CPU (`cpu_tlbstate`), by the kernel's field names. */
export interface FlushState {
  /** Name of the loaded space; `init_mm`, `LOADED_MM_SWITCHING`. */
  readonly loaded_mm: string;
  readonly loaded_mm_asid: StateValue;
  readonly is_lazy: StateValue;
  readonly user_pcid_flush_mask: StateValue;
  /** The deferred range, where the tree has one. `user_flush_end` all ones: a full flush. */
  readonly user_flush_start: StateValue;
  readonly user_flush_end: StateValue;
  readonly user_flush_stride_shift: StateValue;
  readonly ctxs: readonly { readonly ctx_id: StateValue; readonly tlb_gen: StateValue }[];
}

export interface World {
  /** For stepping, snapshots, hashes, the trace and `positionOf`. */
  readonly vm: Vm;
  /** Runs up to `steps` instructions; fewer were run when the world is at its end. */
  run(steps: number): number;
  readonly ending: Ending;
  figures(cpu: number): CpuFigures;
  flushState(cpu: number): FlushState;
  /** `context.tlb_gen` of a space, and CPUs of its `mm_cpumask`. */
  spaceState(name: string): { readonly tlb_gen: StateValue; readonly cpumask: readonly number[] };
  /** Everything about a CPU at the present moment, as plain data for panels. */
  cpuView(cpu: number): CpuView;
  /** What the CPU has cached, stale entries marked: on demand, there may be thousands. */
  cpuEntries(cpu: number): TlbEntryView[];
  /** How many translations of a CPU are stale, by PCID or ASID; −1: global ones. Tags without any are not listed. */
  cpuStale(cpu: number): ReadonlyMap<number, number>;
  /** The simulated hardware. */
  readonly hardware: Hardware;
  /** First of each kind and CPU. */
  readonly staleUses: readonly StaleUse[];
  /**
   * Translations of user pages that the CPU's flushes have dropped since the start or its last `measure`, although the
   * page tables said the same. 0 where the world does not count them.
   */
  overflushed(cpu: number): number;
  /** The same by line, the first eight of a CPU; the eighth stands for all later ones too. */
  overflushes(cpu: number): readonly { readonly count: number; readonly position: Position }[];
  /** Files whose functions can run here, sorted; those of the tree first. */
  readonly sources: readonly SourceFile[];
  /** What had to be assumed (widths, lengths, configuration), and names that code mentions and nothing defines. */
  readonly assumed: readonly string[];
  readonly undefinedNames: readonly string[];
}
