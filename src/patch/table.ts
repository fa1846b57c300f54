import { LineKind, type SourceKind, type TextSource } from './model';

const LF = 10;
const CR = 13;

/** Int32 numbers, growing by doubling. */
export class Column {
  private data: Int32Array;
  length = 0;

  constructor(capacity = 16) {
    this.data = new Int32Array(Math.max(16, capacity));
  }

  push(value: number): void {
    if (this.length === this.data.length) {
      const grown = new Int32Array(this.data.length * 2);
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.length++] = value;
  }

  at(index: number): number {
    return this.data[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.data[index] = value;
  }

  /** The numbers, without spare room. */
  finish(): Int32Array {
    return this.data.length > this.length + 1024
      ? this.data.slice(0, this.length)
      : this.data.subarray(0, this.length);
  }
}

/** The line table of a text, and what one pass over the lines' first characters finds besides. */
export interface LineIndex {
  /** Offset at which each line begins. */
  readonly starts: Int32Array;
  /** Lines that begin with `From `: candidates for an mbox separator. */
  readonly fromLines: readonly number[];
  /** A line begins with `>`. */
  readonly hasQuotes: boolean;
}

/** Indexes the lines of `text`, counted by LF. An empty last line is no line. */
function indexLines(text: string): LineIndex {
  // Room for short lines: what is not touched of it costs no memory, growing would copy.
  let starts = new Int32Array(Math.max(64, Math.ceil(text.length / 20)));
  const fromLines: number[] = [];
  let hasQuotes = false;
  let count = 0;
  const end = text.length;
  for (let at = 0; at < end;) {
    if (count === starts.length) {
      const grown = new Int32Array(starts.length * 2);
      grown.set(starts);
      starts = grown;
    }
    const code = text.charCodeAt(at);
    if (code === 70 /* F */) {
      if (text.startsWith('From ', at)) fromLines.push(count);
    } else if (code === 62 /* > */) hasQuotes = true;
    starts[count++] = at;
    const next = text.indexOf('\n', at);
    if (next < 0) break;
    at = next + 1;
  }
  return { starts: starts.subarray(0, count), fromLines, hasQuotes };
}

/** A text whose lines lie in order, with a kind for each line. */
export abstract class LineTable implements TextSource {
  readonly starts: Int32Array;
  readonly fromLines: readonly number[];
  readonly hasQuotes: boolean;
  readonly kinds: Uint8Array;

  constructor(
    readonly kind: SourceKind,
    readonly text: string,
    index: LineIndex,
  ) {
    this.starts = index.starts;
    this.fromLines = index.fromLines;
    this.hasQuotes = index.hasQuotes;
    this.kinds = new Uint8Array(index.starts.length);
  }

  get lineCount(): number {
    return this.starts.length;
  }

  lineStart(line: number): number {
    return this.starts[line] ?? this.text.length;
  }

  lineEnd(line: number): number {
    const next = this.starts[line + 1];
    let end = next ?? this.text.length;
    if (end > this.lineStart(line) && this.text.charCodeAt(end - 1) === LF) end--;
    if (end > this.lineStart(line) && this.text.charCodeAt(end - 1) === CR) end--;
    return end;
  }

  lineText(line: number): string {
    return this.text.slice(this.lineStart(line), this.lineEnd(line));
  }

  lineKind(line: number): LineKind {
    return (this.kinds[line] ?? LineKind.Outside) as LineKind;
  }

  abstract documentLine(line: number): number | null;
  abstract documentEndLine(line: number): number | null;
  abstract documentOffset(line: number): number | null;
}

/** The document itself. */
export class DocumentTable extends LineTable {
  constructor(text: string) {
    super('document', text, indexLines(text));
  }

  documentLine(line: number): number {
    return line + 1;
  }

  documentEndLine(line: number): number {
    return line + 1;
  }

  documentOffset(line: number): number {
    return this.lineEnd(line);
  }
}

/**
 * A text made from lines of `parent`: line i comes from the parent's lines `first[i]` to `last[i]`;
 * with `first` null it has no place (base64).
 */
export class DerivedTable extends LineTable {
  constructor(
    kind: SourceKind,
    text: string,
    readonly parent: LineTable,
    private readonly first: Int32Array | null,
    private readonly last: Int32Array | null,
  ) {
    super(kind, text, indexLines(text));
  }

  documentLine(line: number): number | null {
    const origin = this.first?.[line];
    return origin === undefined ? null : this.parent.documentLine(origin);
  }

  documentEndLine(line: number): number | null {
    const origin = this.last?.[line];
    return origin === undefined ? null : this.parent.documentEndLine(origin);
  }

  documentOffset(line: number): number | null {
    const origin = this.last?.[line];
    return origin === undefined ? null : this.parent.documentOffset(origin);
  }
}

/** Pseudo-lines of one long line of `parent`: begins and ends are offsets in the parent's text. */
export class FlattenedTable extends LineTable {
  constructor(
    text: string,
    private readonly parent: LineTable,
    private readonly parentLine: number,
    starts: Int32Array,
    private readonly ends: Int32Array,
  ) {
    super('flattened', text, { starts, fromLines: [], hasQuotes: false });
  }

  override lineEnd(line: number): number {
    return this.ends[line] ?? this.text.length;
  }

  documentLine(): number | null {
    return this.parent.documentLine(this.parentLine);
  }

  documentEndLine(): number | null {
    return this.parent.documentEndLine(this.parentLine);
  }

  documentOffset(line: number): number | null {
    return this.parent.kind === 'document' ? this.lineEnd(line) : this.parent.documentOffset(this.parentLine);
  }
}
