/** The kernel tree of the workspace: which folder it is, and its files for the worker. They are only read. */
import * as vscode from 'vscode';
import type { TreeFile, TreeHostMessage, TreeWorkerMessage } from '../protocol/tree';
import {
  autoTree,
  foldersOf,
  looksLikeLinux,
  looksLikeXen,
  noTree,
  partsOf,
  xenFolder,
} from './kernelFolders';
import type { Settings } from './settings';

/** Larger files are taken as not there. */
const mostBytes = 4 * 1024 * 1024;
/** Files that are read of a tree behind a network. */
const mostFar = 300;
const mostListed = 5_000;

type Names = ReadonlyMap<string, vscode.FileType>;

const nothing: Names = new Map();

/** One folder, as long as nothing in it is known to have changed. */
class Tree {
  private readonly folders = new Map<string, Promise<Names>>();
  private left: number;

  constructor(readonly root: vscode.Uri) {
    this.left = root.scheme === 'file' || root.scheme === 'vscode-remote' ? Infinity : mostFar;
  }

  /** Names in a folder; none where it is not there or is reached through a link. */
  names(parts: readonly string[]): Promise<Names> {
    const key = parts.join('/');
    const known = this.folders.get(key);
    if (known) return known;
    const asked = this.list(parts);
    this.folders.set(key, asked);
    return asked;
  }

  private async list(parts: readonly string[]): Promise<Names> {
    const name = parts.at(-1);
    if (name !== undefined && (await this.names(parts.slice(0, -1))).get(name) !== vscode.FileType.Directory)
      return nothing;
    try {
      return new Map(await vscode.workspace.fs.readDirectory(vscode.Uri.joinPath(this.root, ...parts)));
    } catch {
      // Not there, or not to be read: then it is no tree for us.
      return nothing;
    }
  }

  /** The first of several paths that is a file. */
  async first(paths: readonly string[]): Promise<TreeFile | null> {
    for (const path of paths) {
      const text = await this.read(path);
      if (text !== null) return { path, text };
    }
    return null;
  }

  private async read(path: string): Promise<string | null> {
    const parts = partsOf(path);
    if (!parts) return null;
    if ((await this.names(parts.slice(0, -1))).get(parts.at(-1)!) !== vscode.FileType.File) return null;
    if (--this.left < 0) return null;
    const uri = vscode.Uri.joinPath(this.root, ...parts);
    try {
      if ((await vscode.workspace.fs.stat(uri)).size > mostBytes) return null;
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    } catch {
      // Gone since it was listed, or not to be read.
      return null;
    }
  }

  async filesIn(folder: string): Promise<string[]> {
    const parts = foldersOf(folder);
    if (!parts) return [];
    const files = [...(await this.names(parts))].filter(([, type]) => type === vscode.FileType.File);
    return files.slice(0, mostListed).map(([name]) => [...parts, name].join('/'));
  }

  /** Whether it looks like the root of Linux or of Xen. */
  async isKernel(): Promise<boolean> {
    const [folders, files] = sorted(await this.names([]));
    return (
      looksLikeLinux(folders, files) ||
      (folders.has(xenFolder) && looksLikeXen(sorted(await this.names([xenFolder]))[0]))
    );
  }
}

function sorted(names: Names): [Set<string>, Set<string>] {
  const of = (wanted: vscode.FileType): Set<string> =>
    new Set([...names].filter(([, type]) => type === wanted).map(([name]) => name));
  return [of(vscode.FileType.Directory), of(vscode.FileType.File)];
}

export class KernelTrees implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** What has been read of a tree no longer holds. */
  readonly onDidChange = this.changed.event;
  /** Grows with every change, so that no address of before is taken for one of now. */
  private generation = 1;
  private readonly trees = new Map<string, Tree>();
  private readonly listening: vscode.Disposable[];
  private setting: string;

  constructor(settings: Settings) {
    this.setting = settings.kernelTree;
    this.listening = [
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.isInside(uri) && this.reread()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.reread()),
      settings.onDidChange(() => {
        if (settings.kernelTree === this.setting) return;
        this.setting = settings.kernelTree;
        this.reread();
      }),
    ];
  }

  /** Address of the tree for a document, or null. */
  async of(document: vscode.Uri): Promise<string | null> {
    for (const { root, sure } of this.candidates(document)) {
      const address = `${root.toString()}#${this.generation}`;
      const tree = this.trees.get(address) ?? new Tree(root);
      if (!sure && !(await tree.isKernel())) continue;
      this.trees.set(address, tree);
      return address;
    }
    return null;
  }

  /** What the worker asked for; nothing of a tree that it was not given. */
  async answer({ request, tree: address, wanted, folders }: TreeWorkerMessage): Promise<TreeHostMessage> {
    const tree = this.trees.get(address);
    if (!tree) return { type: 'tree', request, files: wanted.map(() => null), listed: [] };
    const files = await Promise.all(wanted.map(paths => tree.first(paths)));
    const listed = await Promise.all(folders.map(folder => tree.filesIn(folder)));
    return { type: 'tree', request, files, listed: listed.flat() };
  }

  /** Forgets what has been read. */
  reread(): void {
    const had = this.trees.size > 0;
    this.generation++;
    this.trees.clear();
    if (had || this.setting !== noTree) this.changed.fire();
  }

  dispose(): void {
    for (const one of this.listening) one.dispose();
    this.changed.dispose();
  }

  private isInside(uri: vscode.Uri): boolean {
    return [...this.trees.values()].some(
      ({ root }) => isBelow(uri, root) && partsOf(uri.path.slice(1)) !== null,
    );
  }

  /** `sure`: the user has named it. */
  private candidates(document: vscode.Uri): { root: vscode.Uri; sure: boolean }[] {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
    const own = vscode.workspace.getWorkspaceFolder(document)?.uri;
    const ordered = [...(own ? [own] : []), ...folders.filter(uri => uri.toString() !== own?.toString())];
    if (this.setting === noTree) return [];
    if (this.setting === autoTree) return ordered.map(root => ({ root, sure: false }));
    const root = resolved(this.setting, ordered[0]);
    // A workspace that is not trusted may not point out of itself.
    if (!root || !(vscode.workspace.isTrusted || folders.some(folder => isBelow(root, folder)))) return [];
    return [{ root, sure: true }];
  }
}

function resolved(path: string, base: vscode.Uri | undefined): vscode.Uri | null {
  if (/^[A-Za-z]:[\\/]/.test(path)) return vscode.Uri.file(path);
  if (path.startsWith('/')) return base ? base.with({ path }) : vscode.Uri.file(path);
  return base ? vscode.Uri.joinPath(base, path) : null;
}

const isBelow = (uri: vscode.Uri, folder: vscode.Uri): boolean =>
  uri.scheme === folder.scheme &&
  uri.authority === folder.authority &&
  (uri.path === folder.path ||
    uri.path.startsWith(folder.path.endsWith('/') ? folder.path : `${folder.path}/`));
