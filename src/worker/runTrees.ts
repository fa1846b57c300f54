/** Kernel trees of variants, lowered once each: lowering one takes longer than most runs. */
import { bootWorld } from '../kernel/boot';
import { lowerKernel, type LoweredTree } from '../kernel/lower';
import type { KernelTree, World, WorldOptions } from '../kernel/world';
import type { RunRequest } from '../protocol/run';
import type { ScenarioVariant } from '../scenario/model';
import type { RunSetup } from './runSetup';

/** Before, after, and another pair. */
const kept = 4;

interface KeptTree {
  readonly tree: KernelTree;
  lowered: LoweredTree | undefined;
}

export class Trees {
  private readonly known = new Map<string, KeptTree>();

  /** The tree of a variant; the same one for the same request. Throws `ScenarioError`. */
  get(
    { patch, tree, treeAddress }: RunRequest,
    { scenario, treeOf }: RunSetup,
    variant: ScenarioVariant,
  ): KernelTree {
    // Of a tree that the request brings along nothing is kept: comparing it would take as long.
    if (tree !== null) return treeOf(variant);
    const reviewed = variant.name === 'after' ? patch : null;
    const key = JSON.stringify([treeAddress ?? scenario.kernel, variant.patches, reviewed]);
    const found = this.known.get(key) ?? { tree: treeOf(variant), lowered: undefined };
    this.known.delete(key);
    this.known.set(key, found);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= kept) break;
      this.known.delete(oldest);
    }
    return found.tree;
  }

  boot(options: WorldOptions): World {
    const found = [...this.known.values()].find(({ tree }) => tree === options.tree);
    if (!found) return bootWorld(options);
    found.lowered ??= lowerKernel(options.tree, options.config);
    return bootWorld(options, found.lowered);
  }
}
