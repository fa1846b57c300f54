import { strict as assert } from 'node:assert';
import type { PatchDocument, PatchFile } from '../../../src/patch/model';
import { readBytes, readSeed, seedFolder } from './support';

/** Counted by hand in the mails: files, hunks, `+` and `-` lines, messages. */
const seeds = [
  { files: 14, hunks: 34, added: 245, removed: 63, messages: 18, quoted: 9, whole: 3 },
  // The last hunk is cut where the archive ends: its figures are what is there.
  { files: 4, hunks: 5, added: 19, removed: 23, messages: 3, quoted: 4, whole: 2 },
  { files: 1, hunks: 6, added: 29, removed: 8, messages: 1, quoted: 0, whole: 0 },
  { files: 5, hunks: 13, added: 54, removed: 3, messages: 1, quoted: 0, whole: 0 },
  { files: 0, hunks: 0, added: 0, removed: 0, messages: 1, quoted: 0, whole: 0 },
];

function hunksOf(files: readonly PatchFile[]): PatchFile['hunks'][number][] {
  return files.flatMap(file => [...file.hunks]);
}

function documentLine(document: PatchDocument, line: number): string {
  return document.document.lineText(line - 1);
}

describe('the seed mails', function () {
  before(function () {
    if (!seedFolder()) {
      console.log('    skipped: the seed mails are not here (set TLBSCOPE_SEEDS)');
      this.skip();
    }
  });

  seeds.forEach((expected, index) => {
    it(`seed 00${index}: files, hunks, lines, messages, quotations`, () => {
      const read = readBytes(readSeed(index));
      const hunks = hunksOf(read.files);
      const quoted = hunksOf(read.quoted);
      assert.deepEqual(
        {
          files: read.files.length,
          hunks: hunks.length,
          added: hunks.reduce((sum, hunk) => sum + hunk.added, 0),
          removed: hunks.reduce((sum, hunk) => sum + hunk.removed, 0),
          messages: read.messages.length,
          quoted: quoted.length,
          whole: quoted.filter(hunk => !hunk.partial).length,
        },
        expected,
      );
      for (const hunk of [...hunks, ...quoted]) {
        const line = documentLine(read, hunk.documentLine!);
        assert.ok(
          line.includes(`@@ -${hunk.oldStart}`),
          `line ${hunk.documentLine} of seed ${index}: ${line.slice(0, 80)}`,
        );
      }
      for (const file of read.files)
        assert.ok(
          file.documentLine !== null && documentLine(read, file.documentLine).includes(file.newPath!),
        );
    });
  });

  it('seed 000: depth of quotations, and which of them are whole', () => {
    const quoted = hunksOf(readBytes(readSeed(0)).quoted);
    assert.deepEqual(
      quoted.map(hunk => [hunk.documentLine, hunk.depth]),
      [
        [359, 1],
        [450, 2],
        [625, 3],
        [688, 1],
        [722, 1],
        [735, 1],
        [1347, 1],
        [1386, 2],
        [1430, 3],
      ],
    );
    assert.deepEqual(
      quoted.filter(hunk => !hunk.partial).map(hunk => hunk.documentLine),
      [688, 722, 735],
    );
  });

  it('seed 000: no fault is reported', () => assert.deepEqual(readBytes(readSeed(0)).diagnostics, []));

  it('seed 001: the last hunk is short (12 old and 7 new lines declared, 9 and 4 there), and the document ends there', () => {
    const { diagnostics } = readBytes(readSeed(1));
    assert.deepEqual(
      diagnostics.map(({ kind, documentLine: line }) => [kind, line]),
      [
        ['hunk-count-mismatch', 402],
        ['no-final-newline', 411],
      ],
    );
    assert.match(diagnostics[0]!.message, /12 old and 7 new lines, present 9 and 4/);
  });

  it('seed 001: a quoted hunk is whole once the context line that lost its blank counts as context', () => {
    const [first] = hunksOf(readBytes(readSeed(1)).quoted);
    assert.deepEqual([first!.documentLine, first!.partial, first!.approximate], [73, false, true]);
  });

  it('seed 002: one diagnostic says that the mail was flattened, and context is approximate', () => {
    const read = readBytes(readSeed(2));
    assert.deepEqual(
      read.diagnostics.map(({ kind }) => kind),
      ['flattened-mail'],
    );
    assert.ok(hunksOf(read.files).every(hunk => hunk.approximate));
    assert.equal(read.files[0]!.newPath, 'mm/xpfo.c');
    assert.equal(
      read.messages[0]!.subject,
      '[RFC PATCH v7 11/16] mm, x86: omit TLB flushing by default for XPFO page table modifications',
    );
  });

  it('seed 003: subject and sender of an archive text', () => {
    const [message] = readBytes(readSeed(3)).messages;
    assert.equal(
      message!.subject,
      '[RFC PATCH v8 14/14] xpfo, mm: Optimize XPFO TLB flushes by batching them together',
    );
    assert.equal(message!.from, 'Khalid Aziz');
  });

  it('seed 004: a reply by mail header', () => {
    const [message] = readBytes(readSeed(4)).messages;
    assert.equal(message!.isReply, true);
    assert.equal(message!.messageId, '20170823165842.k5lbxom45avvd7g2@smitten');
    assert.equal(message!.inReplyTo, '20170814165047.GB23428@leverpostej');
  });
});
