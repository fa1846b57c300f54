import { strict as assert } from 'node:assert';
import PostalMime from 'postal-mime';
import { hunkLines } from '../../../src/patch/lines';
import { readPatch } from '../../../src/patch/read';
import type { PatchDocument } from '../../../src/patch/model';
import { readBytes } from './support';

const hunk = ['@@ -1,3 +1,4 @@ int tq(void)', ' {', '+\ttq_flush();', ' \treturn 0;', ' }'];
const git = [
  'diff --git a/mm/tq.c b/mm/tq.c',
  'index 1111111..2222222 100644',
  '--- a/mm/tq.c',
  '+++ b/mm/tq.c',
  ...hunk,
];

function read(lines: readonly string[]): PatchDocument {
  return readPatch(`${lines.join('\n')}\n`);
}

/** `status old→new [+added −removed @documentLine]…` of every file. */
function summary(document: PatchDocument): string[] {
  return document.files.map(file => {
    const hunks = file.hunks
      .map(({ added, removed, documentLine }) => ` +${added}-${removed}@${documentLine}`)
      .join('');
    return `${file.status} ${file.oldPath}→${file.newPath}${hunks}`;
  });
}

function kinds(document: PatchDocument): string[] {
  return document.diagnostics.map(({ kind, documentLine }) => `${kind}@${documentLine}`);
}

describe('formats of diffs', () => {
  const both = ['modified mm/tq.c→mm/tq.c +1-0@5'];

  it('git', () => assert.deepEqual(summary(read(git)), both));

  it('plain diff -u with a/ and b/', () =>
    assert.deepEqual(summary(read(git.slice(2))), ['modified mm/tq.c→mm/tq.c +1-0@3']));

  it('quilt and SUSE: Index line, .orig directory', () => {
    const lines = [
      'From: A <a@example.org>',
      'Subject: x',
      'Git-commit: 1234',
      '',
      'Text.',
      '---',
      ' mm/tq.c |    1 +',
      '',
      'Index: linux-6.1/mm/tq.c',
      '='.repeat(67),
    ];
    const document = read([...lines, '--- linux-6.1.orig/mm/tq.c', '+++ linux-6.1/mm/tq.c', ...hunk]);
    assert.deepEqual(summary(document), ['modified linux-6.1.orig/mm/tq.c→linux-6.1/mm/tq.c +1-0@13']);
    assert.deepEqual(kinds(document), []);
  });

  it('Mercurial: diff -r, time stamp behind a TAB, /dev/null', () => {
    const document = read([
      'Some prose.',
      '',
      'diff -r 0123456789ab xen/tq.c',
      '--- a/xen/tq.c\tThu Jan 01 00:00:00 2009 +0000',
      '+++ b/xen/tq.c\tFri Jan 02 10:00:00 2009 +0000',
      ...hunk,
    ]);
    assert.deepEqual(summary(document), ['modified xen/tq.c→xen/tq.c +1-0@6']);
    const added = read([
      'diff -r 0123456789ab xen/tq.c',
      '--- /dev/null\tThu Jan 01 00:00:00 1970 +0000',
      '+++ b/xen/tq.c\tFri Jan 02 10:00:00 2009 +0000',
      '@@ -0,0 +1,1 @@',
      '+int tq;',
    ]);
    assert.deepEqual(summary(added), ['added null→xen/tq.c +1-0@4']);
  });

  it('Subversion: (revision 1) and a binary file', () => {
    const svn = [
      'Index: mm/tq.c',
      '='.repeat(67),
      '--- mm/tq.c\t(revision 12)',
      '+++ mm/tq.c\t(working copy)',
      ...hunk,
    ];
    assert.deepEqual(summary(read(svn)), ['modified mm/tq.c→mm/tq.c +1-0@5']);
    const binary = [
      'Index: a.png',
      '='.repeat(67),
      'Cannot display: file marked as a binary type.',
      'svn:mime-type = application/octet-stream',
      '',
    ];
    assert.deepEqual(summary(read([...binary, ...svn])), [
      'binary a.png→a.png',
      'modified mm/tq.c→mm/tq.c +1-0@10',
    ]);
  });

  it('time stamps set off by blanks, in any time zone', () => {
    const document = read([
      '--- a/mm/tq.c 1970-01-01 03:00:00.000000000 +0300',
      '+++ b/mm/tq.c 2024-03-05 09:12:33.123456789 +0100',
      '@@ -0,0 +1 @@',
      '+int tq;',
    ]);
    assert.deepEqual(summary(document), ['added null→mm/tq.c +1-0@3']);
    // An old file of a reproducible archive has the epoch as its date too: it exists, its range says so.
    const kept = read([
      '--- a/mm/tq.c\t1970-01-01 00:00:00 +0000',
      '+++ b/mm/tq.c\t2024-03-05 09:12:33 +0100',
      ...hunk,
    ]);
    assert.deepEqual(summary(kept), ['modified mm/tq.c→mm/tq.c +1-0@3']);
  });

  it('copies, mode changes, empty files, binary files', () => {
    const document = read([
      'diff --git a/x b/y',
      'similarity index 100%',
      'copy from x',
      'copy to y',
      'diff --git a/run.sh b/run.sh',
      'old mode 100644',
      'new mode 100755',
      'diff --git a/empty b/empty',
      'new file mode 100644',
      'index 0000000..e69de29',
      'diff --git a/p.png b/p.png',
      'index 1111111..2222222 100644',
      'Binary files a/p.png and b/p.png differ',
      'diff --git a/gone.png b/gone.png',
      'deleted file mode 100644',
      'index 1111111..0000000',
      'Binary files a/gone.png and /dev/null differ',
      ...git,
    ]);
    assert.deepEqual(summary(document), [
      'copied x→y',
      'modified run.sh→run.sh',
      'added null→empty',
      'binary p.png→p.png',
      'binary gone.png→null',
      'modified mm/tq.c→mm/tq.c +1-0@22',
    ]);
    assert.deepEqual([document.files[1]!.oldMode, document.files[1]!.newMode], ['100644', '100755']);
    assert.deepEqual(kinds(document), []);
  });

  it('quoted and octal-escaped names', () => {
    const document = read([
      'diff --git "a/d/\\303\\244 \\"q\\".c" "b/d/\\303\\244 \\"q\\".c"',
      'index 1111111..2222222 100644',
      '--- "a/d/\\303\\244 \\"q\\".c"',
      '+++ "b/d/\\303\\244 \\"q\\".c"',
      ...hunk,
    ]);
    assert.deepEqual(summary(document), ['modified d/ä "q".c→d/ä "q".c +1-0@5']);
  });

  it('prefixes of git’s other pairs are removed only in pairs', () => {
    const swap = (a: string, b: string): string[] =>
      git.map(line => line.replaceAll('a/mm', a).replaceAll('b/mm', b));
    assert.deepEqual(summary(read(swap('i/mm', 'w/mm'))), both);
    assert.deepEqual(summary(read(swap('mm', 'mm').slice(2))), ['modified mm/tq.c→mm/tq.c +1-0@3']);
    assert.deepEqual(summary(read(['--- a/tq.c', '+++ tq.c', ...hunk])), ['modified a/tq.c→tq.c +1-0@3']);
  });

  it('-U0', () => {
    const document = read([...git.slice(0, 4), '@@ -10,0 +11,2 @@', '+a', '+b', '@@ -20 +22,0 @@', '-c']);
    assert.deepEqual(summary(document), ['modified mm/tq.c→mm/tq.c +2-0@5 +0-1@8']);
    assert.deepEqual(
      document.files[0]!.hunks.flatMap(h => hunkLines(h)).map(({ oldLine, newLine }) => [oldLine, newLine]),
      [
        [0, 11],
        [0, 12],
        [20, 0],
      ],
    );
  });

  it('mixed line ends, NUL, U+2028 and a lone CR inside lines', () => {
    const document = readPatch(
      git
        .map((line, index) => line.replace('tq_flush', 'tq\0_\u2028fl\rush') + (index % 2 ? '\r\n' : '\n'))
        .join(''),
    );
    assert.deepEqual(summary(document), both);
    assert.deepEqual(kinds(document), []);
  });

  it('a byte order mark, and UTF-16', () => {
    const text = `${git.join('\n')}\n`;
    assert.deepEqual(summary(readBytes(Buffer.from(`\ufeff${text}`))), both);
    assert.deepEqual(summary(readBytes(Buffer.from(`\ufeff${text}`, 'utf16le'))), both);
  });

  it('numbers no file has are kept as far as they can be, and named', () => {
    const document = read([
      ...git.slice(0, 4),
      `@@ -1,${'9'.repeat(100_000)} +1,4294967296 @@`,
      ...hunk.slice(1),
      ...git,
    ]);
    assert.equal(document.files.length, 2);
    assert.deepEqual(
      kinds(document).map(kind => kind.split('@')[0]),
      ['malformed-header', 'hunk-count-mismatch'],
    );
    assert.equal(document.files[0]!.hunks[0]!.newLines, 4294967296);
  });

  it('names that are words of JavaScript', () => {
    const document = read([
      '--- a/__proto__',
      '+++ b/__proto__',
      ...hunk,
      '--- a/../../x',
      '+++ b/../../x',
      ...hunk,
    ]);
    assert.deepEqual(summary(document), [
      'modified __proto__→__proto__ +1-0@3',
      'modified ../../x→../../x +1-0@10',
    ]);
  });
});

describe('damage of bodies', () => {
  it('surplus lines belong to the hunk; the signature and what follows a blank line do not', () => {
    const document = read([...git, '+\textra();', '-- ', '2.43.0', '']);
    assert.deepEqual(summary(document), ['modified mm/tq.c→mm/tq.c +2-0@5']);
    assert.deepEqual(kinds(document), ['hunk-count-mismatch@5']);
    assert.deepEqual(summary(read([...git, '', ' - a list in prose', ' + another'])), [
      'modified mm/tq.c→mm/tq.c +1-0@5',
    ]);
  });

  it('a count that is too high does not eat the next file of a plain diff', () => {
    const plain = git.slice(2);
    const document = read([plain[0]!, plain[1]!, '@@ -1,9 +1,10 @@', ...hunk.slice(1), ...plain]);
    assert.deepEqual(summary(document), [
      'modified mm/tq.c→mm/tq.c +1-0@3',
      'modified mm/tq.c→mm/tq.c +1-0@10',
    ]);
  });

  it('a removed "-- a" and an added "++ b" at the very end are lines, not a header', () => {
    const document = read([
      '--- a/q.lua',
      '+++ b/q.lua',
      '@@ -1,2 +1,2 @@',
      ' x',
      '--- a',
      '+++ b',
      '@@ -9 +9 @@',
      '-y',
      '+z',
    ]);
    assert.deepEqual(summary(document), ['modified q.lua→q.lua +1-1@3 +1-1@7']);
    assert.deepEqual(kinds(document), []);
  });

  it('context without its leading blank is read as context where the counts then agree', () => {
    const document = read([...git.slice(0, 5), '{', '+\ttq_flush();', '\treturn 0;', '}']);
    assert.deepEqual(summary(document), ['modified mm/tq.c→mm/tq.c +1-0@5']);
    assert.deepEqual(kinds(document), ['lost-blank@6']);
    assert.deepEqual(
      hunkLines(document.files[0]!.hunks[0]!).map(({ text }) => text),
      ['{', '\ttq_flush();', '\treturn 0;', '}'],
    );
  });

  it('a wrapped line is joined where the counts then agree', () => {
    const document = read([...git.slice(0, 5), ' {', '+\ttq_flush(a,', 'b);', ' \treturn 0;', ' }']);
    assert.deepEqual(kinds(document), ['wrapped-line@8']);
    assert.deepEqual(
      hunkLines(document.files[0]!.hunks[0]!).map(({ text }) => text),
      ['{', '\ttq_flush(a, b);', '\treturn 0;', '}'],
    );
  });

  it('a wrapped hunk header', () => {
    const document = read([
      ...git.slice(0, 4),
      '@@ -1,3 +1,4 @@ int tq_long(unsigned long a,',
      'unsigned long b)',
      ...hunk.slice(1),
    ]);
    assert.deepEqual(summary(document), ['modified mm/tq.c→mm/tq.c +1-0@5']);
    assert.deepEqual(kinds(document), ['wrapped-line@6']);
  });

  it('a hunk cut short by prose ends there', () => {
    const document = read([...git.slice(0, 7), 'I think this is wrong.', 'Really.', 'And here is more.']);
    assert.deepEqual(summary(document), ['modified mm/tq.c→mm/tq.c +1-0@5']);
    assert.deepEqual(kinds(document), ['hunk-count-mismatch@5']);
    assert.equal(document.files[0]!.hunks[0]!.endLine, 7);
  });
});

describe('mails', () => {
  const head = [
    'From: A Developer <dev@example.org>',
    'Subject: [PATCH] tq: flush',
    'Date: Tue, 5 Mar 2024 10:00:00 +0100',
    'Message-ID: <a@example.org>',
    'MIME-Version: 1.0',
  ];

  it('base64: files without lines, one diagnostic, a decoded text', () => {
    const body = Buffer.from(`${git.join('\n')}\n`)
      .toString('base64')
      .match(/.{1,76}/g)!;
    const document = read([
      ...head,
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      ...body,
    ]);
    assert.deepEqual(summary(document), ['modified mm/tq.c→mm/tq.c +1-0@null']);
    assert.deepEqual(kinds(document), ['encoded-body@9']);
    assert.equal(document.decoded[0]!.source.text, `${git.join('\n')}\n`);
  });

  it('base64 prose is no patch', () => {
    const body = Buffer.from('Looks good to me.\n').toString('base64');
    assert.deepEqual(kinds(read([...head, 'Content-Transfer-Encoding: base64', '', body])), []);
  });

  it('attachments that are patches, nested parts, no second reading of the HTML twin', () => {
    const document = read([
      ...head,
      'Content-Type: multipart/mixed; boundary="out er"',
      '',
      'preamble',
      '--out er',
      'Content-Type: multipart/alternative; boundary=inner',
      '',
      '--inner',
      'Content-Type: text/plain',
      '',
      'See the attachment.',
      '--inner',
      'Content-Type: text/html',
      '',
      ...git,
      '--inner--',
      '--out er',
      'Content-Type: application/octet-stream; name="0001-tq.patch"',
      'Content-Disposition: attachment; filename="0001-tq.patch"',
      '',
      ...git,
      '--out er',
      'Content-Type: application/pgp-signature; name="signature.asc"',
      '',
      'xxxx',
      '--out er--',
      ...git,
    ]);
    assert.deepEqual(summary(document), ['modified mm/tq.c→mm/tq.c +1-0@37']);
    assert.equal(document.messages.length, 1);
  });

  it('quoted-printable agrees with postal-mime', async () => {
    const lines = [
      ...head,
      'Content-Type: text/plain; charset="iso-8859-1"',
      'Content-Transfer-Encoding: quoted-printable',
      '',
    ];
    const body = [
      'J=F6rg =3D 1',
      ...git.map(line => line.replace('tq_flush()', 'tq_flush(=\nx)').replace(/^ $/, '=20')),
      'soft=',
      ' end =',
      '',
    ];
    const raw = `${[...lines, ...body].join('\n')}\n`;
    const mail = await PostalMime.parse(raw);
    const document = readPatch(raw);
    const [decoded] = document.decoded;
    assert.equal(decoded!.source.text.trimEnd(), mail.text!.trimEnd());
    assert.deepEqual(summary(document), ['modified mm/tq.c→mm/tq.c +1-0@14']);
    const added = hunkLines(document.files[0]!.hunks[0]!)[1]!;
    assert.deepEqual(
      [added.text, added.documentLine, document.files[0]!.hunks[0]!.source.documentEndLine(added.line)],
      ['\ttq_flush(x);', 16, 17],
    );
  });

  it('format=flowed: folded and stuffed, or said but not done', () => {
    const flowed = [...head, 'Content-Type: text/plain; charset=utf-8; format=flowed', ''];
    assert.deepEqual(summary(read([...flowed, ...git])), ['modified mm/tq.c→mm/tq.c +1-0@12']);
    const stuffed = [
      ...git.slice(0, 4),
      '@@ -1,3 +1,4 @@ int ',
      'tq(void)',
      '  {',
      '+\ttq_flush( ',
      'x);',
      '  \treturn 0;',
      '  }',
    ];
    const document = read([...flowed, ...stuffed]);
    assert.deepEqual(summary(document), ['modified mm/tq.c→mm/tq.c +1-0@12']);
    assert.deepEqual(
      hunkLines(document.files[0]!.hunks[0]!).map(({ text }) => text),
      ['{', '\ttq_flush( x);', '\treturn 0;', '}'],
    );
    assert.equal(document.files[0]!.hunks[0]!.heading, 'int tq(void)');
  });

  it('a thread: cover letter, patch, reply that quotes, patch inside a reply', () => {
    const from = 'From dev@example.org Tue Mar  5 10:00:00 2024';
    const document = read([
      from,
      ...head.map(line => line.replace('[PATCH]', '[PATCH 0/1]')),
      '',
      'Range-diff against v1:',
      '1:  1111111 ! 1:  2222222 tq: flush',
      '    @@ mm/tq.c',
      '    -+\ttq_old();',
      '    ++\ttq_flush();',
      '',
      from,
      ...head,
      '',
      'Text.',
      '---',
      ' mm/tq.c | 1 +',
      '',
      ...git,
      '-- ',
      '2.43.0',
      '',
      from,
      ...head.map(line => line.replace('[PATCH]', 'Re: [PATCH]')),
      '',
      '> Text.',
      ...git.slice(0, 7).map(line => `> ${line}`),
      '',
      'How about this instead?',
      '',
      '-- >8 --',
      ...git.map(line => line.replace('tq_flush', 'tq_flush_one')),
      '',
    ]);
    assert.equal(document.messages.length, 3);
    assert.deepEqual(
      document.messages.map(({ isReply }) => isReply),
      [false, false, true],
    );
    assert.deepEqual(
      document.files.map(({ message }) => message),
      [2, 3],
    );
    assert.deepEqual(
      document.quoted.map(({ message, hunks }) => [message, hunks[0]!.partial, hunks[0]!.depth]),
      [[3, true, 1]],
    );
    assert.deepEqual(kinds(document), []);
  });

  it('a quoted hunk is whole across a remark if its counts say so', () => {
    const document = read([
      'From: B <b@example.org>',
      'Subject: Re: x',
      '',
      ...git.slice(0, 7).map(line => `>> ${line}`),
      '',
      'Why?',
      '',
      ...git.slice(7).map(line => `>> ${line}`),
    ]);
    assert.deepEqual(
      document.quoted.map(({ hunks }) => [hunks[0]!.partial, hunks[0]!.depth, hunks[0]!.added]),
      [[false, 2, 1]],
    );
    assert.equal(document.files.length, 0);
  });

  it('two format-patch files in one, without a blank line between', () => {
    const from = 'From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001';
    const one = [from, ...head.slice(0, 3), '', '---', ...git, '-- ', '2.43.0'];
    const document = read([...one, ...one]);
    assert.equal(document.messages.length, 2);
    assert.deepEqual(
      document.files.map(({ message }) => message),
      [1, 2],
    );
  });
});

describe('what reviewers of the reader tried', () => {
  const head = [
    'From: A Developer <dev@example.org>',
    'Subject: [PATCH] tq: flush',
    'Date: Tue, 5 Mar 2024 10:00:00 +0100',
  ];
  const from = 'From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001';
  const formatPatch = [from, ...head, '', 'Text.', '---', ...git, '-- ', '2.43.0', ''];

  it('attachments that are format-patch files are no messages', () => {
    const attached = (name: string): string[] => [
      '--b',
      `Content-Type: text/x-patch; name="${name}"`,
      '',
      ...formatPatch,
    ];
    const mail = [
      'From dev@example.org Tue Mar  5 10:00:00 2024',
      ...head,
      'Content-Type: multipart/mixed; boundary="b"',
      '',
      '--b',
      '',
      'See below.',
      ...attached('1.patch'),
      ...attached('2.patch'),
      '--b--',
      '',
    ];
    const document = read([...mail, ...mail]);
    assert.deepEqual(document.messages.length, 2);
    assert.deepEqual(
      document.files.map(({ message }) => message),
      [1, 1, 2, 2],
    );
    assert.deepEqual(kinds(document), []);
  });

  it('lines past the counts behind a blank one belong to the hunk where no prose can follow', () => {
    assert.deepEqual(summary(read([...git, '', '+more();', ' }'])), ['modified mm/tq.c→mm/tq.c +2-0@5']);
    assert.deepEqual(summary(read([...head, '', ...git, '', '+1 from me'])), [
      'modified mm/tq.c→mm/tq.c +1-0@9',
    ]);
  });

  it('renames as git wrote them before 1.3', () => {
    assert.deepEqual(
      summary(read(['diff --git a/x b/y', 'similarity index 100%', 'rename old x', 'rename new y'])),
      ['renamed x→y'],
    );
  });

  it('clear-signed mail', () => {
    const signed = [
      '-----BEGIN PGP SIGNED MESSAGE-----',
      'Hash: SHA1',
      '',
      ...git.slice(0, 2),
      '- --- a/mm/tq.c',
      '+++ b/mm/tq.c',
      '@@ -1,2 +1,1 @@',
      '- -\ttq_flush();',
      ' }',
      '-----BEGIN PGP SIGNATURE-----',
      'x',
      '-----END PGP SIGNATURE-----',
    ];
    const document = read([...head, '', ...signed]);
    assert.deepEqual(summary(document), ['modified mm/tq.c→mm/tq.c +0-1@12']);
    assert.deepEqual(kinds(document), []);
  });
});
