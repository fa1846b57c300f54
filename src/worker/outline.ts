/** Messages, files and hunks of a read document as plain data for outline, folding and lenses. */
import type { PatchDocument, PatchFile, PatchHunk, PatchMessage } from '../patch/model';
import type { FileReport, HunkReport, MessageReport } from '../protocol/report';

const messageReport = (message: PatchMessage): MessageReport => ({
  index: message.index,
  subject: message.subject,
  from: message.from,
  isReply: message.isReply,
  line: message.documentLine,
  endLine: Math.max(message.documentLine, message.documentEndLine - 1),
});

/** Document line of the last line of a hunk's body, or null. */
const hunkEnd = (hunk: PatchHunk): number | null =>
  hunk.source.documentEndLine(Math.max(hunk.headerLine, hunk.endLine - 1)) ?? hunk.documentLine;

const hunkReport = (hunk: PatchHunk): HunkReport => ({
  line: hunk.documentLine,
  endLine: hunkEnd(hunk),
  heading: hunk.heading,
  oldStart: hunk.oldStart,
  newStart: hunk.newStart,
  added: hunk.added,
  removed: hunk.removed,
  partial: hunk.partial,
  approximate: hunk.approximate,
});

/** The path that stands for a file: the new one, of a deleted file the old one. */
export const shownPath = (file: PatchFile): string => file.newPath ?? file.oldPath ?? '';

function fileReport(file: PatchFile, quoted: boolean, room: number): FileReport {
  const hunks = file.hunks.slice(0, room).map(hunkReport);
  const last = file.hunks[file.hunks.length - 1];
  return {
    path: shownPath(file),
    oldPath: file.oldPath,
    status: file.status,
    message: file.message,
    quoted,
    line: file.documentLine ?? hunks[0]?.line ?? null,
    endLine: (last && hunkEnd(last)) ?? file.documentLine,
    hunks,
  };
}

export interface Outline {
  readonly messages: readonly MessageReport[];
  readonly files: readonly FileReport[];
  /** True when hunks past the limit were left out. */
  readonly cut: boolean;
}

/** At most `limit` hunks are listed. */
export function outline(patch: PatchDocument, limit: number): Outline {
  let room = limit;
  let total = 0;
  const list = (files: readonly PatchFile[], quoted: boolean): FileReport[] =>
    files.map(file => {
      const report = fileReport(file, quoted, room);
      total += file.hunks.length;
      room -= report.hunks.length;
      return report;
    });
  const files = [...list(patch.files, false), ...list(patch.quoted, true)];
  return { messages: patch.messages.map(messageReport), files, cut: total > limit };
}
