/** How a patch goes with the whole text of a file: at its lines, at others, as already applied, or not at all. */
import { LineKind } from '../patch/model';
import type { FileChange, KnownFile, KnownLine } from './units';

/**
 * `exact`: at the lines that the patch names; `moved`: at others; `applied`: the text has the patch already, and was taken
 * back; `other`: the text is another version; `absent`: there is no such file.
 */
export type TreeFit = 'exact' | 'moved' | 'applied' | 'other' | 'absent';

export interface Fitted {
  readonly how: 'exact' | 'moved' | 'applied';
  /** The file before the patch. */
  readonly known: KnownFile;
}

/** Line comparisons for one file: only made-up ones come near it. */
const mostComparisons = 2_000_000;

/** Lines with something in them that a hunk needs to be found elsewhere. */
const leastTelling = 3;

type Side = 'old' | 'new';

const textsOf = (change: FileChange, hunk: number, side: Side): string[] =>
  change.hunks[hunk]!.filter(({ kind }) => kind !== (side === 'old' ? LineKind.Added : LineKind.Removed)).map(
    ({ text }) => text.trimEnd(),
  );

/** 0-based line at which a hunk says that its side begins. */
function statedStart({ file, hunks }: FileChange, hunk: number, side: Side): number {
  const { oldStart, oldLines, newStart, newLines } = file.hunks[hunk]!;
  const shown = hunks[hunk]!.find(line => (side === 'old' ? line.oldLine : line.newLine) > 0);
  if (shown) return (side === 'old' ? shown.oldLine : shown.newLine) - 1;
  // `-n,0` names the line before the change.
  return side === 'old' ? oldStart - (oldLines === 0 ? 0 : 1) : newStart - (newLines === 0 ? 0 : 1);
}

/** 0-based lines at which the hunks' sides stand in a text, in order, each the nearest to where it ought to be; or null. */
function placesOf(change: FileChange, lines: readonly string[], side: Side): number[] | null {
  const places: number[] = [];
  let left = mostComparisons;
  let next = 0;
  let offset = 0;
  for (let hunk = 0; hunk < change.hunks.length; hunk++) {
    const texts = textsOf(change, hunk, side);
    // A few lines may stand anywhere: they are only looked for where they ought to be.
    const telling = texts.filter(text => text.trim().length > 1).length >= leastTelling;
    const matches = (at: number): boolean =>
      texts.every((text, index) => --left >= 0 && lines[at + index] === text);
    const expected = statedStart(change, hunk, side) + offset;
    const last = lines.length - texts.length;
    let found = -1;
    for (let away = 0; found < 0 && away <= Math.max(expected - next, last - expected, 0); away++) {
      for (const at of away ? [expected - away, expected + away] : [expected])
        if (found < 0 && at >= next && at <= last && matches(at)) found = at;
      if (left < 0 || !telling) break;
    }
    if (found < 0) return null;
    places.push(found);
    next = found + texts.length;
    offset += found - expected;
  }
  return places;
}

const linesOf = ({ lines }: KnownFile): KnownLine[] =>
  [...lines].sort(([a], [b]) => a - b).map(([, line]) => line);

const wholeFile = (lines: readonly KnownLine[], offsets: readonly number[]): KnownFile => ({
  lines: new Map(lines.map((line, at) => [at + 1, line])),
  whole: true,
  ...(offsets.some(offset => offset !== 0) ? { offsets } : {}),
});

/** Fits a patch to a whole file; null where it does not go with it, neither way round. */
export function fitTo(change: FileChange, whole: KnownFile): Fitted | null {
  const lines = linesOf(whole);
  const texts = lines.map(({ text }) => text.trimEnd());
  const offsetsOf = (places: readonly number[]): number[] =>
    places.map((at, hunk) => at - statedStart(change, hunk, 'old'));
  const places = placesOf(change, texts, 'old');
  if (places) {
    const offsets = offsetsOf(places);
    const how = offsets.every(offset => offset === 0) ? 'exact' : 'moved';
    return { how, known: wholeFile(lines, offsets) };
  }
  const after = placesOf(change, texts, 'new');
  if (!after) return null;
  const before: KnownLine[] = [];
  const starts: number[] = [];
  let next = 0;
  after.forEach((at, hunk) => {
    before.push(...lines.slice(next, at));
    starts.push(before.length);
    for (const text of textsOf(change, hunk, 'old')) before.push({ text, documentLine: 0, heading: '' });
    next = at + textsOf(change, hunk, 'new').length;
  });
  for (let at = next; at < lines.length; at++) before.push(lines[at]!);
  return { how: 'applied', known: wholeFile(before, offsetsOf(starts)) };
}

/** What is said of a hunk whose file is in the tree; null where there is nothing to say. */
export function fitText(fit: TreeFit | null, path: string): string | null {
  switch (fit) {
    case 'exact':
    case 'moved':
      return `read with the whole of ${path} in the tree`;
    case 'applied':
      return `the tree's ${path} has this change already: it was taken back for what was before`;
    case 'other':
      return `the tree's ${path} is another version, to which the patch does not apply: of it only the lines of the patch were read`;
    case 'absent':
      return `the tree has no ${path}: of it only the lines of the patch were read`;
    case null:
      return null;
  }
}
