/**
 * Completes what the hunks show of a function's body: openers for brackets that only close, closers for those that only
 * open, and a stand-in name, {@link unseen}, where the beginning or the end of an expression is not shown.
 */
import { append } from './lists';
import type { SourceUnit } from '../source';
import { beginningFor, withoutLooseEnd } from './looseEnds';
import { indentation } from './prepare';
import { unmatchedClosers } from './shape';
import type { Token } from './tokens';
import { madeUp } from './tokens';
import { stepsInside } from './unseenLoops';
import { unseen, unseenHead } from './unseen';

/** Part of a body without unseen lines inside. */
export interface BodyPiece {
  readonly tokens: readonly Token[];
  /** It begins right behind the function's opening brace. */
  readonly afterHead: boolean;
}

export interface CompletedBody {
  readonly tokens: readonly Token[];
  readonly repaired: boolean;
}

/** A block that is open where a piece ends. `column`: where its statement starts, or -1. */
interface Block {
  readonly column: number;
  readonly word: string;
}

/** Blocks on both sides of a gap of at most so many lines may be the same. */
const nearLines = 60;
/** Tokens looked at around a brace; keeps the work linear. */
const lookAhead = 400;
/** Levels of unseen blocks that indentation is trusted for. */
const deepest = 12;

export function completeBody(
  pieces: readonly BodyPiece[],
  endSeen: boolean,
  unit: SourceUnit,
): CompletedBody {
  const [only] = pieces;
  if (pieces.length === 1 && only!.afterHead && endSeen) return { tokens: only!.tokens, repaired: false };
  const builder = new BodyBuilder(unit);
  for (const piece of pieces) builder.add(piece);
  return { tokens: builder.finish(), repaired: true };
}

class BodyBuilder {
  private readonly result: Token[] = [];
  private open: Block[] = [];
  private lastLine = -1;
  private line = 0;

  constructor(private readonly unit: SourceUnit) {}

  add(piece: BodyPiece): void {
    const { tokens } = piece;
    if (!tokens.length) return;
    this.line = tokens[0]!.line;
    if (!piece.afterHead) {
      this.enter(tokens);
      this.make(beginningFor(tokens));
    }
    this.follow(tokens);
    append(this.result, withoutLooseEnd(tokens));
    this.lastLine = tokens.at(-1)!.line;
  }

  finish(): Token[] {
    this.close(0);
    return this.result;
  }

  private make(texts: readonly string[]): void {
    for (const text of texts) this.result.push(madeUp(text, this.line));
  }

  private close(depth: number): void {
    while (this.open.length > depth) {
      const { word } = this.open.pop()!;
      const ends = word === '=' || word === 'struct' ? ['}', ';'] : ['}'];
      this.make(word === 'do' ? ['}', 'while', '(', unseenHead, ')', ';'] : ends);
    }
  }

  /** Closes what the gap has closed, and opens the unseen blocks around the piece. */
  private enter(tokens: readonly Token[]): void {
    const closers = unmatchedClosers(tokens);
    const words = closers.map((at, index) =>
      this.openerWord(tokens, index ? closers[index - 1]! + 1 : 0, at),
    );
    const level = this.levelOf(tokens);
    const count = Math.max(level, closers.length);
    const step = this.stepOf(tokens);
    const cases = hasCase(tokens, closers.length ? closers.at(-1)! + 1 : 0, tokens.length);
    // The first statement alone stands further right than what follows: a block without braces.
    const alone =
      closers.length > 0 &&
      level > closers.length &&
      words[0] !== 'switch' &&
      this.outdents(tokens.slice(0, closers[0]));
    const braced = alone ? count - 1 : count;
    // Outermost first; blocks that the piece itself closes are the innermost but those that only layout shows.
    const around: Block[] = [];
    for (let at = 0; at < braced; at++) {
      const closer = closers.length - 1 - at;
      around.push({ column: step * (at + 1), word: closer >= 0 ? words[closer]! : '' });
    }
    if (closers.length < braced) this.withoutClosers(around, words);
    if (alone) around.push({ column: step * count, word: '' });
    let same = 0;
    if (this.isNear(tokens)) while (this.isSame(this.open[same], around[same])) same++;
    this.close(same);
    const missing = around.slice(same);
    if (missing.length > deepest) missing.length = closers.length;
    const braceless = missing.length > 0 && (alone || (!closers.length && !cases && this.outdents(tokens)));
    const open = closers.length ? closers.at(-1)! + 1 : 0;
    const inner = cases ? 'switch' : !braceless && stepsInside(tokens, open, tokens.length) ? 'while' : 'if';
    missing.forEach((block, index) => {
      const innermost = index === missing.length - 1;
      const word = block.word || (innermost ? inner : 'if');
      this.opener(word);
      this.open.push({ ...block, word });
    });
    if (braceless) this.braceless();
  }

  /** Blocks inside those that the piece closes come first; the words belong to the outer ones. */
  private withoutClosers(around: Block[], words: readonly string[]): void {
    // The piece starts `around.length` deep and closes `words.length` of them: the innermost.
    around.forEach((block, at) => {
      const closer = around.length - 1 - at;
      around[at] = { ...block, word: words[closer] ?? '' };
    });
  }

  private opener(word: string): void {
    if (word === 'switch') this.make(['switch', '(', unseen, ')', '{']);
    else if (word === 'do') this.make(['do', '{']);
    else if (word === '=') this.make(['struct', unseen, unseen, '=', '{']);
    else this.make([word === 'while' ? 'while' : 'if', '(', unseenHead, ')', '{']);
  }

  /** The innermost unseen block has no braces: only the first statement belongs to it. */
  private braceless(): void {
    this.open.pop();
    this.result.pop();
  }

  private isNear(tokens: readonly Token[]): boolean {
    const before = this.unit.lines[this.lastLine]?.fileLine ?? 0;
    const here = this.unit.lines[tokens[0]!.line]?.fileLine ?? 0;
    return before > 0 && here > before && here - before <= nearLines;
  }

  private isSame(open: Block | undefined, around: Block | undefined): boolean {
    if (!open || !around || open.column < 0 || open.column !== around.column) return false;
    const does = (word: string): boolean => word === 'do' || word === '=';
    return around.word === '' || around.word === 'if' || does(around.word) === does(open.word);
  }

  /** The kind of block that the closer at `at` ends; `from`: where its inside begins in the piece. */
  private openerWord(tokens: readonly Token[], from: number, at: number): string {
    const next = tokens[at + 1]?.text;
    if (hasCase(tokens, from, at)) return 'switch';
    if (next === 'while' && closesDo(tokens, at + 1)) return 'do';
    if (next === ';' || next === ',') return '=';
    return stepsInside(tokens, from, at) ? 'while' : 'if';
  }

  /** Keeps track of the blocks that the piece opens and closes. */
  private follow(tokens: readonly Token[]): void {
    tokens.forEach(({ text, line }, at) => {
      if (text === '}') this.open.pop();
      if (text !== '{') return;
      const start = statementStart(tokens, at);
      this.open.push({ column: indentation(this.unit.lines[start?.line ?? line]), word: wordOf(tokens, at) });
    });
  }

  private stepOf(tokens: readonly Token[]): number {
    return this.unit.lines[tokens[0]!.line]?.text.startsWith('\t') ? 8 : 4;
  }

  /** Blocks around the first statement, by its indentation; 0 where the layout says nothing. */
  private levelOf(tokens: readonly Token[]): number {
    if (beginningFor(tokens).length || tokens[1]?.text === ':' || tokens[0]!.text === '}') return 0;
    const columns = indentation(this.unit.lines[tokens[0]!.line]);
    const step = this.stepOf(tokens);
    return columns % step === 0 ? Math.max(0, columns / step - 1) : 0;
  }

  /** Whether a later line stands further left than the first, without a brace that closes a block. */
  private outdents(tokens: readonly Token[]): boolean {
    const margin = indentation(this.unit.lines[tokens[0]!.line]);
    return tokens.some((token, at) => {
      const before = tokens[at - 1];
      if (!before || before.line === token.line || token.text === '}') return false;
      return tokens[at + 1]?.text !== ':' && indentation(this.unit.lines[token.line]) < margin;
    });
  }
}

/** `case` or `default` between the tokens, outside braces that open there. */
function hasCase(tokens: readonly Token[], from: number, to: number): boolean {
  let depth = 0;
  for (let at = from; at < to; at++) {
    const { text } = tokens[at]!;
    if (text === '{') depth++;
    else if (text === '}') depth--;
    else if (depth === 0 && (text === 'case' || (text === 'default' && tokens[at + 1]?.text === ':')))
      return true;
  }
  return false;
}

function closesDo(tokens: readonly Token[], at: number): boolean {
  let depth = 0;
  for (let index = at + 1; index < Math.min(tokens.length, at + lookAhead); index++) {
    const { text } = tokens[index]!;
    if (text === '(') depth++;
    else if (text === ')' && --depth === 0) return tokens[index + 1]?.text === ';';
  }
  return false;
}

/** The word that heads the block whose brace is token `brace`: `do`, `=`, `else`, `if`, `for`, … */
function wordOf(tokens: readonly Token[], brace: number): string {
  const start = statementStart(tokens, brace);
  const before = tokens[brace - 1]?.text;
  if (before === 'do' || before === '=' || before === 'else') return before;
  const tags = ['struct', 'union', 'enum'];
  if (tags.includes(before ?? '') || tags.includes(tokens[brace - 2]?.text ?? '')) return 'struct';
  return start?.text ?? '';
}

/** First token of the statement that the brace at `brace` belongs to. */
function statementStart(tokens: readonly Token[], brace: number): Token | undefined {
  let depth = 0;
  for (let at = brace - 1; at >= Math.max(0, brace - lookAhead); at--) {
    const { text } = tokens[at]!;
    if (text === ')') depth++;
    else if (text === '(') depth--;
    else if (depth === 0 && (text === ';' || text === '{' || text === '}')) return tokens[at + 1];
  }
  return tokens[0];
}
