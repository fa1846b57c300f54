/**
 * The part of pricing that does not depend on features, machine or `n`: patches of a document read into code, side by
 * side, with what each can call. It is done once per document; prices are worked out of it.
 */
import type { IrFunction, IrModule } from '../code/ir';
import type { SourceUnit } from '../code/source';
import type { PatchDocument, PatchFile } from '../patch/model';
import type { Layer, LayeredProgram, PlaceHints } from './definitions';
import { relevantFiles } from './relevance';
import { patchesOf, type PatchEntry } from './series';
import type { ModuleCache } from './moduleCache';
import type { KernelTree } from './tree';
import type { TreeFit } from './treeFit';
import { connect } from './connect';
import { PatchReader } from './patchReader';
import { SeriesState } from './seriesState';
import { fileChange, type FileChange, type KnownFile } from './units';

/** The readers of code. `context` holds units whose macros, types and inline functions may be used. */
export interface FrontEnd {
  c(units: readonly SourceUnit[], context: readonly SourceUnit[]): Promise<IrModule>;
  asm(units: readonly SourceUnit[], context: readonly SourceUnit[]): IrModule;
}

/** Lets others do their work; it throws to end the one that goes on. It may return nothing where there is no time for it yet. */
export type Breathe = () => Promise<void> | undefined;

export interface AnalysisOptions {
  readonly frontEnd: FrontEnd;
  /** A kernel tree to apply the patches to, or null. */
  readonly tree: KernelTree | null;
  /** What the readers made of earlier states of the document; its front end must always be the same. */
  readonly cache?: ModuleCache;
  /** Called between two patches. */
  readonly breathe?: Breathe;
}

/** A file of a patch that was read. */
export interface FileAnalysis {
  readonly change: FileChange;
  /** How the patch goes with the file of the tree (or what earlier patches made of that); null without a tree. */
  readonly fit: TreeFit | null;
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
  /** Some files were left to their names, because there is too much of the document. */
  readonly bounded: boolean;
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
  const large = document.document.text.length > largeText;
  const budget = { ...mostRead };
  let bounded = false;
  const states = new Map<string, SeriesState>();
  const before = new Map<number, ReadonlyMap<string, KnownFile>>();
  for (const entry of entries) {
    await options.breathe?.();
    const state = states.get(entry.series) ?? new SeriesState();
    states.set(entry.series, state);
    const relevant = relevantFiles(entry.files, large ? new Set() : state.names, !large);
    const wanted = large ? entry.files.filter(file => relevant.has(file)) : entry.files;
    const every = wanted.flatMap(file => fileChange(file) ?? []);
    const changes = every.filter(change => relevant.has(change.file));
    // A revision stands on what the patch that it revises stood on.
    const known = (entry.revises !== null ? before.get(entry.revises) : undefined) ?? state.known;
    before.set(entry.message, known);
    const read: FileChange[] = [];
    const left: FileChange[] = [];
    for (const change of changes) {
      const characters = change.hunks.reduce((sum, lines) => sum + sizeOf(lines), 0);
      budget.characters -= characters;
      budget.hunks -= change.hunks.length;
      (budget.characters < 0 || budget.hunks < 0 ? left : read).push(change);
    }
    bounded ||= left.length > 0;
    const patch = await new PatchReader(options, large ? [] : state.units.slice(-contextLimit), known).read(
      entry,
      read,
      hints,
      left,
    );
    patches.push(patch);
    state.units.push(...unitsOf(patch));
    if (entry.revises === null && !large && relevant.size + state.known.size > 0)
      state.apply(every, options.tree);
  }
  connect(patches, hints);
  return { document, patches, hints, bounded };
}

const sizeOf = (lines: FileChange['hunks'][number]): number =>
  lines.reduce((sum, { text }) => sum + text.length + 1, 0);

/** What is read of one document: characters of hunks with something of the catalogue near them, and such hunks. */
const mostRead = { characters: 1_000_000, hunks: 3_000 };

/**
 * In a longer document (an archive of many threads) only flushes and control registers make a file worth reading, and
 * patches do not see what others of the same number left of a file.
 */
const largeText = 4_000_000;

/** Greatest number of units of earlier patches whose macros and types are at hand. */
const contextLimit = 60;
