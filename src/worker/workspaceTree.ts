/**
 * A kernel tree in the workspace, file by file from the host: those that a patch changes, what they include, and the C
 * files beside them, in which callees are looked up. Bounded, and kept until the host says that it is another tree.
 */
import { includePlaces } from '../code/c/includePlaces';
import { scanDefinitions } from '../code/c/scanDefinitions';
import { indexTree } from '../code/c/treeIndex';
import type { Architecture } from '../code/configuration';
import type { DefinitionIndex } from '../code/lowerC';
import type { Breathe } from '../cost/analysis';
import type { KernelTree } from '../cost/tree';
import type { TreeFile, TreeHostMessage } from '../protocol/tree';

/** Asks the host: of each list the first file that is there, and the files in folders. */
export type AskTree = (
  tree: string,
  wanted: readonly (readonly string[])[],
  folders: readonly string[],
) => Promise<Pick<TreeHostMessage, 'files' | 'listed'>>;

export interface OpenedTree {
  /** Path → text of what has been read of it. */
  readonly files: ReadonlyMap<string, string>;
  readonly tree: KernelTree;
  readonly index: DefinitionIndex;
}

const mostFiles = 2_000;
const mostCharacters = 32_000_000;
/** Lists of one request. */
const batch = 200;

/** Folders whose C files hold what the TLB code of an architecture calls. */
const homes: Readonly<Record<Architecture, readonly string[]>> = {
  x86: ['mm', 'arch/x86/mm', 'arch/x86/xen', 'xen/arch/x86', 'xen/arch/x86/mm'],
  arm64: ['mm', 'arch/arm64/mm', 'arch/arm64/kernel'],
  other: ['mm'],
};

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

class WorkspaceTree {
  private readonly texts = new Map<string, string>();
  /** Places of an include, as one text, that have been asked for. */
  private readonly asked = new Set<string>();
  private readonly listed = new Set<string>();
  private characters = 0;
  private opened: {
    readonly files: number;
    readonly architecture: Architecture;
    readonly tree: OpenedTree;
  } | null = null;

  constructor(
    readonly address: string,
    private readonly ask: AskTree,
  ) {}

  async open(
    paths: readonly string[],
    architecture: Architecture,
    breathe: Breathe,
  ): Promise<OpenedTree | null> {
    const own = await this.fetch(
      paths.map(path => [path]),
      breathe,
    );
    if (!paths.some(path => this.texts.has(path))) return null;
    await this.follow(own, architecture, breathe);
    const folders = [
      ...new Set([...paths.filter(path => this.texts.has(path)).map(folderOf), ...homes[architecture]]),
    ];
    const beside = await this.filesIn(folders.filter(folder => !this.listed.has(folder)));
    await this.follow(await this.fetch(beside, breathe), architecture, breathe);
    if (this.opened?.files !== this.texts.size || this.opened.architecture !== architecture)
      this.opened = { files: this.texts.size, architecture, tree: this.make(architecture) };
    return this.opened.tree;
  }

  private make(architecture: Architecture): OpenedTree {
    // The index remembers what it has looked up: it must not see files that come later.
    const texts = new Map(this.texts);
    return {
      files: texts,
      index: indexTree(texts, architecture),
      tree: {
        lines: path => {
          const text = texts.get(path);
          if (text === undefined) return null;
          const lines = text.split('\n').map(line => (line.endsWith('\r') ? line.slice(0, -1) : line));
          if (lines.at(-1) === '') lines.pop();
          return lines;
        },
      },
    };
  }

  private async filesIn(folders: readonly string[]): Promise<string[][]> {
    if (!folders.length) return [];
    for (const folder of folders) this.listed.add(folder);
    const { listed } = await this.ask(this.address, [], folders);
    return listed.filter(path => path.endsWith('.c')).map(path => [path]);
  }

  /** Fetches what is not known yet; gives the files that are new. */
  private async fetch(lists: readonly (readonly string[])[], breathe: Breathe): Promise<TreeFile[]> {
    const wanted = lists.filter(places => {
      const key = places.join('\n');
      if (this.asked.has(key) || places.some(path => this.texts.has(path))) return false;
      this.asked.add(key);
      return true;
    });
    const found: TreeFile[] = [];
    for (let at = 0; at < wanted.length; at += batch) {
      if (this.texts.size >= mostFiles || this.characters >= mostCharacters) break;
      const { files } = await this.ask(this.address, wanted.slice(at, at + batch), []);
      await breathe();
      for (const file of files) {
        if (!file || this.texts.has(file.path)) continue;
        this.texts.set(file.path, file.text);
        this.characters += file.text.length;
        found.push(file);
      }
    }
    return found;
  }

  /** What files include, and what that includes: the nearest first. */
  private async follow(
    files: readonly TreeFile[],
    architecture: Architecture,
    breathe: Breathe,
  ): Promise<void> {
    let level = files;
    while (level.length) {
      const wanted: string[][] = [];
      for (const { path, text } of level)
        for (const include of scanDefinitions(text).includes)
          wanted.push(includePlaces(include, path, architecture));
      level = await this.fetch(wanted, breathe);
    }
  }
}

/** The tree that was used last. */
export class WorkspaceTrees {
  private tree: WorkspaceTree | null = null;

  constructor(private readonly ask: AskTree) {}

  /** What is at hand for a patch that changes `paths`; null where the tree has none of them. */
  open(
    address: string,
    paths: readonly string[],
    architecture: Architecture,
    breathe: Breathe,
  ): Promise<OpenedTree | null> {
    if (this.tree?.address !== address) this.tree = new WorkspaceTree(address, this.ask);
    return this.tree.open(paths, architecture, breathe);
  }
}
