import { Column, FlattenedTable, type LineTable } from './table';
import { parseHunkHeader } from './hunkHeader';

/** Lines shorter than this are no flattened mail. */
const MIN_LENGTH = 200;

/** Whether a line holds a whole diff: headers that ought to begin lines, in the middle of it. */
export function isFlattened(table: LineTable, line: number): boolean {
  const start = table.lineStart(line);
  const end = table.lineEnd(line);
  if (end - start < MIN_LENGTH) return false;
  // Only within the line: a search to the end of the document for every line would be quadratic.
  const text = table.text.slice(start, end);
  return text.includes(' @@ -') && text.includes(' +++ ');
}

const fieldNames = ['Subject', 'From', 'Date', 'Message-Id', 'Message-ID', 'In-Reply-To'];
const nextField = / [A-Z][A-Za-z-]{1,40}: /g;

/** The header fields of a flattened mail, each up to the next word that looks like a field's name. */
export function flattenedFields(table: LineTable, line: number): Map<string, string> {
  const text = table.text.slice(
    table.lineStart(line),
    Math.min(table.lineEnd(line), table.lineStart(line) + 50_000),
  );
  const fields = new Map<string, string>();
  for (const name of fieldNames) {
    const at = text.indexOf(` ${name}: `);
    if (at < 0) continue;
    const from = at + name.length + 3;
    nextField.lastIndex = from;
    const next = nextField.exec(text);
    fields.set(name.toLowerCase(), text.slice(from, Math.min(next?.index ?? text.length, from + 300)));
  }
  return fields;
}

/**
 * Breaks a flattened mail into the lines it had, as far as that is certain: before `diff --git`, `index`, `---`, `+++`,
 * `@@` and, inside a hunk, before each `+` and `-` that is a marker. Which are markers is decided by the header's
 * counts: old − removed must equal new − added, and every sign that stands for itself in the code breaks that.
 */
export function unflatten(table: LineTable, line: number): { table: FlattenedTable; certain: boolean } {
  const { text } = table;
  const start = table.lineStart(line);
  const end = table.lineEnd(line);
  const begins = new Column();
  const ends = new Column();
  const add = (from: number, to: number): void => {
    begins.push(from);
    ends.push(to);
  };
  const stops = new StopFinder(text, end);
  let certain = true;
  let at = start;
  while (at < end) {
    const header = nextHeader(text, at, end);
    if (header > at) add(at, header - 1 >= at ? header - 1 : header);
    if (header >= end) break;
    if (!text.startsWith('@@ ', header)) {
      const next = headerLineEnd(text, header, end);
      add(header, next);
      at = next + 1;
      continue;
    }
    const close = text.indexOf('@@', header + 2);
    const parsed = close < 0 ? null : parseHunkHeader(text, header, end);
    const stop = stops.next(header + 2);
    if (!parsed) {
      add(header, stop - 1);
      at = stop;
      continue;
    }
    const marks = markers(text, parsed.headingAt, stop, parsed.oldCounts[0]!, parsed.newLines);
    certain &&= marks.certain;
    // Where the heading ends and context begins cannot be told: what stands before the first marker is the heading.
    let from = header;
    for (const mark of marks.at) {
      add(from, mark - 1);
      from = mark;
    }
    add(from, Math.max(from, stop - (stop < end ? 1 : 0)));
    at = stop;
  }
  return { table: new FlattenedTable(text, table, line, begins.finish(), ends.finish()), certain };
}

const fileHeaders = ['diff --git ', 'index ', '--- ', '+++ ', '@@ -'];

/** Offset of the next header word that stands behind a blank (or at `from`), or `end`. */
function nextHeader(text: string, from: number, end: number): number {
  for (let at = from; at < end; at = text.indexOf(' ', at) + 1) {
    for (const word of fileHeaders) {
      if (!text.startsWith(word, at)) continue;
      if (word === 'index ' && !/^index [0-9a-f]{7,40}\.\./.test(text.slice(at, at + 60))) continue;
      if (word === '--- ' && !isNamePair(text, at, end)) continue;
      if (word === '+++ ' && !/^\+\+\+ \S+ @@ -/.test(text.slice(at, Math.min(end, at + 400)))) continue;
      return at;
    }
    if (text.indexOf(' ', at) < 0) break;
  }
  return end;
}

function isNamePair(text: string, at: number, end: number): boolean {
  return /^--- \S+ \+\+\+ \S+ @@ -/.test(text.slice(at, Math.min(end, at + 800)));
}

/** Where the header line that begins at `at` ends. */
function headerLineEnd(text: string, at: number, end: number): number {
  let blanks = 0;
  const words = text.startsWith('diff --git ', at)
    ? 4
    : text.startsWith('index ', at)
      ? /^index \S+ \d{6} /.test(text.slice(at, at + 120))
        ? 3
        : 2
      : 2;
  for (let pos = at; pos < end; pos++) {
    if (text.charCodeAt(pos) === 32 && ++blanks === words) return pos;
  }
  return end;
}

/** Finds where the next hunk or file begins. Keeps its place: every part of the text is searched once. */
class StopFinder {
  private readonly words = [' @@ -', ' diff --git ', ' -- '];
  private readonly found = [-1, -1, -1];

  constructor(
    private readonly text: string,
    private readonly end: number,
  ) {}

  /** Offset behind the blank before the next header word from `from` on, or the end. */
  next(from: number): number {
    let stop = this.end;
    this.words.forEach((word, index) => {
      if (this.found[index]! < from) this.found[index] = this.search(word, from);
      stop = Math.min(stop, this.found[index]! + 1);
    });
    return stop;
  }

  private search(word: string, from: number): number {
    let at = this.text.indexOf(word, from);
    // The signature counts only if git's version follows.
    while (
      word === ' -- ' &&
      at >= 0 &&
      at < this.end &&
      !/^ -- \d{1,3}\.\d/.test(this.text.slice(at, at + 20))
    )
      at = this.text.indexOf(word, at + 1);
    return at < 0 ? this.end : at;
  }
}

/** The offsets of the markers of a hunk's body, chosen so that the counts agree. */
function markers(
  text: string,
  from: number,
  to: number,
  old: number,
  added: number,
): { at: number[]; certain: boolean } {
  const all: { at: number; plus: boolean; operator: boolean }[] = [];
  for (let at = text.indexOf(' ', from) + 1; at > 0 && at < to; at = text.indexOf(' ', at) + 1) {
    const code = text.charCodeAt(at);
    if (code !== 43 && code !== 45) continue;
    const next = text.charCodeAt(at + 1);
    // `a - b`, `->member`, `-1`, `--`, `+=`: as likely code as a marker.
    const operator = next === 32 || next === 62 || next === 61 || (next >= 48 && next <= 57) || next === code;
    all.push({ at, plus: code === 43, operator });
  }
  const balance = (marks: typeof all): number => {
    const plus = marks.filter(mark => mark.plus).length;
    return added - plus - (old - (marks.length - plus));
  };
  if (balance(all) === 0) return { at: all.map(mark => mark.at), certain: true };
  const plain = all.filter(mark => !mark.operator);
  if (balance(plain) === 0) return { at: plain.map(mark => mark.at), certain: true };
  // Some signs are operators, some are blank added or removed lines: leave out the fewest, from the end, that agree.
  let surplus = balance(all);
  const chosen: number[] = [];
  for (const mark of all.reverse()) {
    if (mark.operator && surplus !== 0 && mark.plus === surplus < 0) surplus += mark.plus ? 1 : -1;
    else chosen.push(mark.at);
  }
  return { at: chosen.reverse(), certain: surplus === 0 };
}
