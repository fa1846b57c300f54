/** Which line of a patch's document shows a line of the tree before it, or after it. */
import { applyToText, treePath, type FileTree } from '../patch/apply';
import { hunkLines } from '../patch/lines';
import { LineKind, type PatchFile } from '../patch/model';

/** Path → 1-based line of the text → 1-based line of the document. */
export type PatchLines = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** A line of a file between two patches. */
interface Line {
  /** Its line before the first patch; 0: it was not there. */
  readonly before: number;
  /** Line of the document that shows it; 0: none. */
  readonly shown: number;
}

class FileLines {
  lines: Line[];
  /** Line before the patches → line of the document. */
  readonly before = new Map<number, number>();

  constructor(public text: string) {
    this.lines = text.split('\n').map((_, at) => ({ before: at + 1, shown: 0 }));
  }

  /** Follows one patch of the file. False: it does not apply. */
  apply(file: PatchFile): boolean {
    const applied = applyToText(this.text, file);
    if (!applied.ok) return false;
    const next: Line[] = [];
    let from = 0;
    const copyUntil = (length: number): void => {
      while (next.length < length && from < this.lines.length) next.push(this.lines[from++]!);
    };
    file.hunks.forEach((hunk, at) => {
      copyUntil(applied.hunks[at]!.line - 1);
      for (const { kind, documentLine } of hunkLines(hunk)) {
        const shown = documentLine ?? 0;
        if (kind === LineKind.Added) {
          next.push({ before: 0, shown });
          continue;
        }
        const line = this.lines[from++];
        if (!line) continue;
        if (line.before > 0 && shown > 0 && !this.before.has(line.before))
          this.before.set(line.before, shown);
        // A line that an earlier patch of the series added is that patch's.
        if (kind === LineKind.Context) next.push(line.shown > 0 ? line : { ...line, shown });
      }
    });
    while (from < this.lines.length) next.push(this.lines[from++]!);
    this.lines = next;
    this.text = applied.content;
    return true;
  }
}

/** Lines of the tree before and after the files of a patch, which are applied in order as `applyToTree` does. */
export function patchLines(
  tree: FileTree,
  files: readonly PatchFile[],
): { readonly before: PatchLines; readonly after: PatchLines } {
  const known = new Map<string, FileLines>();
  for (const file of files) {
    const old = file.oldPath === null ? null : treePath(tree, file.oldPath);
    const path = old ?? file.newPath;
    if (path === null || file.status === 'binary') continue;
    const lines = known.get(path) ?? new FileLines(old === null ? '' : tree.get(old)!);
    known.set(path, lines);
    if (!lines.apply(file)) break;
    // From here on it goes by its new name.
    if (file.newPath !== null && file.newPath !== file.oldPath && old !== null)
      known.set(file.newPath, lines);
  }
  const before = new Map<string, ReadonlyMap<number, number>>();
  const after = new Map<string, ReadonlyMap<number, number>>();
  for (const [path, lines] of known) {
    before.set(path, lines.before);
    after.set(path, new Map(lines.lines.flatMap(({ shown }, at) => (shown > 0 ? [[at + 1, shown]] : []))));
  }
  return { before, after };
}
