import { strict as assert } from 'node:assert';
import { bounds } from '../../../../src/code/c/bounds';
import type { BoundName } from '../../../../src/code/c/bounds';
import fc from 'fast-check';
import { lowerC } from '../../../../src/code/lowerC';
import { defaults, fileUnit, functionNamed, hunkUnit, loadParser, lowerText } from './support';

const after = '\nvoid tq_fine(void)\n{\n\ttq_call();\n}\n';
const repeat = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join('');
const inBody = (text: string): string => `int tq(int a)\n{\n${text}\n}\n`;

/** Input → the bound that cuts it off. */
const hostile: Readonly<Record<string, { text: string; bound: BoundName }>> = {
  'object-like macros that treble at each level': {
    text: `${repeat(40, i => `#define TQ${i + 1} TQ${i} TQ${i} TQ${i}\n`)}${inBody('\tTQ40;')}`,
    bound: 'expandedTokens',
  },
  'function-like macros that double at each level': {
    text: `#define TQ0(x) x x\n${repeat(40, i => `#define TQ${i + 1}(x) TQ${i}(x) TQ${i}(x)\n`)}${inBody('\tTQ40(a;)')}`,
    bound: 'expandedTokens',
  },
  'one macro in its own arguments': {
    text: `#define TQ(x) x x x x\n${inBody(`${'TQ('.repeat(30)}a;${')'.repeat(30)}`)}`,
    bound: 'expandedTokens',
  },
  'a chain of 5,000 macros': {
    text: `${repeat(5_000, i => `#define TQ${i} TQ${i + 1}\n`)}${inBody('\tTQ0;')}`,
    bound: 'macroDepth',
  },
  'parentheses 5,000 deep': {
    text: inBody(`\ta = ${'('.repeat(5_000)}1${')'.repeat(5_000)};`),
    bound: 'nesting',
  },
  'blocks 900 deep': { text: inBody(`${'{\n'.repeat(900)}${'}\n'.repeat(900)}`), bound: 'nesting' },
  'an else-if chain of 5,000': {
    text: inBody(`${repeat(5_000, i => `if (a == ${i})\nf();\nelse `)}g();`),
    bound: 'treeDepth',
  },
  'a sum of 3,000 terms': { text: inBody(`\ta = ${repeat(3_000, () => 'a +\n')}a;`), bound: 'treeDepth' },
  'a function of 100,000 lines': { text: inBody(repeat(100_000, () => '\tf(a);\n')), bound: 'functionLines' },
  'more instructions than a function may have': {
    text: inBody(repeat(20, () => `${'a++;'.repeat(3_000)}\n`)),
    bound: 'instructions',
  },
  'a line of 30,000 characters': { text: inBody(`\ta = ${'!'.repeat(30_000)}a;`), bound: 'lineLength' },
};

describe('bounds', function () {
  this.timeout(60_000);
  before(loadParser);

  for (const [what, { text, bound }] of Object.entries(hostile)) {
    it(`${what}: cut off, the bound named, the rest of the file read`, () => {
      const module = lowerText(text + after);
      const found = functionNamed(module, 'tq');
      assert.match(found.unreadable ?? '', new RegExp(`more than ${bounds[bound]}\\b`));
      assert.deepEqual(
        found.code.map(one => one.op),
        ['unknown'],
      );
      assert.ok(
        module.findings.some(one => one.kind === 'limit' && one.message.includes(String(bounds[bound]))),
      );
      assert.ok(
        module.unread.some(one => one.firstLine <= found.firstLine && one.lastLine >= found.firstLine),
      );
      assert.equal(functionNamed(module, 'tq_fine').unreadable, null);
    });
  }

  it('conditionals whose macros double at each level are given up', () => {
    const text = `${repeat(60, i => `#define TQ${i + 1} (TQ${i} + TQ${i})\n`)}#if TQ60\n#endif\n${after}`;
    assert.equal(functionNamed(lowerText(text), 'tq_fine').unreadable, null);
  });

  it('conditional expressions inside each other are lowered once', () => {
    const { code } = functionNamed(
      lowerText(inBody(`\ta = ${'(a ? '.repeat(60)}1${' : 2)'.repeat(60)};`)),
      'tq',
    );
    assert.ok(code.length < 60 * 8, String(code.length));
  });

  it('no heap of tokens makes it throw, and no code is left with a jump into nothing', () => {
    const words = [
      ...[
        'if',
        '(',
        ')',
        '{',
        '}',
        '[',
        ']',
        ';',
        ',',
        'a',
        'tq',
        '=',
        '+',
        '*',
        '&',
        '->',
        '.',
        '1',
        '"s"',
        "'c'",
        'for',
      ],
      ...[
        'while',
        'do',
        'else',
        'switch',
        'case',
        'default',
        ':',
        '?',
        'return',
        'goto',
        'break',
        'struct',
        'int',
        'sizeof',
      ],
      ...[
        'typeof',
        'asm',
        'volatile',
        'READ_ONCE',
        'per_cpu',
        'static_cpu_has',
        'min',
        'for_each_cpu',
        'container_of',
      ],
      ...[
        '\n#define X',
        '\n#if',
        '\n#else',
        '\n#endif\n',
        '\n',
        '\\\n',
        '/*',
        '*/',
        '##',
        'DEFINE_PER_CPU',
        'void f(int a)',
      ],
    ];
    const soup = fc.array(fc.constantFrom(...words), { maxLength: 80 }).map(list => list.join(' '));
    fc.assert(
      fc.property(soup, fc.boolean(), fc.boolean(), (text, inside, fragment) => {
        const body = inside ? inBody(text) : text;
        const unit = fragment
          ? hunkUnit('mm/tq.c', `@@ 7 int tq(int a)\n${body}`)
          : fileUnit('mm/tq.c', body);
        for (const { code, registers } of lowerC([unit], defaults).functions) {
          for (const one of code) {
            if (one.op === 'jump' || one.op === 'branch')
              assert.ok(one.target >= 0 && one.target < code.length);
            if ('dst' in one && one.dst !== null) assert.ok(one.dst < registers.length);
            assert.ok(one.line >= 0 && one.line < unit.lines.length);
          }
          assert.ok(['return', 'jump', 'unknown'].includes(code.at(-1)!.op));
        }
      }),
      { numRuns: 500, seed: 99 },
    );
  });
});
