/**
 * The part of pricing that does not depend on features, machine or `n`: patches of a document read into code, side by
 * side, with what each can call. It is done once per document; prices are worked out of it.
 */
import type { IrFunction, IrModule } from '../code/ir';
import type { SourceUnit } from '../code/source';
import type { PatchDocument, PatchFile } from '../patch/model';
import { LayeredProgram, type Layer, type PlaceHints } from './definitions';
import { relevantFiles } from './relevance';
import { patchesOf, type PatchEntry } from './series';
import type { ModuleCache } from './moduleCache';
import type { KernelTree } from './tree';
import { PatchReader } from './patchReader';
import { SeriesState } from './seriesState';
import { fileChange, type FileChange, type KnownFile } from './units';

/** The readers of code. `context` holds units whose macros, types and inline functions may be used. */
export interface FrontEnd {
  c(units: readonly SourceUnit[], context: readonly SourceUnit[]): Promise<IrModule>;
  asm(units: readonly SourceUnit[], context: readonly SourceUnit[]): IrModule;
}

export interface AnalysisOptions {
  readonly frontEnd: FrontEnd;
  /** A kernel tree to apply the patches to, or null. */
  readonly tree: KernelTree | null;
  /** What the readers made of earlier states of the document; its front end must always be the same. */
  readonly cache?: ModuleCache;
}

/** A file of a patch that was read. */
export interface FileAnalysis {
  readonly change: FileChange;
  /** Functions by the number of hunks applied: 0 the old side, all of them the new one; others where a function needs it. */
  readonly stages: ReadonlyMap<number, readonly IrFunction[]>;
  /** Code that could not be read, by stage. */
  readonly unread: ReadonlyMap<number, IrModule['unread']>;
}

export interface PatchAnalysis {
  readonly entry: PatchEntry;
  /** By file; files that are not code or not relevant are missing. */
  readonly files: ReadonlyMap<PatchFile, FileAnalysis>;
  readonly layers: { readonly before: Layer; readonly after: Layer };
  /** What the readers took from the tree. */
  readonly trees: { readonly before: Layer; readonly after: Layer };
  readonly modules: readonly IrModule[];
  programs: { readonly before: LayeredProgram; readonly after: LayeredProgram };
  /** What counts in the total: with files that a reply revises in place of the posted ones. */
  effective: {
    readonly files: readonly FileAnalysis[];
    readonly before: LayeredProgram;
    readonly after: LayeredProgram;
  };
}

export interface DocumentAnalysis {
  readonly document: PatchDocument;
  readonly patches: readonly PatchAnalysis[];
  readonly hints: PlaceHints;
}

/** The version of the series, where all its patches agree; some names mean different things in different versions. */
function hintsOf(entries: readonly PatchEntry[]): PlaceHints {
  const versions = new Set(
    entries.filter(entry => /\bv\d/i.test(entry.subject)).map(entry => entry.parts.version),
  );
  return versions.size === 1 ? { seriesVersion: [...versions][0]! } : {};
}

/** Units of a patch that later patches of its series may use the macros and types of. */
const unitsOf = (patch: PatchAnalysis): SourceUnit[] =>
  [...patch.files.values()].flatMap(({ stages, change }) => {
    const unit = stages.get(change.hunks.length)?.[0]?.unit;
    return unit ? [unit] : [];
  });

/** Reads every patch of a document. */
export async function analyseDocument(
  document: PatchDocument,
  options: AnalysisOptions,
): Promise<DocumentAnalysis> {
  const entries = patchesOf(document);
  const hints = hintsOf(entries);
  const patches: PatchAnalysis[] = [];
  const states = new Map<string, SeriesState>();
  const before = new Map<number, ReadonlyMap<string, KnownFile>>();
  for (const entry of entries) {
    const state = states.get(entry.series) ?? new SeriesState();
    states.set(entry.series, state);
    const relevant = relevantFiles(entry.files, state.names);
    const every = entry.files.flatMap(file => fileChange(file) ?? []);
    const changes = every.filter(change => relevant.has(change.file));
    const context = patches.filter(patch => patch.entry.series === entry.series).flatMap(unitsOf);
    // A revision stands on what the patch that it revises stood on.
    const known = (entry.revises !== null ? before.get(entry.revises) : undefined) ?? state.known;
    before.set(entry.message, known);
    patches.push(
      await new PatchReader(options, context.slice(-contextLimit), known).read(entry, changes, hints),
    );
    if (entry.revises === null && relevant.size + state.known.size > 0) state.apply(every, options.tree);
  }
  connect(patches, hints);
  return { document, patches, hints };
}

/** Greatest number of units of earlier patches whose macros and types are at hand. */
const contextLimit = 60;

/** Patches that revise files of `patch` in part. */
const revisionsOf = (patches: readonly PatchAnalysis[], patch: PatchAnalysis): PatchAnalysis[] =>
  patches.filter(
    other => other.entry.revises === patch.entry.message && patch.entry.supersededBy !== other.entry.message,
  );

/** How many patches before and after one its calls are followed into. */
const reachBack = 40;

/** Lets every patch call what its series and the tree define. */
function connect(patches: readonly PatchAnalysis[], hints: PlaceHints): void {
  const partial = new Set(patches.flatMap(patch => revisionsOf(patches, patch)));
  for (const patch of patches) {
    const posted = partial.has(patch)
      ? patches.find(other => other.entry.message === patch.entry.revises)
      : null;
    const place = posted ?? patch;
    const at = patches.indexOf(place);
    const series = patches.filter(other => other !== place && !partial.has(other) && inSeries(other, place));
    const earlier = series
      .filter(other => patches.indexOf(other) < at)
      .reverse()
      .slice(0, reachBack)
      .flatMap(other => [...revisionsOf(patches, other), other])
      .map(other => other.layers.after);
    const later = series
      .filter(other => patches.indexOf(other) > at)
      .slice(0, reachBack)
      .map(other => other.layers.before);
    const rest = [...earlier, ...later];
    const beside = posted ? [posted] : [];
    const own = 1 + beside.length;
    const layers = (top: readonly PatchAnalysis[], side: 'before' | 'after'): Layer[] =>
      [...top, patch, ...beside].map(other => other.layers[side]).concat(rest, patch.trees[side]);
    patch.programs = {
      before: new LayeredProgram(layers([], 'before'), own, hints),
      after: new LayeredProgram(layers([], 'after'), own, hints),
    };
    const revisions = revisionsOf(patches, patch);
    patch.effective = {
      files: effectiveFiles(patch, revisions),
      before: new LayeredProgram(layers(revisions, 'before'), own + revisions.length, hints),
      after: new LayeredProgram(layers(revisions, 'after'), own + revisions.length, hints),
    };
    if (partial.has(patch)) patch.effective = { ...patch.effective, files: [] };
  }
}

/** The files that count in a patch's total: its own, with revised ones in place of those they replace. */
const effectiveFiles = (patch: PatchAnalysis, revisions: readonly PatchAnalysis[]): FileAnalysis[] => [
  ...[...patch.files].filter(([file]) => !patch.entry.supersededFiles.has(file)).map(([, read]) => read),
  ...revisions.flatMap(revision => [...revision.files.values()]),
];

/** Whether `other` belongs to what `patch` stands on: the same series, and not a version that was replaced. */
const inSeries = (other: PatchAnalysis, patch: PatchAnalysis): boolean =>
  other.entry.series === patch.entry.series && other.entry.supersededBy === null;
