import { LineKind, type PatchHunk } from './model';

/** A line of a hunk's body. */
export interface HunkLine {
  /** Context, Added or Removed (a bare context line is Context here). */
  readonly kind: typeof LineKind.Context | typeof LineKind.Added | typeof LineKind.Removed;
  /** The text without its marker; wrapped lines are joined to it. */
  readonly text: string;
  /** 1-based line in the old file; 0 for an added line. */
  readonly oldLine: number;
  /** 1-based line in the new file; 0 for a removed line. */
  readonly newLine: number;
  /** Line in `hunk.source`. */
  readonly line: number;
  readonly documentLine: number | null;
  /** True when no newline follows it at the end of the file. */
  readonly noNewline: boolean;
}

/** The body of a hunk, line by line; of a combined hunk as seen from the first parent. */
export function hunkLines(hunk: PatchHunk): HunkLine[] {
  const { source, parents } = hunk;
  const lines: HunkLine[] = [];
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  // `-n,0` names the line before the change.
  if (hunk.oldLines === 0) oldLine++;
  if (hunk.newLines === 0) newLine++;
  for (let line = hunk.firstLine; line < hunk.endLine; line++) {
    const kind = source.lineKind(line);
    const last = lines[lines.length - 1];
    if (kind === LineKind.Continuation) {
      if (last)
        lines[lines.length - 1] = { ...last, text: `${last.text} ${source.lineText(line).trimStart()}` };
      continue;
    }
    if (kind === LineKind.Marker) {
      if (last) lines[lines.length - 1] = { ...last, noNewline: true };
      continue;
    }
    const text = kind === LineKind.BareContext ? source.lineText(line) : source.lineText(line).slice(parents);
    const place = { text, line, documentLine: source.documentLine(line), noNewline: false };
    if (kind === LineKind.Added) lines.push({ ...place, kind, oldLine: 0, newLine: newLine++ });
    else if (kind === LineKind.Removed) lines.push({ ...place, kind, oldLine: oldLine++, newLine: 0 });
    else if (kind === LineKind.Context || kind === LineKind.BareContext) {
      lines.push({ ...place, kind: LineKind.Context, oldLine: oldLine++, newLine: newLine++ });
    }
  }
  return lines;
}
