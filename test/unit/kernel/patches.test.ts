/** The variants as patches: they read without a diagnostic, apply with git and with the product, and are priced. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { modelTree, modelVariants } from '../../../src/kernel/tree';
import { applyToTree } from '../../../src/patch/apply';
import { readPatch } from '../../../src/patch/read';
import { variantTree } from './support';

describe('variants of the model kernel', function () {
  this.timeout(60_000);
  const root = mkdtempSync(join(tmpdir(), 'model-'));
  after(() => rmSync(root, { recursive: true, force: true }));

  const write = (folder: string): string => {
    const base = join(root, folder);
    for (const [path, text] of modelTree()) {
      mkdirSync(dirname(join(base, path)), { recursive: true });
      writeFileSync(join(base, path), text);
    }
    return base;
  };

  it('the example is the series as posted mails', () => {
    const document = readPatch(readFileSync('examples/06-model-kernel-series.mbox', 'utf8'));
    assert.deepEqual(document.diagnostics, []);
    const applied = applyToTree(modelTree(), document.files, { fuzz: 0 });
    assert.ok(applied.ok);
    assert.deepEqual(applied.tree, variantTree('no-deferral-on-shootdown'));
  });

  for (const { name, patches } of modelVariants) {
    it(`${name}: read without diagnostics`, () => {
      for (const { text } of patches) {
        const document = readPatch(text);
        assert.deepEqual(document.diagnostics, []);
        assert.ok(document.files.length > 0);
        assert.equal(document.messages.length, 1);
      }
    });

    it(`${name}: git and the product make the same tree of it`, function () {
      if (spawnSync('git', ['--version']).status !== 0) return this.skip();
      const base = write(name);
      for (const { text } of patches) {
        const run = spawnSync('git', ['apply', '--whitespace=error', '-'], { cwd: base, input: text });
        assert.equal(run.status, 0, run.stderr.toString());
      }
      const expected = variantTree(name);
      const other = write(`${name}-product`);
      for (const [path, text] of expected) writeFileSync(join(other, path), text);
      const compared = spawnSync('git', ['diff', '--no-index', '--quiet', base, other]);
      assert.equal(compared.status, 0, compared.stdout.toString());
    });
  }
});
