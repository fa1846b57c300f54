/** Expressions of scenarios: against values computed by hand, and against arithmetic on trees. */
import { strict as assert } from 'node:assert';
import * as fc from 'fast-check';
import { readExpression, valueOf } from '../../../src/scenario/expression';

function compute(text: string, values: Readonly<Record<string, number>> = {}): number | string {
  const expression = readExpression(text);
  return 'problem' in expression ? expression.problem : valueOf(expression, new Map(Object.entries(values)));
}

describe('expressions of scenarios', () => {
  it('compute as written', () => {
    const cases: readonly (readonly [string, number])[] = [
      ['1 + 2 * 3', 7],
      ['(1 + 2) * 3', 9],
      ['10 - 4 - 3', 3],
      ['-2 * -n', 20],
      ['- (n - 1)', -9],
      ['7 / 2', 3],
      ['-7 / 2', -3],
      ['7 % 4 * 2', 6],
      ['n <= 33', 1],
      ['n > 33', 0],
      ['(n <= 33) * n + (n > 33)', 10],
      ['1 + 1 == 2', 1],
      ['2 * n != 20', 0],
      ['0 - 0', 0],
    ];
    for (const [text, value] of cases) assert.equal(compute(text, { n: 10 }), value, text);
  });

  it('say what is wrong', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['', /empty/],
      ['1 +', /breaks off/],
      ['(1', /'\(' has no '\)'/],
      ['1)', /'\)' has no '\('/],
      ['1 2', /operator is expected/],
      ['* 2', /number or a name is expected/],
      ['1 ; 2', /';' has no meaning/],
      ['n.constructor', /'\.' has no meaning/],
      ['m', /no parameter is called 'm'/],
      ['1 / (n - 10)', /divides by zero/],
      ['9007199254740991 + 1', /too large/],
      ['99999999999999999999', /larger than/],
      ['1'.repeat(201), /at most 200 characters/],
    ];
    for (const [text, problem] of cases) assert.match(String(compute(text, { n: 10 })), problem, text);
  });

  it('agree with a computation on trees', () => {
    type Tree = number | readonly [Tree, '+' | '-' | '*', Tree];
    const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>(tie => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.nat(9),
        fc.tuple(tie('tree'), fc.constantFrom('+' as const, '-' as const, '*' as const), tie('tree')),
      ),
    })).tree;
    const text = (one: Tree): string =>
      typeof one === 'number' ? String(one) : `(${text(one[0])}${one[1]}${text(one[2])})`;
    const value = (one: Tree): number => {
      if (typeof one === 'number') return one;
      const [a, b] = [value(one[0]), value(one[2])];
      return one[1] === '+' ? a + b : one[1] === '-' ? a - b : a * b;
    };
    fc.assert(
      fc.property(tree, one => {
        fc.pre(text(one).length <= 200 && Number.isSafeInteger(value(one)));
        assert.equal(compute(text(one)), value(one) + 0);
      }),
    );
  });

  it('take any text without throwing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), text => {
        compute(text);
      }),
    );
  });
});
