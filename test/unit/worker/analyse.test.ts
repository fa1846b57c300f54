import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { analyse } from '../../../src/worker/analyse';
import { isPlainPath } from '../../../src/worker/links';

const options = {
  features: ['PTI', 'PCID', 'INVPCID'],
  machine: 'broadwell-ep-e5-2660v4',
  n: 10,
  c: 3,
  firstInvalidLine: null,
};

describe('analyse', () => {
  it('says why a document has nothing to show', () => {
    assert.equal(analyse('', options).absence, 'empty');
    assert.equal(analyse(' \n', options).absence, 'empty');
    assert.equal(analyse('\u007fELF\0\0\0', options).absence, 'binary');
    assert.equal(analyse('Just a letter.\n', options).absence, 'no-patch');
    const readme = '--- a/README\n+++ b/README\n@@ -1 +1 @@\n-flush_tlb_all()\n+Hello\n';
    assert.equal(analyse(readme, options).absence, 'no-tlb-code');
  });

  it('lists messages, files and hunks with their places', () => {
    const text = readFileSync('examples/02-series.mbox', 'utf8');
    const { messages, files } = analyse(text, options);
    const lines = text.split('\n');
    assert.deepEqual(
      messages.map(({ line }) => lines[line - 1]!.slice(0, 12)),
      ['From ce736b6', 'From f10b99e'],
    );
    assert.deepEqual(
      files.map(({ path, message }) => [path, message]),
      [
        ['arch/x86/mm/tq_flush.c', 1],
        ['arch/x86/mm/tq_flush.c', 2],
      ],
    );
    for (const file of files)
      for (const hunk of file.hunks) {
        assert.match(lines[hunk.line! - 1]!, /^@@ /);
        assert.ok(hunk.endLine! > hunk.line!);
      }
  });

  it('finds what can be followed: message ids, commits, paths', () => {
    const text = [
      'Message-Id: <a.1@b.example>',
      'References: <a.0@b.example>',
      ' <a.2@b.example>',
      'Subject: x',
      '',
      'See <no.link@in.text> there.',
      'Fixes: 1234567890ab ("x")',
      '',
      'diff --git a/mm/x.c b/mm/x.c',
      '--- a/mm/x.c',
      '+++ b/mm/x.c',
      '@@ -1 +7 @@ f',
      '-Fixes: 1234567890ab in a hunk',
      '+b',
      '',
    ].join('\n');
    const found = analyse(text, options).links.map(({ line, start, end, target }) => [
      line,
      text.split('\n')[line - 1]!.slice(start, end),
      target.kind,
    ]);
    assert.deepEqual(found, [
      [1, 'a.1@b.example', 'message-id'],
      [2, 'a.0@b.example', 'message-id'],
      [3, 'a.2@b.example', 'message-id'],
      [7, '1234567890ab', 'commit'],
      [11, 'mm/x.c', 'path'],
      [10, 'mm/x.c', 'path'],
      [12, '+7', 'path'],
    ]);
  });

  it('never follows a path out of the workspace', () => {
    for (const path of ['../x', 'a/../../x', '/etc/passwd', 'C:/x', 'a\\b', 'a//b', './a', '', 'a/\0'])
      assert.equal(isPlainPath(path), false, path);
    assert.equal(isPlainPath('arch/x86/mm/tlb.c'), true);
    const text = '--- a/../../etc/x\n+++ b/../../etc/x\n@@ -1 +1 @@\n-a\n+b\n';
    assert.deepEqual(analyse(text, options).links, []);
  });
});
