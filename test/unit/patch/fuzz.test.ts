import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PatchDocument } from '../../../src/patch/model';
import { damage, generator } from './damage';
import { readBytes, readSeed, root, seedFolder } from './support';

/** Damaged copies that are read; git is asked about every fourth. */
const COPIES = 10_000;

/**
 * Where git is no judge: it does not decode mail (23), refuses the commit message of 27 even undamaged, and looks
 * into compressed data (17).
 */
const beyondGit = /^(?:17|23|27)-/;

function inputs(): { name: string; bytes: Uint8Array }[] {
  const folder = join(root, 'test/cases/parse');
  const cases = readdirSync(folder).map(name => ({
    name,
    bytes: readFileSync(join(folder, name, 'input.patch')),
  }));
  const seeds = seedFolder()
    ? [0, 1, 3].map(index => ({ name: `seed 00${index}`, bytes: readSeed(index) }))
    : [];
  return [...cases, ...seeds];
}

/** What git reads: added and removed lines of all files, or null where it refuses. */
function gitCounts(bytes: Uint8Array): { added: number; removed: number } | { refused: string } {
  const env = { ...process.env, GIT_DIR: join(tmpdir(), 'no-such-repository'), LC_ALL: 'C' };
  const git = spawnSync('git', ['apply', '--numstat', '-'], { input: bytes, cwd: tmpdir(), env });
  if (git.status !== 0) return { refused: git.stderr.toString().split('\n')[0] ?? '' };
  let added = 0;
  let removed = 0;
  for (const line of git.stdout.toString().split('\n')) {
    const [plus, minus] = line.split('\t');
    added += Number.parseInt(plus ?? '', 10) || 0;
    removed += Number.parseInt(minus ?? '', 10) || 0;
  }
  return { added, removed };
}

function ourCounts(read: PatchDocument): { added: number; removed: number } {
  const hunks = read.files.flatMap(file => [...file.hunks]);
  return {
    added: hunks.reduce((sum, hunk) => sum + hunk.added, 0),
    removed: hunks.reduce((sum, hunk) => sum + hunk.removed, 0),
  };
}

describe('damaged patches', function () {
  this.timeout(240_000);

  it(`${COPIES} damaged copies never throw, and every place named is in the document`, () => {
    const random = generator(20261130);
    const originals = inputs();
    for (let copy = 0; copy < COPIES; copy++) {
      const { bytes } = originals[copy % originals.length]!;
      const read = readBytes(damage(bytes, random));
      for (const { documentLine } of read.diagnostics) {
        if (documentLine !== null)
          assert.ok(documentLine >= 1 && documentLine <= Math.max(1, read.document.lineCount));
      }
      for (const file of read.files) {
        for (const hunk of file.hunks) {
          if (hunk.documentLine === null || hunk.source.kind !== 'document') continue;
          assert.ok(read.document.lineText(hunk.documentLine - 1).startsWith('@@'));
        }
      }
    }
  });

  it('what git reads gives git’s counts, what git refuses carries a diagnostic with a line', () => {
    const random = generator(42);
    const originals = inputs().filter(({ name }) => !beyondGit.test(name));
    const tally = { same: 0, flagged: 0, refused: 0 };
    for (let copy = 0; copy < COPIES / 4; copy++) {
      const { name, bytes } = originals[copy % originals.length]!;
      const bad = damage(bytes, random);
      const read = readBytes(bad);
      const git = gitCounts(bad);
      const where = `${name}, copy ${copy}`;
      if ('refused' in git) {
        const silent = /No valid patches/.test(git.refused) && read.files.length === 0;
        assert.ok(
          silent || read.diagnostics.some(({ documentLine }) => documentLine !== null),
          `${where}: git says ${git.refused}, we say nothing`,
        );
        tally.refused++;
      } else if (JSON.stringify(git) === JSON.stringify(ourCounts(read))) tally.same++;
      else {
        // git drops lines past the declared counts without a word; here they count and are named.
        assert.ok(
          read.diagnostics.length > 0,
          `${where}: git ${JSON.stringify(git)}, ours ${JSON.stringify(ourCounts(read))}`,
        );
        tally.flagged++;
      }
    }
    assert.ok(tally.same > 500 && tally.refused > 500, JSON.stringify(tally));
    assert.ok(tally.flagged < tally.same / 10, `too many differ from git: ${JSON.stringify(tally)}`);
  });
});
