import { strict as assert } from 'node:assert';
import { looksLikePatch } from '../../../src/extension/looksLikePatch';

describe('looksLikePatch', () => {
  it('knows diffs, quoted ones and flattened mails', () => {
    const patches = [
      'Subject: x\n\ndiff --git a/mm/x.c b/mm/x.c\n',
      '> @@ -1,2 +3,4 @@ f()\n',
      '--- mm/x.c.orig\t2020\n+++ mm/x.c\t2020\n',
      'From: A  diff --git a/mm/x.c b/mm/x.c index 1..2 100644 --- a/mm/x.c',
    ];
    for (const text of patches) assert.equal(looksLikePatch(text), true, text);
  });

  it('leaves other texts alone', () => {
    for (const text of [
      '',
      'Hello\n--- \nRegards',
      'a list\n- one\n+ two\n',
      '@@ not a hunk @@',
      '--- a\nno',
    ])
      assert.equal(looksLikePatch(text), false, text);
  });
});
