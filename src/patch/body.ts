import { LineKind } from './model';
import type { LineTable } from './table';

const LF = 10;
const CR = 13;
const BLANK = 32;
const TAB = 9;
const PLUS = 43;
const MINUS = 45;
const BACKSLASH = 92;

/** What was found of a hunk's body. */
export interface Body {
  /** Line behind the body. */
  readonly end: number;
  readonly added: number;
  readonly removed: number;
  /** Body and header disagree. */
  readonly mismatch: boolean;
  /** Lines that lost their leading blank, and the first of them. */
  readonly bare: number;
  readonly firstBare: number;
  /** Lines that were split off by a mail program, and the first of them. */
  readonly wrapped: number;
  readonly firstWrapped: number;
}

/** How a line inside a hunk that begins with no marker is read. */
type Plan = 'bare' | 'wrapped' | 'mixed' | 'none';

/**
 * Reads hunk bodies of one text. Only the counts of the header tell where a body ends (`--- x` may be a removed
 * `-- x`), so they rule; where a line has no marker, they also decide which damage it was: the reading with which the
 * counts come out right.
 */
export class BodyReader {
  constructor(
    private readonly table: LineTable,
    /** Lines behind this one belong to something else. */
    private readonly limit: number,
    /** Prose may follow the diff: the text is a mail's. */
    private readonly mail: boolean,
  ) {}

  private code(line: number): number {
    const start = this.table.starts[line]!;
    return this.table.text.charCodeAt(start);
  }

  private starts(line: number, word: string): boolean {
    return line < this.limit && this.table.text.startsWith(word, this.table.starts[line]);
  }

  /** An empty line: what is left of a blank context line whose blank was stripped. */
  private isEmpty(line: number): boolean {
    const start = this.table.starts[line]!;
    const code = this.table.text.charCodeAt(start);
    return (
      code === LF ||
      (code === CR && (start + 1 >= this.table.text.length || this.table.text.charCodeAt(start + 1) === LF))
    );
  }

  /** `\\ No newline at end of file`, in whatever language; a line of assembly may begin with a backslash too. */
  private isMarker(line: number): boolean {
    return this.starts(line, '\\ ') && this.table.lineEnd(line) - this.table.starts[line]! >= 11;
  }

  /** `--- old`, `+++ new`, `@@`: the header of a file without a `diff` line. */
  isFileHeader(line: number): boolean {
    return this.starts(line, '--- ') && this.starts(line + 1, '+++ ') && this.starts(line + 2, '@@');
  }

  /** A line that can only begin something else. */
  isStop(line: number): boolean {
    switch (this.code(line)) {
      case 64 /* @ */:
        return this.starts(line, '@@ -') || this.starts(line, '@@@ -');
      case 100 /* d */:
        return this.starts(line, 'diff ');
      case 73 /* I */:
        return this.starts(line, 'Index: ');
      case 79 /* O */:
        return this.starts(line, 'Only in ');
      case 66 /* B */:
        return this.starts(line, 'Binary files ');
      case 71 /* G */:
        return this.starts(line, 'GIT binary patch');
      case MINUS:
        return this.isFileHeader(line);
      default:
        return false;
    }
  }

  /** A mail signature, `-- ` and what a version or list adds below. */
  private isSignature(line: number): boolean {
    const start = this.table.starts[line]!;
    const length = this.table.lineEnd(line) - start;
    if (length < 2 || length > 3 || !this.table.text.startsWith('--', start)) return false;
    return length === 2 || this.table.text.charCodeAt(start + 2) === BLANK;
  }

  /** A `-- ` where the counts still want lines: a signature if git's version stands below it and nothing fits. */
  private endsInSignature(line: number, old: number, added: number): boolean {
    if (!this.isSignature(line) || (old === 1 && added === 0)) return false;
    if (line + 1 >= this.limit) return true;
    const next = this.code(line + 1);
    return next >= 48 && next <= 57;
  }

  /** A line that goes on past a satisfied header. */
  private isSurplus(line: number): boolean {
    const code = this.code(line);
    if (code === PLUS) return true;
    if (code === BLANK) {
      for (let at = this.table.starts[line]! + 1; ; at++) {
        const next = this.table.text.charCodeAt(at);
        if (next === BLANK || next === TAB || next === CR) continue;
        return next !== LF && at < this.table.text.length;
      }
    }
    if (code !== MINUS || this.isSignature(line) || this.isFileHeader(line)) return false;
    const start = this.table.starts[line]!;
    if (this.table.text.startsWith('----', start)) return false;
    return !(this.table.text.startsWith('---', start) && this.table.lineEnd(line) === start + 3);
  }

  /**
   * Where lines past the declared counts end. Blank lines among them are stripped context, but in a mail a blank line
   * and a list in prose look the same: there, behind a hunk whose counts are right, only lines that a header ends belong.
   */
  private surplusEnd(line: number): number {
    let end = line;
    const direct = line < this.limit && this.isSurplus(line);
    for (let at = line; at < this.limit; at++) {
      if (this.isStop(at)) return end;
      if (this.isSurplus(at)) end = at + 1;
      else if (!this.isEmpty(at) && !this.isMarker(at)) break;
    }
    return direct || !this.mail ? end : line;
  }

  /** Whether reading lines without a marker by `plan` satisfies the counts and ends cleanly. */
  private fits(plan: Plan, line: number, old: number, added: number): boolean {
    let at = line;
    while (old > 0 || added > 0) {
      if (at >= this.limit || this.isStop(at)) return false;
      const code = this.code(at);
      if (code === PLUS) added--;
      else if (code === MINUS) {
        if (this.endsInSignature(at, old, added)) return false;
        old--;
      } else if (code === BLANK || this.isEmpty(at) || (!this.isMarker(at) && this.isBareBy(plan, at))) {
        old--;
        added--;
      }
      if (old < 0 || added < 0) return false;
      at++;
    }
    if (at >= this.limit) return true;
    // More lines without a marker would be as good context as these: then it is prose, not damage.
    return plan === 'bare'
      ? this.isStop(at) || this.isEmpty(at) || this.isSignature(at)
      : !this.isSurplus(at);
  }

  private isBareBy(plan: Plan, line: number): boolean {
    if (plan === 'bare') return true;
    // Labels and preprocessor lines stand in column 0, tabs lead indented code: neither is the rest of a sentence.
    if (plan !== 'mixed') return false;
    const code = this.code(line);
    return code === TAB || code === 35 /* # */ || code === 123 /* { */ || code === 125; /* } */
  }

  private plan(line: number, old: number, added: number): Plan {
    for (const plan of ['bare', 'wrapped', 'mixed'] as const)
      if (this.fits(plan, line, old, added)) return plan;
    return 'none';
  }

  /** Reads the body that begins at `first`, of a hunk with `old` and `added` declared lines, and marks its lines. */
  read(first: number, oldLines: number, newLines: number): Body {
    const { text, starts, kinds } = this.table;
    let old = oldLines;
    let left = newLines;
    let at = first;
    let added = 0;
    let removed = 0;
    let bare = 0;
    let firstBare = -1;
    let wrapped = 0;
    let firstWrapped = -1;
    let plan: Plan | null = null;
    let mismatch = false;

    reading: while ((old > 0 || left > 0) && at < this.limit) {
      const start = starts[at]!;
      const code = text.charCodeAt(start);
      if (code === PLUS) {
        if (left === 0) break;
        left--;
        added++;
        kinds[at++] = LineKind.Added;
      } else if (code === MINUS) {
        if (old === 0) break;
        if (text.charCodeAt(start + 1) === MINUS) {
          if (this.isFileHeader(at) && !(old === 1 && left === 1)) break;
          if (this.endsInSignature(at, old, left)) break;
        }
        old--;
        removed++;
        kinds[at++] = LineKind.Removed;
      } else if (code === BLANK) {
        if (old === 0 || left === 0) break;
        old--;
        left--;
        kinds[at++] = LineKind.Context;
      } else if (code === BACKSLASH && this.isMarker(at)) {
        kinds[at++] = LineKind.Marker;
      } else if (code === LF || (code === CR && this.isEmpty(at))) {
        if (old === 0 || left === 0) break;
        old--;
        left--;
        // A CR alone is what is left of a blank context line of a file with CR LF; git takes only an empty line.
        if (code === CR && bare++ === 0) firstBare = at;
        kinds[at++] = LineKind.Context;
      } else {
        if (this.isStop(at)) break;
        plan ??= this.plan(at, old, left);
        if (plan === 'none') {
          // Uncertain: go on only while the text plainly still is a hunk.
          const more = at + 1 < this.limit && !this.isStop(at + 1) && this.isSurplus(at + 1);
          if (!more || old === 0 || left === 0) break reading;
        }
        if (plan === 'none' || this.isBareBy(plan, at)) {
          old--;
          left--;
          if (bare++ === 0) firstBare = at;
          kinds[at++] = LineKind.BareContext;
        } else {
          if (wrapped++ === 0) firstWrapped = at;
          kinds[at++] = LineKind.Continuation;
        }
      }
    }
    if (old > 0 || left > 0) mismatch = true;
    while (at < this.limit && this.isMarker(at)) kinds[at++] = LineKind.Marker;

    const end = this.surplusEnd(at);
    if (end > at) mismatch = true;
    for (; at < end; at++) {
      const code = this.code(at);
      if (code === PLUS) {
        added++;
        kinds[at] = LineKind.Added;
      } else if (code === MINUS) {
        removed++;
        kinds[at] = LineKind.Removed;
      } else kinds[at] = code === BACKSLASH ? LineKind.Marker : LineKind.Context;
    }
    return { end: at, added, removed, mismatch, bare, firstBare, wrapped, firstWrapped };
  }

  /**
   * Reads the body of a combined hunk: one marker column a parent. A line is in the result unless a column has `-`;
   * it is in a parent if its column has `-`, or if it has no `-` at all and its column is blank.
   */
  readCombined(first: number, oldCounts: readonly number[], newLines: number): Body {
    const { text, starts, kinds } = this.table;
    const parents = oldCounts.length;
    const old = [...oldCounts];
    let left = newLines;
    let at = first;
    let added = 0;
    let removed = 0;
    const open = (): boolean => left > 0 || old.some(count => count > 0);
    while (open() && at < this.limit && !this.isStop(at)) {
      const start = starts[at]!;
      if (text.charCodeAt(start) === BACKSLASH && this.isMarker(at)) {
        kinds[at++] = LineKind.Marker;
        continue;
      }
      const end = this.table.lineEnd(at);
      const columns = text.slice(start, Math.min(start + parents, end)).padEnd(parents, ' ');
      if (!isMarks(columns)) break;
      const gone = columns.includes('-');
      if (!gone) left--;
      for (let parent = 0; parent < parents; parent++) {
        const mark = columns[parent];
        if (mark === '-' || (!gone && mark === ' ')) old[parent]!--;
      }
      const mark = columns[0];
      if (mark === '+') added++;
      if (mark === '-') removed++;
      kinds[at++] = mark === '+' ? LineKind.Added : mark === '-' ? LineKind.Removed : LineKind.Context;
    }
    while (at < this.limit && this.isMarker(at)) kinds[at++] = LineKind.Marker;
    const mismatch = left !== 0 || old.some(count => count !== 0);
    return { end: at, added, removed, mismatch, bare: 0, firstBare: -1, wrapped: 0, firstWrapped: -1 };
  }
}

function isMarks(columns: string): boolean {
  for (const mark of columns) if (mark !== ' ' && mark !== '+' && mark !== '-') return false;
  return true;
}
