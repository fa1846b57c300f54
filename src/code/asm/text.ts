/** Lines of a unit without comments, continuation lines joined, with the places where lines are not shown. */
import type { Architecture } from '../configuration';
import type { SourceUnit } from '../source';
import { asmBounds, unreadableLine } from './bounds';

/** A logical line of assembly. */
export interface AsmLine {
  /** Without comments; continuation lines are joined by a blank. */
  readonly text: string;
  /** Index of its first line in the unit. */
  readonly line: number;
  /** Index of its last line in the unit. */
  readonly lastLine: number;
  /** Hunk that begins with this line, behind lines that are not shown; -1 where the line follows the one before it. */
  readonly gap: number;
}

/** What {@link readLines} gives. */
export interface AsmText {
  readonly lines: readonly AsmLine[];
  /** Text of the comments on each line of the unit ('' where there is none). */
  readonly comments: readonly string[];
  /** Lines that were too long, as indexes into the unit. */
  readonly tooLong: readonly number[];
}

const directive =
  /^\s*#\s*(?:define|undef|if|ifdef|ifndef|elif|else|endif|include|error|warning|pragma|line)\b/;

/** Whether lines that the unit does not hold stand before line `index`. */
function gapBefore(unit: SourceUnit, index: number): boolean {
  if (unit.whole || index === 0) return false;
  const line = unit.lines[index]!;
  const before = unit.lines[index - 1]!;
  if (line.hunk === before.hunk) return false;
  return !(before.fileLine > 0 && line.fileLine === before.fileLine + 1);
}

/** Reads the lines of a unit. Linear in the length of the text. On arm64 `#` opens a comment only at the start of a line. */
export function readLines(unit: SourceUnit, architecture: Architecture): AsmText {
  const comments: string[] = [];
  const tooLong: number[] = [];
  const lines: AsmLine[] = [];
  let inComment = false;
  let open: { text: string; line: number; gap: number } | null = null;
  const close = (lastLine: number): void => {
    if (open) lines.push({ ...open, lastLine });
    open = null;
  };
  unit.lines.forEach((source, index) => {
    const gap = index > 0 && gapBefore(unit, index);
    if (gap || index === 0) {
      close(index - 1);
      inComment = !unit.whole && beginsInComment(unit, index);
    }
    let text = source.text;
    if (text.length > asmBounds.lineLength) {
      tooLong.push(index);
      text = unreadableLine;
    }
    const continued = open;
    const keepHash: boolean = directive.test(continued?.text ?? text);
    const hash = keepHash ? 'none' : architecture === 'arm64' ? 'first' : 'any';
    const stripped: Stripped = strip(text, inComment, hash);
    inComment = stripped.inComment;
    comments.push(stripped.comment);
    const body = stripped.text.trimEnd();
    const more = body.endsWith('\\');
    const part = more ? body.slice(0, -1) : body;
    if (continued)
      open = { ...continued, text: `${continued.text} ${part.trim()}`.slice(0, asmBounds.lineLength + 1) };
    else open = { text: part, line: index, gap: gap ? source.hunk : -1 };
    if (!more || open.text.length > asmBounds.lineLength) close(index);
  });
  close(unit.lines.length - 1);
  return { lines, comments, tooLong };
}

interface Stripped {
  readonly text: string;
  readonly comment: string;
  readonly inComment: boolean;
}

/** Where `#` opens a comment: nowhere (a preprocessor line), as the first character, or anywhere. */
type HashComments = 'none' | 'first' | 'any';

/** Takes the comments out of one line: block, `//`, and `#`. */
function strip(text: string, inComment: boolean, hash: HashComments): Stripped {
  if (!inComment && !text.includes('/') && (hash === 'none' || !text.includes('#')))
    return { text, comment: '', inComment };
  let kept = '';
  let comment = '';
  let at = 0;
  let quoted = false;
  while (at < text.length) {
    if (inComment) {
      const end = text.indexOf('*/', at);
      comment += end < 0 ? text.slice(at) : text.slice(at, end);
      kept += ' ';
      if (end < 0) return { text: kept, comment, inComment: true };
      at = end + 2;
      inComment = false;
      continue;
    }
    const char = text[at]!;
    if (quoted) {
      if (char === '\\') kept += char + (text[at + 1] ?? '');
      else kept += char;
      at += char === '\\' ? 2 : 1;
      if (char === '"') quoted = false;
      continue;
    }
    if (char === '/' && text[at + 1] === '*') {
      inComment = true;
      at += 2;
    } else if (char === '/' && text[at + 1] === '/') {
      return { text: kept, comment: comment + text.slice(at + 2), inComment };
    } else if (char === '#' && (hash === 'any' || (hash === 'first' && kept.trim() === ''))) {
      return { text: kept, comment: comment + text.slice(at + 1), inComment };
    } else {
      quoted = char === '"';
      kept += char;
      at++;
    }
  }
  return { text: kept, comment, inComment };
}

/** Whether the stretch that begins at line `first` begins inside a block comment: its end comes before any beginning. */
function beginsInComment(unit: SourceUnit, first: number): boolean {
  let stars = true;
  for (let index = first; index < unit.lines.length; index++) {
    if (index > first && gapBefore(unit, index)) return false;
    const text = unit.lines[index]!.text;
    const open = text.indexOf('/*');
    const close = text.indexOf('*/');
    if (close >= 0) return open < 0 || close < open;
    if (open >= 0) return false;
    if (stars && text.trim() !== '') {
      stars = false;
      // The usual ` * text` of a comment body; no statement begins with a star.
      if (/^\s*\*(?:\s|$)/.test(text)) return true;
    }
  }
  return false;
}
