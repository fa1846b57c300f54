/** `tlbscope parse`: what a patch document holds, and what is wrong with it. */
import { parseJson } from '../patch/json';
import type { PatchDocument, PatchFile } from '../patch/model';
import { Exit, type Command } from './command';
import { readDocument } from './document';

/** Characters of a mail's text that a terminal would act on, or that turn its order round. */
const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

const plain = (text: string): string => text.replace(controls, '\ufffd');

function fileLines(file: PatchFile): string[] {
  const name =
    file.oldPath !== null && file.newPath !== null && file.oldPath !== file.newPath
      ? `${file.oldPath} => ${file.newPath}`
      : (file.newPath ?? file.oldPath ?? '');
  const hunks = file.hunks.map(hunk => {
    const where = hunk.documentLine === null ? 'decoded' : `line ${hunk.documentLine}`;
    const marks = [
      hunk.mismatch && 'counts disagree',
      hunk.partial && 'partial',
      hunk.approximate && 'approximate',
      hunk.depth && `quoted ${hunk.depth} deep`,
    ];
    const notes = marks.filter(mark => mark).join(', ');
    return `    ${where}: @@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@ +${hunk.added} -${hunk.removed}${notes ? ` (${notes})` : ''}`;
  });
  return [`  ${file.status} ${name}`, ...hunks];
}

function report(document: PatchDocument): string {
  const lines: string[] = [];
  for (const message of document.messages) {
    const own = document.files.filter(file => file.message === message.index);
    const quoted = document.quoted.filter(file => file.message === message.index);
    lines.push(
      `message ${message.index}, line ${message.documentLine}: ${message.subject || '(no subject)'}`,
    );
    for (const file of own) lines.push(...fileLines(file));
    if (quoted.length) lines.push('  quoted:');
    for (const file of quoted) lines.push(...fileLines(file).map(line => `  ${line}`));
  }
  for (const { kind, documentLine, message } of document.diagnostics) {
    lines.push(`${documentLine === null ? '' : `line ${documentLine}: `}${message} [${kind}]`);
  }
  return `${lines.map(plain).join('\n')}\n`;
}

export const parseCommand: Command = {
  name: 'parse',
  usage: 'FILE',
  summary: 'Read a patch, a mail, an mbox or a thread: messages, files, hunks, and what is wrong.',
  options: {},
  help: ['FILE  a diff, mail, mbox or archive text; - is standard input'],
  positionals: [1, 1],
  run({ positionals, json, write }) {
    const document = readDocument(positionals[0]!);
    write(json ? `${JSON.stringify(parseJson(document))}\n` : report(document));
    return Exit.Fine;
  },
};
