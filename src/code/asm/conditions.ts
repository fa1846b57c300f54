/** Conditions of `.if` and its relatives. */
import type { Register } from '../ir';
import { flag } from './builder';
import { parseExpression } from './expression';
import type { Frame } from './frame';
import { splitOperands, unquote } from './statements';

export interface IfOutcome {
  /** Whether it holds; null where that rests on something that is not known here. */
  readonly known: boolean | null;
  /** The condition as a value, for an open branch. */
  readonly register: () => Register;
}

const comparisons: Readonly<Record<string, 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'>> = {
  ...{ '.if': 'ne', '.ifne': 'ne', '.elseif': 'ne', '.ifeq': 'eq', '.iflt': 'lt', '.ifle': 'le' },
  ...{ '.ifgt': 'gt', '.ifge': 'ge' },
};

/** Evaluates an `.if`. A parameter that the caller of a macro gives leaves it open. */
export function evaluateIf(frame: Frame, mnemonic: string, rest: string): IfOutcome {
  const settled = (known: boolean): IfOutcome => ({
    known,
    register: () => frame.builder.constant(known ? 1n : 0n),
  });
  const open = (): IfOutcome => ({ known: null, register: () => unknownCondition(frame, rest) });
  switch (mnemonic) {
    case '.ifb':
    case '.ifnb':
      return settled((rest.trim() === '') === (mnemonic === '.ifb'));
    case '.ifc':
    case '.ifnc':
    case '.ifeqs':
    case '.ifnes': {
      const [a = '', b = ''] = splitOperands(rest).map(unquote);
      const equal = mnemonic === '.ifc' || mnemonic === '.ifeqs';
      if (a === b) return settled(equal);
      return a.includes('\\') || b.includes('\\') ? open() : settled(!equal);
    }
    case '.ifdef':
    case '.ifndef':
    case '.ifnotdef': {
      const name = rest.trim();
      if (name.includes('\\')) return open();
      return settled((frame.hasSymbol(name) || frame.isDefined(name)) === (mnemonic === '.ifdef'));
    }
  }
  const operator = comparisons[mnemonic];
  if (!operator) return open();
  const words = /^\s*(%\w+)\s*(==|!=|<>)\s*(%\w+)\s*$/.exec(rest);
  if (words) return settled((words[1] === words[3]) === (words[2] === '=='));
  const expression = parseExpression(rest);
  if (!expression) return open();
  const value = frame.evaluate(expression);
  if (value !== null) return settled(compare(value, operator));
  return {
    known: null,
    register: () => {
      const register = frame.value(rest, 64);
      return operator === 'ne'
        ? register
        : frame.builder.compare(operator, register, frame.builder.constant(0n), { bits: 64, signed: true });
    },
  };
}

function compare(value: bigint, operator: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'): boolean {
  switch (operator) {
    case 'eq':
      return value === 0n;
    case 'ne':
      return value !== 0n;
    case 'lt':
      return value < 0n;
    case 'le':
      return value <= 0n;
    case 'gt':
      return value > 0n;
    case 'ge':
      return value >= 0n;
  }
}

function unknownCondition(frame: Frame, text: string): Register {
  const dst = frame.builder.temp(flag);
  frame.builder.emit({ op: 'unknown', dst, name: text.trim(), why: 'This .if cannot be decided here.' });
  return dst;
}
