/**
 * What the editor needs to know about one document, as plain data: the worker makes it. Lines are 1-based and count LF, as in `src/patch`; columns are 0-based.
 * Counts are given, not prices: those are worked out where they are shown, so that another machine or another `n`
 * changes the numbers at once.
 */
import type { FileStatus, SourceKind } from '../patch/model';

/** Why a document has no annotations. */
export type Absence = 'empty' | 'binary' | 'no-patch' | 'no-tlb-code';

export interface MessageReport {
  readonly index: number;
  readonly subject: string;
  readonly from: string;
  readonly isReply: boolean;
  readonly line: number;
  readonly endLine: number;
}

export interface HunkReport {
  /** Line of the `@@` header; null where no line of the document holds it. */
  readonly line: number | null;
  /** Last line of the body. */
  readonly endLine: number | null;
  readonly heading: string;
  readonly oldStart: number;
  readonly newStart: number;
  readonly added: number;
  readonly removed: number;
  /** Of a quotation: cut where the reply goes on. */
  readonly partial: boolean;
  readonly approximate: boolean;
}

export interface FileReport {
  readonly path: string;
  readonly oldPath: string | null;
  readonly status: FileStatus;
  /** 1-based index of the message. */
  readonly message: number;
  readonly quoted: boolean;
  readonly line: number | null;
  readonly endLine: number | null;
  readonly hunks: readonly HunkReport[];
}

/** Operation name → count as a polynomial in text, such as `-n` or `c*n+n`; never `0`. */
export type Operations = Readonly<Record<string, string>>;

/** What made a line perform operations. */
export interface Cause {
  /** The kernel name or instruction. */
  readonly name: string;
  readonly operations: Operations;
  /** One line of why, from the catalogue. */
  readonly why: string;
  /** Features without which it is not legal, or under which it counts. */
  readonly gates: readonly string[];
  /** What had to be assumed, or is not known; '' if nothing. */
  readonly note: string;
}

/** A thing that has no count: never taken as nothing. */
export interface UnknownReport {
  readonly name: string;
  readonly line: number | null;
  readonly why: string;
}

/** What one line of a hunk performs. */
export interface LineAnnotation {
  /** Line on which the text ends (later than it begins where a soft break split it). */
  readonly line: number;
  readonly side: 'old' | 'new' | 'both';
  readonly operations: Operations;
  /** The other answer, where a condition that is no feature is open. */
  readonly operationsOther: Operations | null;
  /** Why there is no price although each operation has one; '' if there is. */
  readonly noCycles: string;
  /** Recognised by the name alone, not by reading the code. */
  readonly weak: boolean;
  readonly causes: readonly Cause[];
  readonly unknown: readonly UnknownReport[];
}

/** What one hunk changes. */
export interface HunkAnnotation {
  readonly path: string;
  /** Line of the `@@` header. */
  readonly line: number;
  readonly endLine: number;
  /** The first changed function; where code was not read, what the header tells. */
  readonly heading: string;
  readonly quoted: boolean;
  /** Operations after the patch minus those before it. */
  readonly delta: Operations;
  /** The other answer, where a condition that is no feature is open. */
  readonly deltaOther: Operations | null;
  /** Why there is no price although each operation has one; '' if there is. */
  readonly noCycles: string;
  /** Recognised by name, not by reading the code. */
  readonly weak: boolean;
  readonly lines: readonly LineAnnotation[];
  readonly unknown: readonly UnknownReport[];
  readonly gates: readonly string[];
  /** How the delta came about, one sentence a line, plain text. */
  readonly derivation: readonly string[];
}

/** What a function or macro that nothing else in the series calls changes, per call. */
export interface RootReport {
  readonly name: string;
  readonly path: string;
  readonly delta: Operations;
  readonly deltaOther: Operations | null;
  readonly noCycles: string;
  readonly unknown: readonly UnknownReport[];
}

/** What a patch of the document changes: the sum of its roots, not of its hunks. */
export interface TotalReport {
  /** `all`: of every patch that counts, where there are several. */
  readonly scope: 'patch' | 'all';
  /** First line of its message; the first of the document for the total of all. */
  readonly line: number;
  readonly subject: string;
  readonly delta: Operations;
  readonly deltaOther: Operations | null;
  readonly noCycles: string;
  readonly unknown: readonly UnknownReport[];
  /** Subject of the newer version that counts instead, or null. */
  readonly supersededBy: string | null;
  /** Subject of the patch that it replaces in part, and with which it is counted, or null. */
  readonly revises: string | null;
  readonly roots: readonly RootReport[];
}

export interface DiagnosticReport {
  readonly kind: string;
  /** null where no line of the document holds it: shown at the first line. */
  readonly line: number | null;
  readonly message: string;
}

/** A part that has to be decoded to be read, offered as a document of its own. */
export interface DecodedReport {
  /** Index into `PatchDocument.decoded`. */
  readonly index: number;
  readonly kind: SourceKind;
  readonly name: string;
  readonly line: number;
}

export type LinkTarget =
  | { readonly kind: 'message-id'; readonly id: string }
  | { readonly kind: 'commit'; readonly sha: string }
  | { readonly kind: 'path'; readonly path: string; readonly line: number };

export interface LinkReport {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly target: LinkTarget;
}

export interface DocumentReport {
  /** null when there is something to show. */
  readonly absence: Absence | null;
  readonly messages: readonly MessageReport[];
  /** The mails' own files, then quoted ones. */
  readonly files: readonly FileReport[];
  readonly annotations: readonly HunkAnnotation[];
  /** What each patch changes, in order; empty until the code has been read. */
  readonly totals: readonly TotalReport[];
  /** Damage of the patch itself. */
  readonly diagnostics: readonly DiagnosticReport[];
  /** What reading the code brought to light. */
  readonly findings: readonly DiagnosticReport[];
  /** Why the code was not read, or not yet; '' when it was. */
  readonly byNameOnly: string;
  readonly decoded: readonly DecodedReport[];
  readonly links: readonly LinkReport[];
  /** Set when a bound of the report was reached: what is missing, in words. */
  readonly cut: string;
}
