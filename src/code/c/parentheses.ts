/**
 * Parentheses that mean nothing, taken away. The grammar cannot know which names are types, and reads `(a) & b + c` as
 * `((a)&b) + c`, a cast; without the parentheses there is only one reading.
 */
import type { Token } from './tokens';
import { typeKeywords } from './typeWords';

/** Words that parentheses may follow without being a call or a head. */
const beforeValue = new Set(['return', 'case', 'else', 'do', 'goto', 'in']);
const typeWords = new Set([...typeKeywords, 'bool', 'const', 'volatile', 'typeof', 'float', 'double']);
/** Behind `(type)` these begin the operand of a cast; behind `(value)` they are operators. */
const ambiguous = new Set(['*', '&', '-', '+', '&&']);

interface Group {
  /** Index of its `(` in the result. */
  readonly open: number;
  count: number;
  /** So far a name with members, subscripts and calls behind it. */
  postfix: boolean;
  /** So far words and `*` only, beginning like a type. */
  type: boolean;
}

/** `isType`: whether a name is a type; asked only where it matters. */
export function withoutIdleParentheses(tokens: readonly Token[], isType: (name: string) => boolean): Token[] {
  const result: Token[] = [];
  const groups: Group[] = [];
  /** Indexes in the result of `)` that end something which is surely a type. */
  const casts = new Set<number>();
  tokens.forEach((token, at) => {
    const { text } = token;
    if (text === '(' || text === '[' || text === '{') {
      const around = groups.at(-1);
      if (around) note(around, token, result.at(-1));
      groups.push({ open: result.length, count: 0, postfix: true, type: true });
      result.push(token);
      return;
    }
    const closes = text === ')' || text === ']' || text === '}';
    const group = closes ? groups.pop() : groups.at(-1);
    if (!closes) {
      if (group) note(group, token, result.at(-1));
      result.push(token);
      return;
    }
    if (text === ')' && group && isIdle(group, result, tokens[at + 1], casts, isType)) {
      casts.delete(result.length);
      result.splice(group.open, 1);
      const outer = groups.at(-1);
      // What was inside is now the beginning of what is around it.
      if (outer?.open === group.open - 1)
        Object.assign(outer, { count: group.count, postfix: group.postfix });
      return;
    }
    casts.delete(result.length);
    if (text === ')' && group?.type && group.count > 0) casts.add(result.length);
    result.push(token);
  });
  return result;
}

/** Keeps account of what stands in a group, without what is inside inner ones. */
function note(group: Group, token: Token, before: Token | undefined): void {
  const { text, kind } = token;
  const first = group.count++ === 0;
  const name = kind === 'name';
  if (group.type)
    group.type = first ? typeWords.has(text) || /^u?int\d+_t$/.test(text) : name || text === '*';
  if (!group.postfix) return;
  if (first) group.postfix = name && !typeWords.has(text);
  else if (name) group.postfix = before?.text === '.' || before?.text === '->';
  else group.postfix = text === '.' || text === '->' || text === '(' || text === '[';
}

function isIdle(
  group: Group,
  result: readonly Token[],
  next: Token | undefined,
  casts: ReadonlySet<number>,
  isType: (name: string) => boolean,
): boolean {
  if (!group.postfix || group.count === 0) return false;
  if (!next || next.kind !== 'punct' || next.text === '(' || next.text === '{') return false;
  if (next.text === '!' || next.text === '~') return false;
  const before = result[group.open - 1];
  if (before?.kind === 'name' && !beforeValue.has(before.text)) return false;
  if (before?.kind === 'string' || before?.text === ']') return false;
  if (before?.text === ')' && !casts.has(group.open - 1)) return false;
  if (group.count > 1) return true;
  const { text } = result[group.open + 1]!;
  const step = next.text === '++' || next.text === '--';
  return !(ambiguous.has(next.text) || step) || !isType(text);
}
