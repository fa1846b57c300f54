/**
 * Symbolic values of registers and memory. Every value is interned, so equal values are the same object, also between
 * the code before a patch and the code after it (both are run in one space).
 */
import type { BinaryOperator, IntegerType } from '../code/ir';
import { differentCpus } from './cpus';
import { GuardSpace, no, yes, type Guard } from './guard';
import { fold, isPowerOfTwo, signed64, wrap } from './integers';
import { isComparison, isObject, isTest, negatedOrder, type Atom, type Storage, type Value } from './value';

type Unnumbered = Value extends infer V ? (V extends Value ? Omit<V, 'id'> : never) : never;

const widthLimit = 24;
const atomLimit = 1500;

const word: IntegerType = { bits: 64, signed: true };

export class TooManyValues extends Error {
  override readonly name = 'TooManyValues';
}

export class ValueSpace {
  readonly guards = new GuardSpace();
  readonly atoms: Atom[] = [];
  private readonly byKey = new Map<string, Value>();
  private readonly constants = new Map<bigint, Value>();
  private readonly atomByKey = new Map<string, number>();
  private next = 1;

  constructor(private readonly limit = 400_000) {}

  /** Values, guards and answers that are kept. */
  get size(): number {
    return this.byKey.size + this.guards.size;
  }

  private intern(key: string, value: Unnumbered): Value {
    const known = this.byKey.get(key);
    if (known) return known;
    if (this.next > this.limit) throw new TooManyValues('too many values');
    const made = { ...value, id: this.next++ } as Value;
    this.byKey.set(key, made);
    return made;
  }

  constant(value: bigint | number): Value {
    const number = BigInt(value);
    const known = this.constants.get(number);
    if (known) return known;
    const made = this.intern(`c${number}`, { kind: 'constant', value: number, width: 1 });
    this.constants.set(number, made);
    return made;
  }

  symbol(name: string, key = name): Value {
    return this.intern(`s${key}`, { kind: 'symbol', name, key, width: 1 });
  }

  address(name: string, storage: Storage, scope = ''): Value {
    return this.intern(`a${storage},${scope},${name}`, { kind: 'address', name, storage, scope, width: 1 });
  }

  field(base: Value, member: string): Value {
    if (base.kind === 'choice' && base.width <= widthLimit)
      return this.choice(base.guard, this.field(base.a, member), this.field(base.b, member));
    return this.intern(`f${base.id},${member}`, { kind: 'field', base, member, width: base.width });
  }

  index(base: Value, index: Value): Value {
    return this.intern(`i${base.id},${index.id}`, { kind: 'index', base, index, width: base.width });
  }

  load(address: Value, epoch: number): Value {
    return this.intern(`l${address.id},${epoch}`, { kind: 'load', address, epoch, width: 1 });
  }

  call(name: string, args: readonly Value[], serial: number): Value {
    const key = `k${serial},${name},${args.map(arg => arg.id).join(',')}`;
    return this.intern(key, { kind: 'call', name, args, serial, width: 1 });
  }

  choice(guard: Guard, a: Value, b: Value): Value {
    if (guard === yes || a === b) return a;
    if (guard === no) return b;
    const width = a.width + b.width;
    return this.intern(`h${guard.id},${a.id},${b.id}`, { kind: 'choice', guard, a, b, width });
  }

  /** Σ factor·term + constant, with the terms brought together. */
  linear(parts: readonly (readonly [Value, bigint])[], constantPart: bigint): Value {
    const simple = this.oneTerm(parts, constantPart);
    if (simple) return simple;
    const terms = new Map<Value, bigint>();
    let rest = constantPart;
    const put = (value: Value, factor: bigint): void => {
      if (value.kind === 'constant') rest += value.value * factor;
      else if (value.kind === 'linear') {
        rest += value.constant * factor;
        for (const [inner, f] of value.terms) put(inner, f * factor);
      } else {
        const sum = signed64((terms.get(value) ?? 0n) + factor);
        if (sum === 0n) terms.delete(value);
        else terms.set(value, sum);
      }
    };
    for (const [value, factor] of parts) put(value, factor);
    rest = signed64(rest);
    if (terms.size === 0) return this.constant(rest);
    const sorted = [...terms].sort(([a], [b]) => a.id - b.id);
    const [first] = sorted;
    if (sorted.length === 1 && first![1] === 1n && rest === 0n) return first![0];
    const key = `n${rest},${sorted.map(([value, factor]) => `${value.id}*${factor}`).join(',')}`;
    return this.intern(key, { kind: 'linear', terms: sorted, constant: rest, width: 1 });
  }

  /** The usual sum: constants and at most one term that is none itself; null for others. */
  private oneTerm(parts: readonly (readonly [Value, bigint])[], constantPart: bigint): Value | null {
    let rest = constantPart;
    let term: Value | null = null;
    let factor = 0n;
    for (const [value, times] of parts) {
      if (value.kind === 'constant') rest += value.value * times;
      else if (value.kind === 'linear' || term) return null;
      else [term, factor] = [value, signed64(times)];
    }
    rest = signed64(rest);
    if (!term || factor === 0n) return this.constant(rest);
    if (factor === 1n && rest === 0n) return term;
    return this.intern(`n${rest},${term.id}*${factor}`, {
      kind: 'linear',
      terms: [[term, factor]],
      constant: rest,
      width: 1,
    });
  }

  add(a: Value, b: Value): Value {
    return this.binary('add', a, b, word);
  }

  subtract(a: Value, b: Value): Value {
    return this.binary('sub', a, b, word);
  }

  cast(a: Value, type: IntegerType): Value {
    if (a.kind === 'constant') return this.constant(wrap(a.value, type));
    if (a.kind === 'choice' && a.width <= widthLimit)
      return this.choice(a.guard, this.cast(a.a, type), this.cast(a.b, type));
    if (type.bits === 1 && !(a.kind === 'binary' && isComparison(a.operator)))
      return this.binary('ne', a, this.constant(0), word);
    return a; // A value that is not known is taken to fit.
  }

  not(a: Value, type: IntegerType): Value {
    if (a.kind === 'constant') return this.constant(wrap(~a.value, type));
    if (a.kind === 'not') return a.a;
    if (a.kind === 'choice' && a.width <= widthLimit)
      return this.choice(a.guard, this.not(a.a, type), this.not(a.b, type));
    return this.intern(`!${a.id}`, { kind: 'not', a, width: a.width });
  }

  binary(operator: BinaryOperator, a: Value, b: Value, type: IntegerType): Value {
    if (a.kind === 'constant' && b.kind === 'constant') {
      const value = fold(operator, a.value, b.value, type);
      if (value !== null) return this.constant(value);
    }
    if (a.width + b.width <= widthLimit) {
      if (a.kind === 'choice' && b.kind === 'choice' && a.guard === b.guard)
        return this.choice(
          a.guard,
          this.binary(operator, a.a, b.a, type),
          this.binary(operator, a.b, b.b, type),
        );
      if (a.kind === 'choice')
        return this.choice(a.guard, this.binary(operator, a.a, b, type), this.binary(operator, a.b, b, type));
      if (b.kind === 'choice')
        return this.choice(b.guard, this.binary(operator, a, b.a, type), this.binary(operator, a, b.b, type));
    }
    return isComparison(operator) ? this.compare(operator, a, b) : this.arithmetic(operator, a, b, type);
  }

  private arithmetic(operator: BinaryOperator, a: Value, b: Value, type: IntegerType): Value {
    const number = b.kind === 'constant' ? b.value : null;
    switch (operator) {
      case 'add':
        return this.linear([[a, 1n], [b, 1n]], 0n); // prettier-ignore
      case 'sub':
        return this.linear([[a, 1n], [b, -1n]], 0n); // prettier-ignore
      case 'mul':
        if (number !== null) return this.linear([[a, number]], 0n);
        if (a.kind === 'constant') return this.linear([[b, a.value]], 0n);
        break;
      case 'shl':
        if (number !== null && number >= 0n && number < 62n) return this.linear([[a, 1n << number]], 0n);
        break;
      case 'shr':
      case 'div': {
        if (number === null || number <= 0n) break;
        const divisor = operator === 'shr' ? (number < 62n ? 1n << number : null) : number;
        if (divisor === 1n) return a;
        if (divisor !== null && a.kind === 'linear' && divides(a, divisor))
          return this.linear(
            a.terms.map(([v, f]) => [v, f / divisor] as const),
            a.constant / divisor,
          );
        if (operator === 'div' && divisor !== null && isPowerOfTwo(divisor))
          return this.arithmetic('shr', a, this.constant(BigInt(divisor.toString(2).length - 1)), type);
        break;
      }
      case 'and':
        if (number === 0n || (a.kind === 'constant' && a.value === 0n)) return this.constant(0);
        if (number !== null && signed64(number) === -1n) return a;
        if (a === b) return a;
        break;
      case 'or':
        if (number === 0n) return a;
        if (a.kind === 'constant' && a.value === 0n) return b;
        if (a === b) return a;
        break;
      case 'xor':
        if (number === 0n) return a;
        if (a === b) return this.constant(0);
        break;
      default:
        break;
    }
    if ((operator === 'or' || operator === 'and') && number !== null && a.kind === 'binary')
      if (a.operator === operator) {
        const [rest, mask] = a.a.kind === 'constant' ? [a.b, a.a] : [a.a, a.b];
        if (mask.kind === 'constant') {
          const both = operator === 'or' ? mask.value | number : mask.value & number;
          return this.arithmetic(operator, rest, this.constant(both), type);
        }
      }
    const commutes = operator === 'mul' || operator === 'and' || operator === 'or' || operator === 'xor';
    const [first, second] = commutes && a.id > b.id ? [b, a] : [a, b];
    return this.intern(`b${operator},${first.id},${second.id}`, {
      kind: 'binary',
      operator,
      a: first,
      b: second,
      width: a.width + b.width,
    });
  }

  /** Comparisons are kept as `eq` and `lt`; the others are their negations or have the operands swapped. */
  private compare(operator: BinaryOperator, a: Value, b: Value): Value {
    const decided = this.decide(operator, a, b);
    if (decided !== null) return this.constant(decided ? 1 : 0);
    // A test compared with 0 or 1 is that test, or its negation.
    if (operator === 'eq' || operator === 'ne') {
      const [test, number] =
        b.kind === 'constant' ? [a, b.value] : a.kind === 'constant' ? [b, a.value] : [a, null];
      if (test.kind === 'binary' && isComparison(test.operator) && (number === 0n || number === 1n)) {
        if ((operator === 'eq') === (number === 1n)) return test;
        return this.binary(negatedOrder[test.operator]!, test.a, test.b, word);
      }
    }
    const swap = operator === 'gt' || operator === 'le';
    const symmetric = operator === 'eq' || operator === 'ne';
    const [first, second] = swap || (symmetric && a.id < b.id) ? [b, a] : [a, b];
    const kept = operator === 'gt' ? 'lt' : operator === 'le' ? 'ge' : operator;
    return this.intern(`b${kept},${first.id},${second.id}`, {
      kind: 'binary',
      operator: kept,
      a: first,
      b: second,
      width: a.width + b.width,
    });
  }

  /** The answer of a comparison where it follows from the operands alone. */
  private decide(operator: BinaryOperator, a: Value, b: Value): boolean | null {
    const difference = a === b ? 0n : this.difference(a, b);
    if (difference !== null)
      return operator === 'eq'
        ? difference === 0n
        : operator === 'ne'
          ? difference !== 0n
          : operator === 'lt'
            ? difference < 0n
            : operator === 'le'
              ? difference <= 0n
              : operator === 'gt'
                ? difference > 0n
                : difference >= 0n;
    if ((operator === 'eq' || operator === 'ne') && differentCpus(a, b)) return operator === 'ne';
    const null_ =
      b.kind === 'constant' && b.value === 0n ? a : a.kind === 'constant' && a.value === 0n ? b : null;
    if (null_ && (operator === 'eq' || operator === 'ne') && isObject(null_)) return operator === 'ne';
    return null;
  }

  /** a − b where that is a number. */
  private difference(a: Value, b: Value): bigint | null {
    if (a.kind !== 'linear' && b.kind !== 'linear') return null;
    const result = this.linear([[a, 1n], [b, -1n]], 0n); // prettier-ignore
    return result.kind === 'constant' ? result.value : null;
  }

  /** Index of the atom that tests a value, or one bit of it. */
  private atomIndex(value: Value, bit: number | null): number {
    const key = `${value.id},${bit ?? ''}`;
    const known = this.atomByKey.get(key);
    if (known !== undefined) return known;
    if (this.atoms.length >= atomLimit) throw new TooManyValues('too many conditions');
    this.atoms.push({ value, bit });
    this.atomByKey.set(key, this.atoms.length - 1);
    return this.atoms.length - 1;
  }

  /** When a value is not zero. */
  truth(value: Value): Guard {
    const { guards } = this;
    switch (value.kind) {
      case 'constant':
        return value.value === 0n ? no : yes;
      case 'choice':
        return guards.ite(value.guard, this.truth(value.a), this.truth(value.b));
      case 'binary': {
        const { a, b, operator } = value;
        if (operator === 'ne') return guards.not(this.equal(a, b));
        if (operator === 'eq') return this.equal(a, b);
        if (operator === 'ge') return guards.not(this.less(a, b));
        if (operator === 'lt') return this.less(a, b);
        if (operator === 'or') return guards.or(this.truth(a), this.truth(b));
        if (operator === 'and') {
          const mask = a.kind === 'constant' ? a.value : b.kind === 'constant' ? b.value : null;
          const unsigned = mask === null ? 0n : BigInt.asUintN(64, mask);
          if (unsigned > 0n && isPowerOfTwo(unsigned))
            return this.bit(a.kind === 'constant' ? b : a, unsigned.toString(2).length - 1);
          if (isTest(a) && isTest(b)) return guards.and(this.truth(a), this.truth(b));
        }
        break;
      }
      default:
        if (isObject(value)) return yes;
    }
    return guards.atom(this.atomIndex(value, null));
  }

  private equal(a: Value, b: Value): Guard {
    const zeroOf = (x: Value): boolean => x.kind === 'constant' && x.value === 0n;
    const oneOf = (x: Value): boolean => x.kind === 'constant' && x.value === 1n;
    if (zeroOf(b)) return this.guards.not(this.truth(a));
    if (zeroOf(a)) return this.guards.not(this.truth(b));
    if (oneOf(b) && isTest(a)) return this.truth(a);
    if (oneOf(a) && isTest(b)) return this.truth(b);
    const [first, second] = a.id > b.id ? [a, b] : [b, a];
    const value = this.intern(`beq,${first.id},${second.id}`, {
      kind: 'binary',
      operator: 'eq',
      a: first,
      b: second,
      width: 1,
    });
    return this.guards.atom(this.atomIndex(value, null));
  }

  private less(a: Value, b: Value): Guard {
    const value = this.intern(`blt,${a.id},${b.id}`, { kind: 'binary', operator: 'lt', a, b, width: 1 });
    return this.guards.atom(this.atomIndex(value, null));
  }

  /** When bit `bit` of a value is set. A bit that cannot be followed is an atom of its own. */
  bit(value: Value, bit: number): Guard {
    const { guards } = this;
    switch (value.kind) {
      case 'constant':
        return (BigInt.asUintN(64, value.value) >> BigInt(bit)) & 1n ? yes : no;
      case 'choice':
        return guards.ite(value.guard, this.bit(value.a, bit), this.bit(value.b, bit));
      case 'not':
        return guards.not(this.bit(value.a, bit));
      case 'binary': {
        const { a, b, operator } = value;
        if (operator === 'or') return guards.or(this.bit(a, bit), this.bit(b, bit));
        if (operator === 'and') return guards.and(this.bit(a, bit), this.bit(b, bit));
        if (operator === 'xor') {
          const right = this.bit(b, bit);
          return guards.ite(this.bit(a, bit), guards.not(right), right);
        }
        if (isComparison(operator)) return bit === 0 ? this.truth(value) : no;
        break;
      }
      case 'linear':
        // The highest bit comes from the constant only: nothing that is added reaches that far.
        if (bit === 63) return this.bit(this.constant(value.constant), 63);
        break;
      default:
        break;
    }
    return guards.atom(this.atomIndex(value, bit));
  }
}

const divides = (value: Value & { kind: 'linear' }, divisor: bigint): boolean =>
  value.constant % divisor === 0n && value.terms.every(([, factor]) => factor % divisor === 0n);
