import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { applyToText, applyToTree } from '../../../src/patch/apply';
import { readPatch } from '../../../src/patch/read';

const text = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map(line => `${line}\n`).join('');
const patch = ['--- a/x', '+++ b/x', '@@ -4,3 +4,4 @@', ' d', '-e', '+E', '+EE', ' f', ''].join('\n');
const file = readPatch(patch).files[0]!;

describe('applying a patch', () => {
  it('at its place', () => {
    const result = applyToText(text, file);
    assert.ok(result.ok);
    assert.equal(result.content, text.replace('e\n', 'E\nEE\n'));
    assert.deepEqual(result.hunks, [{ line: 4, offset: 0, fuzz: 0 }]);
  });

  it('where the lines have moved', () => {
    const result = applyToText(`new\nlines\n${text}`, file);
    assert.ok(result.ok);
    assert.deepEqual(result.hunks, [{ line: 6, offset: 2, fuzz: 0 }]);
  });

  it('with fuzz where context differs, keeping the file’s own context', () => {
    const result = applyToText(text.replace('d', 'D'), file);
    assert.ok(result.ok);
    assert.equal(result.content, text.replace('d', 'D').replace('e\n', 'E\nEE\n'));
    assert.equal(result.hunks[0]!.fuzz, 1);
    assert.equal(applyToText(text.replace('d', 'D'), file, { fuzz: 0 }).ok, false);
  });

  it('refuses with the hunk and the reason', () => {
    assert.deepEqual(applyToText(text.replace('e\n', ''), file), {
      ok: false,
      path: 'x',
      hunk: 1,
      documentLine: 3,
      reason: 'its 3 old lines are not found near line 4',
    });
  });

  it('a tree: added, deleted, renamed files, a first directory too many', () => {
    const series = readPatch(
      [
        '--- /dev/null',
        '+++ b/new.c',
        '@@ -0,0 +1 @@',
        '+new',
        '--- a/old.c',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-old',
        'diff --git a/x b/y',
        'similarity index 90%',
        'rename from x',
        'rename to y',
        '--- a/x',
        '+++ b/y',
        '@@ -1,2 +1,2 @@',
        ' a',
        '-b',
        '+B',
        '--- linux.orig/mm/z.c',
        '+++ linux/mm/z.c',
        '@@ -1 +1 @@',
        '-z',
        '+Z',
        '',
      ].join('\n'),
    );
    const result = applyToTree(
      new Map([
        ['old.c', 'old\n'],
        ['x', 'a\nb\n'],
        ['mm/z.c', 'z\n'],
      ]),
      series.files,
    );
    assert.ok(result.ok);
    assert.deepEqual([...result.tree].sort(), [
      ['mm/z.c', 'Z\n'],
      ['new.c', 'new\n'],
      ['y', 'a\nB\n'],
    ]);
    const refused = applyToTree(new Map(), series.files.slice(1));
    assert.deepEqual([refused.ok, !refused.ok && refused.reason], [false, 'there is no file old.c']);
  });

  it('any two texts: the diff that `diff -u` writes turns one into the other', function () {
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), 'apply-'));
    const line = fc.constantFrom('a', 'b', '-- c', '++ d', '', ' e', '@@ -1 +1 @@', '\\ f');
    const content = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
      .map(([lines, newline]) => lines.join('\n') + (newline && lines.length ? '\n' : ''));
    fc.assert(
      fc.property(content, content, fc.integer({ min: 0, max: 3 }), (before, after, context) => {
        writeFileSync(join(folder, 'x'), before);
        writeFileSync(join(folder, 'y'), after);
        const diff = spawnSync('diff', [`-U${context}`, '--label', 'a/x', '--label', 'b/x', 'x', 'y'], {
          cwd: folder,
          encoding: 'utf8',
        }).stdout;
        const [changed] = readPatch(diff).files;
        if (!changed) return before === after;
        const result = applyToText(before, changed, { fuzz: 0 });
        return result.ok && result.content === after;
      }),
      { numRuns: 300, seed: 5 },
    );
    assert.ok(readFileSync(join(folder, 'x')));
    rmSync(folder, { recursive: true });
  });
});
