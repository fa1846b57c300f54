import { decodeWords } from 'postal-mime';
import type { PatchMessage } from './model';
import type { LineTable } from './table';

/** Header fields of a mail or of a part, by lower-case name. The first of a repeated field counts. */
export type Fields = ReadonlyMap<string, string>;

/** A message as lines of its text. */
export interface MessageLines {
  /** First line (the `From ` line of an mbox, if there is one). */
  readonly first: number;
  /** Line behind the last. */
  readonly end: number;
  readonly fields: Fields;
  /** First line of the body. */
  readonly body: number;
}

const MAX_FIELDS = 2000;
const fieldName = /^[!-9;-~]{1,78}:/;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** A `From ` line that ends in a date as mbox writers put it: the rule of `git mailsplit` (a time and a year after 90). */
function isFromLine(text: string, start: number, end: number): boolean {
  if (end - start < 20 || !text.startsWith('From ', start)) return false;
  let colon = end - 2;
  while (colon > start + 5 && text.charCodeAt(colon) !== 58) colon--;
  if (colon <= start + 9 || end - colon > 40) return false;
  const digit = (at: number): boolean => isDigit(text.charCodeAt(at));
  if (!digit(colon - 4) || !digit(colon - 2) || !digit(colon - 1) || !digit(colon + 1) || !digit(colon + 2))
    return false;
  return Number.parseInt(text.slice(colon + 3, colon + 9), 10) > 90;
}

/** Reads header fields from `line`; returns them and the line behind the blank line that ends them. */
export function readFields(
  table: LineTable,
  line: number,
  end: number,
): { fields: Map<string, string>; body: number } {
  const fields = new Map<string, string>();
  let name = '';
  let at = line;
  for (; at < end && at - line < MAX_FIELDS; at++) {
    const start = table.lineStart(at);
    const stop = Math.min(table.lineEnd(at), start + 10_000);
    if (stop === start) return { fields, body: at + 1 };
    const code = table.text.charCodeAt(start);
    if (code === 32 || code === 9) {
      if (name) {
        const before = fields.get(name) ?? '';
        if (before.length < 20_000) fields.set(name, `${before} ${table.text.slice(start, stop).trim()}`);
      }
      continue;
    }
    const text = table.text.slice(start, stop);
    const match = fieldName.exec(text);
    if (!match) break;
    name = match[0].slice(0, -1).toLowerCase();
    // mbox writers escape nothing in headers, but some archives put ">From " among them.
    if (fields.has(name)) name = '';
    else fields.set(name, text.slice(match[0].length).trim());
  }
  return at === line ? { fields, body: line } : { fields, body: at };
}

const mailFields = [
  'from',
  'subject',
  'date',
  'received',
  'return-path',
  'message-id',
  'mime-version',
  'to',
  'content-type',
];

/** Whether lines from `line` begin with the header of a mail: at least one field every mail has. */
function beginsMail(table: LineTable, line: number, end: number): boolean {
  const { fields } = readFields(table, line, Math.min(end, line + 60));
  return mailFields.some(name => fields.has(name));
}

function isBlank(table: LineTable, line: number): boolean {
  return table.lineEnd(line) === table.lineStart(line);
}

/** `[Name]` alone on a line: how list archives rendered as text name the sender. */
function isSenderLine(table: LineTable, line: number): boolean {
  const start = table.lineStart(line);
  const end = table.lineEnd(line);
  if (table.text.charCodeAt(start) !== 91 || table.text.charCodeAt(end - 1) !== 93 || end - start > 90)
    return false;
  const inner = table.text.slice(start + 1, end - 1);
  return (
    !inner.includes('[') && !inner.includes(']') && /^[\p{L}"'(]/u.test(inner) && !/patch|:/i.test(inner)
  );
}

const subjectStart = /^(?:(?:re|aw|sv|fwd?|antw)(?:\[\d+\])?: |\[)/i;

/**
 * Messages of an archive's text: subject, blank line, `[Name]`, blank line, body. Only a document that begins so is
 * read so; later subjects must look like one or repeat the first.
 */
function archiveMessages(table: LineTable): number[] | null {
  const { lineCount } = table;
  let first = 0;
  while (first < lineCount && isBlank(table, first)) first++;
  let sender = first;
  while (sender < Math.min(lineCount, first + 8) && !isSenderLine(table, sender)) sender++;
  if (sender >= lineCount || sender === first || !isSenderLine(table, sender) || !isBlank(table, sender - 1))
    return null;
  const base = table.lineText(first).replace(subjectStart, '');
  const begins = [first];
  for (let line = sender + 1; line < lineCount; line++) {
    if (table.text.charCodeAt(table.lineStart(line)) !== 91 || !isSenderLine(table, line)) continue;
    if (!isBlank(table, line - 1) || isBlank(table, line - 2) || !isBlank(table, line - 3)) continue;
    const subject = table.lineText(line - 2);
    if (subject.length > 300 || !(subjectStart.test(subject) || subject.endsWith(base))) continue;
    begins.push(line - 2);
  }
  return begins;
}

/** Lines `--boundary--` of a document, found in one pass when a multipart mail asks for the first time. */
class ClosingLines {
  private lines: Map<string, number[]> | null = null;

  constructor(private readonly table: LineTable) {}

  /** Line that closes the outermost boundary of a mail whose body begins at `line`; -1 if it is not multipart. */
  after(line: number, fields: Fields): number {
    const boundary = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(fields.get('content-type') ?? '');
    if (!boundary || !/^\s*multipart\//i.test(fields.get('content-type')!)) return -1;
    this.lines ??= this.index();
    return this.lines.get(`--${boundary[1] ?? boundary[2]!}--`)?.find(closing => closing >= line) ?? -1;
  }

  private index(): Map<string, number[]> {
    const found = new Map<string, number[]>();
    const { text, starts, lineCount } = this.table;
    for (let line = 0; line < lineCount; line++) {
      if (text.charCodeAt(starts[line]!) !== 45 || !text.startsWith('--', starts[line])) continue;
      if (this.table.lineEnd(line) - starts[line]! > 210) continue;
      const mark = this.table.lineText(line).trimEnd();
      if (!mark.endsWith('--')) continue;
      const known = found.get(mark);
      if (known) known.push(line);
      else found.set(mark, [line]);
    }
    return found;
  }
}

/** Splits a document into its messages. A document without any mail header is one message. */
export function splitMessages(table: LineTable): MessageLines[] {
  const { text, starts, lineCount } = table;
  const begins: number[] = [];
  for (const line of table.fromLines) {
    if (!isFromLine(text, starts[line]!, table.lineEnd(line))) continue;
    if (line + 1 < lineCount && fieldName.test(text.slice(starts[line + 1], starts[line + 1]! + 80)))
      begins.push(line);
  }
  if (begins.length) {
    const first = begins[0]!;
    let lead = 0;
    while (lead < first && isBlank(table, lead)) lead++;
    if (lead < first) begins.unshift(0);
    const closings = new ClosingLines(table);
    const messages: MessageLines[] = [];
    for (let index = 0; index < begins.length;) {
      const begin = begins[index]!;
      const head = readFieldsIfMail(
        table,
        begin >= first ? begin + 1 : begin,
        begins[index + 1] ?? lineCount,
      );
      // An attached patch begins with a `From ` line too: it is a part of this mail until the mail's boundary closes.
      const closing = closings.after(head.body, head.fields);
      index++;
      while (index < begins.length && begins[index]! < closing) index++;
      messages.push({ first: begin, end: begins[index] ?? lineCount, ...head });
    }
    return messages;
  }
  const archive = archiveMessages(table);
  if (archive)
    return archive.map((begin, index) => archiveMessage(table, begin, archive[index + 1] ?? lineCount));
  let first = 0;
  while (first < lineCount && isBlank(table, first)) first++;
  return [{ first: 0, end: lineCount, ...readFieldsIfMail(table, first, lineCount) }];
}

function readFieldsIfMail(table: LineTable, line: number, end: number): { fields: Fields; body: number } {
  return beginsMail(table, line, end) ? readFields(table, line, end) : { fields: new Map(), body: line };
}

function archiveMessage(table: LineTable, first: number, end: number): MessageLines {
  let sender = first;
  while (sender < end && !isSenderLine(table, sender)) sender++;
  const fields = new Map([
    ['subject', table.lineText(first).trim()],
    ['from', table.lineText(sender).slice(1, -1)],
  ]);
  return { first, end, fields, body: Math.min(sender + 1, end) };
}

/** The message as the model has it. */
export function describeMessage(table: LineTable, message: MessageLines, index: number): PatchMessage {
  const field = (name: string): string => message.fields.get(name) ?? '';
  const subject = decodeHeader(field('subject'));
  return {
    index,
    documentLine: table.documentLine(message.first) ?? 1,
    documentEndLine: (table.documentLine(message.end - 1) ?? message.end) + 1,
    subject,
    from: decodeHeader(field('from')),
    date: field('date'),
    messageId: firstId(field('message-id')),
    inReplyTo: firstId(field('in-reply-to')),
    isReply: /^(?:re|aw|sv|antw)(?:\[\d+\])?:/i.test(subject),
  };
}

function firstId(field: string): string {
  const start = field.indexOf('<');
  const end = field.indexOf('>', start);
  return start >= 0 && end > start ? field.slice(start + 1, end) : field.trim();
}

/** Decodes RFC 2047 words. */
function decodeHeader(value: string): string {
  return value.includes('=?') ? decodeWords(value.slice(0, 2000)) : value;
}
