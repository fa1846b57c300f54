/** The beginning of the first statement of a fragment and the end of its last, where they are not shown. */
import type { Token } from './tokens';
import { madeUp } from './tokens';
import { unseen, unseenCall } from './unseen';

const binaryStarts = new Set([
  ...['=', '->', '.', '[', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '/', '%', '|', '^'],
  ...['==', '!=', '<', '>', '<=', '>=', '&&', '||', '<<', '>>', '?', ',', ')', ']'],
]);

/** What must stand before the first token so that it is a statement. */
export function beginningFor(tokens: readonly Token[]): string[] {
  const { unmatched, semicolons, end } = openEnds(tokens);
  const first = tokens[0]!.text;
  const operand = binaryStarts.has(first) ? [unseen] : [];
  if (unmatched === 1 && isAsmTail(tokens, end)) return ['asm', 'volatile', '(', unseenTemplate];
  if (unmatched > 0) {
    const next = tokens[end + 1];
    const control = next !== undefined && (next.text === '{' || next.kind === 'name' || next.text === '*');
    const calls = Array.from({ length: unmatched - (control ? 1 : 0) }, () => [unseenCall, '(']).flat();
    if (!control) return [...calls, ...operand];
    if (semicolons > 0) return ['for', '(', ...(semicolons === 1 ? [unseen, ';'] : []), ...calls, ...operand];
    const joined = calls.length || !operand.length ? [unseen, '&&'] : [];
    return ['if', '(', ...joined, ...calls, ...operand];
  }
  if (first === '{' && !isRow(tokens)) return ['if', '(', unseen, ')'];
  if (first === 'else') return ['if', '(', unseen, ')', ';'];
  if (first === ':') return [unseen, '?', unseen];
  return operand;
}

/** `{ … },`: a row of an initialiser, not a block. */
function isRow(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (let at = 0; at < tokens.length; at++) {
    const { text } = tokens[at]!;
    if (text === '{') depth++;
    else if (text === '}' && --depth === 0) return tokens[at + 1]?.text === ',';
  }
  return false;
}

/** Template of an asm statement whose beginning is not shown; the lowering takes it for unknown. */
const unseenTemplate = '".macro not shown by the hunk"';

/** `: : "r" (x) : "memory");`, perhaps with the end of the template before it. */
function isAsmTail(tokens: readonly Token[], end: number): boolean {
  const first = tokens[0]!;
  if (first.text !== ':' && first.kind !== 'string') return false;
  let depth = 0;
  let colons = 0;
  for (const { text } of tokens.slice(0, Math.max(0, end))) {
    if (text === '(' || text === '[') depth++;
    else if (text === ')' || text === ']') depth--;
    else if (depth === 0 && text === '?') return false;
    else if (depth === 0 && text === ':') colons++;
  }
  return colons > 0;
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

/** The piece with its last statement completed; blocks that it leaves open stay open. */
export function withoutLooseEnd(tokens: readonly Token[]): Token[] {
  const result = [...tokens];
  const line = tokens.at(-1)!.line;
  const add = (...texts: string[]): void => void result.push(...texts.map(text => madeUp(text, line)));
  const open: { text: string; word: string; at: number }[] = [];
  tokens.forEach(({ text }, at) => {
    if (text === '(' || text === '{' || text === '[')
      open.push({ text, word: tokens[at - 1]?.text ?? '', at });
    else if (text === ')' || text === '}' || text === ']') {
      const opener = text === ')' ? '(' : text === '}' ? '{' : '[';
      if (open.at(-1)?.text === opener) open.pop();
    }
  });
  const last = tokens.at(-1)!.text;
  const block = open.findLast(bracket => bracket.text === '{');
  const brackets = open.slice(block ? open.indexOf(block) + 1 : 0).reverse();
  if (needsOperand.has(last) && !(last === '(' && brackets[0]?.word !== 'if')) add(unseen);
  for (const bracket of brackets) {
    if (bracket.word === 'for') {
      const seen = semicolonsIn(tokens, bracket.at);
      for (let count = seen; count < 2; count++) add(';');
    }
    add(bracket.text === '(' ? ')' : ']');
  }
  // Inside an initialiser nothing ends with a semicolon.
  if (block && ['=', ',', '{', '('].includes(block.word) && block.word !== '{') return result;
  if (!brackets.length && last === ')' && headsSwitch(tokens)) add('{', '}');
  if (last === 'do' && !brackets.length) add('{', '}', 'while', '(', unseen, ')');
  if (last === ':' && isConditionalColon(tokens)) add(unseen);
  for (let open = openQuestions(tokens); open > 0; open--) add(':', unseen);
  if (result.at(-1)!.text === '}' && last !== '}') return result;
  if (brackets.length || (last !== ';' && last !== '}' && last !== '{')) add(';');
  return result;
}

const semicolonsIn = (tokens: readonly Token[], from: number): number =>
  tokens.slice(from).filter(token => token.text === ';').length;

/** Whether the tokens end with `switch ( … )`: the grammar wants a block there. */
function headsSwitch(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (let at = tokens.length - 1; at > 0; at--) {
    const { text } = tokens[at]!;
    if (text === ')') depth++;
    else if (text === '(' && --depth === 0) return tokens[at - 1]!.text === 'switch';
    else if (text === ';' || text === '{' || text === '}') return false;
  }
  return false;
}

/** `?` of the last statement without their `:`. */
function openQuestions(tokens: readonly Token[]): number {
  let open = 0;
  for (let at = tokens.length - 1; at >= 0; at--) {
    const { text } = tokens[at]!;
    if (text === ';' || text === '{' || text === '}') break;
    if (text === '?') open++;
    else if (text === ':') open--;
  }
  return open;
}

function isConditionalColon(tokens: readonly Token[]): boolean {
  for (let at = tokens.length - 2; at >= 0; at--) {
    const { text } = tokens[at]!;
    if (text === '?') return true;
    if (text === ';' || text === '{' || text === '}' || text === 'case' || text === 'default') return false;
  }
  return false;
}
