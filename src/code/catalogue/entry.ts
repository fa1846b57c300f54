/**
 * What the catalogue says about one kernel name. The data are in `operations.json` (names that matter to the TLB, and
 * atomics and fences) and `helpers.json` (ordinary helpers that cost none of the operations).
 *
 * How to price a call from an entry, for a given set of features:
 *
 * 1. `unknown` set (of the row, or of the element chosen in step 2) → the call's cost is not known; list it with that
 *    reason. Never take it as nothing.
 * 2. Otherwise take the *first* element of `costs` whose `when` holds (and whose `versions` admits the kernel, where the
 *    kernel's version is known). The last element always has an empty `when`, so one always holds.
 * 3. `ops` is what one call performs on all CPUs together. `{}` is *known and free*, unlike a name that is not found.
 *    If `n` is given and exceeds the ceiling (`ceiling`, else the machine's) and `full` is there, `full` stands in
 *    place of `ops`.
 *    If `other` is there, the call has a condition that is no feature (`condition`): `ops` is the dearer answer,
 *    `other` the other one (`{}` for "nothing").
 * 4. `select` set → the operations are those of the named argument's case, *added* to `ops`.
 *    An argument that matches no case makes the call unknown.
 * 5. `callback` set → add the operations of the function passed in argument `callback.argument`, `callback.runs` times.
 *    If `callback.wait` is there, add one `IPI_WAIT` when that argument is not zero (with `null`: it always waits, and
 *    `ops` holds the `IPI_WAIT` already).
 * 6. `CR3_WRITE` in `ops` stands for `CR3_FLUSH` or `CR3_NOFLUSH` by bit 63 of argument `value`; where that bit cannot
 *    be known the answer is `CR3_FLUSH`, and `CR3_NOFLUSH` the other one. Without PCID it is always `CR3_FLUSH`.
 *
 * 7. `deferred` of the chosen element is shown beside the count and never added to it.
 *
 * Multiply by the loop around the call, except that counts in `n` are already over the range the call is given.
 */
import type { OperationName } from '../operationNames';

/**
 * Where a row holds: Linux x86, Linux generic, Linux arm64, Linux as a Xen-PV guest, Linux on other architectures,
 * the Xen hypervisor (x86), the XPFO series, the deferred-flush series of 2019.
 */
export type KernelCode = 'Lx' | 'Lg' | 'La' | 'Lp' | 'Lo' | 'X' | 'XF' | 'S';

/** Operations → how often. `CR3_WRITE` is a CR3 write whose kind depends on the value written. */
export type OperationCounts = Readonly<Partial<Record<OperationName | 'CR3_WRITE', Polynomial>>>;

/**
 * A count as text: sums of products of whole numbers and symbols, such as `1`, `n`, `c*n+n`, `2*c+2`.
 * Symbols: `n` pages (strides) of the range, `c` CPUs besides this one, `2^order`,
 * `ceil(n/8)` INVLPGB instructions for n strides (8 is the limit per instruction of every machine known to have it),
 * `ceil(n/21)` hypercalls for n queued Xen operations.
 */
export type Polynomial = string;

/** Linux or series versions, both ends included; null is open. */
export interface VersionRange {
  readonly from: string | null;
  readonly to: string | null;
}

/** The operations of one call under some features. */
export interface CatalogueCost {
  /** Features that must be on, or off where the name begins with `!`. All must hold. Names as on the command line. */
  readonly when: readonly string[];
  readonly ops: OperationCounts;
  /** In place of `ops` when the range exceeds the full-flush ceiling. */
  readonly full?: OperationCounts;
  /** The cheaper answer of a condition that is no feature. */
  readonly other?: OperationCounts;
  /** That condition in words; there if and only if `other` is. */
  readonly condition?: string;
  /** The argument (from 0, or -1 for the last) that is the condition itself, where the call says so. */
  readonly asked?: number;
  /** Xen: what the flags of the call have to ask for, so that `ops` is the answer: one page, more than one, any flush. */
  readonly asks?: 'page' | 'pages' | 'flush';
  /** Kernel versions for which this element holds. */
  readonly versions?: VersionRange;
  /** Pages (strides) above which `full` holds, where it is not the machine's full-flush ceiling. */
  readonly ceiling?: number;
  /** Work that the call leaves for later. It is not part of `ops`. */
  readonly deferred?: DeferredWork;
  /** Why the operations under these features cannot be known; then `ops` is `{}` and means nothing. */
  readonly unknown?: string;
}

/** Operations chosen by an argument of the call, as written: `__tlbi(vae1is, …)`, `__invpcid(p, a, 0)`. */
export interface ArgumentSelect {
  /** 0-based. */
  readonly argument: number;
  /** Features without which the argument chooses nothing (the call is then `ops` alone). */
  readonly when: readonly string[];
  /** Text of the argument → operations. */
  readonly cases: Readonly<Record<string, OperationCounts>>;
}

/** A function that the call runs, here or elsewhere. */
export interface CallbackRun {
  /** 0-based index of the argument that names the function. */
  readonly argument: number;
  /** How often it runs, over all CPUs: `c`, `c+1`, `1`. */
  readonly runs: Polynomial;
  /** 0-based index of the argument that says whether to wait; null if it always does. */
  readonly wait: number | null;
}

/** Work that the call leaves for later, with what it will cost whoever pays it. */
export interface DeferredWork {
  /** Change of operations at the place where it is paid; negative counts are saved there. */
  readonly ops: OperationCounts;
  /** Where: `next exit to user mode`, `next context switch`, … */
  readonly where: string;
}

/** What a name is in the source. `value`: a constant, flag, field or variable, which is not called. */
export type NameKind = 'instruction' | 'function' | 'macro' | 'asm-macro' | 'value';

/**
 * `operations`: performs some. `memory`: reads or writes memory only (page-table entries, protocol state).
 * `none`: arithmetic, compile-time or bookkeeping. `unknown`: does something that has no price here.
 */
export type NameEffect = 'operations' | 'memory' | 'none' | 'unknown';

/** One row of the catalogue. */
export interface CatalogueEntry {
  /** The names that the row speaks of. */
  readonly names: readonly string[];
  readonly where: readonly KernelCode[];
  /** Linux versions that have the name; for `XF` rows the version of the series. Absent: all. */
  readonly versions?: VersionRange;
  readonly kind: NameKind;
  readonly effect: NameEffect;
  /** Set if and only if `effect` is `unknown`: why there is no figure. */
  readonly unknown?: string;
  readonly costs: readonly CatalogueCost[];
  readonly select?: ArgumentSelect;
  readonly callback?: CallbackRun;
  /** 0-based index of the argument that is written to CR3 or CR4. */
  readonly value?: number;
  /** Features without which the call is not legal. They take no operation away: only `when` does. */
  readonly gate: readonly string[];
  /** Which CPUs are reached. */
  readonly reach: 'this' | 'others' | 'mask' | 'all' | 'none';
  /** False for atomics, fences and ordinary helpers: a hunk with only those is not about the TLB. */
  readonly tlb: boolean;
  /** One line for the hover. */
  readonly why: string;
}

/** What is known about the place of a name. All but `path` may be left out. */
export interface LookupHints {
  /** Path of the file in its tree, such as `xen/arch/x86/flushtlb.c`. */
  readonly path: string;
  /** The architecture to assume in generic code (`mm/…`); x86 if absent. */
  readonly architecture?: 'x86' | 'arm64';
  /** Version of the kernel, such as `4.20`. */
  readonly kernelVersion?: string;
  /** Version of the patch series, from its subject (`[PATCH v7 …]`). */
  readonly seriesVersion?: number;
}

/** What {@link lookup} gives: the row, and what had to be assumed to choose it. */
export interface CatalogueMatch {
  readonly name: string;
  readonly entry: CatalogueEntry;
  /** Such as "series version 7 assumed", or null. */
  readonly assumption: string | null;
}
