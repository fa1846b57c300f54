/** 64-bit arithmetic, and whole random functions, against BigInt. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type {
  BinaryOperator,
  Instruction,
  IntegerType,
  IrFunction,
  IrModule,
  UnaryOperator,
} from '../../../src/code/ir';
import { divide, halves, high, multiply, remainder, whole } from '../../../src/vm/pairs';
import { fileUnit } from '../code/c/support';
import { machineFor } from './support';

const mask = (1n << 64n) - 1n;

/** Numbers near the places where halves and signs meet, and any others. */
const word = fc.oneof(
  fc.bigInt({ min: 0n, max: mask }),
  fc.bigInt({ min: -70n, max: 70n }).map(n => BigInt.asUintN(64, n)),
  fc
    .tuple(fc.integer({ min: 0, max: 63 }), fc.bigInt({ min: -2n, max: 2n }))
    .map(([bit, by]) => BigInt.asUintN(64, (1n << BigInt(bit)) + by)),
  fc.bigInt({ min: 0n, max: 0xffff_ffffn }).map(n => n << 32n),
);

const signed = (value: bigint): bigint => BigInt.asIntN(64, value);

describe('64-bit pairs', () => {
  const pair = (
    run: (...parts: [number, number, number, number]) => number,
    a: bigint,
    b: bigint,
  ): bigint => {
    const lo = run(...halves(a), ...halves(b));
    return whole(lo, high[0]!);
  };

  it('multiplies as BigInt does', () => {
    fc.assert(
      fc.property(word, word, (a, b) => pair(multiply, a, b) === ((a * b) & mask)),
      { numRuns: 5000 },
    );
  });

  it('divides and takes remainders as BigInt does, unsigned and signed', () => {
    const nonZero = word.filter(b => b !== 0n);
    fc.assert(
      fc.property(word, nonZero, (a, b) => {
        assert.equal(
          pair((...p) => divide(...p, false), a, b),
          a / b,
        );
        assert.equal(
          pair((...p) => remainder(...p, false), a, b),
          a % b,
        );
        assert.equal(
          pair((...p) => divide(...p, true), a, b),
          BigInt.asUintN(64, signed(a) / signed(b)),
        );
        assert.equal(
          pair((...p) => remainder(...p, true), a, b),
          BigInt.asUintN(64, signed(a) % signed(b)),
        );
      }),
      { numRuns: 5000 },
    );
  });
});

const types: readonly IntegerType[] = ([8, 16, 32, 64] as const).flatMap(bits => [
  { bits, signed: false },
  { bits, signed: true },
]);
const bool: IntegerType = { bits: 1, signed: false };

const cut = (value: bigint, type: IntegerType): bigint => {
  if (type.bits === 1) return value === 0n ? 0n : 1n;
  const kept = type.signed ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value);
  return BigInt.asUintN(64, kept);
};

/** The number that 64 bits stand for in a type. */
const meant = (value: bigint, type: IntegerType): bigint => (type.signed ? signed(value) : value);

const comparisons: readonly BinaryOperator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

/** What C says, in BigInt: the independent statement. Null: undefined in C, or a division by zero. */
function oracle(operator: BinaryOperator, left: bigint, right: bigint, type: IntegerType): bigint | null {
  const a = meant(left, type);
  const b = meant(right, type);
  const truth = (value: boolean): bigint => (value ? 1n : 0n);
  switch (operator) {
    case 'add':
      return cut(a + b, type);
    case 'sub':
      return cut(a - b, type);
    case 'mul':
      return cut(a * b, type);
    case 'div':
      return b === 0n ? null : cut(a / b, type);
    case 'mod':
      return b === 0n ? null : cut(a % b, type);
    case 'and':
      return cut(a & b, type);
    case 'or':
      return cut(a | b, type);
    case 'xor':
      return cut(a ^ b, type);
    case 'shl':
      return right < BigInt(type.bits) ? cut(a << right, type) : null;
    case 'shr':
      return right < BigInt(type.bits) ? cut(a >> right, type) : null;
    case 'eq':
      return truth(a === b);
    case 'ne':
      return truth(a !== b);
    case 'lt':
      return truth(a < b);
    case 'le':
      return truth(a <= b);
    case 'gt':
      return truth(a > b);
    case 'ge':
      return truth(a >= b);
  }
}

const unit = fileUnit('kernel/tq.c', 'x');

function moduleOf(
  code: readonly Instruction[],
  registers: readonly IntegerType[],
  parameters: number,
): IrModule {
  const fn: IrFunction = {
    ...{ name: 'tq_random', unit, language: 'c', kind: 'function', firstLine: 0, lastLine: 0 },
    parameters: Array.from({ length: parameters }, (_, at) => ({ name: `p${at}`, type: 'u64' })),
    ...{ registers, names: registers.map(() => ''), code, unreadable: null, partial: false, repaired: false },
  };
  return { functions: [fn], findings: [], unread: [], assumedConfig: new Map() };
}

const binaryStep = fc.record({
  kind: fc.constant('binary' as const),
  operator: fc.constantFrom<BinaryOperator>(
    'add',
    'sub',
    'mul',
    'div',
    'mod',
    'and',
    'or',
    'xor',
    'shl',
    'shr',
    ...comparisons,
  ),
  type: fc.constantFrom(...types),
  a: fc.nat(),
  b: fc.nat(),
});
const otherStep = fc.record({
  kind: fc.constantFrom('cast' as const, 'neg' as const, 'not' as const, 'lnot' as const),
  type: fc.constantFrom(...types, bool),
  a: fc.nat(),
});
type RandomStep = {
  kind: 'binary' | 'cast' | 'neg' | 'not' | 'lnot';
  type: IntegerType;
  a: number;
  b?: number;
  operator?: BinaryOperator;
};

/** Builds code of the steps and computes its last value beside it. */
function build(
  steps: readonly RandomStep[],
  inputs: readonly bigint[],
): { module: IrModule; expected: bigint } {
  const registers: IntegerType[] = inputs.map(() => ({ bits: 64, signed: false }));
  const values = [...inputs];
  const code: Instruction[] = [];
  const temp = (type: IntegerType, value: bigint): number => {
    registers.push(type);
    values.push(value);
    return registers.length - 1;
  };
  const cast = (from: number, type: IntegerType): number => {
    const dst = temp(type, cut(values[from]!, type));
    code.push({ op: 'cast', dst, a: from, type, line: 0 });
    return dst;
  };
  for (const step of steps) {
    const { type } = step;
    const a = cast(step.a % registers.length, type);
    if (step.kind === 'cast') continue;
    if (step.kind !== 'binary') {
      const operator: UnaryOperator = step.kind;
      const of = values[a]!;
      const result = operator === 'lnot' ? (of === 0n ? 1n : 0n) : cut(operator === 'neg' ? -of : ~of, type);
      if (type.bits === 1 && operator !== 'lnot') continue;
      code.push({ op: 'unary', dst: temp(type, result), operator, a, type, line: 0 });
      continue;
    }
    const shift = step.operator === 'shl' || step.operator === 'shr';
    let b = cast((step.b ?? 0) % (registers.length - 1), type);
    if (shift) {
      const count = BigInt((step.b ?? 0) % type.bits);
      b = temp({ bits: 32, signed: true }, count);
      code.push({ op: 'const', dst: b, value: count, line: 0 });
    }
    const result = oracle(step.operator!, values[a]!, values[b]!, type);
    if (result === null) continue;
    code.push({ op: 'binary', dst: temp(type, result), operator: step.operator!, a, b, type, line: 0 });
  }
  code.push({ op: 'return', value: registers.length - 1, line: 0 });
  return { module: moduleOf(code, registers, inputs.length), expected: values.at(-1)! };
}

describe('the interpreter against BigInt', () => {
  it('computes what C says, for random functions', () => {
    const step = fc.oneof({ weight: 4, arbitrary: binaryStep }, otherStep as fc.Arbitrary<RandomStep>);
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 40 }),
        fc.array(word, { minLength: 3, maxLength: 3 }),
        (steps, inputs) => {
          const { module, expected } = build(steps, inputs);
          const vm = machineFor([module], {
            tasks: [[{ function: 'tq_random', args: inputs }]],
            trace: null,
          });
          vm.run(1000);
          assert.equal(vm.ending.verdict, 'finished');
          assert.equal(vm.result(0), expected);
        },
      ),
      { numRuns: 1500 },
    );
  });
});
