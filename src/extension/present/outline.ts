/** Names in the outline. */
import type { DecodedReport, FileReport, HunkReport, MessageReport } from '../../protocol/report';
import { plainText } from './escape';

const minus = '\u2212';

export const messageName = (message: MessageReport): string =>
  plainText(message.subject, 120) || (message.from ? `Mail from ${plainText(message.from, 80)}` : 'Patch');

export function fileName(file: FileReport): string {
  const path = plainText(file.path, 200) || 'file without a name';
  return file.quoted ? `> ${path}` : path;
}

/** What else the outline says of a file: status, and the lines added and removed. */
export function fileDetail(file: FileReport): string {
  const added = file.hunks.reduce((sum, hunk) => sum + hunk.added, 0);
  const removed = file.hunks.reduce((sum, hunk) => sum + hunk.removed, 0);
  const status = file.status === 'modified' ? '' : `${file.status} `;
  const from = file.status === 'renamed' && file.oldPath ? `from ${plainText(file.oldPath, 120)} ` : '';
  return `${file.quoted ? 'quoted ' : ''}${status}${from}+${added} ${minus}${removed}`;
}

export const hunkName = (hunk: HunkReport): string =>
  plainText(hunk.heading, 100) || `line ${hunk.newStart || hunk.oldStart}`;

export function hunkDetail(hunk: HunkReport): string {
  const marks = `${hunk.partial ? ' partial' : ''}${hunk.approximate ? ' approximate' : ''}`;
  return `@@ ${hunk.newStart} +${hunk.added} ${minus}${hunk.removed}${marks}`;
}

const encodings = {
  document: 'text',
  'quoted-printable': 'quoted-printable',
  base64: 'base64',
  flowed: 'format=flowed',
  quotation: 'quotation',
  flattened: 'flattened mail',
  signed: 'clear-signed',
} as const;

/** The offer to open a decoded part. */
export const partTitle = (part: DecodedReport): string =>
  `Open this part decoded (${encodings[part.kind]}${part.name ? `: ${plainText(part.name, 60)}` : ''})`;
