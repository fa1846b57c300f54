/** Values of literals. */
import { numberValue } from './conditionExpression';
import { int, long, unsignedInt, unsignedLong } from './types';
import type { Value } from './values';
import { constant } from './values';

/** An integer literal with the type that C gives it (C11 6.4.4.1, 64-bit long), or null. */
export function integerLiteral(text: string): Value | null {
  const value = numberValue(text);
  if (value === null) return null;
  const suffix = /[uUlL]*$/.exec(text)![0].toLowerCase();
  const decimal = !text.startsWith('0') || text === '0';
  const unsigned = suffix.includes('u');
  const wide = suffix.includes('l');
  if (!wide) {
    if (!unsigned && value <= 0x7fffffffn) return constant(value, int);
    if ((unsigned || !decimal) && value <= 0xffffffffn) return constant(value, unsignedInt);
  }
  if (!unsigned && value <= 0x7fffffffffffffffn) return constant(value, long);
  return constant(value, unsignedLong);
}

const escapes: Readonly<Record<string, number>> = {
  n: 10,
  t: 9,
  r: 13,
  a: 7,
  b: 8,
  f: 12,
  v: 11,
  e: 27,
};

/** Value of a character literal. */
export function charValue(text: string): bigint {
  const inside = text.replace(/^[LuU]?'/, '').replace(/'$/, '');
  if (!inside.startsWith('\\')) return BigInt(inside.codePointAt(0) ?? 0);
  const rest = inside.slice(1);
  if (/^[0-7]{1,3}$/.test(rest)) return BigInt.asIntN(8, BigInt(`0o${rest}`));
  if (/^x[0-9a-fA-F]{1,8}$/.test(rest)) return BigInt.asIntN(8, BigInt(`0${rest}`));
  return BigInt(escapes[rest] ?? rest.codePointAt(0) ?? 0);
}

/** The text of string literals put together, escapes resolved as far as assembly needs them. */
export function stringText(literals: readonly string[]): string {
  return literals
    .map(text => text.replace(/^[^"]*"/, '').replace(/"$/, ''))
    .join('')
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
    .replaceAll('\\"', '"');
}
