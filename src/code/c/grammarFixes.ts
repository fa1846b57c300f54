/** What the grammar does not know, rewritten in expanded tokens: unknown loop macros, case ranges, asm templates. */
import { append } from './lists';
import { splitArguments } from './expand';
import { loopName } from './kernelMacros';
import { ruleFor } from './primitives';
import { matching } from './brackets';
import type { Token } from './tokens';
import { typeKeywords } from './typeWords';
import { madeUp } from './tokens';

/** Callee that stands for `case low ... high`. */
export const caseRange = '__case_range';
/** Callee that stands for a loop macro whose definition is not at hand. */
export const unknownLoop = '__unknown_loop';
/** Template that stands for one built by macros that are not at hand. */
export const opaqueTemplate = '.macro';

export function fixForGrammar(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const next = tokens[at + 1]?.text;
    if (token.text === 'asm' && namesRegister(tokens, at)) at = matching(tokens, at + 1);
    else if (token.text === 'asm' && token.kind === 'name') at = asmStatement(tokens, at, result);
    else if (token.kind === 'name' && next === '(' && saysOnly(token.text))
      at = withoutArguments(tokens, at, result);
    else if (token.text === 'case') at = caseLabel(tokens, at, result);
    else if (token.kind === 'name' && next === '(' && isLoop(tokens, at)) at = loop(tokens, at, result);
    else if (startsType(tokens, at)) at = typeArgument(tokens, at, result);
    else result.push(token);
    if (token.text === ':' && next === '}' && isLabel(tokens, at)) result.push(madeUp(';', token.line));
  }
  return result;
}

/** Calls whose arguments are operands of assembly. */
const operandCall = /^alternative_call/;

const saysOnly = (name: string): boolean => {
  if (operandCall.test(name)) return true;
  const rule = ruleFor(name)?.rule;
  return rule === 'nothing' || rule === 'warn';
};

/** Arguments that nothing evaluates need not be C: `WARN(x, KERN_ERR MODULE ": text")`. */
function withoutArguments(tokens: readonly Token[], start: number, result: Token[]): number {
  const end = matching(tokens, start + 1);
  result.push(tokens[start]!);
  if (end < 0) return start;
  const warns = ruleFor(tokens[start]!.text)?.rule === 'warn';
  const [condition = []] = warns ? splitArguments(tokens.slice(start + 1, end + 1)) : [];
  result.push(tokens[start + 1]!);
  append(result, fixForGrammar(condition));
  result.push(tokens[end]!);
  return end;
}

/** `name :` in front of the brace that ends a block: the grammar wants a statement there. */
function isLabel(tokens: readonly Token[], colon: number): boolean {
  const before = tokens[colon - 2]?.text;
  return tokens[colon - 1]?.kind === 'name' && (before === ';' || before === '{' || before === '}');
}

/** `register long x asm("x0") = …`: the register of a variable, which does not matter here. */
function namesRegister(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (before?.kind !== 'name' || statementWords.has(before.text)) return false;
  if (tokens[at + 1]?.text !== '(' || tokens[at + 2]?.kind !== 'string' || tokens[at + 3]?.text !== ')')
    return false;
  return ['=', ';', ',', ')'].includes(tokens[at + 4]?.text ?? '');
}

/** `asm inline (TEMPLATE : …)`: drops `inline`, and puts one string where the template is not made of strings. */
function asmStatement(tokens: readonly Token[], start: number, result: Token[]): number {
  let at = start;
  while (tokens[at] && tokens[at]!.text !== '(' && at < start + 5) {
    if (tokens[at]!.text !== 'inline') result.push(tokens[at]!);
    at++;
  }
  if (tokens[at]?.text !== '(') return at - 1;
  result.push(tokens[at]!);
  let end = at + 1;
  let depth = 0;
  for (; end < tokens.length; end++) {
    const { text } = tokens[end]!;
    if (depth === 0 && (text === ':' || text === ')')) break;
    if (text === '(') depth++;
    else if (text === ')') depth--;
  }
  const template = alternatives(tokens.slice(at + 1, end));
  const close = matching(tokens, at);
  const readable = close < 0 || operandsReadable(tokens.slice(end, close));
  if (readable && template.every(token => token.kind === 'string')) append(result, template);
  else {
    const text = template.map(token => token.text.replace(/["\\]/g, '')).join(' ');
    result.push({ ...template[0]!, kind: 'string', text: `"${opaqueTemplate} ${text.slice(0, 200)}"` });
  }
  if (close < 0) return end - 1;
  if (readable) append(result, withWholeStrings(tokens.slice(end, close)));
  return close - 1;
}

/** Operands with `"=" "r"` made one constraint: the grammar wants a single string. */
function withWholeStrings(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (const token of tokens) {
    const before = result.at(-1);
    if (token.kind === 'string' && before?.kind === 'string')
      result[result.length - 1] = { ...before, text: `${before.text.slice(0, -1)}${token.text.slice(1)}` };
    else result.push(token);
  }
  return result;
}

/** Whether what follows a template, `: operands : operands : clobbers`, is made of operands and not of macros. */
function operandsReadable(tokens: readonly Token[]): boolean {
  let section = 0;
  for (let at = 0; at < tokens.length;) {
    const { text, kind } = tokens[at]!;
    if (text === ':') section++;
    else if (text === '[' && section < 3) at = matching(tokens, at);
    else if (kind === 'string' && section < 3) {
      while (tokens[at + 1]?.kind === 'string') at++;
      if (tokens[at + 1]?.text !== '(') return false;
      at = matching(tokens, at + 1);
    } else if (text !== ',' && kind !== 'string' && section < 4) return false;
    if (at < 0) return false;
    at++;
  }
  return true;
}

/** `ALTERNATIVE("old", "new", FEATURE)` → a string with the assembler's macro of that name on a line of its own. */
function alternatives(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const end = alternative.test(token.text) && tokens[at + 1]?.text === '(' ? matching(tokens, at + 1) : -1;
    if (end < 0) {
      result.push(token);
      continue;
    }
    const args = splitArguments(tokens.slice(at + 1, end + 1)).map(arg => {
      if (!arg.every(one => one.kind === 'string'))
        return arg.map(one => one.text.replace(/["\\]/g, '')).join(' ');
      const text = arg
        .map(one => one.text.slice(1, -1))
        .join('')
        .replaceAll('\\n', ';')
        .replaceAll('\\t', ' ');
      return `\\"${text}\\"`;
    });
    result.push({ ...token, kind: 'string', text: `"\\n${token.text} ${args.join(', ')}\\n"` });
    at = end;
  }
  return result;
}

const alternative = /^ALTERNATIVE(?:_[23]|_TERNARY)?$/;

function caseLabel(tokens: readonly Token[], start: number, result: Token[]): number {
  result.push(tokens[start]!);
  const dots = tokens.slice(start, start + 40).findIndex(token => token.text === '...' || token.text === ':');
  if (dots < 0 || tokens[start + dots]!.text !== '...') return start;
  const length = tokens.slice(start + dots, start + dots + 40).findIndex(token => token.text === ':');
  if (length < 0) return start;
  const end = start + dots + length;
  const { line } = tokens[start]!;
  result.push(madeUp(caseRange, line), madeUp('(', line), ...tokens.slice(start + 1, start + dots));
  result.push(madeUp(',', line), ...tokens.slice(start + dots + 1, end), madeUp(')', line));
  return end - 1;
}

/** Tokens of a call that is looked at as a whole; keeps the work linear. */
const callLimit = 400;

const statementWords = new Set(['if', 'while', 'for', 'switch', 'else', 'do', 'return', 'asm']);
const typeWords = new Set(typeKeywords);

/** A loop by its name, or a call at the place of a statement with a block behind it. */
function isLoop(tokens: readonly Token[], at: number): boolean {
  const { text } = tokens[at]!;
  if (loopName.test(text)) return true;
  const before = tokens[at - 1]?.text;
  if (before !== ';' && before !== '{' && before !== '}') return false;
  if (statementWords.has(text)) return false;
  const end = matching(tokens, at + 1, callLimit);
  return end > 0 && tokens[end + 1]?.text === '{';
}

/** An argument of a call that is a type, as of `alloc_percpu(struct tq)`. */
function startsType(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text;
  if (before !== '(' && before !== ',') return false;
  if (!typeWords.has(tokens[at]!.text) && !pointsOnly(tokens, at)) return false;
  let depth = 0;
  let open = at - 1;
  for (; open >= 0 && open > at - callLimit; open--) {
    const { text } = tokens[open]!;
    if (text === ')') depth++;
    else if (text === '(' && depth-- === 0) break;
    else if (text === ';' || text === '{' || text === '}') return false;
  }
  const callee = tokens[open - 1];
  if (callee?.kind !== 'name' || /^(?:sizeof|typeof|__?alignof(?:__)?|va_arg|offsetof)$/.test(callee.text))
    return false;
  if (callee.text.startsWith('__builtin_') || statementWords.has(callee.text)) return false;
  // In a declaration a type or a `*` stands before the name.
  const first = tokens[open - 2];
  return (
    first !== undefined && first.text !== '*' && (first.kind !== 'name' || statementWords.has(first.text))
  );
}

/** `name *` as a whole argument. */
function pointsOnly(tokens: readonly Token[], start: number): boolean {
  if (tokens[start]!.kind !== 'name' || tokens[start + 1]?.text !== '*') return false;
  let at = start + 1;
  while (tokens[at]?.text === '*') at++;
  return tokens[at]?.text === ',' || tokens[at]?.text === ')';
}

/** Puts `sizeof (…)` around a type that is an argument: the grammar wants an expression. */
function typeArgument(tokens: readonly Token[], start: number, result: Token[]): number {
  let end = start;
  while (end < tokens.length && (tokens[end]!.kind === 'name' || tokens[end]!.text === '*')) end++;
  const after = tokens[end]?.text;
  if (after !== ',' && after !== ')') {
    result.push(tokens[start]!);
    return start;
  }
  const { line } = tokens[start]!;
  result.push(madeUp('sizeof', line), madeUp('(', line));
  append(result, tokens.slice(start, end));
  result.push(madeUp(')', line));
  return end - 1;
}

/** `for_each_x(a, b) body` → `while (unknownLoop(for_each_x, a, b)) body`; a mere call of such a name stays. */
function loop(tokens: readonly Token[], start: number, result: Token[]): number {
  const end = matching(tokens, start + 1);
  const after = tokens[end + 1]?.text;
  const name = tokens[start]!;
  const expression = tokens[start - 1]?.text ?? ';';
  const isStatement = [';', '{', '}', ')', ':', 'else', 'do'].includes(expression);
  if (end < 0 || after === ';' || after === undefined || !isStatement) {
    result.push(name);
    return start;
  }
  const made = (text: string): Token => ({ ...madeUp(text, name.line), from: name.from, to: name.to });
  const args = splitArguments(tokens.slice(start + 1, end + 1));
  const values = args.filter(arg => arg[0] && !['struct', 'union', 'enum'].includes(arg[0].text));
  result.push(made('while'), made('('), made(unknownLoop), made('('), { ...name, painted: true });
  for (const value of values) {
    result.push(made(','));
    append(result, value);
  }
  result.push(tokens[end]!, made(')'));
  return end;
}
