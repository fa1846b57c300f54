import { strict as assert } from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../../src/patch/json';
import { readBytes, root } from './support';

interface Expected {
  readonly files: readonly Record<string, unknown>[];
  readonly messages: number;
  readonly diagnostics: readonly string[];
}

/** The kinds that the cases speak of; others may appear anywhere. */
const judged = new Set(['hunk-count-mismatch', 'combined-diff', 'encoded-body', 'non-utf8']);

describe('parse cases', () => {
  const folder = join(root, 'test/cases/parse');
  for (const name of readdirSync(folder)) {
    it(name, () => {
      const expected = JSON.parse(readFileSync(join(folder, name, 'expected.json'), 'utf8')) as Expected;
      const got = parseJson(readBytes(readFileSync(join(folder, name, 'input.patch'))));
      const files = got.files.map(({ oldPath, newPath, status, hunks }) => ({
        oldPath,
        newPath,
        status,
        hunks,
      }));
      assert.deepEqual(files, expected.files);
      assert.equal(got.messages, expected.messages);
      const kinds = new Set(got.diagnostics.map(({ kind }) => kind).filter(kind => judged.has(kind)));
      assert.deepEqual([...kinds].sort(), expected.diagnostics);
    });
  }
});
