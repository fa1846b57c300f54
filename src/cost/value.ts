/** What a symbolic value is. */
import type { BinaryOperator } from '../code/ir';
import type { Guard } from './guard';

interface Base {
  readonly id: number;
  /** Number of alternatives inside, to bound how far operations are distributed over them. */
  readonly width: number;
}

export type Storage = 'global' | 'per-cpu' | 'function' | 'local' | 'string';

export type Value =
  | (Base & { readonly kind: 'constant'; readonly value: bigint })
  /** Something of which only the name is known: a parameter, an unknown constant, what an unknown callee returned. */
  | (Base & { readonly kind: 'symbol'; readonly name: string; readonly key: string })
  /** Sum of values times whole factors, plus a constant. Two or more terms, or one with a factor or a constant. */
  | (Base & {
      readonly kind: 'linear';
      readonly terms: readonly (readonly [Value, bigint])[];
      readonly constant: bigint;
    })
  | (Base & {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly a: Value;
      readonly b: Value;
    })
  | (Base & { readonly kind: 'not'; readonly a: Value })
  /** `a` where the guard holds, else `b`. */
  | (Base & { readonly kind: 'choice'; readonly guard: Guard; readonly a: Value; readonly b: Value })
  | (Base & {
      readonly kind: 'address';
      readonly name: string;
      readonly storage: Storage;
      readonly scope: string;
    })
  | (Base & { readonly kind: 'field'; readonly base: Value; readonly member: string })
  | (Base & { readonly kind: 'index'; readonly base: Value; readonly index: Value })
  /** What memory held before anything known was stored there. */
  | (Base & { readonly kind: 'load'; readonly address: Value; readonly epoch: number })
  | (Base & {
      readonly kind: 'call';
      readonly name: string;
      readonly args: readonly Value[];
      readonly serial: number;
    });

/** What an atom of a guard tests. */
export interface Atom {
  /** The value that is tested: true if it is not zero, or if `bit` of it is set. */
  readonly value: Value;
  readonly bit: number | null;
}

export const isComparison = (operator: BinaryOperator): boolean =>
  operator === 'eq' ||
  operator === 'ne' ||
  operator === 'lt' ||
  operator === 'le' ||
  operator === 'gt' ||
  operator === 'ge';

export const negatedOrder: Partial<Record<BinaryOperator, BinaryOperator>> = {
  ...{ eq: 'ne', ne: 'eq', lt: 'ge', ge: 'lt', gt: 'le', le: 'gt' },
};

export const isTest = (value: Value): boolean =>
  (value.kind === 'binary' && isComparison(value.operator)) ||
  (value.kind === 'constant' && (value.value === 0n || value.value === 1n)) ||
  (value.kind === 'choice' && isTest(value.a) && isTest(value.b));

/** The address of something that exists, so never null. */
export const isObject = (value: Value): boolean =>
  value.kind === 'address' || ((value.kind === 'field' || value.kind === 'index') && isObject(value.base));
