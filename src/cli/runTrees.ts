/** Kernel trees of `tlbscope run`: the model with a variant's patches, or a folder, before and after a patch. */
import { join } from 'node:path';
import { userTree } from '../kernel/userTree';
import type { KernelTree } from '../kernel/world';
import type { PatchFile } from '../patch/model';
import type { Scenario, ScenarioVariant } from '../scenario/model';
import { newestFiles } from '../scenario/review';
import {
  isPath,
  reviewedTree,
  underReview,
  userVariant,
  userVariantTree,
  variantTree,
} from '../scenario/variants';
import { InputError } from './command';
import { readDocument } from './document';
import { readBytes } from './input';
import { openTree } from './kernelTree';
import { folderOf } from './scenarioFile';

export interface RunTreeOptions {
  /** As given: what paths in it are relative to. */
  readonly path: string;
  readonly scenario: Scenario;
  /** `--tree`. */
  readonly tree: string | null;
  /** `--smp`: calls between CPUs are the tree's as well. */
  readonly ownCalls: boolean;
  /** `--patch`. */
  readonly patch: string | null;
}

export interface RunTrees {
  readonly scenario: Scenario;
  /** The folder; null: the model. */
  readonly folder: string | null;
  /** Paths that the patch under review changes. */
  readonly touched: readonly string[];
  readonly treeOf: (variant: ScenarioVariant) => KernelTree;
}

/** A folder as a tree; throws {@link InputError}. */
function openFolder(folder: string, ownCalls: boolean): KernelTree {
  const tree = userTree(openTree(folder, 'x86').files, ownCalls);
  if (!tree)
    throw new InputError(
      `${folder}: there is no arch/x86/mm/tlb.c${ownCalls ? ' or no kernel/smp.c' : ''} in it`,
    );
  return tree;
}

const pathsOf = (files: readonly PatchFile[]): string[] => [
  ...new Set(files.flatMap(({ oldPath, newPath }) => newPath ?? oldPath ?? [])),
];

/** Trees are read when a variant asks for them. Throws {@link InputError}. */
export function runTrees({ path, scenario, tree, ownCalls, patch }: RunTreeOptions): RunTrees {
  const named = isPath(scenario.kernel) ? join(folderOf(path), scenario.kernel) : null;
  const folder = tree ?? named;
  if (tree !== null && scenario.kernel === 'xen')
    throw new InputError('the scenario runs the bundled tree xen, which a folder does not stand in for');
  if (ownCalls && folder === null) throw new InputError('--smp is about a kernel tree: give --tree DIR');
  const files = patch === null ? null : newestFiles(readDocument(patch));
  let opened: KernelTree | null = null;
  const own = (): KernelTree => (opened ??= openFolder(folder!, ownCalls));
  const text = (file: string): string => new TextDecoder().decode(readBytes(join(folderOf(path), file)));
  const plain = (variant: ScenarioVariant): KernelTree =>
    folder === null ? variantTree(scenario.kernel, variant) : userVariantTree(own(), variant, text);
  // Variants of the model's are none of a folder that is given instead.
  const alone = { ...scenario, variants: [{ name: userVariant, patches: [], line: 0 }] };
  return {
    scenario: files ? underReview(scenario) : folder !== null && tree !== null ? alone : scenario,
    folder,
    touched: files ? pathsOf(files) : [],
    treeOf: variant =>
      files && variant.name === 'after' ? reviewedTree(plain(variant), files) : plain(variant),
  };
}
