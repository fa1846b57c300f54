/** The kernel tree of a variant: the named tree with the variant's patches applied in order. */
import { bootWorld } from '../kernel/boot';
import { lowerKernel, type LoweredTree } from '../kernel/lower';
import { modelTree, modelVariants } from '../kernel/tree';
import type { KernelTree, World, WorldOptions } from '../kernel/world';
import { applyToTree } from '../patch/apply';
import type { PatchFile } from '../patch/model';
import { readPatch } from '../patch/read';
import type { Scenario, ScenarioVariant } from './model';
import { ScenarioError } from './run';

/** Patches of the bundled tree by name, such as `serial-flush`. */
function patchTexts(): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { patches } of modelVariants)
    for (const { path, text } of patches)
      texts.set(path.slice(path.lastIndexOf('/') + 1).replace(/\.patch$/, ''), text);
  return texts;
}

/** Names of the kernel trees that are bundled. */
export const kernelNames: readonly string[] = ['linux'];

/** Throws {@link ScenarioError} for an unknown kernel or patch, and for a patch that does not apply. */
export function variantTree(kernel: string, variant: ScenarioVariant): KernelTree {
  if (!kernelNames.includes(kernel))
    throw new ScenarioError(`no kernel tree '${kernel}'; there are ${kernelNames.join(', ')}`, 0);
  const texts = patchTexts();
  let tree: ReadonlyMap<string, string> = modelTree();
  for (const name of variant.patches) {
    const text = texts.get(name);
    if (text === undefined)
      throw new ScenarioError(
        `no patch '${name}' of the tree '${kernel}'; there are ${[...texts.keys()].join(', ')}`,
        variant.line,
      );
    const applied = applyToTree(tree, readPatch(text).files);
    if (!applied.ok)
      throw new ScenarioError(`${name} does not apply to ${applied.path}: ${applied.reason}`, variant.line);
    tree = applied.tree;
  }
  return tree;
}

/** The scenario with the patch under review for its variants: the tree `before` it, and `after`. */
export const underReview = (scenario: Scenario): Scenario => ({
  ...scenario,
  variants: ['before', 'after'].map(name => ({ name, patches: [], line: 0 })),
});

/** A tree after the patch under review. Throws {@link ScenarioError} where it does not apply. */
export function reviewedTree(tree: KernelTree, files: readonly PatchFile[]): KernelTree {
  if (files.length === 0) throw new ScenarioError('the patch changes no files', 0);
  const applied = applyToTree(tree, files);
  if (applied.ok) return applied.tree;
  const where = applied.documentLine === null ? '' : `line ${applied.documentLine}: `;
  throw new ScenarioError(`${where}the patch does not apply to ${applied.path}: ${applied.reason}`, 0);
}

/** Boots worlds; a tree is lowered once, however many runs it is used for. */
export function worldBooter(): (options: WorldOptions) => World {
  const lowered = new Map<KernelTree, LoweredTree>();
  return options => {
    let tree = lowered.get(options.tree);
    if (!tree) {
      tree = lowerKernel(options.tree, options.config);
      lowered.clear();
      lowered.set(options.tree, tree);
    }
    return bootWorld(options, tree);
  };
}
