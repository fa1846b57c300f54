import { strict as assert } from 'node:assert';
import { patchesOf, readSubject } from '../../../src/cost/series';
import { readPatch } from '../../../src/patch/read';

const mail = (subject: string, path: string, headers = '') =>
  `From 0000000000000000000000000000000000000001 Mon Sep 17 00:00:00 2001
From: A <a@example.org>
Date: Tue, 5 Mar 2024 10:00:00 +0100
Subject: ${subject}
${headers}
Text.
---
diff --git a/${path} b/${path}
index 1111111..2222222 100644
--- a/${path}
+++ b/${path}
@@ -1,2 +1,2 @@
 int a;
-int b;
+int c;
--${' '}
2.43.0

`;

describe('series', () => {
  it('reads version, number and title of a subject', () => {
    assert.deepEqual(readSubject('[RFC PATCH v2 1/3] x86/mm: Do it'), {
      ...{ version: 2, part: 1, parts: 3, rfc: true, resent: false, title: 'x86/mm: do it' },
    });
    assert.deepEqual(readSubject('Re: [Xen-devel] [PATCH v5 5/7] xen/x86: Do'), {
      ...{ version: 5, part: 5, parts: 7, rfc: false, resent: false, title: 'xen/x86: do' },
    });
    assert.deepEqual(readSubject('plain'), {
      ...{ version: 1, part: null, parts: null, rfc: false, resent: false, title: 'plain' },
    });
    assert.equal(readSubject('[PATCH 01/10] x').part, 1);
  });

  it('lets the newest version of a patch replace the older one', () => {
    const document = readPatch(mail('[PATCH] x86: tq', 'a.c') + mail('[PATCH v2] x86: tq', 'a.c'));
    const entries = patchesOf(document);
    assert.deepEqual(
      entries.map(({ message, supersededBy }) => [message, supersededBy]),
      [
        [1, 2],
        [2, null],
      ],
    );
  });

  it('keeps two patches of one series', () => {
    const document = readPatch(mail('[PATCH 2/2] x86: b', 'a.c') + mail('[PATCH 1/2] x86: a', 'b.c'));
    const entries = patchesOf(document);
    assert.deepEqual(entries.map(entry => entry.supersededBy), [null, null]); // prettier-ignore
    assert.deepEqual(entries.map(entry => entry.message), [2, 1]); // prettier-ignore
  });

  const replaced: Readonly<Record<string, readonly [string, string]>> = {
    'sent again': ['[PATCH] x86: tq', '[PATCH RESEND] x86: tq'],
    'twice in an archive': ['[PATCH 1/2] x86: tq', '[PATCH 1/2] x86: tq'],
    'a request for comments': ['[RFC PATCH v3] x86: tq', '[PATCH] x86: tq'],
    'another title and another number of patches': ['[PATCH 1/2] x86: tq', '[PATCH v2 1/3] mm: drop it all'],
  };
  for (const [name, [first, second]] of Object.entries(replaced))
    it(`counts only the newest: ${name}`, () => {
      const entries = patchesOf(readPatch(mail(first, 'a.c') + mail(second, 'a.c')));
      const old = entries.find(entry => entry.message === 1)!;
      assert.equal(old.supersededBy, 2);
      assert.equal(entries.find(entry => entry.message === 2)!.supersededBy, null);
    });

  it('keeps patches of one title that change different files', () => {
    const entries = patchesOf(readPatch(mail('[PATCH] x86: tq', 'a.c') + mail('[PATCH] x86: tq', 'b.c')));
    assert.deepEqual(entries.map(entry => entry.supersededBy), [null, null]); // prettier-ignore
  });
});
