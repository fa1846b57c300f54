/** What the caller gives to the simulated hardware: the memory around it, and options. See `hardware.ts`. */
import type { TlbStructure } from './profile';

/** The memory around the CPUs, given by the caller. */
export interface Bus {
  /** The entry that `readEntry` found. */
  lo: number;
  hi: number;
  /**
   * Reads an entry in the architecture's own format for a page walk of `cpu`. False: there is no such table.
   * Whether stores waiting in the CPU's own buffer are seen is the caller's choice (`stores.find`).
   */
  readEntry(cpu: number, table: number, level: number, index: number): boolean;
  /** The walker sets accessed and dirty bits of the entry just read, as one locked step. */
  writeEntry(cpu: number, table: number, level: number, index: number, lo: number, hi: number): void;
  /** A store leaves the buffer of `cpu` and becomes visible to all. */
  write(cpu: number, address: number, lo: number, hi: number): void;
}

/** Options; each has a default, said here. */
export interface HardwareOptions {
  /** Logical CPUs, 1 to 1,024. Default: those of the profile. */
  readonly cpus?: number;
  /** Socket of each CPU. Default: as Linux numbers them (cores of socket 0, of socket 1, …, then second threads). */
  readonly sockets?: readonly number[];
  /** Translation caches. Default: the profile's. Explorers give small ones. */
  readonly tlb?: readonly TlbStructure[];
  /** Entries of the fully associative paging-structure caches for levels 2 to 5. Default 32, 4, 4, 4 (assumed: unpublished). */
  readonly pagingCaches?: readonly [number, number, number, number];
  /** Features the hardware lacks, by the profile's names. Default: the profile's. */
  readonly lacks?: readonly string[];
  /** How a page larger than 4K is cached: whole, in 4K pieces, or in pieces only where no structure of a cache level holds its size. Default `missing`. */
  readonly fragments?: 'missing' | 'always';
  /** Entries of a CPU's store buffer; 0 = none: stores are visible at once. Default 0. */
  readonly storeBuffer?: number;
  /** The CPU dropped more than it must at each invalidation. Default `nothing`. */
  readonly alsoDrops?: 'nothing' | 'paging-structures' | 'everything';
  /** Erratum of Alder Lake and its kin: with CR4.PCIDE set, INVLPG keeps global entries. Default false. */
  readonly invlpgKeepsGlobalsWhenPcide?: boolean;
  /** arm64 erratum: a TLBI holds only after an identical second one, each completed by a DSB. Default false. */
  readonly repeatTlbi?: boolean;
  /** arm64: the walker sets the access flag and the dirty state itself. Default false. */
  readonly hardwareAccessFlag?: boolean;
  /** INVLPGBs and TLBIs in flight before the oldest is completed by force. Default 64. */
  readonly broadcasts?: number;
  /** Interrupt vectors, 1 to 32; the caller gives them their meaning. Default 8. */
  readonly vectors?: number;
  /** Int32 words of a mailbox message. Default 4. */
  readonly messageWords?: number;
  /** Memory for the state, at a multiple of 8 bytes, all zero; `hardwareBytes(profile, options)` are needed. Default: an own buffer. */
  readonly buffer?: ArrayBuffer;
  readonly byteOffset?: number;
}
