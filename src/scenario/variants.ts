/** The kernel tree of a variant: the named tree with the variant's patches applied in order. */
import { bootWorld } from '../kernel/boot';
import { lowerKernel, type LoweredTree } from '../kernel/lower';
import { modelTree, modelVariants } from '../kernel/tree';
import type { KernelTree, World, WorldOptions } from '../kernel/world';
import { UserTree } from '../kernel/userTree';
import { applyToTree, type ApplyRefusal } from '../patch/apply';
import type { PatchFile } from '../patch/model';
import { readPatch } from '../patch/read';
import type { Scenario, ScenarioVariant } from './model';
import { newestFiles } from './review';
import { ScenarioError } from './run';
import { xenPatches, xenTree } from './xenTree';

/** Patches of the tree `linux` by name, such as `serial-flush`. */
function linuxPatches(): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { patches } of modelVariants)
    for (const { path, text } of patches)
      texts.set(path.slice(path.lastIndexOf('/') + 1).replace(/\.patch$/, ''), text);
  return texts;
}

/** The kernel trees that are bundled: what they are, and their patches by name. */
const bundled: Readonly<
  Record<
    string,
    { readonly tree: () => Map<string, string>; readonly patches: () => ReadonlyMap<string, string> }
  >
> = {
  linux: { tree: modelTree, patches: linuxPatches },
  xen: { tree: xenTree, patches: () => xenPatches },
};

/** Their names. */
export const kernelNames: readonly string[] = Object.keys(bundled);

/** Throws {@link ScenarioError} for an unknown kernel or patch, and for a patch that does not apply. */
export function variantTree(kernel: string, variant: ScenarioVariant): KernelTree {
  if (isPath(kernel))
    throw new ScenarioError(
      `the kernel tree '${kernel}' is a folder: the command line reads folders, 'tlbscope run'`,
      0,
    );
  if (!kernelNames.includes(kernel))
    throw new ScenarioError(`no kernel tree '${kernel}'; there are ${kernelNames.join(', ')}`, 0);
  const { tree: base, patches } = bundled[kernel]!;
  const texts = patches();
  let tree: ReadonlyMap<string, string> = base();
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

/** A patch on a tree. Of a tree of the user's, only files that the patch names are looked at. */
function patched(tree: KernelTree, files: readonly PatchFile[]): KernelTree | ApplyRefusal {
  if (!(tree instanceof UserTree)) {
    const applied = applyToTree(tree, files);
    return applied.ok ? applied.tree : applied;
  }
  const named = new Map<string, string>();
  for (const { oldPath, newPath } of files)
    for (const path of [oldPath, newPath].filter(one => one !== null))
      for (const place of [path, path.slice(path.indexOf('/') + 1)]) {
        const text = tree.get(place);
        if (text !== undefined) named.set(place, text);
      }
  const applied = applyToTree(named, files);
  if (!applied.ok) return applied;
  const touched = [...named.keys(), ...applied.tree.keys()];
  return tree.with(new Map(touched.map(path => [path, applied.tree.get(path) ?? null])));
}

/** A tree after the patch under review. Throws {@link ScenarioError} where it does not apply. */
export function reviewedTree(tree: KernelTree, files: readonly PatchFile[]): KernelTree {
  if (files.length === 0) throw new ScenarioError('the patch changes no files', 0);
  const result = patched(tree, files);
  if (!('ok' in result)) return result;
  const { path, hunk, documentLine, reason } = result;
  const where = documentLine === null ? '' : `line ${documentLine}: `;
  const which = hunk > 0 ? `hunk ${hunk} of ${path}` : path;
  const hint =
    tree instanceof UserTree
      ? ''
      : '; the text of the model tree is its own, so a posted patch applies only to the tree that it was made for: give that as --tree DIR';
  throw new ScenarioError(`${where}the patch does not apply to ${which}: ${reason}${hint}`, 0);
}

/** Name of the one variant of a tree of the user's. */
export const userVariant = 'tree';

/** Whether a scenario's `kernel`, or a patch of a variant, is a path, relative to its file, and no name. */
export const isPath = (text: string): boolean => text.includes('/');

/** The user's tree with the patches of a variant, whose texts `patchText` reads. Throws {@link ScenarioError}. */
export function userVariantTree(
  tree: KernelTree,
  variant: ScenarioVariant,
  patchText: (path: string) => string,
): KernelTree {
  let result = tree;
  for (const name of variant.patches) {
    if (!isPath(name))
      throw new ScenarioError(
        `'${name}' is a patch of the model tree; of a tree of your own, a patch is a file such as './${name}.patch'`,
        variant.line,
      );
    const applied = patched(result, newestFiles(readPatch(patchText(name))));
    if ('ok' in applied)
      throw new ScenarioError(
        `hunk ${applied.hunk} of ${applied.path} of ${name} does not apply: ${applied.reason}`,
        variant.line,
      );
    result = applied;
  }
  return result;
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
