/** The checker of scenario files: limits named at the door, positions, agreement with the JSON schema, damaged files. */
import { strict as assert } from 'node:assert';
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import schema from '../../../schemas/scenario.schema.json';
import { checkScenario } from '../../../src/scenario/check';
import { limits } from '../../../src/scenario/limits';
import { changed, sample, textOf } from './support';

const accepts = new Ajv({ allErrors: false, keywords: ['allowTrailingCommas'] }).compile(schema);

function messagesOf(text: string): string[] {
  const checked = checkScenario(text);
  if (checked.ok) return [];
  for (const { line, column, offset } of checked.diagnostics) {
    assert.ok(line >= 1 && column >= 1 && offset >= 0 && offset <= text.length);
    const before = text.slice(0, offset).split('\n');
    assert.deepEqual([line, column], [before.length, before.at(-1)!.length + 1]);
  }
  assert.ok(checked.diagnostics.length > 0, 'refused without a reason');
  return checked.diagnostics.map(({ message }) => message);
}

const step = (value: unknown): Record<string, unknown> => changed(['tasks', 0, 'steps', 0], value);

describe('checking a scenario', () => {
  it('reads one that uses everything', () => {
    const checked = checkScenario(textOf(sample()));
    assert.ok(checked.ok);
    const { scenario } = checked;
    assert.deepEqual(
      scenario.parameters.map(({ name, values }) => [name, values]),
      [
        ['n', [1, 10]],
        ['c', [0, 1, 2]],
        ['one', [1]],
      ],
    );
    assert.equal(scenario.tasks[0]!.steps.length, 13);
    assert.equal(scenario.tasks[0]!.steps[1]!.words.get('access'), 'read');
    assert.equal(scenario.tasks[0]!.steps.at(-1)!.steps[1]!.name, 'unmap');
  });

  it('allows comments and a comma at the end of a list', () => {
    const text = `// first\n${textOf(sample()).replace('"seed": 7,', '/* seven */ "seed": 7,').replace(/\}$/, ',}')}`;
    assert.ok(checkScenario(text).ok);
  });

  it('says the line of a mistake', () => {
    const text = textOf(changed(['cpus'], 0));
    const checked = checkScenario(text);
    assert.ok(!checked.ok);
    const [first] = checked.diagnostics;
    assert.equal(text.split('\n')[first!.line - 1]!.trim(), '"cpus": 0,');
    assert.equal(first!.message, 'cpus is from 1 to 256, not 0');
  });

  const atTheDoor: readonly (readonly [string, unknown, ...string[]])[] = [
    ['CPU 99', changed(['tasks', 0, 'cpu'], 99), 'there is no CPU 99: the scenario has CPUs 0 to 3'],
    ['stride 63', step({ unmap: { stride: 63 } }), "'stride' is 12, not 63"],
    ['stride 21 of pages of 4K', step({ madvise: { stride: 21 } }), "'stride' is 12, not 21"],
    [
      'pages of two sizes',
      changed(['spaces', 'child'], { pages: 0, pageSize: '2M' }),
      "all spaces of a scenario have pages of one size, and 'a' has 4K",
    ],
    [
      'a fork of pages of 2M',
      changed(['spaces'], { a: { pages: 4, pageSize: '2M' }, child: { pages: 0, pageSize: '2M' } }),
      "'stride' is 21, not 12",
      "'fork' is there for pages of 4K only",
      "'reclaim' is there for pages of 4K only",
    ],
    [
      'user code within an entry',
      step({ enter: { by: 'syscall', steps: [{ touch: {} }] } }),
      "'touch' is not done in the kernel: put it behind the 'enter'",
    ],
    [
      'an NMI with steps',
      step({ enter: { by: 'nmi', steps: [{ measure: {} }] } }),
      'an NMI has no steps: it neither waits nor changes memory',
    ],
    [
      'an entry in an entry',
      step({ enter: { by: 'syscall', steps: [{ enter: { by: 'interrupt', steps: [{ madvise: {} }] } }] } }),
      "an 'enter' with steps does not lie in another one",
    ],
    [
      'a system call of the kernel',
      step({ enter: { by: 'interrupt', steps: [{ enter: { by: 'syscall' } }] } }),
      'the kernel makes no system calls',
    ],
    [
      'a switch in a trap',
      step({ enter: { by: 'paranoid', steps: [{ switch: { space: 'a' } }] } }),
      'a paranoid entry goes back to where it came from: no switch in it',
    ],
    [
      'an exit of an interrupt',
      step({ enter: { by: 'interrupt', exit: 'nostack' } }),
      "only a system call has an 'exit' to choose",
    ],
    [
      'two ways out',
      step({ enter: { by: 'syscall', steps: [{ madvise: { exit: 'nostack' } }] } }),
      "within an 'enter' there is one way out: that of the 'enter'",
    ],
    [
      '10⁹ repetitions',
      step({ repeat: { times: 1e9, steps: [{ touch: {} }] } }),
      "'times' is from 0 to 10000, not 1000000000",
    ],
    [
      'repetitions of repetitions',
      step({ repeat: { times: 10_000, steps: [{ repeat: { times: 10_000, steps: [{ touch: {} }] } }] } }),
      `a task has at most ${limits.expandedSteps} steps once its repetitions are written out, not 100000051`,
    ],
    [
      'a CPU that a parameter makes',
      changed(['parameters', 'c'], 4),
      'there is no CPU 4: the scenario has CPUs 0 to 3 (c = 4)',
    ],
    ['an unknown name', changed(['tasks', 0, 'warm'], 'm'), "'warm': no parameter is called 'm'"],
    ['a division by zero', changed(['tasks', 0, 'warm'], 'n / (1 - c)'), 'it divides by zero (n = 1, c = 1)'],
    ['two tasks of one CPU', changed(['tasks', 1, 'cpus'], [0, 1]), 'CPU 0 has a task already'],
    ['too few sockets', changed(['sockets'], [0]), 'sockets has one entry for each of the 4 CPUs, not 1'],
    ['an unknown space', changed(['tasks', 0, 'space'], 'b'), "there is no space 'b'"],
    [
      'too many runs',
      changed(['parameters', 'n'], { from: 1, to: 1000 }),
      `parameters and variants make at most ${limits.runs} runs, not 6000`,
    ],
  ];
  for (const [name, scenario, ...messages] of atTheDoor)
    it(`names the limit: ${name}`, () =>
      assert.deepEqual(messagesOf(textOf(scenario)).slice(0, messages.length), messages));

  it('lists the steps there are for an unknown one', () => {
    const [message] = messagesOf(textOf(step({ jump: {} })));
    assert.match(message!, /^there is no step 'jump'; there are map, touch, unmap/);
  });

  it('refuses deep and long files without reading them', () => {
    assert.deepEqual(messagesOf('['.repeat(100_000)), ['values lie in each other at most 16 deep']);
    assert.deepEqual(messagesOf(' '.repeat(limits.characters + 1)), [
      'a scenario has at most 262144 characters',
    ]);
  });

  it('refuses a name that comes twice', () => {
    const text = textOf(sample()).replace('"cpus": 4', '"cpus": 4, "cpus": 5');
    assert.deepEqual(messagesOf(text), ["'cpus' is there twice"]);
  });

  it('sets a parameter from outside, and checks it', () => {
    assert.ok(checkScenario(textOf(sample()), new Map([['n', 5]])).ok);
    const outside = checkScenario(textOf(sample()), new Map([['c', 50]]));
    assert.ok(!outside.ok);
    assert.match(outside.diagnostics[0]!.message, /no CPU 50/);
  });
});

describe('the JSON schema and the checker', () => {
  const good: readonly unknown[] = [
    sample(),
    ...['about', 'appliesTo', 'machine', 'features', 'seed', 'expect'].map(key => changed([key], undefined)),
    changed(['tasks', 0, 'steps'], [{ touch: { pages: '(n+1)*2 % 3 <= 4' } }]),
    changed(['parameters', 'n'], { from: 1, to: 9, step: 4 }),
    changed(
      ['tasks', 0, 'steps'],
      [
        {
          enter: {
            ...{ by: 'syscall', exit: 'nostack' },
            steps: [
              { repeat: { times: 2, steps: [{ madvise: { pages: 4, each: 'n' } }] } },
              { enter: { by: 'nmi' } },
              { barrier: { name: 'warm' } },
              { switch: { space: 'child' } },
            ],
          },
        },
        { barrier: { name: 'warm' } },
      ],
    ),
    {
      ...changed(['tasks', 0, 'steps'], [{ unmap: { stride: 21 } }]),
      spaces: { a: { pages: 4, pageSize: '2M' } },
    },
  ];
  const bad: readonly unknown[] = [
    [],
    'text',
    ...['title', 'kernel', 'cpus', 'spaces', 'tasks'].map(key => changed([key], undefined)),
    ...[0, 257, 1.5, '4', null].map(cpus => changed(['cpus'], cpus)),
    ...[0, -1, 2 ** 31].map(seed => changed(['seed'], seed)),
    ...['', 5, 'x'.repeat(201)].map(title => changed(['title'], title)),
    changed(['more'], 1),
    ...[[], [0, 0, 0, 8], [0, 0, 0, 'x'], 0].map(sockets => changed(['sockets'], sockets)),
    changed(['kernel'], 'a b'),
    changed(['appliesTo'], 'x.c'),
    changed(['features', 0], ''),
    ...[{}, [], { 'a b': [] }, { a: 'x' }, { a: [1] }].map(variants => changed(['variants'], variants)),
    ...[{ 'n-1': 1 }, { n: [] }, { n: {} }, { n: { from: 1 } }, { n: 'x' }, { n: 1.5 }].map(parameters =>
      changed(['parameters'], parameters),
    ),
    ...[{}, { a: {} }, { a: 5 }, { a: { pages: 1, more: 1 } }, { a: { pages: true } }].map(spaces =>
      changed(['spaces'], spaces),
    ),
    changed(['spaces', 'a', 'writable'], 1),
    changed(['spaces', 'a', 'pageSize'], '1G'),
    changed(['speculation'], 1),
    changed(['tasks'], []),
    changed(['tasks', 0], { steps: [{ touch: {} }] }),
    changed(['tasks', 0], { cpu: 0 }),
    changed(['tasks', 0], { cpu: 0, cpus: [0, 1], steps: [{ touch: {} }] }),
    changed(['tasks', 1, 'cpus'], [1]),
    changed(['tasks', 0, 'steps'], []),
    changed(['tasks', 0, 'lazy'], 'yes'),
    changed(['tasks', 0, 'name'], 'x'),
    ...[
      ...[5, 'touch', {}, { touch: {}, lazy: {} }, { jump: {} }, { touch: 5 }, { touch: { page: 1 } }],
      ...[{ touch: { pages: 1.5 } }, { touch: { pages: 'n;' } }, { touch: { access: 'none' } }],
      ...[{ unmap: { stride: 63 } }, { madvise: { advice: 'FREE' } }, { madvise: { exit: 'nmi' } }],
      ...[{ mprotect: {} }, { fork: {} }, { reclaim: {} }, { switch: {} }, { enter: {} }, { nmi: {} }],
      ...[{ barrier: {} }, { barrier: { name: '1' } }, { lazy: { cpu: 1 } }, { repeat: { times: 1 } }],
      ...[{ madvise: { each: 'x;' } }, { enter: { by: 'syscall', steps: [] } }],
      ...[{ enter: { by: 'syscall', steps: [{ jump: {} }] } }],
      ...[{ repeat: { steps: [{ touch: {} }] } }, { repeat: { times: 1, steps: [] } }],
    ].map(step),
    ...[
      ...[5, {}, { what: 'INVLPG' }, { is: 1 }, { what: 'INVLPGX', is: 1 }, { what: 'INVLPG', is: true }],
      ...[
        { what: 'verdict', is: 'fine' },
        { what: 'verdict', atMost: 1 },
        { what: 'verdict', is: 'safe', cpu: 0 },
      ],
      ...[
        { what: 'cycles', is: 1, more: 1 },
        { what: 'cycles', is: 'safe;' },
        { what: 'cycles', is: 1, variant: 1 },
      ],
    ].map(one => changed(['expect', 0], one)),
  ];

  it('both accept what is right', () => {
    for (const one of good) {
      assert.ok(accepts(one), `${textOf(one)}\n${JSON.stringify(accepts.errors)}`);
      assert.deepEqual(messagesOf(textOf(one)), []);
    }
  });

  it('both refuse what is wrong', () => {
    assert.ok(bad.length >= 70);
    for (const one of bad) {
      assert.ok(!accepts(one), `the schema accepts ${JSON.stringify(one)}`);
      assert.ok(messagesOf(textOf(one)).length > 0, `the checker accepts ${JSON.stringify(one)}`);
    }
  });
});

describe('damaged scenario files', () => {
  const text = textOf(sample());
  /** Cut, overwrite or repeat a piece. */
  const damage = fc
    .record({
      at: fc.nat(text.length - 1),
      length: fc.nat(40),
      instead: fc.oneof(
        fc.string({ maxLength: 12 }),
        fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          '"',
          ',',
          ':',
          '-1',
          '1e99',
          'null',
          '"__proto__": 1,',
          '/*',
          '\\u12',
        ),
        fc.constant(text.slice(100, 400)),
      ),
    })
    .map(({ at, length, instead }) => text.slice(0, at) + instead + text.slice(at + length));

  it('500 of them give a scenario or diagnostics with positions, and never throw', () => {
    let refused = 0;
    fc.assert(
      fc.property(damage, damaged => {
        if (messagesOf(damaged).length > 0) refused++;
      }),
      { numRuns: 500, seed: 20 },
    );
    assert.ok(refused > 400, `only ${refused} of the damaged files were refused`);
  });

  it('values of any kind in any place do not throw', () => {
    const places = [
      'title',
      'appliesTo',
      'features',
      'cpus',
      'seed',
      'parameters',
      'variants',
      'spaces',
      'tasks',
      'expect',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 4 }), (place, value) => {
        messagesOf(textOf({ ...sample(), [place]: value }));
      }),
      { numRuns: 500, seed: 21 },
    );
  });
});
