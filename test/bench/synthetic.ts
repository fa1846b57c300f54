/** Synthetic patches and hostile shapes: the same text for every run. */

const bodyLines = [
  '\tif (!mm)',
  '\tfor (addr = start; addr < end; addr += PAGE_SIZE)',
  '\t\ttq_flush_one(addr);',
  '',
  '\tpreempt_disable();',
  '\treturn 0;',
  '}',
  '/* a comment of some length, as kernels have */',
];

function header(index: number): string {
  const name = `drivers/tq/part${index % 977}/file${index}.c`;
  return `diff --git a/${name} b/${name}\nindex 1111111..2222222 100644\n--- a/${name}\n+++ b/${name}\n`;
}

/** Hunks of mixed size, a few a file. */
export function normalPatch(bytes: number): string {
  const pieces: string[] = [];
  let length = 0;
  for (let file = 0; length < bytes; file++) {
    let piece = header(file);
    for (let hunk = 0; hunk <= file % 4; hunk++) {
      const size = 10 + ((file * 7 + hunk * 13) % 40);
      const lines: string[] = [];
      let added = 0;
      let removed = 0;
      for (let line = 0; line < size; line++) {
        const text = bodyLines[(file + line * 3) % bodyLines.length]!;
        const kind = line < 3 || line >= size - 3 ? 0 : (file + line) % 3;
        if (kind === 1) added++;
        if (kind === 2) removed++;
        lines.push(' +-'[kind]! + text);
      }
      const start = 10 + hunk * 100;
      piece += `@@ -${start},${size - added} +${start},${size - removed} @@ int tq_function_${hunk}(void)\n${lines.join('\n')}\n`;
    }
    pieces.push(piece);
    length += piece.length;
  }
  return pieces.join('');
}

/** One hunk with `lines` added lines. */
export function oneHunk(lines: number): string {
  return `${header(0)}@@ -0,0 +1,${lines} @@\n${'+\ttq_flush_one(addr); /* */\n'.repeat(lines)}`;
}

/** Files of one hunk with one line. */
export function tinyFiles(count: number): string {
  return Array.from(
    { length: count },
    (_, index) =>
      `--- a/drivers/tq/directory/tq_file_name_${index}.c\n+++ b/drivers/tq/directory/tq_file_name_${index}.c\n@@ -1 +1 @@\n-int tq_old_name;\n+int tq_new_name;\n`,
  ).join('');
}

/** One line of `bytes`. */
export function longLine(bytes: number): string {
  return `${header(0)}@@ -1 +1 @@\n-x\n+${'0x0001,'.repeat(Math.floor(bytes / 7))}\n`;
}

const mail = 'From: A <a@example.org>\nSubject: x\nMIME-Version: 1.0\n';

/** Shapes meant to make a careless reader slow; each takes a size in steps. */
export const hostileShapes: Record<string, (n: number) => string> = {
  'empty hunks': n => header(0) + '@@ -1,0 +1,0 @@\n'.repeat(n),
  '@@ lines': n => '@@ -1 +1 @@ x @@ y\n'.repeat(n),
  '---/+++ pairs': n => '--- a/x\n+++ b/x\n'.repeat(n),
  'From lines': n => 'From a@example.org Tue Mar  5 10:00:00 2024\nFrom: a\n\n'.repeat(n),
  'quote depth': n => `${mail}\n${'>'.repeat(n)} @@ -1 +1 @@\n`.repeat(8),
  'quotes of quotes': n =>
    `${mail}\n${Array.from({ length: n }, (_, index) => `${'> '.repeat(index % 19)}@@ -1,9 +1,9 @@`).join('\n')}\n`,
  'soft breaks': n => `${mail}Content-Transfer-Encoding: quoted-printable\n\n${'=\n'.repeat(n)}`,
  'MIME boundaries': n =>
    `${mail}Content-Type: multipart/mixed; boundary=b\n\n${'--b\nContent-Type: multipart/mixed; boundary=b\n\n'.repeat(n)}`,
  'one long line': n => header(0) + '@@ -1 +1 @@ ' + '@@ '.repeat(n) + '\n-x\n+y\n',
  'long names': n =>
    `diff --git a/${'x '.repeat(n)} b/${'x '.repeat(n)}\nindex 1..2\n--- "a/${'\\303'.repeat(n)}"\n+++ "b/${'\\303'.repeat(n)}"\n@@ -1 +1 @@\n-x\n+y\n`,
  '\\ markers': n => `${header(0)}@@ -1,${n} +1,${n} @@\n${'\\ No newline at end of file\n'.repeat(n)}`,
  'blank lines': n => `${header(0)}@@ -1 +1 @@\n-x\n+y\n${'\n'.repeat(n)}@@ -1 +1 @@\n`,
  'lines without marker': n => `${header(0)}@@ -1,${n} +1,${n} @@\n${'x\n+y\n'.repeat(n)}`,
  'hunks cut short': n => header(0) + '@@ -1,9 +1,9 @@\nx\n'.repeat(n),
  'header folds': n => `From: a\nSubject: ${'x\n '.repeat(n)}\n\n`,
  'flattened mail': n => `From: a Subject: b --- a/x +++ b/x ${'@@ -1,3 +1,4 @@ foo + a - b '.repeat(n)}`,
  'flowed lines': n => `${mail}Content-Type: text/plain; format=flowed\n\n${'x \n'.repeat(n)}`,
};
