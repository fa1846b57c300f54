import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { Interpreter } from './interpreter';
import { loadParser, lowerText } from './support';

/** An integer type of C on a 64-bit kernel. */
interface Type {
  readonly name: string;
  readonly bits: number;
  readonly signed: boolean;
}

const types: readonly Type[] = [
  { name: 'u8', bits: 8, signed: false },
  { name: 's8', bits: 8, signed: true },
  { name: 'u16', bits: 16, signed: false },
  { name: 'short', bits: 16, signed: true },
  { name: 'unsigned int', bits: 32, signed: false },
  { name: 'int', bits: 32, signed: true },
  { name: 'unsigned long', bits: 64, signed: false },
  { name: 's64', bits: 64, signed: true },
];
const int = types[5]!;

interface Typed {
  readonly value: bigint;
  readonly type: Type;
}
/** An expression: its text, and its value for given values of the variables v0…v7 (one of each type). */
interface Expression {
  readonly text: string;
  evaluate(values: readonly bigint[]): Typed;
}

const cut = (value: bigint, { bits, signed }: Type): bigint =>
  signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
const promote = (type: Type): Type => (type.bits < 32 ? int : type);
function balance(a: Type, b: Type): Type {
  const [x, y] = [promote(a), promote(b)];
  if (x.bits !== y.bits) return x.bits > y.bits ? x : y;
  return x.signed ? y : x;
}

const arithmetic: Record<string, (a: bigint, b: bigint) => bigint> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
};
const comparison: Record<string, (a: bigint, b: bigint) => boolean> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

const variable: fc.Arbitrary<Expression> = fc.nat(7).map(index => ({
  text: `v${index}`,
  evaluate: values => ({ value: values[index]!, type: types[index]! }),
}));
const literal: fc.Arbitrary<Expression> = fc.nat(0x7fff_ffff).map(value => ({
  text: String(value),
  evaluate: () => ({ value: BigInt(value), type: int }),
}));

const { expression } = fc.letrec<{ expression: Expression }>(tie => {
  const inner = tie('expression');
  const binary = fc
    .tuple(fc.constantFrom(...Object.keys(arithmetic)), inner, inner)
    .map(([operator, a, b]) => ({
      text: `(${a.text} ${operator} ${b.text})`,
      evaluate: (values: readonly bigint[]) => {
        const [x, y] = [a.evaluate(values), b.evaluate(values)];
        const type = balance(x.type, y.type);
        return { value: cut(arithmetic[operator]!(cut(x.value, type), cut(y.value, type)), type), type };
      },
    }));
  const compared = fc
    .tuple(fc.constantFrom(...Object.keys(comparison)), inner, inner)
    .map(([operator, a, b]) => ({
      text: `(${a.text} ${operator} ${b.text})`,
      evaluate: (values: readonly bigint[]) => {
        const [x, y] = [a.evaluate(values), b.evaluate(values)];
        const type = balance(x.type, y.type);
        return { value: comparison[operator]!(cut(x.value, type), cut(y.value, type)) ? 1n : 0n, type: int };
      },
    }));
  const shifted = fc.tuple(fc.constantFrom('<<', '>>'), inner, fc.nat(31)).map(([operator, a, by]) => ({
    text: `(${a.text} ${operator} ${by})`,
    evaluate: (values: readonly bigint[]) => {
      const x = a.evaluate(values);
      const type = promote(x.type);
      const amount = BigInt(by);
      return { value: cut(operator === '<<' ? x.value << amount : x.value >> amount, type), type };
    },
  }));
  const divided = fc
    .tuple(fc.constantFrom('/', '%'), inner, fc.integer({ min: 1, max: 1000 }))
    .map(([operator, a, by]) => ({
      text: `(${a.text} ${operator} ${by})`,
      evaluate: (values: readonly bigint[]) => {
        const x = a.evaluate(values);
        const type = balance(x.type, int);
        const left = cut(x.value, type);
        return { value: operator === '/' ? left / BigInt(by) : left % BigInt(by), type };
      },
    }));
  const unary = fc.tuple(fc.constantFrom('-', '~', '!'), inner).map(([operator, a]) => ({
    text: `(${operator} ${a.text})`,
    evaluate: (values: readonly bigint[]) => {
      const x = a.evaluate(values);
      const type = operator === '!' ? int : promote(x.type);
      const value = operator === '-' ? -x.value : operator === '~' ? ~x.value : x.value === 0n ? 1n : 0n;
      return { value: cut(value, type), type };
    },
  }));
  const cast = fc.tuple(fc.nat(7), inner).map(([index, a]) => ({
    text: `((${types[index]!.name})${a.text})`,
    evaluate: (values: readonly bigint[]) => ({
      value: cut(a.evaluate(values).value, types[index]!),
      type: types[index]!,
    }),
  }));
  const chosen = fc.tuple(inner, inner, inner).map(([c, a, b]) => ({
    text: `(${c.text} ? ${a.text} : ${b.text})`,
    evaluate: (values: readonly bigint[]) => {
      const [x, y] = [a.evaluate(values), b.evaluate(values)];
      const type = balance(x.type, y.type);
      return { value: cut((c.evaluate(values).value !== 0n ? x : y).value, type), type };
    },
  }));
  return {
    expression: fc.oneof(
      { maxDepth: 4 },
      variable,
      literal,
      binary,
      compared,
      shifted,
      divided,
      unary,
      cast,
      chosen,
    ),
  };
});

const values = fc.tuple(
  ...types.map(type =>
    fc
      .oneof(
        fc.constantFrom(0n, 1n, -1n, 127n, 128n, 255n, 1n << 31n, 1n << 63n),
        fc.bigInt(-(1n << 63n), (1n << 64n) - 1n),
      )
      .map(value => cut(value, type)),
  ),
);

describe('integers of C', function () {
  this.timeout(60_000);
  before(loadParser);

  it('any expression has the value and type that C gives it', () => {
    fc.assert(
      fc.property(expression, fc.nat(7), values, (tree, target, inputs) => {
        const parameters = types.map((type, index) => `${type.name} v${index}`).join(', ');
        const result = types[target]!;
        const module = lowerText(
          `${result.name} tq(${parameters})\n{\n\t${result.name} r = ${tree.text};\n\treturn r;\n}\n`,
        );
        const found = new Interpreter(module).run('tq', ...inputs);
        assert.equal(cut(found, result), cut(tree.evaluate(inputs).value, result), tree.text);
        assert.equal(BigInt.asUintN(64, cut(found, result)), found, 'normalised');
      }),
      { numRuns: 300, seed: 20191 },
    );
  });

  it('operators bind as in C', () => {
    // A flat row of operands and operators without parentheses, read by a parser of our own.
    const levels = [
      ...[['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '<=', '>', '>=']],
      ...[['>>'], ['+', '-'], ['*']],
    ];
    // Parentheses around a name look like a cast to the grammar.
    const shapes = ['#', '#', '(#)', '((#))', '(long)(#)', '(tq_same(#))', '(array[#])'];
    const prefixes = ['', '', '-', '~', '!', '- ~', '! !'];
    const row = fc.tuple(
      fc.array(
        fc.tuple(fc.constantFrom(...prefixes), fc.integer({ min: 0, max: 40 }), fc.constantFrom(...shapes)),
        {
          minLength: 2,
          maxLength: 8,
        },
      ),
      fc.array(fc.constantFrom(...levels.flat()), { minLength: 8, maxLength: 8 }),
    );
    const truth = (value: boolean): bigint => (value ? 1n : 0n);
    const unary = (prefix: string, value: bigint): bigint =>
      prefix
        .split(/ ?/)
        .filter(Boolean)
        .reverse()
        .reduce((v, sign) => {
          return sign === '-' ? -v : sign === '~' ? ~v : truth(v === 0n);
        }, value);
    const apply = (operator: string, a: bigint, b: bigint): bigint => {
      if (operator === '&&') return truth(a !== 0n && b !== 0n);
      if (operator === '||') return truth(a !== 0n || b !== 0n);
      if (operator in comparison) return truth(comparison[operator]!(a, b));
      if (operator === '>>') return a >> BigInt.asUintN(6, b); // Left shifts would need the operands' widths.
      return BigInt.asIntN(64, arithmetic[operator]!(a, b));
    };
    const evaluate = (operands: readonly bigint[], operators: readonly string[], level = 0): bigint => {
      if (operands.length === 1) return operands[0]!;
      const at = operators.findLastIndex(operator => levels[level]!.includes(operator));
      if (at < 0) return evaluate(operands, operators, level + 1);
      const left = evaluate(operands.slice(0, at + 1), operators.slice(0, at), level);
      const right = evaluate(operands.slice(at + 1), operators.slice(at + 1), level + 1);
      return apply(operators[at]!, left, right);
    };
    fc.assert(
      fc.property(row, ([operands, operators]) => {
        const used = operators.slice(0, operands.length - 1);
        const text = operands
          .map(([prefix, , shape], at) => `${prefix} ${shape.replace('#', `v${at}`)} ${used[at] ?? ''}`)
          .join(' ');
        const parameters = operands.map((_, at) => `long v${at}`).join(', ');
        const module = lowerText(
          `static long tq_same(long v) { return v; }\nlong tq(${parameters})\n{\n\tlong array[41], i;\n\n\tfor (i = 0; i < 41; i++)\n\t\tarray[i] = i;\n\treturn ${text};\n}\n`,
        );
        const found = new Interpreter(module).run('tq', ...operands.map(([, value]) => value));
        const expected = evaluate(
          operands.map(([prefix, value]) => unary(prefix, BigInt(value))),
          used,
        );
        assert.equal(BigInt.asIntN(64, found), expected, text);
      }),
      { numRuns: 300, seed: 41 },
    );
  });

  it('postfix operators bind before prefix ones', () => {
    const text = `
int tq(int n)
{
	int r = 0, *p, array[3] = { 5, 7, 9 };

	while (!!n--)
		r++;
	p = array;
	r = r * 10 + -n--;
	r = r * 10 + *p++;
	r = r * 10 + ~p[0]--;
	return r * 100 + n * 10 + array[1];
}
`;
    // The loop runs n times and leaves n = -1; then -(-1), n = -2; 5; ~7 = -8, array[1] = 6.
    const r = ((3n * 10n + 1n) * 10n + 5n) * 10n - 8n;
    assert.equal(BigInt.asIntN(64, new Interpreter(lowerText(text)).run('tq', 3)), r * 100n - 20n + 6n);
  });

  it('literals have the types of C11 6.4.4.1', () => {
    const negated = (literal: string): bigint =>
      BigInt.asIntN(64, new Interpreter(lowerText(`long tq(void)\n{\n\treturn -${literal};\n}\n`)).run('tq'));
    // Negation shows the type: of an unsigned 32-bit literal it wraps at 2^32 and is then zero-extended.
    assert.equal(negated('1'), -1n);
    assert.equal(negated('1U'), 0xffffffffn);
    assert.equal(negated('0x80000000'), 0x80000000n);
    assert.equal(negated('2147483648'), -2147483648n);
    assert.equal(negated('1UL'), -1n);
    assert.equal(negated('010'), -8n);
    assert.equal(negated("'A'"), -65n);
    assert.equal(negated("'\\377'"), 1n);
  });

  it('a bool holds 0 or 1, and narrow variables wrap', () => {
    const text = `
int tq(unsigned long v)
{
	bool b = v;
	u8 n = 250;
	s8 m = 120;

	n += 10;
	m += 10;
	b <<= 3;
	return b * 100000 + n * 1000 + m;
}
`;
    const run = (v: bigint): bigint => BigInt.asIntN(64, new Interpreter(lowerText(text)).run('tq', v));
    assert.equal(run(0n), 4000n - 126n);
    assert.equal(run(1n << 40n), 100000n + 4000n - 126n);
  });
});
