/** A kernel tree of the user's own: its TLB code runs, and the model supplies what stands around it. */
import { modelTree } from './tree';
import type { KernelTree } from './world';

/** Files of the user's tree that run, besides what they reach; headers of these paths are the tree's as well. */
export const coreFiles = ['arch/x86/mm/tlb.c'] as const;
export const coreHeaders = ['arch/x86/include/asm/tlbflush.h'] as const;
/** Calls between CPUs, which run from the tree only when asked for. */
export const callsFile = 'kernel/smp.c';
export const entryHeader = 'arch/x86/entry/calling.h';

/**
 * A tree over another: files of `base`, which may be read when they are asked for, with changes (null: the file is
 * gone). Iterating it yields its paths only through `keys`; copy none.
 */
export class UserTree extends Map<string, string> {
  private readonly base: ReadonlyMap<string, string>;
  private readonly changes: ReadonlyMap<string, string | null>;

  constructor(
    base: ReadonlyMap<string, string>,
    changes: ReadonlyMap<string, string | null> = new Map(),
    readonly rest: ReadonlyMap<string, string> = modelTree(),
    readonly ownCalls = false,
  ) {
    super();
    this.base = base;
    this.changes = changes;
  }

  override has(path: string): boolean {
    const change = this.changes.get(path);
    return change === undefined ? this.base.has(path) : change !== null;
  }

  override get(path: string): string | undefined {
    const change = this.changes.get(path);
    return change === undefined ? this.base.get(path) : (change ?? undefined);
  }

  override *keys(): MapIterator<string> {
    for (const path of this.base.keys()) if (this.changes.get(path) !== null) yield path;
    for (const [path, text] of this.changes) if (text !== null && !this.base.has(path)) yield path;
    return undefined;
  }

  /** The same tree with more changes. */
  with(changes: ReadonlyMap<string, string | null>): UserTree {
    return new UserTree(this.base, new Map([...this.changes, ...changes]), this.rest, this.ownCalls);
  }
}

/** Every kernel has this header, and trees of the model's kind do without it. */
const realHeader = 'include/linux/types.h';

/**
 * The tree of a folder: a tree of the model's kind, such as a copy of it, runs as it is; of any other the TLB code runs,
 * with the model around it. Null: there is no x86 TLB code in it, or no `kernel/smp.c` where `ownCalls` asks for it.
 */
export function userTree(files: ReadonlyMap<string, string>, ownCalls = false): KernelTree | null {
  const code = [...modelTree().keys()].filter(path => /\.[cS]$/.test(path));
  if (!files.has(realHeader) && code.every(path => files.has(path)))
    return new Map([...files.keys()].map(path => [path, files.get(path) ?? '']));
  const wanted = ownCalls ? [...coreFiles, callsFile] : coreFiles;
  return wanted.every(path => files.has(path)) ? new UserTree(files, new Map(), modelTree(), ownCalls) : null;
}
