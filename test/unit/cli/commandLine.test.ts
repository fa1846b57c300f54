/** The command line in a process of its own: exit codes, one line on stderr, standard input, bad input. */
import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../../src/cli/commandLine';

const folder = mkdtempSync(join(tmpdir(), 'tlbscope-cli-'));
const script = join(folder, 'cli.js');
const patch = ['--- a/x.c', '+++ b/x.c', '@@ -1 +1 @@', '-a();', '+flush_tlb_all();', ''].join('\n');

/** Exit code and output of the built command line. */
function tlbscope(args: readonly string[], input: string | Buffer = '') {
  const run = spawnSync(process.execPath, [script, ...args], { input, encoding: 'utf8', cwd: folder });
  return { code: run.status, out: run.stdout, error: run.stderr };
}

/** The same in this process, for what needs no process. */
async function here(...args: string[]) {
  let out = '';
  let error = '';
  const code = await runCommandLine(args, {
    out: text => void (out += text),
    error: text => void (error += text),
  });
  return { code, out, error };
}

function assertBad(
  { code, out, error }: { code: number | null; out: string; error: string },
  why: RegExp,
): void {
  assert.equal(code, 2);
  assert.equal(out, '');
  assert.match(error, why);
  assert.match(error, /^tlbscope[^\n]*\n$/, 'one line');
}

describe('the command line', () => {
  before(function () {
    this.timeout(30_000);
    // The bundler's own settings: the command line carries texts that only they know how to load.
    const program = `import('./scripts/bundles.mjs').then(({ buildCommandLine }) => buildCommandLine(process.argv[1]))`;
    const built = spawnSync(process.execPath, ['-e', program, script], { encoding: 'utf8' });
    assert.equal(built.status, 0, built.stderr);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('explains itself', async () => {
    const all = await here('--help');
    assert.equal(all.code, 0);
    for (const name of ['parse', 'machines', 'operations']) {
      assert.match(all.out, new RegExp(`^  ${name} `, 'm'));
      const one = await here(name, '--help');
      assert.equal(one.code, 0);
      assert.match(one.out, new RegExp(`^Usage: tlbscope ${name}`));
    }
    assert.match((await here('--version')).out, /^\d+\.\d+\.\d+\n$/);
  });

  it('refuses bad usage with one line and code 2', async () => {
    assertBad(await here(), /a command is missing/);
    assertBad(await here('tq'), /no command 'tq'/);
    assertBad(await here('parse'), /an argument is missing; usage: tlbscope parse FILE/);
    assertBad(await here('parse', 'a', 'b'), /too many arguments/);
    assertBad(await here('machines', '--tq'), /Unknown option '--tq'/);
    assertBad(await here('operations', '--machine'), /--machine/);
    assertBad(
      await here('operations', '--machine', 'tq'),
      /no machine 'tq'; known are broadwell-ep-e5-2660v4, /,
    );
    assertBad(await here('operations', 'tq'), /neither an operation nor a kernel name/);
  });

  it('refuses bad input with one line and code 2', () => {
    writeFileSync(join(folder, 'empty'), '');
    writeFileSync(join(folder, 'binary'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0]));
    writeFileSync(join(folder, 'large'), '');
    truncateSync(join(folder, 'large'), 512 * 1024 * 1024 + 1);
    assertBad(tlbscope(['parse', 'empty']), /empty: is empty/);
    assertBad(tlbscope(['parse', 'binary']), /is a binary file/);
    assertBad(tlbscope(['parse', 'large']), /larger than 512 MB/);
    assertBad(tlbscope(['parse', '.']), /is a directory/);
    assertBad(tlbscope(['parse', 'absent']), /absent: no such file/);
    assertBad(tlbscope(['parse', '-']), /standard input: is empty/);
  }).timeout(20_000);

  it('reads a file and standard input alike', () => {
    writeFileSync(join(folder, 'x.patch'), patch);
    const file = tlbscope(['parse', 'x.patch', '--json']);
    const input = tlbscope(['parse', '-', '--json'], patch);
    assert.equal(file.code, 0);
    assert.equal(file.error, '');
    assert.equal(input.out, file.out);
    const { files } = JSON.parse(file.out) as { files: { newPath: string }[] };
    assert.deepEqual(
      files.map(({ newPath }) => newPath),
      ['x.c'],
    );
  });

  it('takes a patch with NUL bytes for a patch', () => {
    writeFileSync(join(folder, 'nul.patch'), `a\0b\n${patch}`);
    assert.equal(tlbscope(['parse', 'nul.patch']).code, 0);
  });

  it('writes all of a large output into a pipe', () => {
    const { code, out } = tlbscope(['operations', '--json']);
    assert.equal(code, 0);
    assert.ok(out.length > 100_000);
    JSON.parse(out);
  });
});

interface Price {
  readonly cycles?: number;
  readonly low?: number;
  readonly high?: number;
  readonly source?: readonly string[];
  readonly unknown?: string;
}

describe('machines and operations', () => {
  it('list every machine with prices, ranges and sources', async () => {
    const { code, out } = await here('machines', '--json');
    assert.equal(code, 0);
    const document = JSON.parse(out) as {
      default: string;
      machines: { id: string; features: string[]; operations: Record<string, Price> }[];
      sources: Record<string, { who: string }>;
    };
    assert.equal(document.default, 'broadwell-ep-e5-2660v4');
    assert.equal(document.machines.length, 14);
    for (const { operations } of document.machines)
      for (const price of Object.values(operations))
        if (price.unknown === undefined) {
          assert.ok(price.low! <= price.cycles! && price.cycles! <= price.high!);
          for (const source of price.source!) assert.ok(document.sources[source]?.who);
        }
    assert.equal(document.machines[0]!.operations['INVLPG']!.cycles, 120);
  });

  it('show one machine', async () => {
    const { out } = await here('machines', 'haswell');
    assert.match(out, /^INVLPG +210 \(100 to 260\) estimated +.*DH2014, DH2017$/m);
    assert.match(out, /^IPI delivery, same socket +350 \(150 to 560\) ns +derived ‡/m);
    assert.match(out, /^DH2014: Dave Hansen/m);
  });

  it('price operations on the machine asked for', async () => {
    assert.match((await here('operations')).out, /^INVPCID_ADDR +258 \(228 to 300\) derived/m);
    assert.match(
      (await here('operations', '--machine', 'zen2')).out,
      /^INVPCID_ADDR +unknown .*lacks INVPCID$/m,
    );
    const { out } = await here('operations', 'TLBI_VA_IS', '--machine', 'neoverse-n1', '--json');
    const { operations, names } = JSON.parse(out) as {
      operations: { name: string; price: Price }[];
      names: unknown[];
    };
    assert.deepEqual(
      operations.map(({ name, price }) => [name, price.cycles]),
      [['TLBI_VA_IS', 60]],
    );
    assert.deepEqual(names, []);
  });

  it('explain a kernel name, kernel by kernel', async () => {
    const { out } = await here('operations', 'flush_tlb_local');
    assert.match(out, /\[X\]/);
    assert.match(out, /\[Lx\]/);
    assert.match(out, /XEN_PV: HYPERCALL 1/);
    assert.match((await here('operations', '--names')).out, /^invlpg \[Lx, Lp, X, S\]$/m);
  });
});
