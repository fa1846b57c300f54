/** Which operation of the linked instruction set an operator of the IR is, by width and sign. */
import type { BinaryOperator, IntegerType } from '../code/ir';
import { Op } from './opcodes';

export const plain = { and: Op.And, or: Op.Or, xor: Op.Xor, eq: Op.Eq, ne: Op.Ne } as const;

export function ordered(operator: 'lt' | 'le', signed: boolean): Op {
  if (operator === 'lt') return signed ? Op.LtS : Op.LtU;
  return signed ? Op.LeS : Op.LeU;
}

const wide = { add: Op.Add, sub: Op.Sub, mul: Op.Mul, shl: Op.Shl } as const;
const signed32 = { add: Op.Add32, sub: Op.Sub32, mul: Op.Mul32, shl: Op.Shl32 } as const;
const unsigned32 = { add: Op.AddU32, sub: Op.SubU32, mul: Op.MulU32, shl: Op.ShlU32 } as const;

export function arithmetic(operator: BinaryOperator, { bits, signed }: IntegerType): Op {
  switch (operator) {
    case 'div':
      return signed ? Op.DivS : Op.DivU;
    case 'mod':
      return signed ? Op.ModS : Op.ModU;
    case 'shr':
      if (bits === 64) return signed ? Op.ShrS : Op.ShrU;
      return signed ? Op.ShrS32 : Op.ShrU32;
    case 'add':
    case 'sub':
    case 'mul':
    case 'shl':
      return (bits === 64 ? wide : signed ? signed32 : unsigned32)[operator];
    default:
      throw new Error(`no arithmetic operator: ${operator}`);
  }
}
