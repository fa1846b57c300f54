/** Cuts the lines of a unit into C tokens; comments and continuation lines end here. */
import type { SourceLine } from '../source';
import { bounds } from './bounds';
import { isStarred, withoutMacroEnd } from './fragmentStart';

export type TokenKind = 'name' | 'number' | 'string' | 'char' | 'punct';

/** One token. Tokens made by macro expansion or repair keep the place in the source that caused them. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Index of its line in the unit. */
  readonly line: number;
  /** White space stood before it. */
  readonly space: boolean;
  /**
   * First and last index, in {@link TokenStream.tokens}, of the source tokens that it stands for (a macro call, for
   * what its body brought); -1 for a token made up by the repair.
   */
  readonly from: number;
  readonly to: number;
  /** The text as the source has it, where {@link text} is another spelling of it. */
  readonly written?: string;
  /** True once macro expansion must leave it alone. */
  readonly painted?: boolean;
}

/** A `#` line with its continuation lines. `at`: index in `tokens` of the token that follows it. */
export interface Directive {
  readonly name: string;
  readonly tokens: readonly Token[];
  readonly line: number;
  readonly lastLine: number;
  readonly at: number;
  /** The text shows no end of it: the last line asks for a continuation that is not there. */
  readonly cut: boolean;
}

/** Lines that were left out while reading, with the reason. */
export interface Skipped {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly why: string;
}

/** The tokens of one stretch of neighbouring lines (a hunk, or a whole file). */
export interface TokenStream {
  readonly tokens: readonly Token[];
  readonly directives: readonly Directive[];
  readonly skipped: readonly Skipped[];
  readonly firstLine: number;
  readonly lastLine: number;
}

/** Marks that no longer one begins with. */
const single = new Set(['(', ')', '{', '}', '[', ']', ';', ',', ':', '?', '~']);
/** Longest first. `::` is not C's. */
const PUNCTUATORS = [
  '...',
  '<<=',
  '>>=',
  '->',
  '++',
  '--',
  '<<',
  '>>',
  '<=',
  '>=',
  '==',
  '!=',
  '&&',
  '||',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '&=',
  '|=',
  '^=',
  '##',
];

/**
 * Tokens of `lines[first…last]`, read as one text. `fragment`: lines before it may be missing; `base`: index
 * of its first token in the unit. A comment that began before it, or that does not end in it, is
 * recognised; so is the tail of a macro whose head is not shown.
 */
export function tokenise(
  lines: readonly SourceLine[],
  first: number,
  last: number,
  options: { readonly fragment?: boolean; readonly base?: number } = {},
): TokenStream {
  const stream = new Scanner(lines, first, last, options.base ?? 0).run();
  const inset = /^[ \t]/.test(lines[stream.tokens[0]?.line ?? first]?.text ?? '');
  return options.fragment === true && inset ? withoutMacroEnd(stream) : stream;
}

class Scanner {
  private readonly tokens: Token[] = [];
  private readonly directives: Directive[] = [];
  private readonly skipped: Skipped[] = [];
  private inComment = false;
  private space = false;

  constructor(
    private readonly lines: readonly SourceLine[],
    private readonly first: number,
    private readonly last: number,
    private readonly base: number,
  ) {}

  run(): TokenStream {
    let line = Math.max(this.commentTailEnd(), this.macroTailEnd());
    while (line <= this.last) line = this.logicalLine(line);
    const { tokens, directives, skipped, first, last } = this;
    return { tokens, directives, skipped, firstLine: first, lastLine: last };
  }

  private text(line: number): string {
    const text = this.lines[line]?.text ?? '';
    return text.length > bounds.lineLength ? '' : text;
  }

  /** First line behind a comment whose beginning is not shown. */
  private commentTailEnd(): number {
    for (let line = this.first; line <= this.last; line++) {
      const text = this.text(line);
      const close = text.indexOf('*/');
      const open = text.indexOf('/*');
      if (open >= 0 && (close < 0 || open < close)) break;
      if (close >= 0) {
        const rest = text.slice(close + 2).trim();
        if (rest) this.scanInto(line, close + 2, this.tokens);
        return line + 1;
      }
    }
    let line = this.first;
    while (line <= this.last && isStarred(this.text(line))) line++;
    return line;
  }

  /** First line behind the tail of a macro whose `#define` is not shown. */
  private macroTailEnd(): number {
    let line = this.first;
    if (!endsInBackslash(this.text(line)) || this.text(line).trimStart().startsWith('#')) return line;
    while (line <= this.last && endsInBackslash(this.text(line))) line++;
    const lastLine = Math.min(line, this.last);
    this.skipped.push({ firstLine: this.first, lastLine, why: 'part of a macro whose head is not shown' });
    return line + 1;
  }

  /** Reads the line and those it continues on; returns the next line. */
  private logicalLine(start: number): number {
    if (this.lines[start]!.text.length > bounds.lineLength)
      this.skipped.push({
        firstLine: start,
        lastLine: start,
        why: `a line of more than ${bounds.lineLength} characters`,
      });
    this.space = true;
    if (!this.inComment && this.text(start).trimStart().startsWith('#')) return this.directive(start);
    this.scanInto(start, 0, this.tokens);
    return start + 1;
  }

  private directive(start: number): number {
    const tokens: Token[] = [];
    let line = start;
    let cut = false;
    for (;;) {
      const text = this.text(line);
      const continued = endsInBackslash(text);
      const hash = line === start ? text.indexOf('#') + 1 : 0;
      this.scanInto(line, hash, tokens);
      if (!continued && !this.inComment) break;
      if (line + 1 > this.last) {
        cut = continued;
        break;
      }
      line++;
    }
    const name = tokens[0]?.text ?? '';
    const at = this.tokens.length;
    this.directives.push({ name, tokens: tokens.slice(1), line: start, lastLine: line, at, cut });
    return line + 1;
  }

  /** Scans one line from column `column`. */
  private scanInto(line: number, column: number, into: Token[]): void {
    const text = this.text(line);
    let at = column;
    while (at < text.length) {
      if (this.inComment) {
        const end = text.indexOf('*/', at);
        this.space = true;
        if (end < 0) return;
        this.inComment = false;
        at = end + 2;
        continue;
      }
      const char = text[at]!;
      if (char === ' ' || char === '\t' || char === '\r' || char === '\f' || char === '\v') {
        this.space = true;
        at++;
      } else if (char === '\\' && text.slice(at + 1).trim() === '') {
        return;
      } else if (char === '/' && text[at + 1] === '*') {
        this.inComment = true;
        at += 2;
      } else if (char === '/' && text[at + 1] === '/') {
        return;
      } else {
        const end = tokenEnd(text, at);
        const kind = kindOf(char, text[at + 1]);
        const index = into === this.tokens ? this.base + into.length : -1;
        into.push({ kind, text: text.slice(at, end), line, space: this.space, from: index, to: index });
        this.space = false;
        at = end;
      }
    }
  }
}

const endsInBackslash = (text: string): boolean => text.trimEnd().endsWith('\\');

function kindOf(char: string, next: string | undefined): TokenKind {
  if (isLetter(char)) return 'name';
  if (isDigit(char) || (char === '.' && next !== undefined && isDigit(next))) return 'number';
  if (char === '"') return 'string';
  return char === "'" ? 'char' : 'punct';
}

const isLetter = (char: string): boolean =>
  (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || char === '_' || char === '$';
const isWord = (char: string): boolean => isLetter(char) || isDigit(char);
const isDigit = (char: string): boolean => char >= '0' && char <= '9';

function tokenEnd(text: string, at: number): number {
  const char = text[at]!;
  let end = at + 1;
  switch (kindOf(char, text[at + 1])) {
    case 'name':
      while (end < text.length && isWord(text[end]!)) end++;
      return end;
    case 'number':
      return numberEnd(text, at);
    case 'string':
    case 'char':
      while (end < text.length && text[end] !== char) end += text[end] === '\\' ? 2 : 1;
      return Math.min(end + 1, text.length);
    case 'punct':
      return at + (single.has(char) ? 1 : (PUNCTUATORS.find(mark => text.startsWith(mark, at))?.length ?? 1));
  }
}

function numberEnd(text: string, at: number): number {
  const hexadecimal = text[at] === '0' && (text[at + 1] === 'x' || text[at + 1] === 'X');
  let end = at + 1;
  for (; end < text.length; end++) {
    const char = text[end]!;
    if (isWord(char) || char === '.') continue;
    const exponent = !hexadecimal && 'eEpP'.includes(text[end - 1]!);
    if (!exponent || (char !== '+' && char !== '-')) break;
  }
  return end;
}

/** A token that the repair or a table made up, at the line of `near`. */
export function madeUp(text: string, line: number, kind?: TokenKind): Token {
  return {
    kind: kind ?? kindOf(text[0] ?? ' ', text[1]),
    text,
    line,
    space: true,
    from: -1,
    to: -1,
    painted: true,
  };
}

/** Tokens of a text of our own (tables of macros), placed at line `line`. */
export function tokensOf(text: string, line = 0): Token[] {
  const lines = [{ text, fileLine: 0, documentLine: 0, changed: false, hunk: -1 }];
  return tokenise(lines, 0, 0).tokens.map(token => ({ ...token, line, from: -1, to: -1 }));
}
