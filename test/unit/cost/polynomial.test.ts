import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import {
  add,
  ceilOf,
  constant,
  equals,
  evaluate,
  multiply,
  parse,
  print,
  substitute,
  subtract,
  symbol,
  zero,
  type Polynomial,
} from '../../../src/cost/polynomial';

const symbols = ['n', 'c', '2^order', 'f->nr', '(a<b)'];
const monomials = fc.array(fc.constantFrom(...symbols), { maxLength: 3 });
const polynomials = fc
  .array(fc.tuple(monomials, fc.integer({ min: -9, max: 9 })), { maxLength: 5 })
  .map(terms =>
    terms.reduce<Polynomial>(
      (sum, [names, factor]) =>
        add(
          sum,
          names.reduce<Polynomial>((product, name) => multiply(product, symbol(name)), constant(factor)),
        ),
      zero,
    ),
  );
const values = { n: 7, c: 3, order: 2, 'f->nr': 5, '(a<b)': 11 };

describe('polynomials', () => {
  it('print as sums with explicit signs and no spaces', () => {
    const n = symbol('n');
    const c = symbol('c');
    assert.equal(print(zero), '0');
    assert.equal(print(subtract(zero, n)), '-n');
    assert.equal(print(add(multiply(constant(2), n), constant(1))), '2*n+1');
    assert.equal(print(subtract(subtract(zero, n), multiply(c, n))), '-n-c*n');
    assert.equal(print(subtract(n, constant(1))), 'n-1');
  });

  it('read the forms of the cases', () => {
    const read = (text: string) => print(parse(text)!);
    assert.equal(read('c - c*n'), 'c-c*n');
    assert.equal(read('1 - n'), '-n+1');
    assert.equal(read('-n - c*n'), '-n-c*n');
    assert.equal(read('ceil(n/21)'), 'ceil(n/21)');
    for (const bad of ['', 'n+', '*n', 'n**c', 'n)', '2 n)']) assert.equal(parse(bad), null, bad);
  });

  it('are read again from their text', () => {
    fc.assert(fc.property(polynomials, p => equals(parse(print(p))!, p)));
  });

  it('evaluate as a ring', () => {
    fc.assert(
      fc.property(polynomials, polynomials, (a, b) => {
        const [x, y] = [evaluate(a, values)!, evaluate(b, values)!];
        assert.equal(evaluate(add(a, b), values), x + y);
        assert.equal(evaluate(multiply(a, b), values), x * y + 0);
        assert.equal(evaluate(subtract(a, b), values), x - y);
      }),
    );
  });

  it('divide with rounding up, and know no value for an unknown symbol', () => {
    assert.equal(evaluate(ceilOf(symbol('n'), '21'), { n: 22 }), 2);
    assert.equal(print(ceilOf(constant(22), '21')), '2');
    assert.equal(print(substitute(ceilOf(symbol('n'), '21'), 'n', constant(1))), '1');
    assert.equal(evaluate(symbol('count'), { n: 1 }), null);
    assert.equal(evaluate(symbol('2^order'), { order: 3 }), 8);
  });
});
