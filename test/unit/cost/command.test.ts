/** `tlbscope cost`: options, the JSON of the contract, and exit codes. */
import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../../src/cli/commandLine';
import { readFeatures, readLimit, readSymbols, strangeFeatures } from '../../../src/cli/costOptions';
import { defaultMachine } from '../../../src/machine/registry';
import { patchOf } from './support';

async function cost(...args: string[]) {
  let out = '';
  let error = '';
  const code = await runCommandLine(['cost', ...args], {
    out: text => void (out += text),
    error: text => void (error += text),
  });
  return { code, out, error };
}

/** The contract's keys, as far as they are looked at here. */
interface CostDocument {
  readonly machine: string;
  readonly features: readonly string[];
  readonly symbols: Readonly<Record<string, number>>;
  readonly hunks: readonly (Readonly<Record<string, unknown>> & {
    readonly delta: Readonly<Record<string, string>>;
    readonly cycles: { readonly delta: number; readonly low: number; readonly high: number } | null;
    readonly unknown: readonly { readonly name: string; readonly why: string }[];
  })[];
  readonly total: {
    readonly delta: Readonly<Record<string, string>>;
    readonly patches: readonly {
      readonly supersededBy: number | null;
      readonly roots: readonly { readonly function: string }[];
    }[];
  };
  readonly findings: readonly unknown[];
}

describe('tlbscope cost', function () {
  this.timeout(20_000);
  const folder = mkdtempSync(join(tmpdir(), 'tlbscope-cost-'));
  const file = join(folder, 'x.patch');
  const json = async (...args: string[]): Promise<CostDocument> => {
    const { code, out, error } = await cost(file, '--json', ...args);
    assert.equal(error, '');
    assert.equal(code, 0);
    return JSON.parse(out) as CostDocument;
  };

  before(() =>
    writeFileSync(
      file,
      patchOf(
        'arch/x86/mm/tq.c',
        `
 static void tq_flush(unsigned long start, unsigned long end, u16 asid)
 {
 	unsigned long addr;
 
+	if (static_cpu_has(X86_FEATURE_PTI))
+		invpcid_flush_single_context(user_pcid(asid));
 	for (addr = start; addr < end; addr += PAGE_SIZE)
-		invpcid_flush_one(kern_pcid(asid), addr);
+		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 }
`,
      ),
    ),
  );
  after(() => rmSync(folder, { recursive: true }));

  it('answers with every key of the contract', async () => {
    const document = await json('--features', 'PTI,PCID,INVPCID');
    const keys = [
      'file',
      'oldStart',
      'documentLine',
      'function',
      'functions',
      'before',
      'delta',
      'conditions',
    ];
    const more = ['gates', 'alternatives', 'unknown', 'byName', 'cycles', 'lines'];
    const [hunk] = document.hunks;
    for (const key of [...keys, ...more]) assert.ok(Object.hasOwn(hunk!, key), key);
    assert.deepEqual(document.features, ['INVPCID', 'PCID', 'PTI']);
    assert.deepEqual(document.symbols, { n: 10, c: 3 });
    assert.deepEqual(hunk!.delta, { INVLPG: 'n', INVPCID_ADDR: '-n', INVPCID_CTX: '1' });
    assert.deepEqual(
      { ...hunk, delta: 0, cycles: 0, lines: 0, alternatives: 0, counts: 0, assumed: 0 },
      {
        ...{ file: 'arch/x86/mm/tq.c', oldStart: 100, newStart: 100, documentLine: 5, message: 1 },
        ...{
          function: 'tq_flush',
          functions: ['tq_flush'],
          before: 'present',
          conditions: [],
          gates: ['PTI'],
        },
        ...{ unknown: [], deferred: [], byName: false },
        ...{ delta: 0, cycles: 0, lines: 0, alternatives: 0, counts: 0, assumed: 0 },
      },
    );
    assert.deepEqual(hunk!['alternatives'], [
      { features: ['INVPCID', 'PCID'], delta: { INVLPG: 'n', INVPCID_ADDR: '-n' } },
    ]);
    assert.deepEqual(hunk!['lines'], [
      { documentLine: 11, side: 'new', operations: { INVPCID_CTX: '1' } },
      { documentLine: 13, side: 'old', operations: { INVPCID_ADDR: 'n' } },
      { documentLine: 14, side: 'new', operations: { INVLPG: 'n' } },
    ]);
    assert.deepEqual(document.total.patches[0]!.roots.map(root => root.function), ['tq_flush']); // prettier-ignore
    assert.deepEqual(document.findings, []);
  });

  it('prices with n, and with the range of every figure', async () => {
    // Broadwell-EP: INVLPG 120 (90 to 160), INVPCID of type 0 258 (228 to 300).
    const document = await json('--features', 'none', '--set', 'n=4');
    const { cycles } = document.hunks[0]!;
    assert.deepEqual(
      [cycles!.delta, cycles!.low, cycles!.high],
      [4 * (120 - 258), 4 * (90 - 300), 4 * (160 - 228)],
    );
  });

  it('has no cycles, and says why, on a machine that lacks an operation', async () => {
    const document = await json('--features', 'none', '--machine', 'cortex-a72');
    const [hunk] = document.hunks;
    assert.deepEqual(hunk!.delta, { INVLPG: 'n', INVPCID_ADDR: '-n' });
    assert.equal(hunk!.cycles, null);
    assert.match(hunk!.unknown.find(item => item.name === 'cycles')?.why ?? '', /x86/);
  });

  it('exits with 1 where the total breaks the limit', async () => {
    const fine = await cost(file, '--features', 'none', '--check', 'cycles<=0');
    assert.equal(fine.code, 0);
    const broken = await cost(file, '--features', 'none', '--check', 'cycles<-100000');
    assert.equal(broken.code, 1);
    assert.match(broken.error, /does not keep to cycles<-100000/);
  });

  it('exits with 2 and one line for bad options', async () => {
    for (const args of [
      ['--set', 'n'],
      ['--set', 'n=-1'],
      ['--set', 'n=x'],
      ['--features', 'PTI;PCID'],
      ['--features', 'PTI=maybe'],
      ['--machine', 'abacus'],
      ['--check', 'cost<1'],
      ['--tree', join(folder, 'nowhere')],
      ['--tree', file],
    ]) {
      const { code, out, error } = await cost(file, ...args);
      assert.equal(code, 2, args.join(' '));
      assert.equal(out, '');
      assert.match(error, /^tlbscope[^\n]*\n$/);
    }
  });

  it('reads symbols, features and limits', () => {
    assert.deepEqual(readSymbols([]), { values: { n: 10, c: 3 }, nGiven: false });
    assert.deepEqual(readSymbols(['n=40,c=0', 'order=2']), {
      values: { n: 40, c: 0, order: 2 },
      nGiven: true,
    });
    const machine = defaultMachine();
    assert.deepEqual([...readFeatures(undefined, machine).features], machine.features);
    assert.deepEqual([...readFeatures('none', machine).features], []);
    assert.deepEqual([...readFeatures('', machine).features], []);
    assert.deepEqual(
      [...readFeatures('pti,x86_feature_pcid,tq_key', machine).features],
      ['PTI', 'PCID', 'tq_key'],
    );
    assert.deepEqual(strangeFeatures(readFeatures('PTI,BOGUS,tq_key', machine), 'if (tq_key)'), ['BOGUS']);
    const mixed = readFeatures('X86_FEATURE_PTI,XENPV,CONFIG_X=n,tq_key=y', machine);
    assert.deepEqual([...mixed.features], ['PTI', 'XEN_PV']);
    assert.deepEqual([...mixed.config], [['CONFIG_X', false]]);
    assert.equal(mixed.switched.get('tq_key'), true);
    // A setting of the configuration alone leaves the machine's features as they are.
    assert.deepEqual([...readFeatures('CONFIG_X=n', machine).features], machine.features);
    assert.equal(readLimit('cycles<=200').holds(200), true);
    assert.equal(readLimit('cycles<200').holds(200), false);
    assert.equal(readLimit('cycles<200').holds(null), false);
  });

  it('closes the tree to paths that lead out of it', async () => {
    const patch = patchOf('../../etc/tq.c', '\n int a;\n+void f(void) { flush_tlb_all(); }\n');
    const escaping = join(folder, 'escaping.patch');
    writeFileSync(escaping, patch);
    const { code, error } = await cost(escaping, '--tree', folder, '--json');
    assert.deepEqual([code, error], [0, '']);
  });
});
