/** Signs that tokens are statements of a body and not declarations at file level or members of a struct. */
import { fileLevelNoise } from './kernelMacros';
import type { Token } from './tokens';
import { typeKeywords } from './typeWords';

/** Words that only a statement begins with: none of them names a function. */
export const statementWords: ReadonlySet<string> = new Set([
  ...['if', 'for', 'while', 'do', 'switch', 'return', 'goto', 'break', 'continue', 'case', 'default', 'else'],
]);
/** Words that a type begins with. */
export const typeWords: ReadonlySet<string> = new Set([
  ...typeKeywords,
  ...['static', 'extern', 'inline', 'const', 'typedef', 'bool', 'volatile', 'register'],
  ...['u8', 'u16', 'u32', 'u64', 'asmlinkage'],
]);
const changes = new Set(['=', '+=', '-=', '|=', '&=', '^=', '<<=', '>>=', '->', '.', '[', '++', '--']);

/**
 * Whether a statement begins among the tokens from `from` on. Only what can be nothing else counts: a control word, a call
 * or an assignment where a declaration would begin, a variable with an initial value.
 */
export function holdsStatements(tokens: readonly Token[], from: number): boolean {
  let depth = 0;
  let braces = 0;
  let starts = true;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at]!;
    const { text } = token;
    if (depth === 0 && braces <= 0) {
      if (starts && statementBegins(tokens, at)) return true;
      if (text === '=' && !starts) return true;
      if (starts && text === '{') return false;
    }
    starts = depth === 0 && (text === ';' || text === '{' || text === '}');
    if (text === '(' || text === '[') depth++;
    else if (text === ')' || text === ']') depth = Math.max(0, depth - 1);
    else if (text === '{') braces++;
    else if (text === '}' && --braces < 0) return false;
  }
  return false;
}

/** Whether token `at`, where a statement or a declaration begins, begins what can only be a statement. */
export function statementBegins(tokens: readonly Token[], at: number): boolean {
  const { kind, text } = tokens[at]!;
  if (statementWords.has(text)) return true;
  const next = tokens[at + 1]?.text ?? '';
  if (kind !== 'name') return text === '*' || text === '++' || text === '--';
  if (typeWords.has(text)) return false;
  if (next !== '(') return changes.has(next);
  // Macros that declare something look like calls.
  return !/^[A-Z][A-Z0-9_]+$/.test(text) && !fileLevelNoise.test(text) && !text.startsWith('struct_group');
}
