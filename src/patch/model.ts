/**
 * What a patch document is read into. Line tables are typed arrays, because a document may hold millions of lines;
 * the objects here are small views on them.
 */

/** Kinds of problems the reader reports. A new kind is one new entry here and in docs/diagnostics.md. */
export const diagnosticKinds = {
  'hunk-count-mismatch': 'The hunk header and the body disagree, or the body is cut short.',
  'combined-diff': 'A combined diff of a merge; figures are those against the first parent.',
  'encoded-body': 'The diff is inside base64, so nothing can be placed at a line.',
  'non-utf8': 'Bytes that are not UTF-8.',
  'lost-blank':
    'Context lines lost their leading blank; they were read as context because the counts then agree.',
  'wrapped-line':
    'A line was wrapped by a mail program and has been joined again because the counts then agree.',
  'flattened-mail':
    'A whole mail on one line; hunks were rebuilt from their headers, context is approximate.',
  'orphan-hunk': 'A hunk header without a file header.',
  'malformed-header': 'A header that cannot be read.',
  'truncated-binary': 'A binary patch without data.',
  limit: 'A bound of the reader was reached.',
} as const;

export type DiagnosticKind = keyof typeof diagnosticKinds;

export interface PatchDiagnostic {
  readonly kind: DiagnosticKind;
  /** 1-based line of the document, counted by LF; null where no raw line holds it. */
  readonly documentLine: number | null;
  readonly message: string;
}

export type FileStatus = 'modified' | 'added' | 'deleted' | 'renamed' | 'copied' | 'binary';

/** What a line of a hunk's body is. */
export const enum LineKind {
  Outside = 0,
  Context = 1,
  Added = 2,
  Removed = 3,
  /** `\ No newline at end of file` and other lines that are no content. */
  Marker = 4,
  /** The rest of the line before it, split off by a mail program. */
  Continuation = 5,
  HunkHeader = 6,
  FileHeader = 7,
}

/**
 * A text with its line table: the document itself, or a text decoded from a part of it (quoted-printable, base64,
 * flowed, a quotation without its marks, a flattened mail).
 */
export interface TextSource {
  readonly kind:
    'document' | 'quoted-printable' | 'base64' | 'flowed' | 'quotation' | 'flattened' | 'unstuffed';
  readonly text: string;
  readonly lineCount: number;
  /** Offset in `text` at which line `line` (0-based) begins. */
  lineStart(line: number): number;
  /** Offset just behind line `line`, its line end left out. */
  lineEnd(line: number): number;
  /** Text of line `line` without line end, from column `from`. */
  lineText(line: number, from?: number): string;
  lineKind(line: number): LineKind;
  /** 1-based line of the document on which `line` begins, or null. */
  documentLine(line: number): number | null;
  /** 1-based line of the document on which `line` ends (soft breaks!), or null. */
  documentEndLine(line: number): number | null;
}

/** One mail or format-patch message. */
export interface PatchMessage {
  /** 1-based position in the document. */
  readonly index: number;
  /** 1-based document line on which it begins. */
  readonly documentLine: number;
  /** Behind its last line. */
  readonly documentEndLine: number;
  readonly subject: string;
  readonly from: string;
  readonly date: string;
  readonly messageId: string;
  readonly inReplyTo: string;
  /** `Re:` by subject or header. */
  readonly isReply: boolean;
}

export interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** `+` lines of the body. */
  readonly added: number;
  /** `-` lines of the body. */
  readonly removed: number;
  readonly documentLine: number | null;
  /** Text after the second `@@`. */
  readonly heading: string;
  readonly source: TextSource;
  /** Line of the `@@` header in `source`. */
  readonly headerLine: number;
  /** Lines `firstLine` ≤ l < `endLine` of `source` are the body. */
  readonly firstLine: number;
  readonly endLine: number;
  /** 1 for an ordinary hunk, the number of parents for a combined one. */
  readonly parents: number;
  /** Body shorter than declared, or continued past it. */
  readonly mismatch: boolean;
  /** Context was rebuilt and may differ from the file in white space. */
  readonly approximate: boolean;
  /** Of a quoted hunk: cut where the reply goes on. */
  readonly partial: boolean;
  /** Quote depth; 0 for the mail's own. */
  readonly depth: number;
}

export interface PatchFile {
  readonly oldPath: string | null;
  readonly newPath: string | null;
  readonly status: FileStatus;
  /** 1-based index of the message. */
  readonly message: number;
  readonly oldMode: string | null;
  readonly newMode: string | null;
  readonly documentLine: number | null;
  readonly hunks: readonly PatchHunk[];
}

/** A line of a hunk's body, as {@link hunkLines} gives it. */
export interface HunkLine {
  readonly kind: LineKind;
  /** Without the marker. */
  readonly text: string;
  /** 1-based, 0 where the line is not on that side. */
  readonly oldLine: number;
  readonly newLine: number;
  /** Line in `hunk.source`. */
  readonly line: number;
  readonly documentLine: number | null;
}

/** A document, read. */
export interface PatchDocument {
  readonly document: TextSource;
  /** What the mails themselves add. */
  readonly files: readonly PatchFile[];
  /** Quoted diffs. */
  readonly quoted: readonly PatchFile[];
  readonly messages: readonly PatchMessage[];
  readonly diagnostics: readonly PatchDiagnostic[];
}
