/**
 * The functions in which a patch's price is taken: those whose own body changed, or that reach a changed body, and that
 * no other such function of the series calls.
 */
import type { IrFunction } from '../code/ir';
import type { PatchAnalysis } from './analysis';
import { calleesOf } from './callGraph';
import { usersOf } from './constantUses';
import type { FunctionPair } from './compare';
import type { LayeredProgram } from './definitions';

export interface Root {
  readonly name: string;
  readonly pair: FunctionPair;
}

/** Functions of a patch by name, as they stand before and after it. */
interface Candidates {
  readonly touched: ReadonlySet<string>;
  /** Touched or reaching what is touched. */
  readonly all: ReadonlySet<string>;
}

/** The functions that a name may lead to: itself, or what tables of operations hold under a member. */
function targets(program: LayeredProgram, name: string): string[] {
  if (!name.startsWith('.')) return [name];
  const member = name.slice(1);
  return [member, `native_${member}`, `__native_${member}`, `xen_${member}`, ...program.installed(member)];
}

const edgeCache = new WeakMap<PatchAnalysis, Map<string, Set<string>>>();

function edgesOf(patch: PatchAnalysis, name: string): Set<string> {
  let edges = edgeCache.get(patch);
  if (!edges) edgeCache.set(patch, (edges = new Map<string, Set<string>>()));
  const known = edges.get(name);
  if (known) return known;
  const found = new Set<string>();
  edges.set(name, found);
  for (const program of [patch.effective.before, patch.effective.after]) {
    const fn = program.find(name, null)?.fn;
    if (fn)
      for (const callee of calleesOf(fn)) for (const target of targets(program, callee)) found.add(target);
  }
  return found;
}

const functionsAt = (patch: PatchAnalysis, stage: 'first' | 'last'): IrFunction[] =>
  patch.effective.files.flatMap(
    ({ change, stages }) => stages.get(stage === 'first' ? 0 : change.hunks.length) ?? [],
  );

function touchedNames(patch: PatchAnalysis): Set<string> {
  const found = new Set<string>();
  for (const stage of ['first', 'last'] as const)
    for (const fn of functionsAt(patch, stage)) if (hasChange(fn)) found.add(fn.name);
  for (const read of patch.effective.files)
    read.change.hunks.forEach((_, hunk) => usersOf(read, hunk).forEach(name => found.add(name)));
  return found;
}

function hasChange(fn: IrFunction): boolean {
  for (let line = fn.firstLine; line <= fn.lastLine; line++) if (fn.unit.lines[line]?.changed) return true;
  return false;
}

function candidatesOf(patch: PatchAnalysis): Candidates {
  const touched = touchedNames(patch);
  const visible = new Set([
    ...patch.effective.before.visibleNames(),
    ...patch.effective.after.visibleNames(),
  ]);
  const callers = new Map<string, string[]>();
  for (const name of visible)
    for (const callee of edgesOf(patch, name)) {
      const known = callers.get(callee);
      if (known) known.push(name);
      else callers.set(callee, [name]);
    }
  const all = new Set(touched);
  const walk = [...touched];
  while (walk.length)
    for (const caller of callers.get(walk.pop()!) ?? [])
      if (!all.has(caller)) {
        all.add(caller);
        walk.push(caller);
      }
  return { touched, all };
}

const byName = new WeakMap<PatchAnalysis['effective'], Map<string, Map<string, IrFunction[]>>>();

/** The functions of a patch by name, as `effective` stands. */
function functionsNamed(patch: PatchAnalysis, stage: 'first' | 'last'): ReadonlyMap<string, IrFunction[]> {
  let stages = byName.get(patch.effective);
  if (!stages) byName.set(patch.effective, (stages = new Map<string, Map<string, IrFunction[]>>()));
  const known = stages.get(stage);
  if (known) return known;
  const made = new Map<string, IrFunction[]>();
  stages.set(stage, made);
  for (const fn of functionsAt(patch, stage)) {
    const all = made.get(fn.name);
    if (all) all.push(fn);
    else made.set(fn.name, [fn]);
  }
  return made;
}

const namesakes = (patch: PatchAnalysis, stage: 'first' | 'last', name: string): IrFunction[] => {
  const all = functionsNamed(patch, stage).get(name) ?? [];
  const changed = all.filter(hasChange);
  return changed.length ? changed : all.slice(0, 1);
};

/**
 * Before and after of a root: one pair, also where it moved to another file; one per file where several files change a
 * function of that name. A function that the patch itself adds or removes is nowhere else.
 */
function pairsOf(patch: PatchAnalysis, name: string): FunctionPair[] {
  const [olds, news] = [namesakes(patch, 'first', name), namesakes(patch, 'last', name)];
  if (olds.length > 1 || news.length > 1) {
    const paths = new Set([...olds, ...news].map(fn => fn.unit.path));
    const at = (list: readonly IrFunction[], path: string): IrFunction | null =>
      list.find(fn => fn.unit.path === path) ?? null;
    return [...paths].map(path => ({ before: at(olds, path), after: at(news, path) }));
  }
  const [old, now] = [olds[0], news[0]];
  const headChanged = (fn: IrFunction): boolean => fn.unit.lines[fn.firstLine]?.changed ?? false;
  const before =
    old ?? (now && headChanged(now) ? null : (patch.effective.before.find(name, null)?.fn ?? null));
  const after =
    now ?? (old && headChanged(old) ? null : (patch.effective.after.find(name, null)?.fn ?? null));
  return [{ before, after }];
}

/** A series longer than this is taken patch by patch: who calls whom is then only seen within each. */
const seriesLimit = 60;

/** The roots of every patch of a series. */
export function rootsOf(series: readonly PatchAnalysis[]): Map<PatchAnalysis, Root[]> {
  if (series.length > seriesLimit) return new Map(series.flatMap(patch => [...rootsOf([patch])]));
  const candidates = new Map(series.map(patch => [patch, candidatesOf(patch)]));
  const every = new Set([...candidates.values()].flatMap(({ all }) => [...all]));
  const result = new Map<PatchAnalysis, Root[]>();
  const called = new Set<string>();
  for (const patch of series)
    for (const name of every)
      for (const callee of edgesOf(patch, name)) if (callee !== name) called.add(callee);
  for (const patch of series) {
    const { all, touched } = candidates.get(patch)!;
    let names = [...all].filter(name => !called.has(name));
    // Functions that call each other in a circle have no root among them: the first changed one stands for them.
    if (!names.length && series.length === 1) names = [...touched].slice(0, 1);
    result.set(patch, names.flatMap(name => pairsOf(patch, name).map(pair => ({ name, pair })))); // prettier-ignore
  }
  return result;
}
