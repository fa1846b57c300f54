/** `--tree DIR`: a kernel or Xen tree on disk, read file by file when something asks for it. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { indexTree } from '../code/c/treeIndex';
import type { Architecture } from '../code/configuration';
import type { DefinitionIndex } from '../code/lowerC';
import type { KernelTree } from '../cost/tree';
import { InputError } from './command';
import { reasonOf } from './input';

/** Larger files are taken as not there. */
const mostBytes = 4 * 1024 * 1024;
const mostFiles = 60_000;

/** Folders in which definitions are looked for: memory management, its architecture code, and headers. */
const folders = [
  ...['mm', 'include', 'kernel', 'lib', 'xen/arch', 'xen/include', 'xen/common', 'xen/drivers/passthrough'],
  ...['arch/x86', 'arch/arm64'],
];

/** Path in the tree → text, read when first asked for. */
class LazyFiles extends Map<string, string> {
  constructor(private readonly root: string) {
    super();
  }

  private inside(path: string): string | null {
    if (path.includes('\0')) return null;
    const full = join(this.root, path);
    if (!existsSync(full)) return null;
    // A patch may name `../../etc/passwd`, or a link that leads out of the tree.
    const real = realpathSync(full);
    return real === this.root || real.startsWith(this.root + sep) ? real : null;
  }

  override has(path: string): boolean {
    if (super.has(path)) return true;
    const full = this.inside(path);
    return full !== null && statSync(full).isFile();
  }

  override get(path: string): string | undefined {
    const known = super.get(path);
    if (known !== undefined) return known;
    const full = this.inside(path);
    if (full === null) return undefined;
    const stat = statSync(full);
    if (!stat.isFile() || stat.size > mostBytes) return undefined;
    const text = readFileSync(full, 'utf8');
    super.set(path, text);
    return text;
  }

  override *keys(): MapIterator<string> {
    let count = 0;
    const walk = folders.filter(folder => this.isFolder(folder));
    while (walk.length) {
      const folder = walk.pop()!;
      for (const entry of readdirSync(join(this.root, folder), { withFileTypes: true })) {
        const path = `${folder}/${entry.name}`;
        if (entry.isDirectory()) walk.push(path);
        else if (/\.[chS]$/.test(entry.name) && entry.isFile()) {
          if (++count > mostFiles) return;
          yield path;
        }
      }
    }
    return undefined;
  }

  private isFolder(path: string): boolean {
    const full = this.inside(path);
    return full !== null && statSync(full).isDirectory();
  }
}

export interface OpenTree {
  /** Path in the tree → text, read when asked for; not to be copied. */
  readonly files: ReadonlyMap<string, string>;
  readonly tree: KernelTree;
  readonly index: DefinitionIndex;
}

/** Opens a tree; throws {@link InputError} if `root` is no folder. */
export function openTree(root: string, architecture: Architecture): OpenTree {
  let real: string;
  try {
    real = realpathSync(root);
    if (!statSync(real).isDirectory()) throw new InputError(`--tree ${root}: not a directory`);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`--tree ${root}: ${reasonOf(error)}`);
  }
  const files = new LazyFiles(real);
  const index = indexTree(files, architecture);
  return {
    files,
    index,
    tree: {
      lines: path => {
        const text = files.get(path);
        if (text === undefined) return null;
        const lines = text.split('\n').map(line => (line.endsWith('\r') ? line.slice(0, -1) : line));
        if (lines.at(-1) === '') lines.pop();
        return lines;
      },
    },
  };
}
