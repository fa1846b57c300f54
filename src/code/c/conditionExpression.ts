/** Values of `#if` expressions. */
import type { Configuration } from '../configuration';
import { bounds } from './bounds';
import type { Token } from './tokens';

export interface ConditionNames {
  readonly configuration: Configuration;
  isDefined(name: string): boolean;
  /** Body of an object-like macro, or null. */
  bodyOf(name: string): readonly Token[] | null;
}

/** Whether an `#if` expression holds. What cannot be read counts as 0, as an undefined name does in C. */
export function evaluateCondition(tokens: readonly Token[], names: ConditionNames): boolean {
  return new Evaluator(tokens, names, { left: 2_000 }).whole() !== 0n;
}

const priority: Readonly<Record<string, number>> = {
  '?': 1,
  '||': 2,
  '&&': 3,
  '|': 4,
  '^': 5,
  '&': 6,
  '==': 7,
  '!=': 7,
  '<': 8,
  '>': 8,
  '<=': 8,
  '>=': 8,
  '<<': 9,
  '>>': 9,
  '+': 10,
  '-': 10,
  '*': 11,
  '/': 11,
  '%': 11,
};

class Evaluator {
  private at = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly names: ConditionNames,
    /** Macro bodies that may still be looked into: nested definitions can double at each level. */
    private readonly budget: { left: number },
  ) {}

  whole(): bigint {
    return --this.budget.left < 0 ? 0n : this.expression(0, 0);
  }

  private expression(least: number, nesting: number): bigint {
    if (nesting > bounds.nesting) return 0n;
    let left = this.primary(nesting);
    for (;;) {
      const operator = this.tokens[this.at]?.text ?? '';
      const level = priority[operator];
      if (level === undefined || level < least || (least > 0 && level === least && operator === '?'))
        return left;
      this.at++;
      if (operator === '?') {
        const yes = this.expression(0, nesting + 1);
        if (this.tokens[this.at]?.text === ':') this.at++;
        const no = this.expression(1, nesting + 1);
        left = left ? yes : no;
      } else left = apply(operator, left, this.expression(level + 1, nesting + 1));
    }
  }

  private primary(nesting: number): bigint {
    if (nesting > bounds.nesting) return 0n;
    const token = this.tokens[this.at++];
    if (!token) return 0n;
    if (token.kind === 'number') return numberValue(token.text) ?? 0n;
    if (token.kind === 'name') return this.name(token.text);
    switch (token.text) {
      case '!':
        return this.primary(nesting + 1) ? 0n : 1n;
      case '-':
        return -this.primary(nesting + 1);
      case '+':
        return this.primary(nesting + 1);
      case '~':
        return ~this.primary(nesting + 1);
      case '(': {
        const value = this.expression(0, nesting + 1);
        if (this.tokens[this.at]?.text === ')') this.at++;
        return value;
      }
      default:
        return 0n;
    }
  }

  private name(name: string): bigint {
    const called = this.tokens[this.at]?.text === '(';
    if (name === 'defined' || name === 'IS_ENABLED' || name === 'IS_BUILTIN' || name === 'IS_REACHABLE') {
      if (called) this.at++;
      const argument = this.tokens[this.at++]?.text ?? '';
      if (called && this.tokens[this.at]?.text === ')') this.at++;
      return this.names.isDefined(argument) ? 1n : 0n;
    }
    if (called) this.skipArguments();
    if (name.startsWith('CONFIG_')) return BigInt(this.names.configuration.valueOf(name));
    const body = this.names.bodyOf(name);
    return body && !called ? new Evaluator(body, this.names, this.budget).whole() : 0n;
  }

  private skipArguments(): void {
    let depth = 0;
    for (; this.at < this.tokens.length; this.at++) {
      const text = this.tokens[this.at]!.text;
      if (text === '(') depth++;
      if (text === ')' && --depth === 0) {
        this.at++;
        return;
      }
    }
  }
}

/** Value of a C integer literal, or null (floating point, damaged). */
export function numberValue(text: string): bigint | null {
  const digits = /^(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)[uUlL]*$/.exec(text)?.[1];
  if (digits === undefined) return null;
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
  return /^0[0-9]/.test(digits) ? null : BigInt(digits);
}

const truth = (value: boolean): bigint => (value ? 1n : 0n);

function apply(operator: string, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '||':
      return truth(a !== 0n || b !== 0n);
    case '&&':
      return truth(a !== 0n && b !== 0n);
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '&':
      return a & b;
    case '==':
      return truth(a === b);
    case '!=':
      return truth(a !== b);
    case '<':
      return truth(a < b);
    case '>':
      return truth(a > b);
    case '<=':
      return truth(a <= b);
    case '>=':
      return truth(a >= b);
    case '<<':
      return b >= 0n && b < 64n ? BigInt.asUintN(64, a << b) : 0n;
    case '>>':
      return b >= 0n && b < 64n ? a >> b : 0n;
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return BigInt.asIntN(64, a * b);
    case '/':
      return b === 0n ? 0n : a / b;
    case '%':
      return b === 0n ? 0n : a % b;
    default:
      return 0n;
  }
}
