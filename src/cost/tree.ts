/** A kernel tree at hand: whole files instead of fragments, and definitions that the patch does not show. */
import type { Layer } from './definitions';

export interface KernelTree {
  /** Lines of a file, or null if the tree does not have it. */
  lines(path: string): readonly string[] | null;
  /** What the tree defines of the names that the patches call. */
  layer(): Layer;
}
