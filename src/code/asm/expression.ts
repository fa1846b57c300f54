/** Constant expressions of the assembler and of `#if`. */
import { asmBounds } from './bounds';

export type Expression =
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: string; readonly a: Expression }
  | { readonly kind: 'binary'; readonly operator: string; readonly a: Expression; readonly b: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] };

/**
 * Operator levels. The assembler's differ from C's: `*`, `/`, `%`, `<<`, `>>` bind closest, then `|`, `&`, `^`, then
 * `+` and `-`, then comparisons, then `&&`, then `||` (as GNU as 2.40 evaluates them).
 */
const levels = {
  gas: {
    ...{ '||': 1, '&&': 2, '==': 3, '!=': 3, '<>': 3, '<': 3, '>': 3, '<=': 3, '>=': 3, '+': 4, '-': 4 },
    ...{ '|': 5, '&': 5, '^': 5, '*': 6, '/': 6, '%': 6, '<<': 6, '>>': 6 },
  },
  c: {
    ...{ '||': 1, '&&': 2, '|': 3, '^': 4, '&': 5, '==': 6, '!=': 6, '<': 7, '>': 7, '<=': 7, '>=': 7 },
    ...{ '<<': 8, '>>': 8, '+': 9, '-': 9, '*': 10, '/': 10, '%': 10 },
  },
} as const satisfies Record<string, Record<string, number>>;

export type Dialect = keyof typeof levels;

const token =
  /\s*(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+|[A-Za-z_.\\%][\w.$\\@%]*|\|\||&&|<<|>>|<=|>=|==|!=|<>|[-+*/%&|^~!<>(),])([uUlL]*)/y;

/** Longer expressions are not read: each operator is one level of the tree. */
const mostTokens = 400;

/** Reads `text` as an expression; null where it is none. */
export function parseExpression(text: string, dialect: Dialect = 'gas'): Expression | null {
  return new Parser(text, dialect).whole();
}

class Parser {
  private readonly tokens: string[] = [];
  private at = 0;
  private readonly readable: boolean;

  constructor(
    text: string,
    private readonly dialect: Dialect,
  ) {
    const trimmed = text.trimEnd();
    token.lastIndex = 0;
    while (token.lastIndex < trimmed.length) {
      const start = token.lastIndex;
      const match = token.exec(trimmed);
      if (!match) {
        token.lastIndex = start;
        break;
      }
      this.tokens.push(/^[A-Za-z_.\\%]/.test(match[1]!) ? match[1]! + match[2]! : match[1]!);
    }
    this.readable = token.lastIndex === trimmed.length && this.tokens.length <= mostTokens;
  }

  whole(): Expression | null {
    if (!this.readable || this.tokens.length === 0) return null;
    const expression = this.expression(1, 0);
    return expression && this.at === this.tokens.length ? expression : null;
  }

  private expression(least: number, depth: number): Expression | null {
    if (depth > asmBounds.nesting) return null;
    let left = this.primary(depth);
    while (left) {
      const operator = this.tokens[this.at] ?? '';
      const level = (levels[this.dialect] as Readonly<Record<string, number>>)[operator];
      if (level === undefined || level < least) return left;
      this.at++;
      const right = this.expression(level + 1, depth + 1);
      left = right && { kind: 'binary', operator, a: left, b: right };
    }
    return left;
  }

  private primary(depth: number): Expression | null {
    if (depth > asmBounds.nesting) return null;
    const text = this.tokens[this.at++];
    if (text === undefined) return null;
    if (text === '(') {
      const inner = this.expression(1, depth + 1);
      return this.tokens[this.at++] === ')' ? inner : null;
    }
    if (text === '-' || text === '~' || text === '!' || text === '+') {
      const a = this.primary(depth + 1);
      return a && { kind: 'unary', operator: text, a };
    }
    if (/^[0-9]/.test(text)) return { kind: 'number', value: numberOf(text) };
    if (!/^[A-Za-z_.\\%]/.test(text)) return null;
    return this.tokens[this.at] === '(' ? this.call(text, depth) : { kind: 'name', name: text };
  }

  private call(name: string, depth: number): Expression | null {
    this.at++;
    const args: Expression[] = [];
    while (this.tokens[this.at] !== ')') {
      const argument = this.expression(1, depth + 1);
      if (!argument) return null;
      args.push(argument);
      if (this.tokens[this.at] === ',') this.at++;
      else if (this.tokens[this.at] !== ')') return null;
    }
    this.at++;
    return { kind: 'call', name, args };
  }
}

function numberOf(text: string): bigint {
  return /^0[0-7]+$/.test(text) ? BigInt(`0o${text.slice(1)}`) : /^0[0-9]/.test(text) ? 0n : BigInt(text);
}

/** Values of names and calls; null where a name has no known value. */
export interface ExpressionNames {
  name(name: string): bigint | null;
  call?(name: string, args: readonly Expression[]): bigint | null;
}

/** Value of an expression, or null where a name in it is not known. */
export function evaluate(expression: Expression, names: ExpressionNames): bigint | null {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'name':
      return names.name(expression.name);
    case 'call':
      return names.call?.(expression.name, expression.args) ?? wrapper(expression, names);
    case 'unary': {
      const a = evaluate(expression.a, names);
      if (a === null) return null;
      if (expression.operator === '-') return -a;
      if (expression.operator === '~') return ~a;
      return expression.operator === '!' ? logical(a === 0n) : a;
    }
    case 'binary': {
      const a = evaluate(expression.a, names);
      const b = evaluate(expression.b, names);
      if (expression.operator === '&&' && (a === 0n || b === 0n)) return 0n;
      return a === null || b === null ? null : apply(expression.operator, a, b);
    }
  }
}

/** Macros that only dress a constant: `_AC(1, UL)`, `BIT(17)`. */
function wrapper(
  { name, args }: Expression & { readonly kind: 'call' },
  names: ExpressionNames,
): bigint | null {
  const first = args[0] ? evaluate(args[0], names) : null;
  if (first === null) return null;
  if (/^(?:_AC|_AT|UL|ULL|__AC|_UL|_ULL)$/.test(name)) return first;
  return /^(?:BIT|_BITUL|_BITULL|BIT_ULL)$/.test(name) && first >= 0n && first < 64n ? 1n << first : null;
}

/** What comparisons give in the assembler. */
const truth = (value: boolean): bigint => (value ? -1n : 0n);
/** What `!`, `&&` and `||` give. */
const logical = (value: boolean): bigint => (value ? 1n : 0n);

function apply(operator: string, a: bigint, b: bigint): bigint | null {
  switch (operator) {
    case '+':
      return BigInt.asIntN(64, a + b);
    case '-':
      return BigInt.asIntN(64, a - b);
    case '*':
      return BigInt.asIntN(64, a * b);
    case '/':
      return b === 0n ? null : a / b;
    case '%':
      return b === 0n ? null : a % b;
    case '<<':
      return b >= 0n && b < 64n ? BigInt.asIntN(64, a << b) : 0n;
    case '>>':
      return b >= 0n && b < 64n ? BigInt.asIntN(64, BigInt.asUintN(64, a) >> b) : 0n;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '==':
      return truth(a === b);
    case '!=':
    case '<>':
      return truth(a !== b);
    case '<':
      return truth(a < b);
    case '>':
      return truth(a > b);
    case '<=':
      return truth(a <= b);
    case '>=':
      return truth(a >= b);
    case '&&':
      return logical(a !== 0n && b !== 0n);
    case '||':
      return logical(a !== 0n || b !== 0n);
    default:
      return null;
  }
}
