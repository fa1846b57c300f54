import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { scanDefinitions } from '../../../../src/code/c/scanDefinitions';
import { indexTree } from '../../../../src/code/c/treeIndex';
import { lowerC } from '../../../../src/code/lowerC';
import { Interpreter } from './interpreter';
import { defaults, functionNamed, loadParser } from './support';

const tree = new Map([
  [
    'mm/tq.c',
    `#include <linux/tq.h>
#include "internal.h"
int tq(int v)
{
	return tq_inline(v) + TQ_BIAS + tq_far(v) + tq_internal;
}
`,
  ],
  ['mm/internal.h', 'extern int tq_internal;\n'],
  [
    'mm/elsewhere.c',
    '#include "internal.h"\nint tq_internal = 4000;\nint tq_far(int v)\n{\n\treturn v * 100;\n}\n',
  ],
  [
    'include/linux/tq.h',
    `#ifndef _LINUX_TQ_H
#define _LINUX_TQ_H
#include <asm/tq.h>
int tq_far(int v);
#ifndef tq_inline
static inline int tq_inline(int v)
{
	return -1;
}
#endif
#endif
`,
  ],
  [
    'arch/x86/include/asm/tq.h',
    `#define TQ_BIAS 7
#define tq_inline tq_inline
static inline int tq_inline(int v)
{
	return v + 1;
}
`,
  ],
  ['arch/arm64/include/asm/tq.h', '#define TQ_BIAS 9\n'],
  ['arch/arm64/mm/other.c', 'int tq_far(int v)\n{\n\treturn -1000;\n}\n'],
  ['drivers/noise.c', '#define tq_far(v) broken\n'],
]);

const lower = (architecture: 'x86' | 'arm64') => {
  const index = indexTree(tree, architecture);
  return lowerC([index.unit('mm/tq.c')!], { ...defaults, architecture, index });
};

describe('a kernel tree, by name', () => {
  before(loadParser);

  it('finds macros and functions through includes, and definitions in other C files', () => {
    const module = lower('x86');
    assert.deepEqual(
      module.functions.map(one => [one.name, one.unit.path]),
      [
        ['tq', 'mm/tq.c'],
        ['tq_inline', 'arch/x86/include/asm/tq.h'],
        ['tq_far', 'mm/elsewhere.c'],
      ],
    );
    assert.equal(new Interpreter(module).run('tq', 2), 3n + 7n + 200n + 4000n);
  });

  it('takes the headers and the files of the architecture', () => {
    const module = lower('arm64');
    assert.equal(functionNamed(module, 'tq_inline').unit.path, 'include/linux/tq.h');
    assert.equal(new Interpreter(module).run('tq', 2), BigInt.asUintN(64, -1n + 9n + 200n + 4000n));
  });

  it('configurations of headers are used but not listed', () => {
    const files = new Map([
      [
        'mm/tq.c',
        '#include <linux/tq.h>\n#ifdef CONFIG_TQ_OWN\n#endif\nint tq(void)\n{\n\treturn TQ_VALUE;\n}\n',
      ],
      [
        'include/linux/tq.h',
        '#ifdef CONFIG_TQ_HEADER\n#define TQ_VALUE 1\n#else\n#define TQ_VALUE 2\n#endif\n',
      ],
    ]);
    const index = indexTree(files, 'x86');
    const config = new Map([['CONFIG_TQ_HEADER', false]]);
    const module = lowerC([index.unit('mm/tq.c')!], { ...defaults, config, index });
    assert.equal(new Interpreter(module).run('tq'), 2n);
    assert.deepEqual([...module.assumedConfig.keys()], ['CONFIG_TQ_OWN']);
    // The same files under another configuration, with the same index.
    const other = lowerC([index.unit('mm/tq.c')!], { ...defaults, index });
    assert.equal(new Interpreter(other).run('tq'), 1n);
  });

  it('knows where names may be defined, by the layout of a file', () => {
    const { macros, functions, symbols, includes } = scanDefinitions(`
/* int tq_comment(void)
int tq_comment2(void) { */
#include <a/b.h>
# define TQ_A(x) \\
	tq_not_here(x)
struct tq_s { int tq_member; };
enum tq_e {
	TQ_ONE,
	TQ_TWO = 5, /* comment */
	TQ_LAST
};
typedef struct { int x; } tq_t;
extern int tq_var;
static int
tq_split(int a)
{
	tq_called(a);
}
DEFINE_PER_CPU(struct tq_s, tq_pc);
`);
    assert.deepEqual([...macros], ['TQ_A']);
    assert.deepEqual(includes, ['a/b.h']);
    assert.ok(functions.has('tq_split') && !functions.has('tq_called') && !functions.has('tq_comment'));
    for (const name of ['tq_s', 'TQ_ONE', 'TQ_TWO', 'TQ_LAST', 'tq_t', 'tq_var', 'tq_pc', 'tq_split'])
      assert.ok(symbols.has(name), name);
    assert.ok(!symbols.has('tq_not_here'));
  });

  it('never throws on any text', () => {
    const piece = fc.constantFrom(
      '#define ',
      'enum {',
      '}',
      '/*',
      '*/',
      '\n',
      '\\\n',
      '(',
      'tq',
      ' ',
      ';',
      '"',
      '=',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
        const index = indexTree(new Map([['mm/tq.c', pieces.join('')]]), 'x86');
        lowerC([index.unit('mm/tq.c')!], { ...defaults, index });
      }),
      { numRuns: 300, seed: 3 },
    );
  });
});
