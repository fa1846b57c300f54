/**
 * `tlbscope cost` on the variants, with the model as tree. Expected by hand: a partial flush of n pages on this CPU and
 * on c others is n INVLPGs each and, under PTI, n INVPCIDs each; deferred, these go, and one exit runs n INVLPGs and an
 * LFENCE behind a CR3 write that keeps the PCID instead of one that flushes it.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../../src/cli/commandLine';
import { findVariant } from '../../../src/kernel/tree';

interface Cost {
  readonly hunks: readonly { readonly function: string | null; readonly delta: Record<string, string> }[];
  readonly total: {
    readonly patches: readonly {
      readonly roots: readonly { readonly function: string; readonly delta: Record<string, string> }[];
    }[];
  };
  readonly findings: readonly unknown[];
}

describe('prices of the variants', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'prices-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function cost(variant: string): Promise<Cost> {
    const file = join(folder, `${variant}.mbox`);
    writeFileSync(
      file,
      findVariant(variant)!
        .patches.map(({ text }) => text)
        .join(''),
    );
    let out = '';
    let error = '';
    const code = await runCommandLine(['cost', file, '--tree', 'models/linux', '--json'], {
      out: text => void (out += text),
      error: text => void (error += text),
    });
    assert.equal(code, 0, error);
    return JSON.parse(out) as Cost;
  }

  const root = (document: Cost, message: number, name: string): Record<string, string> | undefined =>
    document.total.patches[message]!.roots.find(one => one.function === name)?.delta;

  let series: Cost;
  before(async () => {
    series = await cost('full-deferred-flush-on-freed-tables');
  });

  it('1/3: the same for user ranges; kernel pages no longer flush the user PCID', () => {
    assert.deepEqual(root(series, 0, 'flush_tlb_mm_range'), {});
    assert.deepEqual(root(series, 0, 'flush_tlb_kernel_range'), { INVPCID_ADDR: '-n-c*n' });
  });

  it('2/3: INVPCIDs become INVLPGs on the way out', () => {
    assert.deepEqual(root(series, 1, 'flush_tlb_mm_range'), { INVPCID_ADDR: '-n-c*n' });
    assert.deepEqual(root(series, 1, 'SWITCH_TO_USER_CR3_STACK'), {
      ...{ CR3_FLUSH: '-1', CR3_NOFLUSH: '1', INVLPG: 'n', LFENCE: '1' },
    });
  });

  it('3/3: one CPU uses INVPCID again', () => {
    const hunk = series.hunks.filter(one => one.function === 'flush_tlb_user_pt_range').at(-2);
    assert.deepEqual(hunk?.delta, { INVPCID_ADDR: 'n' });
  });

  it('nothing is found in any of them', async () => {
    assert.deepEqual(series.findings, []);
    for (const name of ['serial-flush', 'v6.1-early-out']) assert.deepEqual((await cost(name)).findings, []);
  });

  it('a return that comes earlier costs nothing', async () => {
    const { hunks } = await cost('v6.1-early-out');
    assert.deepEqual(
      hunks.map(({ delta }) => delta),
      [{}],
    );
  });
});
