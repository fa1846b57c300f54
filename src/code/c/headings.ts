/** What the text after the second `@@` of a hunk says: the function, struct or initialiser that the hunk starts in. */
import { annotationCalls, functionHeadMacro } from './kernelMacros';
import type { Token } from './tokens';
import { madeUp, tokensOf } from './tokens';

export interface Heading {
  readonly kind: 'function' | 'struct' | 'initialiser' | 'none';
  readonly name: string;
  /** Of a function: its head up to and with `)`; of the others: up to and with `{`. */
  readonly head: readonly Token[];
  /** A function's parameter list goes on behind the heading. */
  readonly open: boolean;
}

const none: Heading = { kind: 'none', name: '', head: [], open: false };
const notFunctions = new Set(['if', 'for', 'while', 'switch', 'return', 'sizeof', 'typeof', 'defined']);

/** Reads a heading; `line` is where its made-up tokens are placed. */
export function readHeading(text: string, line: number): Heading {
  const tokens = tokensOf(text.slice(0, 400), line).map(token => ({ ...token, from: -1, to: -1 }));
  const last = tokens.at(-1)?.text;
  if (!tokens.length || last === ';' || last === ':') return none;
  const parenthesis = tokens.findIndex(token => token.text === '(');
  const equals = tokens.findIndex(token => token.text === '=');
  if (last === '{' && (parenthesis < 0 || equals >= 0)) return aggregate(tokens, equals);
  if (parenthesis <= 0 || (equals >= 0 && equals < parenthesis)) return none;
  const name = tokens[parenthesis - 1]!;
  if (functionHeadMacro.test(name.text)) return macroHeading(tokens, parenthesis, line);
  if (name.kind !== 'name' || notFunctions.has(name.text) || isMacroName(name.text)) return none;
  if (annotationCalls.has(name.text)) return none;
  return functionHeading(tokens, parenthesis, name.text, line);
}

const isMacroName = (name: string): boolean => /^[A-Z][A-Z0-9_]+$/.test(name);

function aggregate(tokens: readonly Token[], equals: number): Heading {
  if (equals >= 0) {
    const name = tokens
      .slice(0, equals)
      .findLast(token => token.kind === 'name' && !token.text.startsWith('__'));
    return { kind: 'initialiser', name: name?.text ?? '', head: tokens, open: false };
  }
  const tag = tokens.at(-2);
  if (tag?.kind !== 'name' || !['struct', 'union', 'enum'].includes(tokens.at(-3)?.text ?? '')) return none;
  return { kind: 'struct', name: tag.text, head: tokens.slice(-3), open: false };
}

function functionHeading(seen: readonly Token[], open: number, name: string, line: number): Heading {
  // The type may stand on the line before, which git leaves out.
  const tokens = open === 1 ? [madeUp('long', line), ...seen] : seen;
  const parenthesis = open === 1 ? 2 : open;
  let depth = 0;
  let lastComma = parenthesis;
  for (let at = parenthesis; at < tokens.length; at++) {
    const { text } = tokens[at]!;
    if (text === '(') depth++;
    if (text === ',' && depth === 1) lastComma = at;
    if (text === ')' && --depth === 0)
      return { kind: 'function', name, head: tokens.slice(0, at + 1), open: false };
  }
  // Git cuts headings at 80 characters; a parameter that is cut is dropped.
  const complete = tokens.slice(0, lastComma);
  const ended = lastComma === parenthesis ? tokens.slice(0, parenthesis) : complete;
  const dots = lastComma === parenthesis ? ['(', ')'] : [',', '...', ')'];
  return { kind: 'function', name, head: [...ended, ...dots.map(text => madeUp(text, line))], open: true };
}

function macroHeading(tokens: readonly Token[], parenthesis: number, line: number): Heading {
  const first = tokens[parenthesis + 1]?.text ?? '';
  const name = tokens[parenthesis - 1]!.text.includes('SYSCALL') ? `sys_${first}` : first;
  const head = ['long', name, '(', ')'].map(text => madeUp(text, line));
  return { kind: 'function', name, head, open: true };
}
