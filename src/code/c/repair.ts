/**
 * Completes what a hunk shows of a function's body: openers for brackets that only close, closers for those that only
 * open, and a stand-in name, {@link unseen}, where the beginning or the end of an expression is not shown.
 */
import type { SourceUnit } from '../source';
import { indentation } from './prepare';
import { unmatchedClosers } from './shape';
import type { Token } from './tokens';
import { madeUp } from './tokens';

/** Stands for an expression that the hunk does not show. */
export const unseen = '__unseen';
/** Stands for the callee of a call whose beginning the hunk does not show. */
export const unseenCall = '__unseen_call';

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

export function completeBody(
  pieces: readonly BodyPiece[],
  endSeen: boolean,
  unit: SourceUnit,
): CompletedBody {
  const result: Token[] = [];
  let repaired = false;
  pieces.forEach((piece, index) => {
    const last = index === pieces.length - 1;
    if (piece.afterHead && last && endSeen) {
      result.push(...piece.tokens);
      return;
    }
    repaired = true;
    result.push(...completePiece(piece, unit));
  });
  return { tokens: result, repaired };
}

function completePiece({ tokens, afterHead }: BodyPiece, unit: SourceUnit): Token[] {
  if (!tokens.length) return [];
  const line = tokens[0]!.line;
  const made = (texts: readonly string[]): Token[] => texts.map(text => madeUp(text, line));
  const body = withoutLooseEnd(tokens);
  if (afterHead) return body;
  const opened = openersFor(body, unit);
  return [
    ...made(opened.before),
    ...made(beginningFor(body)),
    ...body,
    ...opened.after.map(t => madeUp(t, line)),
  ];
}

/** Blocks that the piece only closes, or that its indentation shows. */
function openersFor(tokens: readonly Token[], unit: SourceUnit): { before: string[]; after: string[] } {
  const closers = unmatchedClosers(tokens);
  const before: string[] = [];
  let from = 0;
  for (const at of closers) {
    const next = tokens[at + 1]?.text;
    const cases = hasCase(tokens, from, at);
    if (cases) before.unshift('switch', '(', unseen, ')', '{');
    else if (next === 'while' && closesDo(tokens, at + 1)) before.unshift('do', '{');
    else if (next === ';' || next === ',') before.unshift('struct', unseen, unseen, '=', '{');
    else before.unshift('if', '(', unseen, ')', '{');
    from = at + 1;
  }
  const missing = levelOf(tokens, unit) - closers.length;
  if (missing <= 0 || missing > 12) return { before, after: [] };
  const cases = hasCase(tokens, from, tokens.length);
  if (outdents(tokens, unit) && !closers.length && !cases)
    return { before: ['if', '(', unseen, ')'], after: [] };
  const kind = cases ? 'switch' : 'if';
  const outer = Array.from({ length: missing - 1 }, () => ['if', '(', unseen, ')', '{']).flat();
  const after = Array.from({ length: missing }, () => '}');
  return { before: [...outer, kind, '(', unseen, ')', '{', ...before], after };
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
  for (let index = at + 1; index < tokens.length; index++) {
    const { text } = tokens[index]!;
    if (text === '(') depth++;
    else if (text === ')' && --depth === 0) return tokens[index + 1]?.text === ';';
  }
  return false;
}

/** Blocks around the first statement, by its indentation; 0 where the layout says nothing. */
function levelOf(tokens: readonly Token[], unit: SourceUnit): number {
  const first = tokens[0]!;
  if (beginningFor(tokens).length || tokens[1]?.text === ':') return 0;
  const columns = indentation(unit.lines[first.line]);
  const step = unit.lines[first.line]?.text.startsWith('\t') ? 8 : 4;
  return columns % step === 0 ? Math.max(0, columns / step - 1) : 0;
}

/** Whether a later line of the piece stands further left than its first, without a brace that closes a block. */
function outdents(tokens: readonly Token[], unit: SourceUnit): boolean {
  const margin = indentation(unit.lines[tokens[0]!.line]);
  return tokens.some((token, at) => {
    const before = tokens[at - 1];
    if (!before || before.line === token.line || token.text === '}') return false;
    return tokens[at + 1]?.text !== ':' && indentation(unit.lines[token.line]) < margin;
  });
}

const binaryStarts = new Set([
  ...['=', '->', '.', '[', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '/', '%', '|', '^'],
  ...['==', '!=', '<', '>', '<=', '>=', '&&', '||', '<<', '>>', '?', ',', ')', ']'],
]);

/** What must stand before the first token so that it is a statement. */
function beginningFor(tokens: readonly Token[]): string[] {
  const { unmatched, semicolons, end } = openEnds(tokens);
  const first = tokens[0]!.text;
  const operand = binaryStarts.has(first) ? [unseen] : [];
  if (unmatched > 0) {
    const next = tokens[end + 1];
    const control = next !== undefined && (next.text === '{' || next.kind === 'name' || next.text === '*');
    const calls = Array.from({ length: unmatched - (control ? 1 : 0) }, () => [unseenCall, '(']).flat();
    if (!control) return [...calls, ...operand];
    if (semicolons > 0) return ['for', '(', ...(semicolons === 1 ? [unseen, ';'] : []), ...calls, ...operand];
    const joined = calls.length || !operand.length ? [unseen, '&&'] : [];
    return ['if', '(', ...joined, ...calls, ...operand];
  }
  if (first === 'else') return ['if', '(', unseen, ')', ';'];
  if (first === ':') return [unseen, '?', unseen];
  return operand;
}

/** Parentheses that the first statement only closes, where the last of them stands, and semicolons before it. */
function openEnds(tokens: readonly Token[]): { unmatched: number; semicolons: number; end: number } {
  let depth = 0;
  let unmatched = 0;
  let semicolons = 0;
  let end = -1;
  let pending = 0;
  for (let at = 0; at < tokens.length; at++) {
    const { text } = tokens[at]!;
    if (text === '(' || text === '[') depth++;
    else if (text === ')' || text === ']') {
      if (depth > 0) depth--;
      else {
        unmatched++;
        end = at;
        semicolons += pending;
        pending = 0;
      }
    } else if (depth === 0 && (text === '{' || text === '}')) break;
    else if (depth === 0 && text === ';' && (unmatched > 0 || ++pending > 2)) break;
  }
  return { unmatched, semicolons, end };
}

const needsOperand = new Set([
  ...[
    '=',
    '+=',
    '-=',
    '*=',
    '/=',
    '%=',
    '&=',
    '|=',
    '^=',
    '<<=',
    '>>=',
    '+',
    '-',
    '*',
    '/',
    '%',
    '&',
    '|',
    '^',
  ],
  ...[
    '==',
    '!=',
    '<',
    '>',
    '<=',
    '>=',
    '&&',
    '||',
    '<<',
    '>>',
    '?',
    ',',
    '!',
    '~',
    '->',
    '.',
    '(',
    'return',
    'case',
  ],
]);

/** The piece with what it leaves open at its end closed. */
function withoutLooseEnd(tokens: readonly Token[]): Token[] {
  const result = [...tokens];
  const line = tokens.at(-1)!.line;
  const add = (...texts: string[]): void => void result.push(...texts.map(text => madeUp(text, line)));
  const open: { text: string; word: string; at: number }[] = [];
  tokens.forEach(({ text }, at) => {
    if (text === '(' || text === '{' || text === '[') open.push({ text, word: wordBefore(tokens, at), at });
    else if (text === ')' || text === '}' || text === ']') {
      const opener = text === ')' ? '(' : text === '}' ? '{' : '[';
      if (open.at(-1)?.text === opener) open.pop();
    }
  });
  const last = tokens.at(-1)!.text;
  if (needsOperand.has(last) && !(last === '(' && open.at(-1)?.word !== 'if')) add(unseen);
  let complete = last === ';' || last === '}' || last === '{';
  for (const bracket of open.reverse()) {
    if (bracket.text === '{') {
      if (!complete) add(';');
      add('}');
      if (bracket.word === 'do') add('while', '(', unseen, ')', ';');
      else if (bracket.word === '=') add(';');
      complete = true;
      continue;
    }
    if (bracket.word === 'for') {
      const seen = semicolonsIn(tokens, bracket.at);
      for (let count = seen; count < 2; count++) add(';');
    }
    add(bracket.text === '(' ? ')' : ']');
    complete = false;
  }
  if (last === 'do' && !open.length) add('{', '}', 'while', '(', unseen, ')');
  if (last === ':' && isConditionalColon(tokens)) add(unseen);
  if (!complete) add(';');
  return result;
}

const semicolonsIn = (tokens: readonly Token[], from: number): number =>
  tokens.slice(from).filter(token => token.text === ';').length;

/** The word that a bracket belongs to: of `{`, `do`, `=`, or the word before `( … )`. */
function wordBefore(tokens: readonly Token[], at: number): string {
  return tokens[at - 1]?.text ?? '';
}

function isConditionalColon(tokens: readonly Token[]): boolean {
  for (let at = tokens.length - 2; at >= 0; at--) {
    const { text } = tokens[at]!;
    if (text === '?') return true;
    if (text === ';' || text === '{' || text === '}' || text === 'case' || text === 'default') return false;
  }
  return false;
}
