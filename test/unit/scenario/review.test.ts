/** Whether the patch under review applies to the model tree, and which of its versions counts. */
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { modelTree } from '../../../src/kernel/tree';
import { readPatch } from '../../../src/patch/read';
import { newestFiles, reviewOn } from '../../../src/scenario/review';
import { patchSubject, textSubject } from '../../../src/scenario/subject';

const series = readFileSync('examples/06-model-kernel-series.mbox', 'utf8');

describe('the patch under review', () => {
  it('applies to the model tree when it was made for it', () => {
    const review = reviewOn(modelTree(), newestFiles(readPatch(series)));
    assert.ok(review.applies);
    assert.ok(review.touched.includes('arch/x86/mm/tlb.c'));
    assert.equal(new Set(review.touched).size, review.touched.length);
  });

  it('says at which line and why it does not', () => {
    const text = '--- a/mm/memory.c\n+++ b/mm/memory.c\n@@ -1,2 +1,2 @@\n tq_none\n-tq_old\n+tq_new\n';
    const review = reviewOn(modelTree(), newestFiles(readPatch(text)));
    assert.deepEqual(review, {
      applies: false,
      reason: 'mm/memory.c: its 2 old lines are not found near line 1',
      line: 3,
    });
    const elsewhere = readPatch(text.replaceAll('mm/memory.c', 'mm/tq_none.c'));
    const missing = reviewOn(modelTree(), newestFiles(elsewhere));
    assert.ok(!missing.applies && missing.reason === 'mm/tq_none.c: there is no file mm/tq_none.c');
  });

  it('is nothing without files', () => {
    assert.deepEqual(reviewOn(modelTree(), []), {
      ...{ applies: false, reason: 'it changes no files', line: null },
    });
  });

  it('takes only the newest version of a patch', () => {
    const version = (mark: string, line: string): string =>
      [
        'From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001',
        `Subject: [PATCH${mark}] x86/tq: One thing`,
        '',
        '---',
        '--- a/mm/tq.c',
        '+++ b/mm/tq.c',
        '@@ -1 +1,2 @@',
        ' a',
        `+${line}`,
        '',
      ].join('\n');
    const document = readPatch(version('', 'first') + version(' v2', 'second'));
    assert.equal(document.files.length, 2);
    const review = reviewOn(new Map([['mm/tq.c', 'a\n']]), newestFiles(document));
    assert.ok(review.applies, 'the first version is not applied below the second');
    assert.deepEqual(
      newestFiles(document).map(({ message }) => message),
      [2],
    );
  });
});

describe('what a document is about', () => {
  it('a patch: paths of both sides, and names of its hunks', () => {
    const { paths, names } = patchSubject(
      readPatch(
        '--- a/mm/tq_a.c\n+++ b/mm/tq_b.c\n@@ -1 +1 @@ void tq_heading(void)\n-tq_old();\n+tq_new();\n',
      ).files,
    );
    assert.deepEqual(paths, ['mm/tq_a.c', 'mm/tq_b.c']);
    for (const name of ['tq_heading', 'tq_old', 'tq_new']) assert.ok(names.has(name), name);
  });

  it('a source file: its path with slashes, and all its names', () => {
    const { paths, names } = textSubject('c:\\linux\\mm\\tq.c', 'int tq_call(void);');
    assert.deepEqual(paths, ['c:/linux/mm/tq.c']);
    assert.ok(names.has('tq_call'));
  });
});
