/** From a patch file's hunks to the source units that the front ends read: one side, or a mixture hunk by hunk. */
import { isAssembly } from '../code/asm/detect';
import type { Side, SourceLine, SourceUnit } from '../code/source';
import { hunkLines, type HunkLine } from '../patch/lines';
import { LineKind, type PatchFile } from '../patch/model';

/** A file of a patch with the lines of its hunks. */
export interface FileChange {
  readonly file: PatchFile;
  /** The new path, or the old one of a deleted file. */
  readonly path: string;
  readonly oldPath: string | null;
  readonly newPath: string | null;
  readonly hunks: readonly (readonly HunkLine[])[];
  readonly headings: readonly string[];
  readonly language: 'c' | 'asm';
}

const codeFile = /\.(c|h|S|s|inc|lds\.S)$/;

/** True for a file that a front end can read. */
export const isCode = (path: string): boolean => codeFile.test(path);

/** A file as the front ends need it, or null if it holds no code. */
export function fileChange(file: PatchFile): FileChange | null {
  const path = file.newPath ?? file.oldPath;
  if (path === null || !isCode(path) || !file.hunks.length) return null;
  const hunks = file.hunks.map(hunkLines);
  return {
    file,
    path,
    oldPath: file.oldPath,
    newPath: file.newPath,
    hunks,
    headings: file.hunks.map(hunk => hunk.heading),
    language: isAssembly(
      path,
      hunks.flatMap(lines => lines.map(line => line.text)),
    )
      ? 'asm'
      : 'c',
  };
}

function sideLines(lines: readonly HunkLine[], hunk: number, side: 'old' | 'new'): SourceLine[] {
  const hidden = side === 'old' ? LineKind.Added : LineKind.Removed;
  const changed = side === 'old' ? LineKind.Removed : LineKind.Added;
  return lines
    .filter(line => line.kind !== hidden)
    .map(line => ({
      text: line.text,
      fileLine: side === 'old' ? line.oldLine : line.newLine,
      documentLine: line.documentLine ?? 0,
      changed: line.kind === changed,
      hunk,
    }));
}

/**
 * The file with the first `applied` hunks applied. 0 is the old side; as many as there are, the new one.
 * Lines of every hunk keep their mark of being changed, so that each hunk's own lines can be told.
 */
export function unitAfter(change: FileChange, applied: number): SourceUnit {
  const lines = change.hunks.flatMap((hunk, index) =>
    sideLines(hunk, index, index < applied ? 'new' : 'old'),
  );
  const side: Side = applied === 0 ? 'old' : 'new';
  return { path: change.path, side, lines, whole: isWhole(change, applied), headings: change.headings };
}

/** An added or deleted file shows all of itself on the side where it exists. */
const isWhole = (change: FileChange, applied: number): boolean =>
  change.hunks.length === 1 &&
  ((applied === 1 && change.file.status === 'added') || (applied === 0 && change.file.status === 'deleted'));

/** The file of a kernel tree before a patch, with the hunks' lines marked: `before` is the whole text. */
export function wholeUnit(change: FileChange, before: readonly string[], applied: number): SourceUnit {
  const lines: SourceLine[] = [];
  const side: Side = applied === 0 ? 'old' : 'new';
  let next = 0;
  let newLine = 1;
  const keep = (until: number): void => {
    for (; next < until && next < before.length; next++)
      lines.push({ text: before[next]!, fileLine: newLine++, documentLine: 0, changed: false, hunk: -1 });
  };
  change.hunks.forEach((hunk, index) => {
    const first = hunk.find(line => line.oldLine > 0)?.oldLine ?? change.file.hunks[index]!.oldStart + 1;
    keep(first - 1);
    next += hunk.filter(line => line.kind !== LineKind.Added).length;
    for (const line of sideLines(hunk, index, index < applied ? 'new' : 'old'))
      lines.push({ ...line, fileLine: newLine++ });
  });
  keep(before.length);
  return { path: change.path, side, lines, whole: true, headings: change.headings };
}
