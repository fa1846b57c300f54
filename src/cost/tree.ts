/** A kernel tree at hand: whole files instead of fragments. Definitions come from the front end's own index of it. */
export interface KernelTree {
  /** Lines of a file, or null if the tree does not have it. */
  lines(path: string): readonly string[] | null;
}
