import { hunkLines } from './lines';
import { LineKind, type PatchFile, type PatchHunk } from './model';

/** Why a patch does not apply: the hunk, and the reason in one line. */
export interface ApplyRefusal {
  readonly ok: false;
  readonly path: string;
  /** 1-based number of the hunk in its file, 0 where the file itself is the matter. */
  readonly hunk: number;
  readonly documentLine: number | null;
  readonly reason: string;
}

/** Where a hunk went: `offset` lines away from where its header says, with `fuzz` lines of context ignored at each end. */
export interface AppliedHunk {
  /** 1-based line of the new text at which the hunk's lines begin. */
  readonly line: number;
  readonly offset: number;
  readonly fuzz: number;
}

export interface Applied {
  readonly ok: true;
  readonly content: string;
  readonly hunks: readonly AppliedHunk[];
}

export interface ApplyOptions {
  /** Lines of context at either end of a hunk that may differ (GNU patch's default is 2, git apply's 0). */
  readonly fuzz?: number;
}

const DEFAULT_FUZZ = 2;
/** Line comparisons spent on one file before it is refused: only made-up files come near it. */
const MAX_COMPARISONS = 20_000_000;

interface Side {
  readonly lines: readonly string[];
  /** The last line has no newline behind it. */
  readonly open: boolean;
}

function splitLines(content: string): Side {
  if (content === '') return { lines: [], open: false };
  const lines = content.split('\n');
  const open = lines[lines.length - 1] !== '';
  if (!open) lines.pop();
  return { lines, open };
}

/** Blanks and tabs in a mangled hunk's context say nothing. */
function sameLine(a: string, b: string, approximate: boolean): boolean {
  if (a === b) return true;
  if (a.endsWith('\r') !== b.endsWith('\r') && a.trimEnd() === b.trimEnd()) return true;
  return approximate && a.replace(/\s+/g, '') === b.replace(/\s+/g, '');
}

/**
 * Applies the hunks of one file to its text, as `patch` does: at the line named, else at the nearest place where all
 * old lines match, else with up to `fuzz` lines of context left out at each end.
 */
export function applyToText(
  content: string,
  file: PatchFile,
  options: ApplyOptions = {},
): Applied | ApplyRefusal {
  const fuzz = options.fuzz ?? DEFAULT_FUZZ;
  const path = file.newPath ?? file.oldPath ?? '';
  const before = splitLines(content);
  const result: string[] = [];
  const applied: AppliedHunk[] = [];
  const budget = { left: MAX_COMPARISONS };
  let next = 0;
  let offset = 0;
  let open = before.open;
  for (const [index, hunk] of file.hunks.entries()) {
    const refuse = (reason: string): ApplyRefusal => ({
      ok: false,
      path,
      hunk: index + 1,
      documentLine: hunk.documentLine,
      reason,
    });
    if (hunk.parents > 1) return refuse('a combined diff cannot be applied');
    if (hunk.mismatch && hunk.added + hunk.removed === 0) return refuse('the hunk has no lines');
    const body = hunkLines(hunk);
    const old = body.filter(line => line.kind !== LineKind.Added).map(line => line.text);
    const place = locate(before.lines, old, body, hunk, next, offset, fuzz, budget);
    if (place === 'spent') return refuse('the file is too large to search');
    if (!place) return refuse(`its ${old.length} old lines are not found near line ${hunk.oldStart}`);
    const { at, lead, trail } = place;
    for (; next < at + lead; next++) result.push(before.lines[next]!);
    offset = at - expectedStart(hunk);
    applied.push({ line: result.length - lead + 1, offset, fuzz: Math.max(lead, trail) });
    let skipLead = lead;
    const end = at + old.length - trail;
    for (const line of body) {
      if (skipLead > 0 && line.kind !== LineKind.Added) {
        skipLead--;
        continue;
      }
      if (line.kind === LineKind.Added) {
        result.push(line.text);
        if (line.noNewline) open = true;
        continue;
      }
      if (next >= end) continue;
      if (line.kind === LineKind.Context) result.push(before.lines[next]!);
      else if (line.noNewline) open = false;
      next++;
    }
  }
  for (; next < before.lines.length; next++) result.push(before.lines[next]!);
  return { ok: true, content: result.join('\n') + (result.length && !open ? '\n' : ''), hunks: applied };
}

/** 0-based line at which the hunk's old lines ought to begin. */
function expectedStart(hunk: PatchHunk): number {
  return hunk.oldLines === 0 ? hunk.oldStart : Math.max(0, hunk.oldStart - 1);
}

function locate(
  lines: readonly string[],
  old: readonly string[],
  body: ReturnType<typeof hunkLines>,
  hunk: PatchHunk,
  from: number,
  offset: number,
  maxFuzz: number,
  budget: { left: number },
): { at: number; lead: number; trail: number } | 'spent' | null {
  let leading = 0;
  while (leading < body.length && body[leading]!.kind === LineKind.Context) leading++;
  let trailing = 0;
  while (trailing < body.length && body[body.length - 1 - trailing]!.kind === LineKind.Context) trailing++;
  const matches = (at: number, lead: number, trail: number): boolean => {
    for (let index = lead; index < old.length - trail; index++) {
      if (--budget.left < 0) return false;
      if (!sameLine(lines[at + index]!, old[index]!, hunk.approximate)) return false;
    }
    return true;
  };
  const expected = expectedStart(hunk) + offset;
  for (let fuzz = 0; fuzz <= Math.min(maxFuzz, Math.max(leading, trailing)); fuzz++) {
    const lead = Math.min(fuzz, leading);
    const trail = Math.min(fuzz, trailing);
    const lowest = from - lead;
    const highest = lines.length - old.length + trail;
    // Lines of the hunk left out by fuzz may lie outside the file.
    const fits = (at: number): boolean => at >= lowest && at <= highest && at + lead >= 0;
    for (let distance = 0; distance <= Math.max(expected - lowest, highest - expected, 0); distance++) {
      for (const at of distance ? [expected - distance, expected + distance] : [expected]) {
        if (fits(at) && matches(at, lead, trail)) return { at, lead, trail };
        if (budget.left < 0) return 'spent';
      }
    }
  }
  return null;
}

/** A tree of files: path → text. */
export type FileTree = ReadonlyMap<string, string>;

export interface AppliedTree {
  readonly ok: true;
  /** The whole tree after the patch. */
  readonly tree: Map<string, string>;
  /** Paths that were changed, added or deleted. */
  readonly touched: readonly string[];
}

/** The path of the tree that a patch's path means: as it is, or without its first directory (`linux-6.1/mm/x.c`). */
export function treePath(tree: FileTree, path: string): string | null {
  if (tree.has(path)) return path;
  const slash = path.indexOf('/');
  const shorter = slash < 0 ? null : path.slice(slash + 1);
  return shorter !== null && tree.has(shorter) ? shorter : null;
}

/** Applies files of a patch, in order, to a tree. All or nothing: the first refusal leaves the tree as it was. */
export function applyToTree(
  tree: FileTree,
  files: readonly PatchFile[],
  options: ApplyOptions = {},
): AppliedTree | ApplyRefusal {
  const after = new Map(tree);
  const touched: string[] = [];
  for (const file of files) {
    const name = file.newPath ?? file.oldPath ?? '';
    const refuse = (reason: string): ApplyRefusal => ({
      ok: false,
      path: name,
      hunk: 0,
      documentLine: file.documentLine,
      reason,
    });
    if (file.status === 'binary') return refuse('a binary patch is not applied');
    const source = file.oldPath === null ? null : treePath(after, file.oldPath);
    if (file.oldPath !== null && source === null) return refuse(`there is no file ${file.oldPath}`);
    if (file.oldPath === null && file.newPath !== null && after.has(file.newPath))
      return refuse(`${file.newPath} is there already`);
    const result = applyToText(source === null ? '' : after.get(source)!, file, options);
    if (!result.ok) return result;
    // A path that lost its first directory loses it on both sides.
    const shift = source !== null && file.oldPath !== source;
    const target =
      file.newPath === null ? null : shift ? file.newPath.slice(file.newPath.indexOf('/') + 1) : file.newPath;
    if (source !== null && (target === null || file.status === 'renamed')) after.delete(source);
    if (target !== null) after.set(target, result.content);
    touched.push(...new Set([source, target].filter(path => path !== null)));
  }
  return { ok: true, tree: after, touched };
}
