/** What the patches of a series leave of each file, as far as it is known. */
import type { SourceUnit } from '../code/source';
import type { KernelTree } from './tree';
import { fitTo, type TreeFit } from './treeFit';
import { agrees, knownAfter, nothingKnown, type FileChange, type KnownFile } from './units';

/** A file before a patch, and how the patch goes with the text of a whole file; null where there was none to look at. */
export interface KnownBefore {
  readonly file: KnownFile;
  readonly fit: TreeFit | null;
}

const unknownBefore: KnownBefore = { file: nothingKnown, fit: null };

const fitted = new WeakMap<FileChange, { readonly from: unknown; readonly found: KnownBefore }>();

/** What is known of a file before a patch: what earlier patches left of it, else the tree's text. */
export function knownOf(
  change: FileChange,
  known: ReadonlyMap<string, KnownFile>,
  tree: KernelTree | null,
): KnownBefore {
  if (change.oldPath === null) return unknownBefore;
  const before = known.get(change.oldPath);
  if (before && !before.whole) return agrees(change, before) ? { file: before, fit: null } : unknownBefore;
  if (!before && !tree) return unknownBefore;
  const from = before ?? tree;
  const last = fitted.get(change);
  if (last?.from === from) return last.found;
  const found = findIn(change, before ?? treeFile(change, tree));
  fitted.set(change, { from, found });
  return found;
}

function findIn(change: FileChange, whole: KnownFile | null): KnownBefore {
  if (!whole) return { file: nothingKnown, fit: 'absent' };
  const fit = fitTo(change, whole);
  return fit ? { file: fit.known, fit: fit.how } : { file: nothingKnown, fit: 'other' };
}

/** The text of the tree, under its name before the patch or, where that is applied, after it. */
function treeFile({ oldPath, newPath }: FileChange, tree: KernelTree | null): KnownFile | null {
  const lines = (oldPath && tree?.lines(oldPath)) ?? (newPath && tree?.lines(newPath)) ?? null;
  return lines
    ? {
        lines: new Map(lines.map((text, at) => [at + 1, { text, documentLine: 0, heading: '' }])),
        whole: true,
      }
    : null;
}

/** The state of a series' files. */
export class SeriesState {
  readonly names = new Set<string>();
  known = new Map<string, KnownFile>();
  /** New sides of its patches: macros and types for later ones. */
  readonly units: SourceUnit[] = [];

  /** Applies a patch to what is known. */
  apply(changes: readonly FileChange[], tree: KernelTree | null): void {
    const after = new Map(this.known);
    for (const change of changes) {
      const left = knownAfter(change, knownOf(change, this.known, tree).file);
      if (change.oldPath !== null) after.delete(change.oldPath);
      if (change.newPath !== null) after.set(change.newPath, left);
    }
    this.known = after;
  }
}
