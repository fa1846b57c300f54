/** From a patch file's hunks to the source units that the front ends read: one side, or a mixture hunk by hunk. */
import { isAssembly } from '../code/asm/detect';
import type { Side, SourceLine, SourceUnit } from '../code/source';
import { hunkLines, type HunkLine } from '../patch/lines';
import { LineKind, type PatchFile, type PatchHunk } from '../patch/model';

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

const inlineAssembly = /\b(?:asm|__asm__|__asm)\b\s*(?:volatile|__volatile__|goto|inline|\()/;

/** Lines that tell assembly from C: inline assembly stands in C. */
const tellingLines = (hunks: readonly (readonly HunkLine[])[]): string[] =>
  hunks.flatMap(lines => lines.map(({ text }) => (inlineAssembly.test(text.slice(0, 300)) ? '{' : text)));

/** A file as the front ends need it, or null if it holds no code. */
export function fileChange(file: PatchFile): FileChange | null {
  const path = file.newPath ?? file.oldPath;
  if (path === null || !isCode(path) || !file.hunks.length) return null;
  const read = file.hunks.map(hunk =>
    hunk.approximate ? unflattened(hunk) : { heading: hunk.heading, lines: hunkLines(hunk) },
  );
  const hunks = read.map(({ lines }) => lines);
  return {
    file,
    path,
    oldPath: file.oldPath,
    newPath: file.newPath,
    hunks,
    headings: read.map(({ heading }) => heading),
    language: isAssembly(path, tellingLines(hunks)) ? 'asm' : 'c',
  };
}

/** Where statements of a mail that was flattened onto one line are told apart. */
const joint = /(?<=[;{}]) (?=[\w}*&(])/;

/**
 * A hunk of a flattened mail has its context glued to the heading and to the changed lines. What stands behind the
 * function's heading is its first context; what stands behind the first statement of a changed line is context again.
 */
function unflattened(hunk: PatchHunk): { heading: string; lines: HunkLine[] } {
  const close = hunk.heading.indexOf(')');
  const isFunction = /^[\w\s*]+\([^;{}"]*$/.test(hunk.heading.slice(0, Math.max(close, 0)));
  const heading = isFunction ? hunk.heading.slice(0, close + 1) : '';
  const rest = isFunction ? hunk.heading.slice(close + 1).trim() : '';
  const lines = hunkLines(hunk);
  const context = (text: string, like: HunkLine | undefined): HunkLine => ({
    kind: LineKind.Context,
    text,
    oldLine: like?.oldLine ?? hunk.oldStart,
    newLine: like?.newLine ?? hunk.newStart,
    line: like?.line ?? hunk.headerLine,
    documentLine: hunk.documentLine,
    noNewline: false,
  });
  const all = lines.flatMap((line, at): HunkLine[] => {
    const next = lines[at + 1];
    if (line.kind === LineKind.Context || next?.kind === line.kind) return [line];
    const [first, ...others] = line.text.split(joint);
    return [{ ...line, text: first ?? '' }, ...others.map(text => context(text, line))];
  });
  return { heading, lines: rest === '' ? all : [context(rest, all[0]), ...all] };
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

/** A line of a file that is known from elsewhere: an earlier patch of the series, or the tree. */
export interface KnownLine {
  readonly text: string;
  /** 0 where it is not in the document. */
  readonly documentLine: number;
  /** The function named in the header of the hunk that showed it, or ''. */
  readonly heading: string;
}

/** What is known of a file before a patch. */
export interface KnownFile {
  /** By 1-based line. */
  readonly lines: ReadonlyMap<number, KnownLine>;
  /** Every line is known. */
  readonly whole: boolean;
  /** How far from where it says each hunk stands, where that is not 0 for all. */
  readonly offsets?: readonly number[];
}

export const nothingKnown: KnownFile = { lines: new Map(), whole: false };

/** Whether the hunks' own old lines agree with what is known; if not, the patch is for another state of the file. */
export function agrees(change: FileChange, known: KnownFile): boolean {
  for (const hunk of change.hunks)
    for (const line of hunk) {
      const there = line.oldLine > 0 ? known.lines.get(line.oldLine) : undefined;
      if (there && there.text.trimEnd() !== line.text.trimEnd()) return false;
    }
  return true;
}

/**
 * The file with the first `applied` hunks applied: 0 is the old side; as many as there are, the new one. Lines that no
 * hunk shows come from what is known. Lines of every hunk keep their mark of being changed, so that each hunk's own
 * lines can be told.
 */
export function unitAfter(change: FileChange, applied: number, known: KnownFile = nothingKnown): SourceUnit {
  const lines: SourceLine[] = [];
  const others = [...known.lines].sort(([a], [b]) => a - b);
  let next = 0;
  let shift = 0;
  const headings = [...change.headings];
  let last = -1;
  const keepUntil = (oldLine: number): void => {
    for (; next < others.length && others[next]![0] < oldLine; next++) {
      const [at, { text, documentLine, heading }] = others[next]!;
      // A stretch that no hunk shows is a hunk of its own to the readers, so that they see the gaps around it.
      if (at !== last + 1 && !known.whole) headings.push(heading);
      last = at;
      lines.push({
        text,
        fileLine: at + shift,
        documentLine,
        changed: false,
        hunk: known.whole ? -1 : headings.length - 1,
      });
    }
  };
  change.hunks.forEach((hunk, index) => {
    const { oldStart, oldLines } = change.file.hunks[index]!;
    const stated = hunk.find(line => line.oldLine > 0)?.oldLine ?? oldStart + (oldLines === 0 ? 1 : 0);
    const first = stated + (known.offsets?.[index] ?? 0);
    const olds = hunk.filter(line => line.kind !== LineKind.Added).length;
    const news = hunk.filter(line => line.kind !== LineKind.Removed).length;
    keepUntil(first);
    const side = index < applied ? 'new' : 'old';
    sideLines(hunk, index, side).forEach((line, at) => lines.push({ ...line, fileLine: first + shift + at }));
    // Known lines that the hunk shows itself.
    while (next < others.length && others[next]![0] < first + olds) next++;
    if (side === 'new') shift += news - olds;
  });
  keepUntil(Infinity);
  const side: Side = applied === 0 ? 'old' : 'new';
  const whole = known.whole || isWhole(change, applied);
  return { path: change.path, side, lines, whole, headings: renamedHeadings(change, applied, headings) };
}

const definedName = /^(?:[\w\s*]{1,200}?\b(\w+)\s*\(|\.macro\s+(\w+))/;

/** The function that a line defines, at the beginning of a line, or null. */
function nameDefined(text: string): string | null {
  if (/^\s|^#/.test(text) || text.trimEnd().endsWith(';')) return null;
  const match = definedName.exec(text.slice(0, 300));
  return match?.[1] ?? match?.[2] ?? null;
}

/** A function that a hunk gives another name. */
export interface Renaming {
  readonly hunk: number;
  readonly from: string;
  readonly to: string;
}

/** Renamed functions: a hunk removes one head and adds one. */
export function renamingsOf(change: FileChange): readonly Renaming[] {
  let known = renamings.get(change);
  if (!known) renamings.set(change, (known = findRenamings(change)));
  return known;
}

const renamings = new WeakMap<FileChange, readonly Renaming[]>();

function findRenamings(change: FileChange): Renaming[] {
  return change.hunks.flatMap((lines, hunk) => {
    const names = (kind: HunkLine['kind']): string[] =>
      lines.filter(line => line.kind === kind).flatMap(line => nameDefined(line.text) ?? []);
    const [gone, come] = [names(LineKind.Removed), names(LineKind.Added)];
    const [from, to] = [gone[0], come[0]];
    if (gone.length !== 1 || come.length !== 1 || from === undefined || to === undefined || from === to)
      return [];
    return [{ hunk, from, to }];
  });
}

/** A hunk's header names its function as it was called before: behind a hunk that renames it, it has the new name. */
function renamedHeadings(
  change: FileChange,
  applied: number,
  headings: readonly string[],
): readonly string[] {
  const result = [...headings];
  for (const { hunk, from, to } of renamingsOf(change)) {
    if (hunk >= applied) continue;
    const old = new RegExp(`\\b${from}\\b`);
    for (let later = hunk + 1; later < change.hunks.length; later++)
      result[later] = result[later]!.replace(old, to);
  }
  return result;
}

/** What is known of the file when the whole patch is applied. */
export function knownAfter(change: FileChange, known: KnownFile): KnownFile {
  const unit = unitAfter(change, change.hunks.length, known);
  const lines = unit.lines.map(
    ({ fileLine, text, documentLine, hunk }) =>
      [fileLine, { text, documentLine, heading: unit.headings[hunk] ?? '' }] as const,
  );
  return { lines: new Map(lines), whole: unit.whole };
}

/** An added or deleted file shows all of itself on the side where it exists. */
const isWhole = (change: FileChange, applied: number): boolean =>
  change.hunks.length === 1 &&
  ((applied === 1 && change.file.status === 'added') || (applied === 0 && change.file.status === 'deleted'));
