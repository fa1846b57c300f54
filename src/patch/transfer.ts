/** Content-transfer encodings and charsets, decoded so that every line still knows where it came from. */
import { decodeText } from './decode';
import { Column, DerivedTable, type LineTable } from './table';

/** A part decoded. `invalid` says that some bytes did not fit the charset. */
export interface Decoded {
  readonly table: DerivedTable;
  readonly invalid: boolean;
}

const EQUALS = 61;
const LF = 10;

function hex(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 70) return code - 55;
  if (code >= 97 && code <= 102) return code - 87;
  return -1;
}

/** Decodes lines `from` ≤ l < `to` of quoted-printable (RFC 2045 6.7). A broken escape stands for itself. */
export function decodeQuotedPrintable(table: LineTable, from: number, to: number, charset: string): Decoded {
  const { text } = table;
  const bytes = new ByteBuffer((to > from ? table.lineEnd(to - 1) - table.lineStart(from) : 0) + 16);
  const first = new Column();
  const last = new Column();
  let begin = from;
  for (let line = from; line < to; line++) {
    let end = table.lineEnd(line);
    const start = table.lineStart(line);
    // Trailing white space on an encoded line was added in transport.
    while (end > start && (text.charCodeAt(end - 1) === 32 || text.charCodeAt(end - 1) === 9)) end--;
    let soft = false;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code !== EQUALS) {
        if (code < 128) bytes.push(code);
        else {
          const point = text.codePointAt(at)!;
          bytes.pushAll(new TextEncoder().encode(String.fromCodePoint(point)));
          if (point > 0xffff) at++;
        }
        continue;
      }
      if (at === end - 1) {
        soft = true;
        break;
      }
      const high = hex(text.charCodeAt(at + 1));
      const low = hex(text.charCodeAt(at + 2));
      if (high < 0 || low < 0 || at + 2 >= end) {
        bytes.push(EQUALS);
        continue;
      }
      const value = high * 16 + low;
      at += 2;
      bytes.push(value);
      if (value === LF) {
        first.push(begin);
        last.push(line);
        begin = line;
      }
    }
    if (soft && line + 1 < to) continue;
    if (!soft) bytes.push(LF);
    first.push(begin);
    last.push(line);
    begin = line + 1;
  }
  const { text: decoded, invalid } = decodeText(bytes.finish(), charset);
  return {
    table: new DerivedTable('quoted-printable', decoded, table, first.finish(), last.finish()),
    invalid,
  };
}

/** Decodes base64 lines; nothing of the result has a place in the document. */
export function decodeBase64(table: LineTable, from: number, to: number, charset: string): Decoded {
  const bytes = new ByteBuffer(64);
  let bits = 0;
  let held = 0;
  const start = from < to ? table.lineStart(from) : 0;
  const end = from < to ? table.lineEnd(to - 1) : 0;
  for (let at = start; at < end; at++) {
    const value = base64Value(table.text.charCodeAt(at));
    if (value < 0) continue;
    held = ((held << 6) | value) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
  }
  const { text, invalid } = decodeText(bytes.finish(), charset);
  return { table: new DerivedTable('base64', text, table, null, null), invalid };
}

function base64Value(code: number): number {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  if (code === 43) return 62;
  if (code === 47) return 63;
  return -1;
}

/**
 * Undoes format=flowed (RFC 3676) for lines `from` ≤ l < `to`: a line that ends in a blank goes on in the next one of
 * the same quote depth, and a blank that was stuffed before a line is removed. `unstuff` false keeps the blanks, for
 * the many senders that fold but do not stuff.
 */
export function unfoldFlowed(
  table: LineTable,
  from: number,
  to: number,
  delSp: boolean,
  unstuff: boolean,
): DerivedTable {
  const pieces: string[] = [];
  const first = new Column();
  const last = new Column();
  let held = '';
  let heldDepth = -1;
  let begin = from;
  for (let line = from; line < to; line++) {
    let text = table.lineText(line);
    let depth = 0;
    while (text.charCodeAt(depth) === 62 /* > */) depth++;
    const marks = text.slice(0, depth);
    text = text.slice(depth);
    if (unstuff && text.startsWith(' ')) text = text.slice(1);
    if (heldDepth >= 0 && heldDepth !== depth) {
      pieces.push(held, '\n');
      first.push(begin);
      last.push(line - 1);
      heldDepth = -1;
    }
    if (heldDepth < 0) {
      begin = line;
      held = marks;
    }
    const flows = text.endsWith(' ') && text !== '-- ' && line + 1 < to && held.length < 100_000;
    held += flows && delSp ? text.slice(0, -1) : text;
    if (flows) {
      heldDepth = depth;
      continue;
    }
    pieces.push(held, '\n');
    first.push(begin);
    last.push(line);
    heldDepth = -1;
  }
  if (heldDepth >= 0) {
    pieces.push(held, '\n');
    first.push(begin);
    last.push(to - 1);
  }
  return new DerivedTable('flowed', pieces.join(''), table, first.finish(), last.finish());
}

/**
 * Undoes the dash-escaping of a clear-signed text (RFC 4880 7.1): inside it, `- ` stands before each line that begins
 * with a dash. Null where lines `from` ≤ l < `to` hold no such text.
 */
export function unescapeSigned(table: LineTable, from: number, to: number): DerivedTable | null {
  const begins = (line: number, word: string): boolean => table.text.startsWith(word, table.lineStart(line));
  let first = from;
  while (first < to && !begins(first, '-----BEGIN PGP SIGNED MESSAGE-----')) {
    // Only prose comes before it.
    if (begins(first, 'diff ') || begins(first, '@@ -')) return null;
    first++;
  }
  if (first >= to) return null;
  const pieces: string[] = [];
  const origin = new Column();
  let inside = true;
  for (let line = first; line < to; line++) {
    if (begins(line, '-----BEGIN PGP SIGNATURE-----')) inside = false;
    const text = table.lineText(line);
    pieces.push(inside && text.startsWith('- ') ? text.slice(2) : text, '\n');
    origin.push(line);
  }
  const lines = origin.finish();
  return new DerivedTable('signed', pieces.join(''), table, lines, lines);
}

class ByteBuffer {
  private data: Uint8Array;
  private length = 0;

  constructor(capacity: number) {
    this.data = new Uint8Array(Math.max(16, capacity));
  }

  push(byte: number): void {
    if (this.length === this.data.length) {
      const grown = new Uint8Array(this.data.length * 2);
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.length++] = byte;
  }

  pushAll(bytes: Uint8Array): void {
    for (const byte of bytes) this.push(byte);
  }

  finish(): Uint8Array {
    return this.data.subarray(0, this.length);
  }
}
