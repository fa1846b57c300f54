/**
 * The part of pricing that does not depend on features, machine or `n`: patches of a document read into code, side by
 * side, with what each can call. It is done once per document; prices are worked out of it.
 */
import type { IrFunction, IrModule } from '../code/ir';
import type { SourceUnit } from '../code/source';
import type { PatchDocument, PatchFile } from '../patch/model';
import { Layer, LayeredProgram, type MacroModule, type PlaceHints } from './definitions';
import { macroUnits, withoutMacros } from './macros';
import { relevantFiles } from './relevance';
import { patchesOf, type PatchEntry } from './series';
import type { ModuleCache } from './moduleCache';
import type { KernelTree } from './tree';
import {
  agrees,
  fileChange,
  knownAfter,
  nothingKnown,
  unitAfter,
  type FileChange,
  type KnownFile,
} from './units';

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

/** Greatest number of hunks of one file that are read one after the other. */
const stageLimit = 40;

/** Hunks that a function has changed lines in. */
export function hunksTouched(fn: IrFunction): Set<number> {
  const found = new Set<number>();
  for (let line = fn.firstLine; line <= fn.lastLine; line++) {
    const at = fn.unit.lines[line];
    if (at?.changed && at.hunk >= 0) found.add(at.hunk);
  }
  return found;
}

class PatchReader {
  private readonly modules: IrModule[] = [];

  constructor(
    private readonly options: AnalysisOptions,
    private readonly context: readonly SourceUnit[],
    private readonly known: ReadonlyMap<string, KnownFile>,
  ) {}

  private async lower(
    language: 'c' | 'asm',
    units: readonly SourceUnit[],
    beside: readonly SourceUnit[] = [],
  ): Promise<IrModule | null> {
    if (!units.length) return null;
    const { frontEnd } = this.options;
    const context = [...beside, ...this.context];
    const read = (): Promise<IrModule> | IrModule =>
      language === 'c' ? frontEnd.c(units, context) : frontEnd.asm(units, context);
    const module = await (this.options.cache?.get(language, units, context, read) ?? read());
    this.modules.push(module);
    return module;
  }

  private unit(change: FileChange, applied: number): SourceUnit {
    return unitAfter(change, applied, knownOf(change, this.known, this.options.tree));
  }

  async read(entry: PatchEntry, changes: readonly FileChange[], hints: PlaceHints): Promise<PatchAnalysis> {
    const sides = changes.map(change => {
      const last = change.hunks.length;
      return { change, units: new Map([[0, this.unit(change, 0)], [last, this.unit(change, last)]]) }; // prettier-ignore
    });
    const found = new Map<
      PatchFile,
      { stages: Map<number, readonly IrFunction[]>; unread: Map<number, IrModule['unread']> }
    >();
    for (const { file } of changes) found.set(file, { stages: new Map(), unread: new Map() });
    const layers: Layer[] = [];
    const trees: Layer[] = [];
    for (const side of ['before', 'after'] as const) {
      const units = sides.map(({ change, units: all }) => ({
        change,
        stage: side === 'before' ? 0 : change.hunks.length,
        unit: all.get(side === 'before' ? 0 : change.hunks.length)!,
      }));
      const modules: IrModule[] = [];
      for (const language of ['c', 'asm'] as const) {
        const own = units.filter(({ change }) => change.language === language);
        const module = await this.lower(language, own.map(({ unit }) => unit)); // prettier-ignore
        if (!module) continue;
        modules.push(module);
        for (const { change, stage, unit } of own) {
          const at = found.get(change.file)!;
          at.stages.set(stage, module.functions.filter(fn => fn.unit === unit)); // prettier-ignore
          at.unread.set(stage, module.unread.filter(range => range.unit === unit)); // prettier-ignore
        }
        if (language === 'c') modules.push(...(await this.readMacros(own, found)));
      }
      layers.push(new Layer(modules, units.map(({ unit }) => unit))); // prettier-ignore
      trees.push(new Layer(modules, null));
    }
    for (const { change } of sides) await this.readStages(change, found.get(change.file)!);
    const files = new Map<PatchFile, FileAnalysis>();
    for (const { change } of sides) files.set(change.file, { change, ...found.get(change.file)! });
    const [before, after] = [layers[0]!, layers[1]!];
    const alone = {
      before: new LayeredProgram([before], 1, hints),
      after: new LayeredProgram([after], 1, hints),
    };
    const effective = { ...alone, files: [...files.values()] };
    return {
      entry,
      files,
      layers: { before, after },
      trees: { before: trees[0]!, after: trees[1]! },
      modules: this.modules,
      programs: alone,
      effective,
    };
  }

  /** Macros with a changed body, as functions. One that cannot be read as a function is left out. */
  private async readMacros(
    own: readonly { change: FileChange; stage: number; unit: SourceUnit }[],
    found: ReadonlyMap<PatchFile, { stages: Map<number, readonly IrFunction[]> }>,
  ): Promise<MacroModule[]> {
    const modules: MacroModule[] = [];
    for (const { change, stage, unit } of own) {
      const macros = macroUnits(unit);
      const module = await this.lower('c', macros, [withoutMacros(unit, macros)]);
      if (!module) continue;
      const { stages } = found.get(change.file)!;
      const known = new Set(stages.get(stage)?.map(fn => fn.name));
      const readable = module.functions.filter(
        fn => fn.unreadable === null && !known.has(fn.name) && macros.includes(fn.unit),
      );
      stages.set(stage, [...(stages.get(stage) ?? []), ...readable]);
      modules.push({ ...module, functions: readable, unread: [], fromMacros: true });
    }
    return modules;
  }

  /** A function that several hunks change is read after each of them, so that each hunk has its own difference. */
  private async readStages(
    change: FileChange,
    {
      stages,
      unread,
    }: { stages: Map<number, readonly IrFunction[]>; unread: Map<number, IrModule['unread']> },
  ): Promise<void> {
    const last = change.hunks.length;
    if (last > stageLimit) return;
    const byName = new Map<string, Set<number>>();
    for (const stage of [0, last])
      for (const fn of stages.get(stage) ?? []) {
        const hunks = byName.get(fn.name) ?? new Set<number>();
        for (const hunk of hunksTouched(fn)) hunks.add(hunk);
        byName.set(fn.name, hunks);
      }
    const wanted = new Set<number>();
    for (const hunks of byName.values())
      if (hunks.size > 1) for (const hunk of hunks) wanted.add(hunk).add(hunk + 1);
    for (const stage of wanted) {
      if (stage === 0 || stage === last) continue;
      const unit = this.unit(change, stage);
      const module = await this.lower(change.language, [unit]);
      if (!module) continue;
      stages.set(stage, module.functions.filter(fn => fn.unit === unit)); // prettier-ignore
      unread.set(stage, module.unread);
    }
  }
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

/** What is known of a file before a patch: what earlier patches left of it, else the tree's text. */
function knownOf(
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
class SeriesState {
  readonly names = new Set<string>();
  known = new Map<string, KnownFile>();

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
