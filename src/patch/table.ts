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

/** Offsets at which the lines of `text` begin, counted by LF. An empty last line is no line. */
export function lineStarts(text: string): Int32Array {
  const starts = new Column(Math.ceil(text.length / 32));
  const end = text.length;
  for (let at = 0; at < end;) {
    starts.push(at);
    const next = text.indexOf('\n', at);
    if (next < 0) break;
    at = next + 1;
  }
  return starts.finish();
}

/** A text whose lines lie in order, with a kind for each line. */
export abstract class LineTable implements TextSource {
  readonly kinds: Uint8Array;

  constructor(
    readonly kind: SourceKind,
    readonly text: string,
    readonly starts: Int32Array,
  ) {
    this.kinds = new Uint8Array(starts.length);
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
    super('document', text, lineStarts(text));
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
    starts: Int32Array = lineStarts(text),
  ) {
    super(kind, text, starts);
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
    super('flattened', text, starts);
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
