/** Whole numbers as C computes with them: constants are kept normalised to their type. */
import type { BinaryOperator, IntegerType } from '../code/ir';

/** Signed view of a 64-bit number. */
export const signed64 = (value: bigint): bigint => BigInt.asIntN(64, value);

/** A number normalised to a type. */
export const wrap = (value: bigint, type: IntegerType): bigint =>
  type.bits === 1
    ? value === 0n
      ? 0n
      : 1n
    : type.signed
      ? BigInt.asIntN(type.bits, value)
      : BigInt.asUintN(type.bits, value);

export const isPowerOfTwo = (value: bigint): boolean => value > 0n && (value & (value - 1n)) === 0n;

/** The result of an operation on constants; null where C does not define it. */
export function fold(operator: BinaryOperator, a: bigint, b: bigint, type: IntegerType): bigint | null {
  const flag = (value: boolean): bigint => (value ? 1n : 0n);
  const [left, right] = [wrap(a, type), wrap(b, type)];
  switch (operator) {
    case 'add':
      return wrap(a + b, type);
    case 'sub':
      return wrap(a - b, type);
    case 'mul':
      return wrap(a * b, type);
    case 'div':
      return right === 0n ? null : wrap(left / right, type);
    case 'mod':
      return right === 0n ? null : wrap(left % right, type);
    case 'and':
      return wrap(a & b, type);
    case 'or':
      return wrap(a | b, type);
    case 'xor':
      return wrap(a ^ b, type);
    case 'shl':
      return b < 0n || b > 63n ? null : wrap(a << b, type);
    case 'shr':
      return b < 0n || b > 63n ? null : wrap(left >> b, type);
    case 'eq':
      return flag(left === right);
    case 'ne':
      return flag(left !== right);
    case 'lt':
      return flag(left < right);
    case 'le':
      return flag(left <= right);
    case 'gt':
      return flag(left > right);
    case 'ge':
      return flag(left >= right);
  }
}
