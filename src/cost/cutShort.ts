/** Hunks whose body ends before the lines that their header promises: what is missing may change something. */
import { LineKind, type PatchFile, type PatchHunk } from '../patch/model';
import type { UnknownItem } from './priced';
import { isCode } from './units';

/** Lines of both sides that the header declares and the body lacks. */
function missingLines(hunk: PatchHunk): number {
  const { source, firstLine, endLine, oldLines, newLines } = hunk;
  let [old, now] = [0, 0];
  for (let line = firstLine; line < endLine; line++) {
    const kind = source.lineKind(line);
    if (kind === LineKind.Context || kind === LineKind.Removed) old++;
    if (kind === LineKind.Context || kind === LineKind.Added) now++;
  }
  return Math.max(oldLines - old, newLines - now, 0);
}

const nothing: readonly UnknownItem[] = [];

/** What to list of each hunk of a file; null if there is none to list. */
export function cutShort(file: PatchFile): readonly (readonly UnknownItem[])[] | null {
  if (!file.hunks.some(({ mismatch }) => mismatch) || !isCode(file.newPath ?? file.oldPath ?? ''))
    return null;
  return file.hunks.map(hunk => {
    const missing = hunk.mismatch && hunk.parents === 1 ? missingLines(hunk) : 0;
    const lines = missing === 1 ? 'one more line' : `${missing} more lines`;
    return missing === 0
      ? nothing
      : [
          {
            name: 'lines cut off',
            documentLine: hunk.documentLine,
            why: `the header of the hunk promises ${lines}`,
          },
        ];
  });
}
