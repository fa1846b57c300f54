/** Signs that a fragment starts inside a comment or a macro whose beginning is not shown. */
import type { Token, TokenStream } from './tokens';

/** A line of the inside of a block comment: ` * text`, or ` *` alone. */
export function isStarred(text: string): boolean {
  const line = text.trimStart();
  return line === '*' || line.startsWith('* ') || line.startsWith('*\t');
}

/**
 * A fragment that starts with the last line of a macro: an expression without semicolon, then a directive. The line
 * before it, which asks for a continuation, is not shown.
 */
export function withoutMacroEnd(stream: TokenStream): TokenStream {
  const { tokens } = stream;
  const end = closedLoopEnd(tokens) || (stream.directives[0]?.at ?? 0);
  if (end === 0 || end > 40) return stream;
  const tail = tokens.slice(0, end);
  const last = tail[end - 1]!;
  const complete = last.text === ')' || last.text === '0' || last.kind === 'name';
  const statement = tail.some(({ text }) => text === ';' || text === '{' || text === '=');
  if (!complete || statement || (tail.some(({ text }) => text === '}') && !closedLoopEnd(tokens)))
    return stream;
  const skipped = {
    firstLine: stream.firstLine,
    lastLine: last.line,
    why: 'part of a macro whose head is not shown',
  };
  return {
    ...stream,
    tokens: tokens.map((token, at) => (at < end ? { ...token, text: '', kind: 'punct' as const } : token)),
    skipped: [...stream.skipped, skipped],
  };
}

/** Behind `} while (…)` without a semicolon, the usual end of a macro; 0 for anything else. */
function closedLoopEnd(tokens: readonly Token[]): number {
  if (tokens[0]?.text !== '}' || tokens[1]?.text !== 'while') return 0;
  let depth = 0;
  for (let at = 2; at < Math.min(tokens.length, 40); at++) {
    const { text } = tokens[at]!;
    if (text === '(') depth++;
    else if (text === ')' && --depth === 0) return tokens[at + 1]?.text === ';' ? 0 : at + 1;
  }
  return 0;
}
