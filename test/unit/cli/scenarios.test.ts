/** `tlbscope run` and `tlbscope scenarios`: the contract's keys, exit codes, mistakes at their line. */
import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findVariant, modelTree } from '../../../src/kernel/tree';
import { runCommandLine } from '../../../src/cli/commandLine';

const folder = mkdtempSync(join(tmpdir(), 'tlbscope-scenarios-'));

async function here(...args: string[]) {
  let out = '';
  let error = '';
  const code = await runCommandLine(args, {
    out: text => void (out += text),
    error: text => void (error += text),
  });
  return { code, out, error };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

interface Output {
  readonly scenario: string;
  readonly runs: readonly Record<string, unknown>[];
}

const small = (expect: string): string => `{
  // One page, dropped.
  "title": "Small", "kernel": "linux", "cpus": 1, "features": ["PGE"],
  "spaces": { "a": { "pages": 1 } },
  "tasks": [{ "cpu": 0, "steps": [{ "madvise": {} }] }],
  "expect": [${expect}],
}
`;

describe('tlbscope run', function () {
  this.timeout(60_000);
  it('says that it does not know a feature', async () => {
    const run = (features: string) =>
      here('run', 'madvise-one-thread', '--set', 'n=1', '--variant', 'base', '--features', features);
    assert.match((await run('PTI,PCDI')).error, /--features: PCDI: no such feature is known/);
    assert.equal((await run('PTI,PCID')).error, '');
  });

  it('gives what the contract says', async () => {
    const { code, out } = await here(
      'run',
      'madvise-one-thread',
      '--set',
      'n=2',
      '--variant',
      'base',
      '--json',
    );
    assert.equal(code, 0);
    const { scenario, runs } = JSON.parse(out) as Output;
    assert.equal(scenario, 'madvise(DONTNEED) of n pages, one thread');
    assert.equal(runs.length, 1);
    const [run] = runs;
    assert.deepEqual(run!['parameters'], { n: 2 });
    assert.equal(run!['variant'], 'base');
    assert.equal(run!['machine'], 'broadwell-ep-e5-2660v4');
    assert.equal(run!['verdict'], 'safe');
    const cycles = run!['cycles'] as Record<string, unknown>;
    assert.deepEqual(Object.keys(cycles), ['total', 'low', 'high', 'perCpu', 'byOperation', 'dominant']);
    for (const key of ['counts', 'misses', 'assumed', 'unknown', 'expect']) assert.ok(key in run!, key);
    for (const one of run!['expect'] as Record<string, unknown>[]) {
      assert.equal(typeof one['text'], 'string');
      assert.equal(one['ok'], true);
    }
  });

  it('takes another machine, and the order of --variant is that of the file', async () => {
    const { out } = await here(
      ...['run', 'madvise-one-thread', '--set', 'n=1', '--json', '--machine', 'skylake-sp-8160'],
      ...['--variant', 'deferred', '--variant', 'base'],
    );
    const { runs } = JSON.parse(out) as Output;
    assert.deepEqual(
      runs.map(run => [run['variant'], run['machine']]),
      [
        ['base', 'skylake-sp-8160'],
        ['deferred', 'skylake-sp-8160'],
      ],
    );
  });

  it('prints events as NDJSON with --trace', async () => {
    const { code, out } = await here('run', file('trace.tlbscope.jsonc', small('')), '--trace');
    assert.equal(code, 0);
    const events = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>);
    events.forEach((event, seq) => assert.equal(event['seq'], seq));
    assert.equal(events.filter(({ name }) => name === 'INVLPG').length, 1);
  });

  it('says by its exit code with --trace too that an expectation does not hold', async () => {
    const path = file('fails.tlbscope.jsonc', small('{ "what": "INVLPG", "is": 2 }'));
    assert.equal((await here('run', path, '--trace', '--check')).code, 1);
    assert.equal((await here('run', path, '--trace')).code, 0);
  });

  it('compares the tree before and after a patch', async () => {
    const patch = findVariant('range-interface')!.patches[0]!.text;
    const path = file('range.patch', patch);
    const { code, out } = await here('run', 'madvise-one-thread', '--set', 'n=2', '--json', '--patch', path);
    assert.equal(code, 0);
    const { runs } = JSON.parse(out) as Output;
    assert.deepEqual(
      runs.map(run => [run['variant'], run['verdict'], (run['counts'] as Record<string, number>)['INVLPG']]),
      [
        ['before', 'safe', 2],
        ['after', 'safe', 2],
      ],
    );
    const elsewhere = file('elsewhere.patch', '--- a/mm/tq.c\n+++ b/mm/tq.c\n@@ -1 +1 @@\n-a\n+b\n');
    const refused = await here('run', 'refill', '--patch', elsewhere);
    assert.equal(refused.code, 2);
    assert.match(refused.error, /elsewhere\.patch: line \d+: the patch does not apply to .*there is no file/);
    assert.match(refused.error, /made for: give that as --tree DIR\n$/);
  });

  /** The model's TLB code and headers alone, with a ceiling of its own. */
  function partialTree(name: string): string {
    const root = join(folder, name);
    for (const [path, text] of modelTree()) {
      if (path !== 'arch/x86/mm/tlb.c' && !path.endsWith('.h')) continue;
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text.replace('ceiling = 33', 'ceiling = 1'));
    }
    return root;
  }

  it('runs a folder as the kernel tree, and says whose the files are', async () => {
    const root = partialTree('partial');
    const { code, out } = await here('run', 'madvise-one-thread', '--set', 'n=2', '--json', '--tree', root);
    assert.equal(code, 0);
    const { tree, runs } = JSON.parse(out) as Output & { tree: string };
    assert.equal(tree, root);
    assert.deepEqual(
      runs.map(run => [run['variant'], (run['counts'] as Record<string, number>)['CR3_FLUSH']]),
      [['tree', 2]],
    );
    const sources = runs[0]!['sources'] as { file: string; from: string }[];
    assert.ok(sources.some(({ file, from }) => file === 'arch/x86/mm/tlb.c' && from === 'tree'));
    assert.ok(sources.some(({ file, from }) => file === 'mm/madvise.c' && from === 'model'));
    const { out: text } = await here('run', 'madvise-one-thread', '--set', 'n=2', '--tree', root);
    assert.match(text, /^from \S+partial: .*arch\/x86\/mm\/tlb\.c/m);
    assert.match(text, /^from TLBScope's model: .*mm\/madvise\.c/m);
  });

  it('a scenario names its own tree and patches, relative to its file', async () => {
    partialTree('own');
    file(
      'two.patch',
      [
        ...['--- a/arch/x86/mm/tlb.c', '+++ b/arch/x86/mm/tlb.c', '@@ -10 +10 @@'],
        ...['-unsigned long tlb_single_page_flush_ceiling = 1;'],
        ...['+unsigned long tlb_single_page_flush_ceiling = 2;', ''],
      ].join('\n'),
    );
    const text = small('')
      .replace('"kernel": "linux"', '"kernel": "./own", "variants": { "as-is": [], "two": ["./two.patch"] }')
      .replace('"pages": 1', '"pages": 2')
      .replace('"madvise": {}', '"madvise": { "pages": 2 }');
    const { code, out } = await here('run', file('own.tlbscope.jsonc', text), '--json');
    assert.equal(code, 0);
    const { runs } = JSON.parse(out) as Output;
    assert.deepEqual(
      runs.map(run => [run['variant'], (run['counts'] as Record<string, number>)['INVLPG'] ?? 0]),
      [
        ['as-is', 0],
        ['two', 2],
      ],
    );
  });

  it('notes what flushes dropped needlessly', async () => {
    const { out } = await here('run', 'refill', '--set', 'n=34,w=40', '--json');
    const { runs } = JSON.parse(out) as Output;
    // Of 40 translations 34 had to go; the rest is dropped with them.
    const [note, ...others] = runs[0]!['notes'] as string[];
    assert.match(
      note!,
      /^overflush: flushes dropped 6 translations that were still right \(6 on CPU 0\): 6 at arch\/x86\/\S+:\d+$/,
    );
    assert.deepEqual(others, []);
    const exact = await here('run', 'refill', '--set', 'n=33,w=40', '--json');
    assert.deepEqual((JSON.parse(exact.out) as Output).runs[0]!['notes'], []);
  });

  it('exits with 1 under --check only', async () => {
    const path = file('check.tlbscope.jsonc', small('{ "what": "INVLPG", "is": 2 }'));
    const { code, out } = await here('run', path);
    assert.equal(code, 0);
    assert.match(out, /line 6: base, -: expected INVLPG == 2, found 1\n/);
    assert.equal((await here('run', path, '--check')).code, 1);
    const good = file('good.tlbscope.jsonc', small('{ "what": "INVLPG", "is": 1 }'));
    assert.equal((await here('run', good, '--check')).code, 0);
  });

  it('has one line and exit code 2 for what is wrong', async () => {
    const broken = file('broken.tlbscope.jsonc', small('{ "what": "jumps", "is": 2 }'));
    const lost = small('').replace('"madvise": {}', '"switch": { "space": "b" }');
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['run'], /argument|SCENARIO|missing/i],
      [['run', 'nothing-of-that-name'], /no such file/],
      [['run', broken], /broken\.tlbscope\.jsonc:6:24: 'what' is cycles, misses, verdict or an operation/],
      [['run', file('lost.tlbscope.jsonc', lost)], /lost\.tlbscope\.jsonc:5:\d+: there is no space 'b'/],
      [['run', 'refill', '--set', 'x=1'], /the scenario has no such parameter/],
      [['run', 'refill', '--set', 'w'], /--set wants NAME=NUMBER/],
      [['run', 'refill', '--set', 'w=99999999'], /'warm' is from 0 to 16384, not 99999999/],
      [['run', 'refill', '--machine', 'z80'], /no machine 'z80'/],
      [['run', 'refill', '--variant', 'x'], /no variant 'x'; there are base/],
      [['run', 'refill', '--machine', 'cortex-a72'], /x86/],
      [['run', 'refill', '--tree', join(folder, 'nowhere')], /--tree .*nowhere/],
      [['run', 'refill', '--tree', folder], /there is no arch\/x86\/mm\/tlb\.c in it/],
      [
        ['run', file('jump.tlbscope.jsonc', small('').replace('madvise', 'jump'))],
        /:5:\d+: there is no step 'jump'/,
      ],
      [
        ['run', file('cpu.tlbscope.jsonc', small('').replace('"cpu": 0', '"cpu": 99'))],
        /:5:\d+: there is no CPU 99: the scenario has CPUs 0 to 0/,
      ],
      [
        [
          'run',
          file('stride.tlbscope.jsonc', small('').replace('"madvise": {}', '"madvise": { "stride": 63 }')),
        ],
        /:5:\d+: 'stride' is 12, not 63/,
      ],
      [
        [
          'run',
          file(
            'times.tlbscope.jsonc',
            small('').replace(
              '"madvise": {}',
              '"repeat": { "times": 1000000000, "steps": [{ "touch": {} }] }',
            ),
          ),
        ],
        /:5:\d+: 'times' is from 0 to 10000, not 1000000000/,
      ],
    ];
    for (const [args, message] of cases) {
      const { code, out, error } = await here(...args);
      assert.equal(code, 2, args.join(' '));
      assert.equal(out, '');
      assert.match(error, /^tlbscope run: [^\n]*\n$/);
      assert.match(error, message);
    }
  });
});

describe('tlbscope scenarios', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('lists the built-in ones', async () => {
    const { code, out } = await here('scenarios', '--json');
    assert.equal(code, 0);
    const { scenarios } = JSON.parse(out) as { scenarios: { name: string; title: string }[] };
    assert.ok(scenarios.length >= 10);
    assert.ok(scenarios.some(({ name }) => name === 'several-ranges'));
  });

  it('finds those for a patch, by path and by function', async () => {
    const byPath = file(
      'a.patch',
      [
        '--- a/arch/x86/entry/calling.h',
        '+++ b/arch/x86/entry/calling.h',
        '@@ -1 +1 @@',
        '-a',
        '+b',
        '',
      ].join('\n'),
    );
    const { out } = await here('scenarios', '--json', '--for', byPath);
    const names = (JSON.parse(out) as { scenarios: { name: string }[] }).scenarios.map(({ name }) => name);
    for (const name of ['nmi-after-flush', 'no-stack-exit', 'several-ranges', 'ways-out'])
      assert.ok(names.includes(name), name);
    assert.ok(!names.includes('reclaim-batch'));
    const byFunction = file('b.c', 'void f(void)\n{\n\tenter_lazy_tlb(mm, next);\n}\n');
    const { out: table } = await here('scenarios', '--for', byFunction);
    assert.match(table, /lazy-cpus/);
    assert.doesNotMatch(table, /no-stack-exit/);
    const nothing = await here('scenarios', '--for', file('c.c', 'int x;\n'));
    assert.equal(nothing.out, 'No built-in scenario applies.\n');
    assert.equal(nothing.code, 0);
  });
});
