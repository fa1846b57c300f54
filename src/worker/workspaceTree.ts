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
  /** Places of an include, as one text, that have been asked for and answered. */
  private readonly asked = new Set<string>();
  private readonly listed = new Set<string>();
  /** How many of the texts, in order, have had their includes answered. */
  private readonly followed = new Map<Architecture, number>();
  private characters = 0;
  /** Ends with the opening that was asked for last. */
  private busy: Promise<unknown> = Promise.resolve();
  private opened: {
    readonly files: number;
    readonly architecture: Architecture;
    readonly tree: OpenedTree;
  } | null = null;

  constructor(
    readonly address: string,
    private readonly ask: AskTree,
  ) {}

  /**
   * One after the other: two documents may wait for the same files, and one may be cancelled. What was answered before a
   * `breathe` that throws is kept, and the next opening goes on from there.
   */
  open(paths: readonly string[], architecture: Architecture, breathe: Breathe): Promise<OpenedTree | null> {
    const turn = this.busy.then(() => this.openNow(paths, architecture, breathe));
    this.busy = turn.catch(() => undefined);
    return turn;
  }

  private async openNow(
    paths: readonly string[],
    architecture: Architecture,
    breathe: Breathe,
  ): Promise<OpenedTree | null> {
    // It may have been cancelled while it waited for its turn.
    await breathe();
    await this.fetch(
      paths.map(path => [path]),
      breathe,
    );
    const there = paths.filter(path => this.texts.has(path));
    if (!there.length) return null;
    await this.follow(architecture, breathe);
    const folders = [...new Set([...there.map(folderOf), ...homes[architecture]])];
    await this.fetchFolders(
      folders.filter(folder => !this.listed.has(folder)),
      breathe,
    );
    await this.follow(architecture, breathe);
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

  /** Fetches the C files of folders. */
  private async fetchFolders(folders: readonly string[], breathe: Breathe): Promise<void> {
    if (!folders.length) return;
    const { listed } = await this.ask(this.address, [], folders);
    await this.fetch(
      listed.filter(path => path.endsWith('.c')).map(path => [path]),
      breathe,
    );
    for (const folder of folders) this.listed.add(folder);
  }

  private get isFull(): boolean {
    return this.texts.size >= mostFiles || this.characters >= mostCharacters;
  }

  /** Fetches what is not known yet, nearest first. */
  private async fetch(lists: readonly (readonly string[])[], breathe: Breathe): Promise<void> {
    const wanted = new Map<string, readonly string[]>();
    for (const places of lists) {
      const key = places.join('\n');
      if (!this.asked.has(key) && !places.some(path => this.texts.has(path))) wanted.set(key, places);
    }
    const every = [...wanted];
    for (let at = 0; at < every.length && !this.isFull; at += batch) {
      const some = every.slice(at, at + batch);
      const { files } = await this.ask(
        this.address,
        some.map(([, places]) => places),
        [],
      );
      for (const [key] of some) this.asked.add(key);
      for (const file of files) if (file) this.keep(file);
      await breathe();
    }
  }

  private keep({ path, text }: TreeFile): void {
    if (this.texts.has(path)) return;
    this.texts.set(path, text);
    this.characters += text.length;
  }

  /** Fetches what the files include, and what that includes: the nearest first. */
  private async follow(architecture: Architecture, breathe: Breathe): Promise<void> {
    for (;;) {
      const done = this.followed.get(architecture) ?? 0;
      const level = [...this.texts].slice(done);
      if (!level.length) return;
      const wanted: string[][] = [];
      for (const [path, text] of level)
        for (const include of scanDefinitions(text).includes)
          wanted.push(includePlaces(include, path, architecture));
      await this.fetch(wanted, breathe);
      this.followed.set(architecture, done + level.length);
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
