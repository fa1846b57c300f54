/** What trees are lowered to: C and assembly with the harness, the prelude, and the files that they come from. */
import { lowerAsm } from '../code/asm/lower';
import type { TreeIndex } from '../code/c/treeIndex';
import { indexTree } from '../code/c/treeIndex';
import type { IrModule } from '../code/ir';
import { lowerC } from '../code/lowerC';
import type { SourceUnit } from '../code/source';
import { preludePath, preludeText } from '../vm/prelude';
import { harnessEntryPath, harnessEntryText, harnessPath, harnessText } from './harness';
import type { SourceFile } from './world';

/** Whether a file is what stands around a tree. */
export const isHarness = (path: string): boolean => path === harnessPath || path === harnessEntryPath;

export const unitsOf = (index: TreeIndex, paths: readonly string[]): SourceUnit[] =>
  paths.map(path => index.unit(path)).filter(unit => unit !== null);

/** What the harness and the prelude are, by path. */
const builtIn: ReadonlyMap<string, string> = new Map([
  [harnessPath, harnessText],
  [harnessEntryPath, harnessEntryText],
  [preludePath, preludeText],
]);

/** Files of a tree of the model's kind: its C but for those left out, its assembly with headers of the entry code. */
export interface Parts {
  readonly c: IrModule;
  readonly entry: IrModule;
  readonly prelude: IrModule;
}

export interface PartOptions {
  readonly config: ReadonlyMap<string, boolean>;
  readonly without?: ReadonlySet<string>;
  /** Headers of the entry code instead of the tree's. */
  readonly entryHeaders?: readonly SourceUnit[];
}

export function lowerParts(tree: ReadonlyMap<string, string>, options: PartOptions): Parts {
  const { config, without = new Set<string>(), entryHeaders } = options;
  // What is left out is not found by name either.
  const files = [...tree].filter(([path]) => !without.has(path));
  const index = indexTree(new Map([...files, ...builtIn]), 'x86');
  const paths = files.map(([path]) => path).sort();
  const headers = paths.filter(path => path.startsWith('arch/x86/entry/') && path.endsWith('.h'));
  const assembly = paths.filter(path => path.endsWith('.S'));
  return {
    c: lowerC(unitsOf(index, [...paths.filter(path => path.endsWith('.c')), harnessPath]), {
      ...{ architecture: 'x86', config, index },
    }),
    entry: lowerAsm(unitsOf(index, [...assembly, harnessEntryPath]), {
      ...{ architecture: 'x86', config, context: entryHeaders ?? unitsOf(index, headers) },
    }),
    prelude: lowerC(unitsOf(index, [preludePath]), { architecture: 'x86', config }),
  };
}

/** Files of the functions of modules, each once. */
export function sourcesOf(modules: readonly IrModule[], from: SourceFile['from']): SourceFile[] {
  const paths = new Set(modules.flatMap(({ functions }) => functions.map(({ unit }) => unit.path)));
  const files = [...paths].sort();
  return [
    ...files.filter(file => !builtIn.has(file)).map(file => ({ file, from })),
    ...files.filter(file => builtIn.has(file)).map(file => ({ file, from: 'built in' as const })),
  ];
}

export interface Remarks {
  readonly assumed: readonly string[];
  readonly unreadable: readonly string[];
}

/** What was assumed and what could not be read. */
export const remarksOf = (modules: readonly IrModule[]): Remarks => ({
  assumed: [
    ...new Set(
      modules.flatMap(one => [...one.assumedConfig].map(([name, on]) => `${name}=${on ? 'y' : 'n'}`)),
    ),
  ],
  unreadable: modules.flatMap(one =>
    one.unread.map(({ unit, firstLine, why }) => `${unit.path}:${firstLine + 1}: ${why}`),
  ),
});
