import { strict as assert } from 'node:assert';
import { lowerC } from '../../../../src/code/lowerC';
import { Interpreter } from './interpreter';
import { defaults, fileUnit, functionNamed, loadParser, lowerText } from './support';

const value = (text: string, options = {}): bigint =>
  BigInt.asIntN(64, new Interpreter(lowerText(text, options)).run('tq'));
const returning = (expression: string): string => `long tq(void)\n{\n\treturn ${expression};\n}\n`;

describe('preprocessing', () => {
  before(loadParser);

  it('conditionals: arithmetic, defined, nesting, #elif, skipped branches', () => {
    const text = `
#define TQ_LEVEL 3
#define TQ_EMPTY
#if TQ_LEVEL > 2 && defined(TQ_EMPTY) && !defined TQ_OTHER
# if TQ_LEVEL * 2 == 6 ? 1 : 0
#  define TQ_A 1
# else
#  define TQ_A 2
# endif
#elif 1
# define TQ_A 3
# if 1
# endif
#else
# define TQ_A 4
#endif
#if 0
this is not C "
#elif TQ_UNKNOWN
#else
# define TQ_B 10
#endif
#ifndef TQ_B
# define TQ_B 20
#endif
#undef TQ_LEVEL
#ifdef TQ_LEVEL
# define TQ_C 100
#else
# define TQ_C 200
#endif
${returning('TQ_A + TQ_B + TQ_C')}`;
    assert.equal(value(text), 211n);
  });

  it('a macro holds from its definition on, and again after it is redefined', () => {
    const text = `
#define TQ 1
static long tq_a(void) { return TQ; }
#undef TQ
#define TQ 20
${returning('TQ + tq_a()')}`;
    assert.equal(value(text), 21n);
  });

  it('the configuration decides, and what was asked is listed', () => {
    const text = `
#ifdef CONFIG_TQ_FAST
#define TQ_A 1
#else
#define TQ_A 2
#endif
#if IS_ENABLED(CONFIG_TQ_WIDE)
#define TQ_B 10
#else
#define TQ_B 20
#endif
${returning('TQ_A + TQ_B')}`;
    assert.equal(value(text), 11n);
    const config = new Map([['CONFIG_TQ_FAST', false]]);
    assert.equal(value(text, { config }), 12n);
    assert.deepEqual(
      [...lowerText(text, { config }).assumedConfig],
      [
        ['CONFIG_TQ_FAST', false],
        ['CONFIG_TQ_WIDE', true],
      ],
    );
  });

  it('defaults follow the architecture; debugging is off', () => {
    const text = `
#if defined(CONFIG_X86_64)
#define TQ_A 1
#elif defined(CONFIG_ARM64)
#define TQ_A 2
#endif
#ifdef CONFIG_DEBUG_VM
#define TQ_B 10
#else
#define TQ_B 20
#endif
#if CONFIG_PGTABLE_LEVELS > 4
#define TQ_C 100
#else
#define TQ_C 200
#endif
${returning('TQ_A + TQ_B + TQ_C')}`;
    assert.equal(value(text, { architecture: 'x86' }), 121n);
    assert.equal(value(text, { architecture: 'arm64' }), 222n);
  });

  it('macros, types and functions of other files are used; their functions come along when called', () => {
    const header = fileUnit(
      'include/linux/tq.h',
      `
#ifndef _LINUX_TQ_H
#define _LINUX_TQ_H
#define TQ_SHIFT 3
struct tq_s { u8 count; };
static inline int tq_shifted(int v)
{
	return v << TQ_SHIFT;
}
static inline int tq_never_called(int v)
{
	return v;
}
#endif
`,
    );
    const unit = fileUnit(
      'mm/tq.c',
      `
int tq(int v)
{
	struct tq_s s;

	s.count = 257;
	return tq_shifted(v) + TQ_SHIFT + s.count;
}
`,
    );
    const module = lowerC([unit], { ...defaults, context: [header] });
    assert.deepEqual(
      module.functions.map(one => [one.name, one.unit.path]),
      [
        ['tq', 'mm/tq.c'],
        ['tq_shifted', 'include/linux/tq.h'],
      ],
    );
    assert.equal(new Interpreter(module).run('tq', 2), 16n + 3n + 1n);
  });

  it('a function is not renamed by a macro of its own name in another file', () => {
    const header = fileUnit('tq.h', '#define tq_flush(a) __tq_flush(a)\n');
    const unit = fileUnit('tq.c', 'void tq_flush(int a)\n{\n\ttq_hardware(a);\n}\n');
    const module = lowerC([unit], { ...defaults, context: [header] });
    assert.equal(functionNamed(module, 'tq_flush').parameters.length, 1);
  });

  it('every token of a macro belongs to the line of its call, and texts are as written', () => {
    const text = `#define TQ_LIMIT 33
#define tq_twice(x) do { tq_one(x); tq_one(x); } while (0)
void tq(int a, int b)
{
	if (a > TQ_LIMIT &&
	    b)
		tq_twice(a +
			 b);
}
`;
    const { code } = functionNamed(lowerText(text), 'tq');
    const calls = code.flatMap(one => (one.op === 'call' ? [[one.line, one.text]] : []));
    assert.deepEqual(calls, [
      [6, 'tq_twice(a + b)'],
      [6, 'tq_twice(a + b)'],
    ]);
    const branches = code.flatMap(one => (one.op === 'branch' ? [[one.line, one.text]] : []));
    assert.deepEqual(branches, [
      [4, 'a > TQ_LIMIT'],
      [5, 'b'],
    ]);
  });

  it('comments, continuation lines, strings and digraph-like text do not confuse it', () => {
    const text = `
#define TQ_TEXT "/* not a comment */ // nor this \\" } {"
#define TQ_LONG 1 + \\
	/* a comment
	   over lines */ 20
static const char *tq_text = TQ_TEXT; /* } */ // {
${returning("TQ_LONG + '\\'' + '}' /* ( */")}`;
    assert.equal(value(text), 21n + 39n + 125n);
  });

  it('what the parser cannot read makes that function unreadable, and only that one', () => {
    const module = lowerText(`
void tq_before(void)
{
	tq_call();
}
void tq_bad(void)
{
	tq_call() tq_missing;
	if (
}
void tq_after(void)
{
	tq_call();
}
`);
    const unreadable = module.functions.filter(one => one.unreadable !== null);
    assert.deepEqual(
      unreadable.map(one => one.name),
      ['tq_bad'],
    );
    assert.equal(unreadable[0]!.code.length, 1);
    assert.deepEqual(
      module.unread.map(one => [one.firstLine, one.lastLine]),
      [[5, 9]],
    );
    assert.ok(module.findings.some(one => one.kind === 'unreadable' && one.message.includes('tq_bad')));
    assert.equal(functionNamed(module, 'tq_after').unreadable, null);
  });
});
