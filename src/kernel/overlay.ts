/** A user's kernel tree with the model around it: which functions run of which of the two. */
import { indexTree } from '../code/c/treeIndex';
import type { IrFunction, IrModule } from '../code/ir';
import { lowerC } from '../code/lowerC';
import type { SourceUnit } from '../code/source';
import type { LoweredTree } from './lower';
import { isHarness, lowerParts, remarksOf, sourcesOf, unitsOf } from './parts';
import { reachedFrom } from './reach';
import { standInPath, standInText } from './standIns';
import { ownCallsPath, ownCallsText } from './ownCalls';
import type { KernelTree, SourceFile } from './world';
import { callsFile, coreFiles, coreHeaders, entryHeader } from './userTree';

/** Macros of the entry code that the model's entry points use, and the name that later kernels gave one of them. */
const entryMacros = [
  'SWITCH_TO_KERNEL_CR3',
  'SWITCH_TO_USER_CR3_STACK',
  'SWITCH_TO_USER_CR3_NOSTACK',
  'SAVE_AND_SWITCH_TO_KERNEL_CR3',
];
const restoreMacros = ['RESTORE_CR3', 'PARANOID_RESTORE_CR3'];

const definesMacro = (text: string, name: string): boolean =>
  new RegExp(`^\\s*\\.macro\\s+${name}\\b`, 'm').test(text);

/** The tree's macros of the entry code; null where they are not those that the entry points here expand. */
function entryText(tree: ReadonlyMap<string, string>): string | null {
  const text = tree.get(entryHeader);
  if (text === undefined || !entryMacros.every(name => definesMacro(text, name))) return null;
  const restore = restoreMacros.find(name => definesMacro(text, name));
  if (restore === undefined) return null;
  if (restore === restoreMacros[0]) return text;
  return `${text}
.macro RESTORE_CR3 scratch_reg:req save_reg:req
	${restore} scratch_reg=\\scratch_reg save_reg=\\save_reg
.endm
`;
}

/** With the tree's own calls nobody knows what the wait for an answer costs beside the answer. */
const waitingFree = `${callsFile} waits for answers: the look at them takes no time`;

/** The module with some of its functions. */
const only = (module: IrModule, keep: (fn: IrFunction) => boolean): IrModule => ({
  ...module,
  functions: module.functions.filter(keep),
});

const named = (module: IrModule): Set<string> => new Set(module.functions.map(({ name }) => name));

/**
 * The TLB code of `tree` and what it reaches there, linked with the C and the entry points of `rest`. A function of the
 * tree's TLB code wins everywhere. What the mm side of `rest` defines stays its own, and so do calls between CPUs.
 */
export function lowerOver(
  tree: KernelTree,
  rest: ReadonlyMap<string, string>,
  config: ReadonlyMap<string, boolean>,
): LoweredTree {
  const index = indexTree(tree, 'x86');
  const ownCalls = tree.ownCalls === true;
  const files = ownCalls ? [...coreFiles, callsFile] : [...coreFiles];
  const core: ReadonlySet<string> = new Set([...files, ...coreHeaders]);
  const lowered = lowerC(unitsOf(index, files), { architecture: 'x86', config, index });
  const macros = entryText(tree);
  const parts = lowerParts(rest, {
    config,
    without: new Set([...files, ...(macros === null ? [] : [entryHeader])]),
    ...(macros === null ? {} : { entryHeaders: [unitOf(entryHeader, macros)] }),
  });
  const stands = new Set(
    parts.c.functions
      .filter(({ unit }) => rest.has(unit.path) && unit.path.endsWith('.c'))
      .map(fn => fn.name),
  );
  const own = only(lowered, fn => core.has(fn.unit.path) || !stands.has(fn.name));
  const ownNames = named(own);
  const model = only(parts.c, fn => !(core.has(fn.unit.path) && ownNames.has(fn.name)));
  const standIns = lowerC([unitOf(standInPath, standInText)], { architecture: 'x86', config });
  const known = new Set([...ownNames, ...named(model)]);
  const absent = only(standIns, ({ name }) => !known.has(name));
  const all = [own, model, parts.entry, absent];
  const prelude = ownCalls
    ? lowerC([unitOf(ownCallsPath, ownCallsText)], { architecture: 'x86', config })
    : parts.prelude;
  const reached = reachedFrom(all, [prelude], fn => isHarness(fn.unit.path));
  const [ownUsed, modelUsed, entryUsed, absentUsed] = all.map(module => only(module, fn => reached.has(fn)));
  const preludeUsed = only(prelude, fn => reached.has(fn));
  const sources: SourceFile[] = [
    ...sourcesOf([ownUsed!], 'tree'),
    ...(macros === null ? [] : [{ file: entryHeader, from: 'tree' } as const]),
    ...sourcesOf([modelUsed!, entryUsed!], 'model'),
    ...sourcesOf([absentUsed!, preludeUsed], 'built in'),
  ];
  // The rest of the tree cannot run: it is not linked, and what it lacks is no news.
  const modules = [ownUsed!, model, parts.entry, absent];
  const { assumed, unreadable } = remarksOf(modules);
  return {
    ...{ modules, prelude, unreadable, sources, ownCalls },
    assumed: ownCalls ? [...assumed, waitingFree] : assumed,
  };
}

/** A whole file as a unit. */
function unitOf(path: string, text: string): SourceUnit {
  return indexTree(new Map([[path, text]]), 'x86').unit(path)!;
}
