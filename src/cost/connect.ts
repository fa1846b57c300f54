/** Lets every patch call what its series and the tree define. */
import type { FileAnalysis, PatchAnalysis } from './analysis';
import { LayeredProgram, type Layer, type PlaceHints } from './definitions';

/** How many patches before and after one its calls are followed into: in a series, and in an archive of many. */
const reachInSeries = 40;
const reachInArchive = 3;
const manyPatches = 200;

/** Patches by a key. */
function grouped<K>(
  patches: readonly PatchAnalysis[],
  keyOf: (patch: PatchAnalysis) => K,
): Map<K, PatchAnalysis[]> {
  const groups = new Map<K, PatchAnalysis[]>();
  for (const patch of patches) {
    const key = keyOf(patch);
    const known = groups.get(key);
    if (known) known.push(patch);
    else groups.set(key, [patch]);
  }
  return groups;
}

/** Gives every patch its programs. */
export function connect(patches: readonly PatchAnalysis[], hints: PlaceHints): void {
  const reach = patches.length > manyPatches ? reachInArchive : reachInSeries;
  const byMessage = new Map(patches.map(patch => [patch.entry.message, patch]));
  const revising = grouped(patches, patch => patch.entry.revises);
  // Patches that revise files of another in part; one that replaces it as a whole stands for itself.
  const revisionsOf = (patch: PatchAnalysis): PatchAnalysis[] =>
    (revising.get(patch.entry.message) ?? []).filter(
      other => patch.entry.supersededBy !== other.entry.message,
    );
  const postedOf = (patch: PatchAnalysis): PatchAnalysis | null => {
    const posted = patch.entry.revises === null ? undefined : byMessage.get(patch.entry.revises);
    return posted && posted.entry.supersededBy !== patch.entry.message ? posted : null;
  };
  const whole = patches.filter(patch => postedOf(patch) === null);
  const series = grouped(whole, patch => patch.entry.series);
  const place = new Map([...series.values()].flatMap(list => list.map((patch, at) => [patch, at] as const)));
  const counts = (patch: PatchAnalysis): boolean => patch.entry.supersededBy === null;
  for (const patch of patches) {
    const posted = postedOf(patch);
    const stands = posted ?? patch;
    const list = series.get(stands.entry.series) ?? [];
    const at = place.get(stands) ?? 0;
    const earlier = list
      .slice(Math.max(0, at - reach), at)
      .reverse()
      .filter(counts);
    const later = list.slice(at + 1, at + 1 + reach).filter(counts);
    const rest = (side: 'before' | 'after'): Layer[] => [
      ...earlier.flatMap(other => [...revisionsOf(other), other]).map(other => other.layers.after),
      ...later.map(other => other.layers.before),
      patch.trees[side],
    ];
    const beside = posted ? [posted] : [];
    const program = (top: readonly PatchAnalysis[], side: 'before' | 'after'): LayeredProgram => {
      const own = [...top, patch, ...beside].map(other => other.layers[side]);
      return new LayeredProgram([...own, ...rest(side)], own.length, hints);
    };
    patch.programs = { before: program([], 'before'), after: program([], 'after') };
    const revisions = revisionsOf(patch);
    const effective = revisions.length
      ? { before: program(revisions, 'before'), after: program(revisions, 'after') }
      : patch.programs;
    patch.effective = { files: posted ? [] : effectiveFiles(patch, revisions), ...effective };
  }
}

/** The files that count in a patch's total: its own, with revised ones in place of those they replace. */
const effectiveFiles = (patch: PatchAnalysis, revisions: readonly PatchAnalysis[]): FileAnalysis[] => [
  ...[...patch.files].filter(([file]) => !patch.entry.supersededFiles.has(file)).map(([, read]) => read),
  ...revisions.flatMap(revision => [...revision.files.values()]),
];
