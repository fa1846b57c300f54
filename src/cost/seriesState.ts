/** What the patches of a series leave of each file, as far as it is known. */
import type { SourceUnit } from '../code/source';
import type { KernelTree } from './tree';
import { agrees, knownAfter, nothingKnown, type FileChange, type KnownFile } from './units';

/** What is known of a file before a patch: what earlier patches left of it, else the tree's text. */
export function knownOf(
  change: FileChange,
  known: ReadonlyMap<string, KnownFile>,
  tree: KernelTree | null,
): KnownFile {
  if (change.oldPath === null) return nothingKnown;
  const before = known.get(change.oldPath);
  if (before && agrees(change, before)) return before;
  const lines = before ? null : (tree?.lines(change.oldPath) ?? null);
  if (!lines) return nothingKnown;
  const whole: KnownFile = {
    lines: new Map(lines.map((text, at) => [at + 1, { text, documentLine: 0, heading: '' }])),
    whole: true,
  };
  return agrees(change, whole) ? whole : nothingKnown;
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
      const left = knownAfter(change, knownOf(change, this.known, tree));
      if (change.oldPath !== null) after.delete(change.oldPath);
      if (change.newPath !== null) after.set(change.newPath, left);
    }
    this.known = after;
  }
}
