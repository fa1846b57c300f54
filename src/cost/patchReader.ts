/** Reads the code of one patch: both sides of its files, and the stages between where several hunks change a function. */
import type { IrFunction, IrModule } from '../code/ir';
import { mentionsCatalogue } from '../code/nameFilter';
import type { SourceUnit } from '../code/source';
import type { PatchFile } from '../patch/model';
import type { AnalysisOptions, FileAnalysis, PatchAnalysis } from './analysis';
import { Layer, LayeredProgram, type MacroModule, type PlaceHints } from './definitions';
import { changedMacros, macroUnits, withoutMacros } from './macros';
import type { PatchEntry } from './series';
import { knownOf, type KnownBefore } from './seriesState';
import { unitAfter, type FileChange, type KnownFile } from './units';

/** Why a file of a very long document is left to its names. */
export const tooLong = 'the document holds more code than is read of one document';

/** Greatest number of hunks of one file that are read one after the other. */
const stageLimit = 40;

const touchedHunks = new WeakMap<IrFunction, Set<number>>();

/** Hunks that a function has changed lines in. */
export function hunksTouched(fn: IrFunction): ReadonlySet<number> {
  const known = touchedHunks.get(fn);
  if (known) return known;
  const found = new Set<number>();
  touchedHunks.set(fn, found);
  for (let line = fn.firstLine; line <= fn.lastLine; line++) {
    const at = fn.unit.lines[line];
    if (at?.changed && at.hunk >= 0) found.add(at.hunk);
  }
  return found;
}

function byUnit<T extends { readonly unit: SourceUnit }>(items: readonly T[]): Map<SourceUnit, T[]> {
  const groups = new Map<SourceUnit, T[]>();
  for (const item of items) {
    const known = groups.get(item.unit);
    if (known) known.push(item);
    else groups.set(item.unit, [item]);
  }
  return groups;
}

export class PatchReader {
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

  private before(change: FileChange): KnownBefore {
    return knownOf(change, this.known, this.options.tree);
  }

  private unit(change: FileChange, applied: number): SourceUnit {
    return unitAfter(change, applied, this.before(change).file);
  }

  /** `left`: changes beyond what is read of a document; they are left to the names in them. */
  async read(
    entry: PatchEntry,
    changes: readonly FileChange[],
    hints: PlaceHints,
    left: readonly FileChange[] = [],
  ): Promise<PatchAnalysis> {
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
        const functions = byUnit(module.functions);
        const ranges = byUnit(module.unread);
        for (const { change, stage, unit } of own) {
          const at = found.get(change.file)!;
          at.stages.set(stage, functions.get(unit) ?? []);
          at.unread.set(stage, ranges.get(unit) ?? []);
        }
        if (language === 'c') modules.push(...(await this.readMacros(own, found)));
      }
      layers.push(new Layer(modules, units.map(({ unit }) => unit))); // prettier-ignore
      trees.push(new Layer(modules, null));
    }
    for (const { change } of sides) await this.readStages(change, found.get(change.file)!);
    const files = new Map<PatchFile, FileAnalysis>();
    for (const { change } of sides) files.set(change.file, { change, fit: this.before(change).fit, ...found.get(change.file)! }); // prettier-ignore
    for (const change of left) files.set(change.file, { change, fit: null, stages: new Map(), unread: this.unread(change) }); // prettier-ignore
    const [before, after] = [layers[0]!, layers[1]!];
    before.touchWith(after);
    after.touchWith(before);
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

  /** A file that is not read, hunk by hunk, on both sides. */
  private unread(change: FileChange): Map<number, IrModule['unread']> {
    return new Map(
      [0, change.hunks.length].map(stage => {
        const unit = this.unit(change, stage);
        const ranges: { unit: SourceUnit; firstLine: number; lastLine: number; why: string }[] = [];
        unit.lines.forEach(({ hunk }, line) => {
          const last = ranges.at(-1);
          if (last && unit.lines[last.lastLine]!.hunk === hunk) last.lastLine = line;
          else ranges.push({ unit, firstLine: line, lastLine: line, why: tooLong });
        });
        return [stage, ranges];
      }),
    );
  }

  /** Macros with a changed body, as functions. One that cannot be read as a function is left to its names. */
  private async readMacros(
    own: readonly { change: FileChange; stage: number; unit: SourceUnit }[],
    found: ReadonlyMap<
      PatchFile,
      { stages: Map<number, readonly IrFunction[]>; unread: Map<number, IrModule['unread']> }
    >,
  ): Promise<MacroModule[]> {
    const modules: MacroModule[] = [];
    for (const { change, stage, unit } of own) {
      const macros = macroUnits(unit);
      const module = await this.lower('c', macros, [withoutMacros(unit, macros)]);
      const { stages, unread } = found.get(change.file)!;
      const read = new Set(module?.functions.flatMap(fn => (fn.unreadable === null ? fn.name : [])));
      unread.set(stage, [...(unread.get(stage) ?? []), ...unreadMacros(unit, read)]);
      if (!module) continue;
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

/** Changed macros that were not read but name something of the catalogue. */
function unreadMacros(unit: SourceUnit, read: ReadonlySet<string>): IrModule['unread'] {
  return changedMacros(unit)
    .filter(({ name }) => !read.has(name))
    .filter(({ firstLine, lastLine }) =>
      unit.lines.slice(firstLine, lastLine + 1).some(line => line.changed && mentionsCatalogue(line.text)),
    )
    .map(({ name, firstLine, lastLine }) => ({
      ...{ unit, firstLine, lastLine },
      why: `the macro ${name} could not be read as a function`,
    }));
}
