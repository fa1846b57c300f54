/** Finds the operations in the hunks of a file, by name. */
import type { LookupHints } from '../code/catalogue/entry';
import { mentionsCatalogue } from '../code/nameFilter';
import type { Recognised } from '../code/nameScanner';
import { recogniseLines } from '../code/recognise';
import { constant, print } from '../cost/polynomial';
import { kernelConstants } from '../machine/registry';
import { hunkLines, type HunkLine } from '../patch/lines';
import { LineKind, type PatchDocument, type PatchFile, type PatchHunk } from '../patch/model';
import type { Cause, HunkAnnotation, LineAnnotation, Operations, UnknownReport } from '../protocol/report';
import {
  addCounts,
  countPlace,
  scaleCounts,
  type CountOptions,
  type Counts,
  type PlaceCount,
} from './nameCounts';
import { shownPath } from './outline';
import type { PageRange } from './pageRange';
import type { Setting } from './setting';

/** Pages up to which Linux flushes page by page. */
const ceiling = kernelConstants.flushCeiling.value;

/** Code that can hold operations; documentation and scripts only speak of them. */
const codePath = /\.(?:c|h|S|s|inc|cc|cpp|hpp)$/;

const minusOne = constant(-1);

const operations = (counts: Counts): Operations =>
  Object.fromEntries([...counts].map(([name, count]) => [name, print(count)]));

const sides = {
  [LineKind.Removed]: 'old',
  [LineKind.Added]: 'new',
  [LineKind.Context]: 'both',
} as const;

/** What one line performs, with its counts. */
interface CountedLine {
  readonly annotation: LineAnnotation;
  readonly counts: Counts;
  readonly other: Counts | null;
}

function causeOf(found: Recognised, options: CountOptions): { cause: Cause; counted: PlaceCount } {
  const counted = countPlace(found, options);
  const cause = {
    name: found.name,
    operations: operations(counted.counts),
    why: found.entry.why,
    gates: counted.gates,
    note: counted.notes.join(' '),
  };
  return { cause, counted };
}

function countLine(
  hunk: PatchHunk,
  line: HunkLine,
  found: readonly Recognised[],
  options: CountOptions,
): CountedLine | null {
  const documentLine = hunk.source.documentEndLine(line.line);
  if (documentLine === null) return null;
  let counts: Counts = new Map();
  let other: Counts = new Map();
  let differs = false;
  const causes: Cause[] = [];
  const unknown: UnknownReport[] = [];
  for (const one of found) {
    const { cause, counted } = causeOf(one, options);
    causes.push(cause);
    counts = addCounts(counts, counted.counts);
    other = addCounts(other, counted.other ?? counted.counts);
    differs ||= counted.other !== null;
    unknown.push(...counted.unknown.map(({ name, why }) => ({ name, line: documentLine, why })));
  }
  const annotation: LineAnnotation = {
    line: documentLine,
    side: sides[line.kind],
    operations: operations(counts),
    operationsOther: differs ? operations(other) : null,
    noCycles: '',
    weak: true,
    causes,
    unknown,
  };
  return { annotation, counts, other: differs ? other : null };
}

/** What the lines of one side perform; an empty list for lines of the other side. */
function recogniseSide(
  lines: readonly HunkLine[],
  hints: LookupHints,
  without: HunkLine['kind'],
): ReadonlyMap<HunkLine, readonly Recognised[]> {
  const side = lines.filter(({ kind }) => kind !== without);
  const found = recogniseLines(
    side.map(({ text }) => text),
    hints,
  );
  return new Map(side.map((line, index) => [line, found[index]!]));
}

/** Rows that are worth a place on the screen: ordinary helpers are not. */
const matters = ({ entry }: Recognised): boolean =>
  entry.effect === 'operations' || entry.effect === 'unknown' || entry.tlb;

function annotateHunk(hunk: PatchHunk, hints: LookupHints, options: CountOptions): readonly CountedLine[] {
  const { source, firstLine, endLine } = hunk;
  if (!mentionsCatalogue(source.text, source.lineStart(firstLine), source.lineStart(endLine))) return [];
  const lines = hunkLines(hunk);
  const before = recogniseSide(lines, hints, LineKind.Added);
  const after = recogniseSide(lines, hints, LineKind.Removed);
  let aboutTlb = false;
  const counted: CountedLine[] = [];
  for (const line of lines) {
    const found = ((line.kind === LineKind.Removed ? before : after).get(line) ?? []).filter(matters);
    if (!found.length) continue;
    aboutTlb ||= found.some(({ entry }) => entry.tlb);
    const one = countLine(hunk, line, found, options);
    if (one) counted.push(one);
  }
  // Atomics and fences alone are not about the TLB.
  return aboutTlb ? counted : [];
}

const marks = { old: '\u2212', new: '+', both: ' ' } as const;

function derivation({ annotation }: CountedLine): string[] {
  if (annotation.side === 'both') return [];
  return annotation.causes
    .filter(cause => Object.keys(cause.operations).length > 0)
    .map(({ name, operations: performed }) => {
      const list = Object.entries(performed).map(([operation, count]) =>
        count === '1' ? operation : `${count} ${operation}`,
      );
      return `${marks[annotation.side]} line ${annotation.line}: ${name} performs ${list.join(', ')}`;
    });
}

const sameCounts = (a: Counts, b: Counts): boolean =>
  JSON.stringify(Object.entries(operations(a)).sort()) ===
  JSON.stringify(Object.entries(operations(b)).sort());

/** `+` lines count for, `-` lines against. */
const signed = (counts: Counts, side: LineAnnotation['side']): Counts =>
  side === 'new' ? counts : side === 'old' ? scaleCounts(counts, minusOne) : new Map();

function hunkAnnotation(
  file: PatchFile,
  quoted: boolean,
  hunk: PatchHunk,
  lines: readonly CountedLine[],
): HunkAnnotation | null {
  if (!lines.length || hunk.documentLine === null) return null;
  let delta: Counts = new Map();
  let deltaOther: Counts = new Map();
  for (const { annotation, counts, other } of lines) {
    delta = addCounts(delta, signed(counts, annotation.side));
    deltaOther = addCounts(deltaOther, signed(other ?? counts, annotation.side));
  }
  const changed = lines.filter(({ annotation }) => annotation.side !== 'both');
  const gates = changed.flatMap(({ annotation }) => annotation.causes.flatMap(cause => cause.gates));
  const end = hunk.source.documentEndLine(Math.max(hunk.headerLine, hunk.endLine - 1));
  return {
    path: shownPath(file),
    line: hunk.documentLine,
    endLine: end ?? hunk.documentLine,
    heading: hunk.heading,
    quoted,
    delta: operations(delta),
    deltaOther: sameCounts(delta, deltaOther) ? null : operations(deltaOther),
    noCycles: '',
    weak: true,
    lines: lines.map(({ annotation }) => annotation),
    unknown: changed.flatMap(({ annotation }) => annotation.unknown),
    gates: [...new Set(gates)],
    derivation: changed.flatMap(derivation),
  };
}

/** `[PATCH v7 11/16]` → 7. */
function seriesVersion(subject: string): number | undefined {
  const version = /^[^\]]{0,40}\bv(\d{1,3})\b[^\]]{0,40}\]/i.exec(subject)?.[1];
  return version === undefined ? undefined : Number(version);
}

/** The hunks of a file that are about the TLB. */
export function annotateFile(
  patch: PatchDocument,
  file: PatchFile,
  quoted: boolean,
  { features }: Setting,
  pages: PageRange,
): HunkAnnotation[] {
  const path = shownPath(file);
  if (path !== '' && !codePath.test(path)) return [];
  const version = seriesVersion(patch.messages[file.message - 1]?.subject ?? '');
  const hints: LookupHints = version === undefined ? { path } : { path, seriesVersion: version };
  const exceeds = (limit: number): boolean => pages.exceeds(limit);
  const options: CountOptions = { has: feature => features.has(feature), exceeds, ceiling, hints };
  return file.hunks
    .map(hunk => hunkAnnotation(file, quoted, hunk, annotateHunk(hunk, hints, options)))
    .filter(annotation => annotation !== null);
}
