/** Cuts a prepared unit into functions and declarations, fragments of them included. */
import { closed, closersOf, macroAlone, matching, noiseEnd } from './brackets';
import type { Heading } from './headings';
import { readHeading } from './headings';
import { fileLevelNoise } from './kernelMacros';
import type { PreparedUnit, Segment } from './prepare';
import { indentation } from './prepare';
import type { BodyPiece } from './repair';
import { completeBody } from './repair';
import { isCatalogueName } from '../nameFilter';
import { rewriteDeclaration, rewriteHead } from './rewrite';
import { isFunctionHead, startOf } from './shape';
import { statementBegins, statementWords } from './statementSigns';
import type { Token } from './tokens';
import { madeUp } from './tokens';

/** A function definition, or a declaration at file level, complete enough to be parsed. */
export interface Chunk {
  readonly kind: 'function' | 'declaration';
  /** Of a function: its name. */
  readonly name: string;
  readonly unit: PreparedUnit;
  readonly tokens: readonly Token[];
  readonly firstLine: number;
  readonly lastLine: number;
  readonly partial: boolean;
  readonly repaired: boolean;
  /** It stands behind an `#else` whose `#if` is not shown. */
  readonly weak: boolean;
  /** Declared per-CPU. */
  readonly perCpu: readonly string[];
  /** Lines before which unseen lines were left out. */
  readonly gaps: readonly number[];
  /** Index of the token that is the function's name: it is never expanded. */
  readonly nameAt: number;
}

/** A function whose end has not been seen yet. */
interface Open {
  readonly name: string;
  readonly head: readonly Token[];
  readonly headSeen: boolean;
  readonly pieces: BodyPiece[];
}

/** Begins the made-up name of a function whose head is not shown; its line follows. */
export const unnamedFragment = 'unnamed_fragment_';

export function sliceUnit(unit: PreparedUnit): Chunk[] {
  return new Slicer(unit).run();
}

class Slicer {
  private readonly chunks: Chunk[] = [];
  private open: Open | null = null;
  private readonly indented: boolean;

  constructor(private readonly unit: PreparedUnit) {
    this.indented = unit.segments.some(({ tokens }) => tokens.some(token => this.columns(token) > 0));
  }

  run(): Chunk[] {
    for (const segment of this.unit.segments) this.segment(segment);
    this.finish(false);
    return this.chunks;
  }

  private columns(token: Token): number {
    return indentation(this.unit.unit.lines[token.line]);
  }

  /** A name for the function that surrounds `token` and whose head is not shown. */
  private unnamed(token: Token): string {
    return `${unnamedFragment}${this.unit.unit.lines[token.line]?.fileLine ?? 0}`;
  }

  private segment(segment: Segment): void {
    const { tokens, firstLine } = segment;
    if (!tokens.length) return;
    const heading = readHeading(segment.heading, firstLine);
    const start = startOf(tokens, heading, {
      inFunction: this.open !== null,
      indented: this.indented,
      columns: token => this.columns(token),
    });
    if (start.kind === 'body') return this.bodyTail(tokens, heading, start.end, start.closed);
    if (start.kind === 'head-tail') return this.headTail(tokens, heading, start.end);
    this.finish(false);
    if (start.kind === 'aggregate') this.aggregateTail(tokens.slice(0, start.end), heading);
    this.items(tokens, start.end);
  }

  /** The segment starts inside a body that ends before token `end`. */
  private bodyTail(tokens: readonly Token[], heading: Heading, end: number, closed: boolean): void {
    const name = heading.kind === 'function' ? heading.name : '';
    if (this.open && name && this.open.name !== name) this.finish(false);
    this.open ??= {
      name: name || this.unnamed(tokens[0]!),
      head: heading.kind === 'function' ? heading.head : [],
      headSeen: false,
      pieces: [],
    };
    this.open.pieces.push({ tokens: tokens.slice(0, end), afterHead: false });
    if (!closed) return;
    this.finish(true, tokens[end]?.line);
    this.items(tokens, end + 1);
  }

  /** The segment starts in a parameter list, or at the brace behind it; `end` is the brace. */
  private headTail(tokens: readonly Token[], heading: Heading, end: number): void {
    this.finish(false);
    const tail = tokens.slice(0, end);
    const line = tokens[0]!.line;
    const named = heading.kind === 'function';
    const name = named ? heading.name : this.unnamed(tokens[0]!);
    const before = named && heading.open ? heading.head.slice(0, -2) : [];
    const opening = before.length
      ? [...before, ...(before.at(-1)!.text === ',' ? [] : [madeUp('(', line)])]
      : ['void', name, '('].map(text => madeUp(text, line));
    const head = tail.length ? [...opening, ...tail] : named ? heading.head : [...opening, madeUp(')', line)];
    this.items(tokens, this.functionFrom(tokens, end, { name, head, headSeen: false, pieces: [] }));
  }

  private aggregateTail(tokens: readonly Token[], heading: Heading): void {
    if (heading.kind !== 'struct' && heading.kind !== 'initialiser') return;
    const line = tokens[0]?.line ?? 0;
    const depth = closersOf(tokens);
    const openers = Array.from({ length: Math.max(0, depth - 1) }, () => madeUp('{', line));
    const closers = depth > 0 ? [] : [madeUp('}', line), madeUp(';', line)];
    this.declaration([...heading.head, ...openers, ...tokens, ...closers], true);
  }

  /** File-level items from token `start` on. */
  private items(tokens: readonly Token[], start: number): void {
    let at = start;
    while (at < tokens.length) at = this.item(tokens, at);
  }

  /** One item; returns the index behind it. */
  private item(tokens: readonly Token[], start: number): number {
    const first = tokens[start]!;
    if (first.text === ';' || first.text === '}') return start + 1;
    if (this.isStray(tokens, start)) return this.strayBody(tokens, start);
    if (fileLevelNoise.test(first.text) && tokens[start + 1]?.text === '(') return noiseEnd(tokens, start);
    const alone = macroAlone(tokens, start);
    if (alone > 0) {
      this.leftOut(tokens.slice(start, alone));
      return alone;
    }
    let depth = 0;
    let assigned = false;
    for (let at = start; at < tokens.length; at++) {
      const { text } = tokens[at]!;
      if (text === '(' || text === '[') depth++;
      else if (text === ')' || text === ']') depth--;
      else if (depth > 0) continue;
      else if (text === '=') assigned = true;
      else if (text === ';') {
        this.declaration(tokens.slice(start, at + 1), false);
        return at + 1;
      } else if (text === '{') {
        if (!assigned && isFunctionHead(tokens, start, at)) {
          const { head, name } = rewriteHead(tokens.slice(start, at));
          return this.functionFrom(tokens, at, { name, head, headSeen: true, pieces: [] });
        }
        const end = matching(tokens, at);
        if (end < 0) {
          this.declaration(closed(tokens.slice(start)), true);
          return tokens.length;
        }
        at = end;
      }
    }
    this.leftOut(tokens.slice(start));
    return tokens.length;
  }

  /** Code in something that is no function, such as a body that a macro is given: it counts as one that cannot be read. */
  private leftOut(tokens: readonly Token[]): void {
    if (!tokens.some(({ text }) => text === '{') || !tokens.some(({ text }) => isCatalogueName(text))) return;
    const [firstLine, lastLine] = [tokens[0]!.line, tokens.at(-1)!.line];
    const name = tokens[0]!.text;
    const weak = this.isWeak(firstLine);
    const chunk = { kind: 'function', name, unit: this.unit, tokens, firstLine, lastLine, weak } as const;
    this.chunks.push({ ...chunk, partial: false, repaired: false, perCpu: [], gaps: [], nameAt: -1 });
  }

  /** Nothing of a file stands indented but what is inside something. */
  private isStray(tokens: readonly Token[], start: number): boolean {
    const first = tokens[start]!;
    if (statementWords.has(first.text)) return true;
    const inset = this.indented && !this.unit.unit.whole && this.columns(first) > 0;
    return inset && statementBegins(tokens, start);
  }

  /** Statements where a declaration was expected: the rest of a function whose head was not shown, or not understood. */
  private strayBody(tokens: readonly Token[], start: number): number {
    this.finish(false);
    let end = start;
    for (let depth = 0; end < tokens.length; end++) {
      const { text } = tokens[end]!;
      if (text === '{') depth++;
      else if (text === '}' && --depth < 0) {
        if (!this.indented || this.columns(tokens[end]!) === 0) break;
        depth = 0;
      }
    }
    const name = this.unnamed(tokens[start]!);
    const pieces = [{ tokens: tokens.slice(start, end), afterHead: false }];
    this.open = { name, head: [], headSeen: false, pieces };
    if (end < tokens.length) this.finish(true, tokens[end]!.line);
    return end + 1;
  }

  /** A function whose brace is token `brace`; returns the index behind what was read. */
  private functionFrom(tokens: readonly Token[], brace: number, open: Open): number {
    this.finish(false);
    const end = matching(tokens, brace);
    open.pieces.push({ tokens: tokens.slice(brace + 1, end < 0 ? undefined : end), afterHead: true });
    this.open = open;
    if (end < 0) return tokens.length;
    this.finish(true, tokens[end]!.line);
    return end + 1;
  }

  /** Emits the open function, if any. */
  private finish(endSeen: boolean, endLine = -1): void {
    const { open } = this;
    this.open = null;
    if (!open || open.pieces.every(piece => piece.tokens.length === 0 && !piece.afterHead)) return;
    const line = open.pieces.find(piece => piece.tokens.length)?.tokens[0]?.line ?? open.head[0]?.line ?? 0;
    const head = open.head.length ? open.head : ['void', open.name, '(', ')'].map(text => madeUp(text, line));
    const body = completeBody(open.pieces, endSeen, this.unit.unit);
    const tokens = [...head, madeUp('{', line), ...body.tokens, madeUp('}', line)];
    const whole = open.headSeen && endSeen && open.pieces.length === 1;
    const own = [...(open.headSeen ? open.head : []), ...open.pieces.flatMap(piece => piece.tokens)];
    this.chunks.push({
      kind: 'function',
      name: open.name,
      unit: this.unit,
      tokens,
      firstLine: own[0]?.line ?? line,
      lastLine: Math.max(endLine, own.at(-1)?.line ?? line),
      partial: !whole,
      repaired: !whole || body.repaired,
      weak: this.isWeak(own[0]?.line ?? line),
      perCpu: [],
      gaps: open.pieces.slice(1).flatMap(piece => piece.tokens[0]?.line ?? []),
      nameAt: head.findIndex((token, at) => token.text === open.name && head[at + 1]?.text === '('),
    });
  }

  private declaration(tokens: readonly Token[], partial: boolean): void {
    const rewritten = rewriteDeclaration(tokens);
    const seen = tokens.filter(token => token.from >= 0);
    const firstLine = seen[0]?.line ?? 0;
    this.chunks.push({
      kind: 'declaration',
      name: '',
      unit: this.unit,
      tokens: rewritten.tokens,
      firstLine,
      lastLine: seen.at(-1)?.line ?? firstLine,
      partial,
      repaired: partial,
      weak: this.isWeak(firstLine),
      perCpu: rewritten.perCpu,
      gaps: [],
      nameAt: -1,
    });
  }

  private isWeak(line: number): boolean {
    return this.unit.weak.some(range => line >= range.firstLine && line <= range.lastLine);
  }
}
