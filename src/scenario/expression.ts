/**
 * Expressions of a scenario: integers, names of parameters, `+ - * / %`, comparisons (1 or 0) and parentheses.
 * Division rounds towards zero. They are read and computed here; nothing is handed to the host language.
 */
import { limits } from './limits';

type Operator = '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=' | '==' | '!=';

/** An expression in the order in which it is computed: operands first. */
type Item =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'binary'; readonly operator: Operator }
  | { readonly kind: 'negate' };

export interface Expression {
  readonly text: string;
  readonly items: readonly Item[];
  readonly names: ReadonlySet<string>;
}

/** What is wrong: `at` and `length` in characters of the text. */
export interface ExpressionProblem {
  readonly problem: string;
  readonly at: number;
  readonly length: number;
}

interface Token {
  readonly text: string;
  readonly at: number;
}

const tokenPattern = /\s+|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|<=|>=|==|!=|[-+*/%<>()]/y;
const precedence: Readonly<Record<string, number>> = {
  ...{ '==': 1, '!=': 1, '<': 2, '<=': 2, '>': 2, '>=': 2 },
  ...{ '+': 3, '-': 3, '*': 4, '/': 4, '%': 4 },
};

function tokensOf(text: string): Token[] | ExpressionProblem {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < text.length) {
    const at = tokenPattern.lastIndex;
    const found = tokenPattern.exec(text);
    if (!found) return { problem: `'${text[at]!}' has no meaning in an expression`, at, length: 1 };
    if (found[0].trim()) tokens.push({ text: found[0], at });
  }
  return tokens;
}

/** Reads an expression, or says why it is none. Linear: operators wait on a stack (shunting yard). */
export function readExpression(text: string): Expression | ExpressionProblem {
  if (text.length > limits.expression)
    return {
      ...{ problem: `an expression has at most ${limits.expression} characters`, at: 0 },
      length: text.length,
    };
  const tokens = tokensOf(text);
  if (!Array.isArray(tokens)) return tokens;
  const items: Item[] = [];
  const names = new Set<string>();
  const stack: { readonly what: Operator | 'negate' | '('; readonly at: number }[] = [];
  const pop = (): void => {
    const { what } = stack.pop()!;
    if (what === 'negate') items.push({ kind: 'negate' });
    else if (what !== '(') items.push({ kind: 'binary', operator: what });
  };
  let wantsOperand = true;
  for (const { text: word, at } of tokens) {
    const wrong = (problem: string): ExpressionProblem => ({ problem, at, length: word.length });
    if (wantsOperand) {
      if (word === '(') stack.push({ what: '(', at });
      else if (word === '-') stack.push({ what: 'negate', at });
      else if (/^[0-9]/.test(word)) {
        const value = Number(word);
        if (!Number.isSafeInteger(value)) return wrong(`${word} is larger than ${Number.MAX_SAFE_INTEGER}`);
        items.push({ kind: 'number', value });
        wantsOperand = false;
      } else if (/^[A-Za-z_]/.test(word)) {
        items.push({ kind: 'name', name: word });
        names.add(word);
        wantsOperand = false;
      } else return wrong(`a number or a name is expected, not '${word}'`);
      continue;
    }
    if (word === ')') {
      while (stack.length && stack.at(-1)!.what !== '(') pop();
      if (!stack.length) return wrong("')' has no '('");
      stack.pop();
      continue;
    }
    const rank = precedence[word];
    if (rank === undefined) return wrong(`an operator is expected, not '${word}'`);
    while (stack.length) {
      const { what } = stack.at(-1)!;
      if (what === '(' || (what !== 'negate' && precedence[what]! < rank)) break;
      pop();
    }
    stack.push({ what: word as Operator, at });
    wantsOperand = true;
  }
  if (wantsOperand)
    return {
      problem: text.trim() ? 'the expression breaks off' : 'the expression is empty',
      at: 0,
      length: text.length,
    };
  while (stack.length) {
    if (stack.at(-1)!.what === '(') return { problem: "'(' has no ')'", at: stack.at(-1)!.at, length: 1 };
    pop();
  }
  return { text, items, names };
}

const compute: Readonly<Record<Operator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => Math.trunc(a / b),
  '%': (a, b) => a % b,
  '<': (a, b) => Number(a < b),
  '<=': (a, b) => Number(a <= b),
  '>': (a, b) => Number(a > b),
  '>=': (a, b) => Number(a >= b),
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
};

/** The value under these parameters: an integer, or a sentence that says why there is none. */
export function valueOf(expression: Expression, parameters: ReadonlyMap<string, number>): number | string {
  const stack: number[] = [];
  for (const item of expression.items) {
    if (item.kind === 'number') stack.push(item.value);
    else if (item.kind === 'name') {
      const value = parameters.get(item.name);
      if (value === undefined) return `no parameter is called '${item.name}'`;
      stack.push(value);
    } else if (item.kind === 'negate') stack.push(-stack.pop()!);
    else {
      const b = stack.pop()!;
      const a = stack.pop()!;
      if (b === 0 && (item.operator === '/' || item.operator === '%')) return 'it divides by zero';
      const value = compute[item.operator](a, b);
      if (!Number.isSafeInteger(value)) return 'the result is too large';
      stack.push(value);
    }
  }
  // No negative zero: it would print as 0 and compare unlike it.
  return stack[0]! + 0;
}
