/** What pricing gives, as plain data for the command line and the editor. Counts are polynomials, not yet text. */
import type { Polynomial } from './polynomial';
import type { Counts } from './resolve';
import type { TreeFit } from './treeFit';

export interface UnknownItem {
  readonly name: string;
  /** 1-based line of the document, or null. */
  readonly documentLine: number | null;
  readonly why: string;
}

export interface ConditionItem {
  readonly documentLine: number | null;
  readonly text: string;
  /** The value of the condition, as written, that the answer assumes. */
  readonly taken: boolean | 'both';
}

/** Cycles of the machine's clock. */
export interface Cycles {
  /** Of the whole functions before and after; null where one of their operations has no price or no count. */
  readonly before: number | null;
  readonly after: number | null;
  readonly delta: number;
  readonly low: number;
  readonly high: number;
}

/** Work that is left for later. */
export interface DeferredItem {
  readonly name: string;
  readonly where: string;
  readonly documentLine: number | null;
  /** 1 if the patch adds it, -1 if it removes it. */
  readonly change: 1 | -1;
  /** Change of operations where it is paid, per mark; empty where it is not known. */
  readonly operations: Counts;
}

export interface LineItem {
  readonly documentLine: number;
  readonly side: 'old' | 'new';
  readonly operations: Counts;
}

/** One step of a derivation: an operation, how often, why, and through which callees. */
export interface DerivationItem {
  readonly side: 'before' | 'after';
  readonly operation: string;
  readonly count: Polynomial;
  readonly documentLine: number | null;
  readonly via: readonly string[];
  readonly source: string;
}

export interface Difference {
  readonly before: Counts;
  readonly after: Counts;
  readonly delta: Counts;
}

export interface PricedPart extends Difference {
  /** The other answer of open conditions. */
  readonly other: Difference | null;
  readonly conditions: readonly ConditionItem[];
  readonly unknown: readonly UnknownItem[];
  /** Features whose presence changes the counts. */
  readonly gates: readonly string[];
  /** One per gate, that gate flipped. */
  readonly alternatives: readonly {
    readonly features: readonly string[];
    readonly gate: string;
    readonly delta: Counts;
  }[];
  readonly cycles: Cycles | null;
  /** Why `cycles` is null; '' if it is not. */
  readonly noCycles: string;
  /** Nothing was counted, and something changed that is not known. */
  readonly onlyUnknown?: boolean;
  /** Taken for granted: configuration, series versions, no retry. */
  readonly assumed: readonly string[];
  readonly deferred: readonly DeferredItem[];
  readonly derivation: readonly DerivationItem[];
}

export interface PricedHunk extends PricedPart {
  readonly message: number;
  readonly file: string;
  readonly oldStart: number;
  readonly newStart: number;
  readonly documentLine: number | null;
  /** The first changed function, or null. */
  readonly function: string | null;
  readonly functions: readonly string[];
  readonly presence: 'present' | 'absent';
  /** How the patch goes with the file of the kernel tree; null without a tree, or where the file was not read. */
  readonly tree: TreeFit | null;
  readonly byName: boolean;
  readonly lines: readonly LineItem[];
}

export interface PricedRoot extends PricedPart {
  readonly function: string;
  readonly file: string;
}

export interface PricedPatch {
  readonly message: number;
  readonly subject: string;
  readonly supersededBy: number | null;
  /** The message of which this one replaces some files, or null. */
  readonly revises: number | null;
  readonly delta: Counts;
  readonly cycles: Cycles | null;
  readonly noCycles: string;
  /** What changed and is not counted. */
  readonly unknown: readonly UnknownItem[];
  readonly onlyUnknown: boolean;
  readonly roots: readonly PricedRoot[];
}

export interface Finding {
  readonly kind: string;
  readonly documentLine: number | null;
  readonly message: string;
}

export interface PricedDocument {
  readonly machine: string;
  readonly features: readonly string[];
  readonly symbols: Readonly<Record<string, number>>;
  readonly hunks: readonly PricedHunk[];
  readonly total: {
    readonly delta: Counts;
    readonly cycles: Cycles | null;
    readonly noCycles: string;
    readonly unknown: readonly UnknownItem[];
    readonly patches: readonly PricedPatch[];
  };
  readonly findings: readonly Finding[];
  /** Configuration symbols and static keys that decided something, with the value taken. */
  readonly configuration: ReadonlyMap<string, boolean>;
}
