/**
 * What a patch document is read into. Line tables are typed arrays, because a document may hold millions of lines;
 * the objects here are small views on them.
 */

/** Kinds of problems the reader reports. A new kind is one new entry here and in docs/reading.md. */
export const diagnosticKinds = {
  'hunk-count-mismatch': 'The hunk header and the body disagree, or the body is cut short.',
  'combined-diff': 'A combined diff of a merge; figures are those against the first parent.',
  'encoded-body': 'The diff is inside base64, so nothing can be placed at a line.',
  'non-utf8': 'Bytes that are not UTF-8; they were read as ISO 8859-1.',
  'lost-blank':
    'Context lines lost their leading blank; they were read as context because the counts then agree.',
  'wrapped-line': 'Lines were wrapped by a mail program; they were joined because the counts then agree.',
  'flattened-mail':
    'A whole mail on one line; hunks were rebuilt from their headers, context is approximate.',
  'orphan-hunk': 'A hunk header that no file header precedes.',
  'malformed-header': 'A header that cannot be read as written.',
  'truncated-binary': 'A binary patch whose data are missing or damaged.',
  'empty-hunk': 'A hunk that changes nothing.',
  'empty-file': 'The header of a file with no change behind it.',
  'no-final-newline': 'The document ends in the middle of a line; git refuses such a patch.',
} as const;

export type DiagnosticKind = keyof typeof diagnosticKinds;

export interface PatchDiagnostic {
  readonly kind: DiagnosticKind;
  /** 1-based line of the document, counted by LF; null where no raw line holds it. */
  readonly documentLine: number | null;
  readonly message: string;
}

export type FileStatus = 'modified' | 'added' | 'deleted' | 'renamed' | 'copied' | 'binary';

/** What a line of a text is to the reader. */
export const LineKind = {
  Outside: 0,
  Context: 1,
  Added: 2,
  Removed: 3,
  /** `\ No newline at end of file`: no content. */
  Marker: 4,
  /** The rest of the line before it, split off by a mail program. */
  Continuation: 5,
  HunkHeader: 6,
  FileHeader: 7,
  /** A context line that lost its leading blank: its text begins in column 0. */
  BareContext: 8,
} as const;
export type LineKind = (typeof LineKind)[keyof typeof LineKind];

/** How a text came to be: the document itself, or decoded from a part of it. */
export type SourceKind =
  'document' | 'quoted-printable' | 'base64' | 'flowed' | 'quotation' | 'flattened' | 'signed';

/** A text with its line table. Lines are 0-based here; document lines are 1-based. */
export interface TextSource {
  readonly kind: SourceKind;
  readonly text: string;
  readonly lineCount: number;
  /** Offset in `text` at which line `line` begins. */
  lineStart(line: number): number;
  /** Offset just behind line `line`, its line end (LF or CR LF) left out. */
  lineEnd(line: number): number;
  lineText(line: number): string;
  lineKind(line: number): LineKind;
  /** 1-based line of the document on which `line` begins, or null. */
  documentLine(line: number): number | null;
  /** 1-based line of the document on which `line` ends (later than it begins where a soft break split it), or null. */
  documentEndLine(line: number): number | null;
  /** Offset in the document behind the text of `line`, or null: where an annotation of the line belongs. */
  documentOffset(line: number): number | null;
}

/** One mail or format-patch message. */
export interface PatchMessage {
  /** 1-based position in the document. */
  readonly index: number;
  /** 1-based document line on which it begins. */
  readonly documentLine: number;
  /** 1-based document line behind its last. */
  readonly documentEndLine: number;
  readonly subject: string;
  readonly from: string;
  readonly date: string;
  readonly messageId: string;
  readonly inReplyTo: string;
  /** `Re:` or the like before the subject. */
  readonly isReply: boolean;
}

export interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** `+` lines of the body (combined: in the first column). */
  readonly added: number;
  /** `-` lines of the body. */
  readonly removed: number;
  readonly documentLine: number | null;
  /** Text after the second `@@`, trimmed. */
  readonly heading: string;
  readonly source: TextSource;
  /** Line of the `@@` header in `source`. */
  readonly headerLine: number;
  /** Lines `firstLine` ≤ l < `endLine` of `source` are the body. */
  readonly firstLine: number;
  readonly endLine: number;
  /** Number of parents: 1 for an ordinary hunk. */
  readonly parents: number;
  /** The body is shorter than declared or goes on past it. */
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
  /** Line of its first header line. */
  readonly documentLine: number | null;
  readonly hunks: readonly PatchHunk[];
}

/** A document, read. */
export interface PatchDocument {
  /** The document's own text. */
  readonly document: TextSource;
  /** What the mails themselves add. */
  readonly files: readonly PatchFile[];
  /** Diffs that a reply quotes. */
  readonly quoted: readonly PatchFile[];
  readonly messages: readonly PatchMessage[];
  readonly diagnostics: readonly PatchDiagnostic[];
  /** Texts decoded from parts of the document that hold a diff: what an editor may offer to open. */
  readonly decoded: readonly DecodedPart[];
}

export interface DecodedPart {
  readonly source: TextSource;
  /** 1-based index of the message it is a part of. */
  readonly message: number;
  /** File name given by the part's headers, or ''. */
  readonly name: string;
  /** 1-based document line on which the encoded part begins. */
  readonly documentLine: number;
}
