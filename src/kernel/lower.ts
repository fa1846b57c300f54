/** A kernel tree as IR: every C file of it, its entry code, and the harness. */
import { lowerAsm } from '../code/asm/lower';
import type { TreeIndex } from '../code/c/treeIndex';
import { indexTree } from '../code/c/treeIndex';
import type { IrModule } from '../code/ir';
import { lowerC } from '../code/lowerC';
import type { SourceUnit } from '../code/source';
import { preludePath, preludeText } from '../vm/prelude';
import { harnessEntryPath, harnessEntryText, harnessPath, harnessText } from './harness';
import type { KernelTree } from './world';

export interface LoweredTree {
  /** The tree's C and its assembly, with the harness's. */
  readonly modules: readonly IrModule[];
  /** Replaces functions of the tree: calls between CPUs. */
  readonly prelude: IrModule;
  /** Configuration symbols that were assumed, and names of functions that could not be read. */
  readonly assumed: readonly string[];
  readonly unreadable: readonly string[];
}

const unitsOf = (index: TreeIndex, paths: readonly string[]): SourceUnit[] =>
  paths.map(path => index.unit(path)).filter(unit => unit !== null);

/** Lowers a tree. The C parser must have been loaded (`loadCParser`). */
export function lowerKernel(tree: KernelTree, config: ReadonlyMap<string, boolean> = new Map()): LoweredTree {
  const all = new Map(tree);
  all.set(harnessPath, harnessText);
  all.set(harnessEntryPath, harnessEntryText);
  all.set(preludePath, preludeText);
  const index = indexTree(all, 'x86');
  const native = new Map([['CONFIG_PARAVIRT', false], ['CONFIG_PARAVIRT_XXL', false], ...config]);
  const options = { architecture: 'x86', config: native, index } as const;
  const c = [...tree.keys()].filter(path => path.endsWith('.c')).sort();
  const assembly = [...tree.keys()].filter(path => path.endsWith('.S')).sort();
  const module = lowerC(unitsOf(index, [...c, harnessPath]), options);
  const headers = [...tree.keys()].filter(path => path.startsWith('arch/x86/entry/') && path.endsWith('.h'));
  const entry = lowerAsm(unitsOf(index, [...assembly, harnessEntryPath]), {
    ...{ architecture: 'x86', config: native, context: unitsOf(index, headers) },
  });
  const prelude = lowerC(unitsOf(index, [preludePath]), { architecture: 'x86', config: native });
  const modules = [module, entry];
  return {
    modules,
    prelude,
    assumed: modules.flatMap(one => [...one.assumedConfig].map(([name, on]) => `${name}=${on ? 'y' : 'n'}`)),
    unreadable: modules.flatMap(one =>
      one.unread.map(({ unit, firstLine, why }) => `${unit.path}:${firstLine + 1}: ${why}`),
    ),
  };
}
