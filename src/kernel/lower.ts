/** A kernel tree as IR: every C file of it, its entry code, and the harness. */
import type { IrModule } from '../code/ir';
import { lowerOver } from './overlay';
import { lowerParts, remarksOf, sourcesOf } from './parts';
import type { KernelTree, SourceFile } from './world';

export interface LoweredTree {
  /** The tree's C and its assembly, with the harness's. */
  readonly modules: readonly IrModule[];
  /** Replaces functions of the tree: calls between CPUs. */
  readonly prelude: IrModule;
  /** Configuration symbols that were assumed, and names of functions that could not be read. */
  readonly assumed: readonly string[];
  readonly unreadable: readonly string[];
  readonly sources: readonly SourceFile[];
  /** Calls between CPUs are the tree's: see `ownCalls.ts`. */
  readonly ownCalls?: boolean;
}

/** Configuration of every tree: no paravirtualisation, then what the caller says. */
const configurationOf = (config: ReadonlyMap<string, boolean>): Map<string, boolean> =>
  new Map([['CONFIG_PARAVIRT', false], ['CONFIG_PARAVIRT_XXL', false], ...config]);

/** Lowers a tree. The C parser must have been loaded (`loadCParser`). */
export function lowerKernel(tree: KernelTree, config: ReadonlyMap<string, boolean> = new Map()): LoweredTree {
  const native = configurationOf(config);
  if (tree.rest) return lowerOver(tree, tree.rest, native);
  const { c, entry, prelude } = lowerParts(tree, { config: native });
  const modules = [c, entry];
  return {
    ...{ modules, prelude, ...remarksOf(modules) },
    sources: sourcesOf([...modules, prelude], 'tree'),
  };
}
