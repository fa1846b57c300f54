/** Guesses, from tokens and layout, where a fragment begins: in a body, a parameter list, an aggregate, at file level. */
import type { Heading } from './headings';
import { annotationCalls, annotations, fileLevelNoise, functionHeadMacro, loopName } from './kernelMacros';
import { holdsStatements, statementWords, typeWords } from './statementSigns';
import type { Token } from './tokens';

export type Start =
  /** Tokens before `end` are the inside of a function; `closed`: token `end` is its closing brace. */
  | { readonly kind: 'body'; readonly end: number; readonly closed: boolean }
  /** Tokens before `end`, a brace, are the rest of a function's head. */
  | { readonly kind: 'head-tail'; readonly end: number }
  /** Tokens before `end` are the rest of a struct or an initialiser. */
  | { readonly kind: 'aggregate'; readonly end: number }
  | { readonly kind: 'file'; readonly end: 0 };

export interface Surroundings {
  /** A function of the segment before has not ended. */
  readonly inFunction: boolean;
  /** The unit keeps its indentation. */
  readonly indented: boolean;
  columns(token: Token): number;
}

/** Behind a name, these make it the start of an expression. */
const expressionMarks = new Set([
  ...[
    '=',
    '->',
    '.',
    '[',
    '++',
    '--',
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
    ')',
    ',',
  ],
  ...['==', '!=', '<', '>', '<=', '>=', '&&', '||', '+', '-', '/', '%', '&', '|', '^', '<<', '>>', '?'],
]);

export function startOf(tokens: readonly Token[], heading: Heading, around: Surroundings): Start {
  const tail = parameterTail(tokens, heading, around);
  if (tail >= 0) return { kind: 'head-tail', end: tail };
  const closers = unmatchedClosers(tokens);
  const last = closers.at(-1);
  if (last !== undefined) {
    const next = tokens[last + 1];
    const aggregateEnd = endOfAggregate(tokens, last);
    const maybeAggregate = heading.kind !== 'function' && !around.inFunction;
    if (heading.kind === 'struct' || heading.kind === 'initialiser' || (aggregateEnd > 0 && maybeAggregate))
      return { kind: 'aggregate', end: aggregateEnd > 0 ? aggregateEnd : last + 1 };
    const ends = around.indented
      ? around.columns(tokens[last]!) === 0
      : next === undefined || !startsLikeStatement(tokens, last + 1, around, true);
    return ends
      ? { kind: 'body', end: last, closed: true }
      : { kind: 'body', end: tokens.length, closed: false };
  }
  if (heading.kind === 'struct' || heading.kind === 'initialiser') {
    const inside = !around.indented || around.columns(tokens[0]!) > 0;
    return inside ? { kind: 'aggregate', end: tokens.length } : { kind: 'file', end: 0 };
  }
  const named = heading.kind === 'function' || around.inFunction;
  return startsLikeStatement(tokens, 0, around, named)
    ? { kind: 'body', end: tokens.length, closed: false }
    : { kind: 'file', end: 0 };
}

/** Indexes of closing braces whose opening brace is not among the tokens. */
export function unmatchedClosers(tokens: readonly Token[]): number[] {
  const result: number[] = [];
  let depth = 0;
  tokens.forEach(({ text }, at) => {
    if (text === '{') depth++;
    else if (text === '}' && depth-- === 0) {
      result.push(at);
      depth = 0;
    }
  });
  return result;
}

/** Behind `} ;`, `} name;`, `} __attribute…;`: index behind the semicolon; else 0. */
function endOfAggregate(tokens: readonly Token[], brace: number): number {
  let at = brace + 1;
  while (tokens[at]?.kind === 'name' && at < brace + 6) {
    if (statementWords.has(tokens[at]!.text)) return 0;
    at++;
    if (tokens[at]?.text === '(') while (at < tokens.length && tokens[at++]!.text !== ')');
  }
  return tokens[at]?.text === ';' && (at === brace + 1 || tokens[brace + 1]!.line === tokens[brace]!.line)
    ? at + 1
    : 0;
}

/**
 * Index of the brace where the tokens start inside a parameter list (a `)` without `(`, then `{` alone on its line at
 * the margin), or at that brace itself; else -1.
 */
function parameterTail(tokens: readonly Token[], heading: Heading, around: Surroundings): number {
  let depth = 0;
  for (let at = 0; at < tokens.length && at < 200; at++) {
    const { text } = tokens[at]!;
    if (text === '(') depth++;
    else if (text === ')') depth--;
    else if (text === ';' || text === '}') return -1;
    else if (text === '{') {
      const alone = tokens[at - 1]?.line !== tokens[at]!.line && tokens[at + 1]?.line !== tokens[at]!.line;
      const atMargin = !around.indented || around.columns(tokens[at]!) === 0;
      if (!alone || !atMargin) return -1;
      if (at === 0) return opensBody(tokens, heading, around) ? 0 : -1;
      return depth === -1 && looksLikeParameters(tokens.slice(0, at - 1)) ? at : -1;
    }
  }
  return -1;
}

/** Whether the brace that the tokens start with opens a function: its head, or nothing, is in the heading. */
function opensBody(tokens: readonly Token[], heading: Heading, around: Surroundings): boolean {
  if (heading.kind === 'function') return !around.inFunction || around.indented;
  if (heading.kind !== 'none' || (around.inFunction && !around.indented)) return false;
  const first = tokens[1]?.text ?? '';
  return first !== '.' && first !== '[' && !endsAggregate(tokens) && holdsStatements(tokens, 1);
}

/** Whether the block that the tokens start with ends like a struct or an initialiser: `};`. */
function endsAggregate(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (let at = 0; at < tokens.length; at++) {
    const { text } = tokens[at]!;
    if (text === '{') depth++;
    else if (text === '}' && --depth === 0) return endOfAggregate(tokens, at) > 0;
  }
  return false;
}

function looksLikeParameters(tokens: readonly Token[]): boolean {
  const first = tokens[0];
  if (!first || first.kind !== 'name') return false;
  if (typeWords.has(first.text)) return true;
  const second = tokens[1];
  return second?.kind === 'name' || (second?.text === '*' && tokens[2]?.kind === 'name');
}

/** `named`: something says that a function surrounds the fragment. */
function startsLikeStatement(
  tokens: readonly Token[],
  at: number,
  around: Surroundings,
  named: boolean,
): boolean {
  const first = tokens[at]!;
  const inset = around.indented && around.columns(first) > 0;
  if (first.kind !== 'name') return first.text !== '{' || inset;
  if (statementWords.has(first.text)) return true;
  if (annotations.has(first.text) && !inset) return false;
  const next = tokens[at + 1];
  if (inset && !named && holdsStatements(tokens, at)) return true;
  if (!next) return inset && named;
  if (expressionMarks.has(next.text)) return !around.indented || inset || named;
  if (next.text === ':') return true;
  if (next.text === '(') return callStartsStatement(tokens, at, inset, named);
  if (first.text === 'asm' && inset) return true;
  return inset && named;
}

function callStartsStatement(tokens: readonly Token[], at: number, inset: boolean, named: boolean): boolean {
  const { text } = tokens[at]!;
  if (fileLevelNoise.test(text) || functionHeadMacro.test(text)) return false;
  let depth = 0;
  let end = at + 1;
  for (; end < tokens.length; end++) {
    if (tokens[end]!.text === '(') depth++;
    else if (tokens[end]!.text === ')' && --depth === 0) break;
  }
  const after = tokens[end + 1]?.text;
  if (after === '{') return loopName.test(text);
  if (/^(?:DEFINE|DECLARE|LIST_HEAD|EXPORT)/.test(text)) return inset && named;
  return inset || named;
}

/** Whether tokens `start`…`brace` (a `{`) are the head of a function. */
export function isFunctionHead(tokens: readonly Token[], start: number, brace: number): boolean {
  let at = brace - 1;
  // Annotations may follow the parameter list.
  while (at > start && tokens[at]!.text !== ')' && tokens[at]!.kind === 'name') at--;
  if (tokens[at]?.text !== ')') return false;
  const word = tokens[start]!.text;
  return (
    !(word === 'struct' || word === 'union' || word === 'enum') || parameterListAt(tokens, start, brace) > 0
  );
}

/** Index of the `(` that opens the parameter list of the declarator in `tokens[start…end)`, or -1. */
export function parameterListAt(tokens: readonly Token[], start: number, end: number): number {
  for (let at = start; at < end; at++) {
    if (tokens[at]!.text !== '(') continue;
    const name = tokens[at - 1];
    const declares =
      at > start && name?.kind === 'name' && !annotationCalls.has(name.text) && name.text !== 'typeof';
    if (declares) return at;
    let depth = 0;
    for (; at < end; at++) {
      if (tokens[at]!.text === '(') depth++;
      else if (tokens[at]!.text === ')' && --depth === 0) break;
    }
  }
  return -1;
}
