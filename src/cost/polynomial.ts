/**
 * Counts as polynomials in named symbols with exact whole coefficients.
 *
 * A symbol is a text: `n` pages of the flushed range, `c` other CPUs, `2^order`, `ceil(n/21)`, or the source's own
 * expression (`count`, `f->nr`; in parentheses where it has operators). Printed as sums with explicit signs and no
 * spaces: `2*n+1`, `-n-c*n`, `0`.
 */

/** Product of symbols, sorted and joined by `*`; '' is the constant. */
type Monomial = string;

export interface Polynomial {
  /** Monomial → coefficient, never zero. */
  readonly terms: ReadonlyMap<Monomial, bigint>;
}

export const zero: Polynomial = { terms: new Map() };

/** Small constants, which most counts are: one object each. */
const small = new Map<bigint, Polynomial>();

export function constant(value: bigint | number): Polynomial {
  const exact = BigInt(value);
  if (exact === 0n) return zero;
  const known = small.get(exact);
  if (known) return known;
  const made = { terms: new Map([['', exact]]) };
  if (exact >= -64n && exact <= 64n) small.set(exact, made);
  return made;
}

export const one = constant(1);

/** A polynomial that is one symbol. */
export const symbol = (name: string): Polynomial => ({ terms: new Map([[name, 1n]]) });

export const isZero = (p: Polynomial): boolean => p.terms.size === 0;

/** The value of a polynomial without symbols, else null. */
export function constantOf(p: Polynomial): bigint | null {
  if (p.terms.size === 0) return 0n;
  return p.terms.size === 1 ? (p.terms.get('') ?? null) : null;
}

const addInto = (terms: Map<Monomial, bigint>, monomial: Monomial, value: bigint): void => {
  const sum = (terms.get(monomial) ?? 0n) + value;
  if (sum === 0n) terms.delete(monomial);
  else terms.set(monomial, sum);
};

export function add(a: Polynomial, b: Polynomial): Polynomial {
  if (isZero(a)) return b;
  if (isZero(b)) return a;
  const [left, right] = [constantOf(a), constantOf(b)];
  if (left !== null && right !== null) return constant(left + right);
  const terms = new Map(a.terms);
  for (const [monomial, value] of b.terms) addInto(terms, monomial, value);
  return { terms };
}

const negated = new WeakMap<Polynomial, Polynomial>();

export function negate(p: Polynomial): Polynomial {
  const known = negated.get(p);
  if (known) return known;
  const terms = new Map<Monomial, bigint>();
  for (const [monomial, value] of p.terms) terms.set(monomial, -value);
  const made = { terms };
  negated.set(p, made);
  return made;
}

export const subtract = (a: Polynomial, b: Polynomial): Polynomial => add(a, negate(b));

/** Splits at `separator` outside parentheses. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === separator && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

function factorsOf(monomial: Monomial): readonly string[] {
  if (monomial === '') return [];
  return monomial.includes('*') ? splitOutside(monomial, '*') : [monomial];
}

export function multiply(a: Polynomial, b: Polynomial): Polynomial {
  if (a === one) return b;
  if (b === one) return a;
  if (isZero(a) || isZero(b)) return zero;
  const terms = new Map<Monomial, bigint>();
  for (const [ma, va] of a.terms)
    for (const [mb, vb] of b.terms) {
      const monomial =
        ma === '' ? mb : mb === '' ? ma : [...factorsOf(ma), ...factorsOf(mb)].sort().join('*');
      addInto(terms, monomial, va * vb);
    }
  return { terms };
}

export function equals(a: Polynomial, b: Polynomial): boolean {
  if (a.terms.size !== b.terms.size) return false;
  for (const [monomial, value] of a.terms) if (b.terms.get(monomial) !== value) return false;
  return true;
}

/** Every symbol that occurs, sorted. */
export function symbolsOf(p: Polynomial): string[] {
  const found = new Set<string>();
  for (const monomial of p.terms.keys()) for (const factor of factorsOf(monomial)) found.add(factor);
  return [...found].sort();
}

/** Symbols first by degree, then by name; the constant last. */
function inOrder(p: Polynomial): [Monomial, bigint][] {
  const degree = (monomial: Monomial): number => (monomial === '' ? Infinity : factorsOf(monomial).length);
  return [...p.terms].sort(([a], [b]) => degree(a) - degree(b) || (a < b ? -1 : a > b ? 1 : 0));
}

/** The canonical text. */
export function print(p: Polynomial): string {
  if (isZero(p)) return '0';
  let text = '';
  for (const [monomial, value] of inOrder(p)) {
    const size = value < 0n ? -value : value;
    if (value < 0n) text += '-';
    else if (text !== '') text += '+';
    if (monomial === '') text += size.toString();
    else text += size === 1n ? monomial : `${size}*${monomial}`;
  }
  return text;
}

/** Reads what {@link print} writes (blanks are allowed). Returns null for other text. */
export function parse(text: string): Polynomial | null {
  const source = text.replace(/\s+/g, '');
  if (source === '' || source.length > 4000) return null;
  let total = zero;
  let at = 0;
  while (at < source.length) {
    let sign = 1n;
    if (source[at] === '+' || source[at] === '-') {
      if (source[at] === '-') sign = -1n;
      at++;
    } else if (at > 0) return null;
    const from = at;
    let depth = 0;
    for (; at < source.length; at++) {
      const character = source[at];
      if (character === '(') depth++;
      else if (character === ')') depth--;
      else if (depth === 0 && (character === '+' || (character === '-' && source[at + 1] !== '>'))) break;
    }
    const term = source.slice(from, at);
    if (term === '' || depth !== 0) return null;
    let product = constant(sign);
    for (const factor of splitOutside(term, '*')) {
      if (factor === '') return null;
      product = multiply(product, /^\d+$/.test(factor) ? constant(BigInt(factor)) : symbol(factor));
    }
    total = add(total, product);
  }
  return total;
}

/** Replaces symbol `name` by a polynomial, also inside `ceil(…)`. */
export function substitute(p: Polynomial, name: string, by: Polynomial): Polynomial {
  let total = zero;
  for (const [monomial, value] of p.terms) {
    let product = constant(value);
    for (const factor of factorsOf(monomial)) product = multiply(product, substituteSymbol(factor, name, by));
    total = add(total, product);
  }
  return total;
}

function substituteSymbol(factor: string, name: string, by: Polynomial): Polynomial {
  if (factor === name) return by;
  const quotient = ceilParts(factor);
  if (!quotient) return symbol(factor);
  const upper = parse(quotient[0]);
  return upper ? ceilOf(substitute(upper, name, by), quotient[1]) : symbol(factor);
}

/** `ceil(a/b)` → [a, b], else null. */
function ceilParts(factor: string): [upper: string, lower: string] | null {
  if (!factor.startsWith('ceil(') || !factor.endsWith(')')) return null;
  const parts = splitOutside(factor.slice(5, -1), '/');
  return parts.length === 2 ? [parts[0]!, parts[1]!] : null;
}

/** ⌈p/divisor⌉, worked out where `p` and the divisor are numbers. */
export function ceilOf(p: Polynomial, divisor: string): Polynomial {
  const value = constantOf(p);
  if (divisor === '1' || value === 0n) return p;
  if (value !== null && /^\d+$/.test(divisor)) {
    const by = BigInt(divisor);
    if (value > 0n && by > 0n) return constant((value + by - 1n) / by);
  }
  if (value === 1n) return one; // Every divisor here is at least 1.
  return symbol(`ceil(${print(p)}/${divisor})`);
}

/** Values of symbols, by their text. */
export type SymbolValues = Readonly<Record<string, number>>;

/** The value of one symbol, or null if it has none. */
export function symbolValue(name: string, values: SymbolValues): number | null {
  if (Object.hasOwn(values, name)) return values[name]!;
  if (/^\d+$/.test(name)) return Number(name);
  if (name.startsWith('2^')) {
    const exponent = symbolValue(unwrap(name.slice(2)), values);
    return exponent === null ? null : 2 ** exponent;
  }
  const quotient = ceilParts(name);
  if (quotient) {
    const upper = parse(quotient[0]);
    const above = upper && evaluate(upper, values);
    const below = symbolValue(quotient[1], values);
    return typeof above !== 'number' || below === null || below <= 0 ? null : Math.ceil(above / below);
  }
  return null;
}

const unwrap = (text: string): string =>
  text.startsWith('(') && text.endsWith(')') ? text.slice(1, -1) : text;

/** The value for given symbols; null if a symbol has no value. */
export function evaluate(p: Polynomial, values: SymbolValues): number | null {
  let total = 0;
  for (const [monomial, coefficient] of p.terms) {
    let product = Number(coefficient);
    for (const factor of factorsOf(monomial)) {
      const value = symbolValue(factor, values);
      if (value === null) return null;
      product *= value;
    }
    total += product;
  }
  return total;
}

/** Symbols of `p` that `values` does not settle. */
export const symbolsWithoutValue = (p: Polynomial, values: SymbolValues): string[] =>
  symbolsOf(p).filter(name => symbolValue(name, values) === null);
