/** Brackets that belong together, and what ends without one at file level. */
import type { Token } from './tokens';
import { madeUp } from './tokens';

/** Index of the bracket that closes the one at `open`, or -1; -1 too where it is further than `limit` tokens away. */
export function matching(tokens: readonly Token[], open: number, limit = Number.MAX_SAFE_INTEGER): number {
  const opener = tokens[open]!.text;
  const closer = opener === '{' ? '}' : opener === '(' ? ')' : ']';
  let depth = 0;
  const end = Math.min(tokens.length, open + limit);
  for (let at = open; at < end; at++) {
    const { text } = tokens[at]!;
    if (text === opener) depth++;
    else if (text === closer && --depth === 0) return at;
  }
  return -1;
}

/** Behind `TQ_OPS(a, b)` on lines of its own, without a semicolon; 0 for anything else. */
export function macroAlone(tokens: readonly Token[], start: number): number {
  if (tokens[start + 1]?.text !== '(' || !/^[A-Z][A-Z0-9_]+$/.test(tokens[start]!.text)) return 0;
  const end = matching(tokens, start + 1);
  const next = tokens[end + 1];
  if (end < 0 || !next || next.line === tokens[end]!.line) return 0;
  return next.text === '{' || next.text === ';' || next.text === '=' ? 0 : end + 1;
}

export function noiseEnd(tokens: readonly Token[], start: number): number {
  const end = matching(tokens, start + 1);
  if (end < 0) return tokens.length;
  const next = tokens[end + 1];
  if (next?.text !== '{') return next?.text === ';' ? end + 2 : end + 1;
  const brace = matching(tokens, end + 1);
  return brace < 0 ? tokens.length : brace + 1;
}

export const closersOf = (tokens: readonly Token[]): number =>
  tokens.reduce((depth, { text }) => depth + (text === '}' ? 1 : text === '{' ? -1 : 0), 0);

/** `tokens` with the brackets closed that are open at their end. */
export function closed(tokens: readonly Token[]): Token[] {
  const open: string[] = [];
  for (const { text } of tokens) {
    if (text === '{') open.push('}');
    else if (text === '(') open.push(')');
    else if (text === '[') open.push(']');
    else if (open.at(-1) === text) open.pop();
  }
  const line = tokens.at(-1)?.line ?? 0;
  return [...tokens, ...open.reverse().map(text => madeUp(text, line)), madeUp(';', line)];
}
