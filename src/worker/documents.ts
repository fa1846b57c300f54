/** Documents that were read, kept so that another machine, feature or value needs no second reading. */
import { architectureOfPath, type Architecture } from '../code/configuration';
import { loadCParser, LoweringMemory, type WasmLoader } from '../code/lowerC';
import type { Breathe } from '../cost/analysis';
import { makeFrontEnd } from '../cost/frontEnd';
import { ModuleCache } from '../cost/moduleCache';
import { analysePatch } from '../cost/price';
import type { DocumentPricer } from '../cost/pricing';
import { isCode } from '../cost/units';
import { coreFiles, coreHeaders, entryHeader, userTree } from '../kernel/userTree';
import type { KernelTree } from '../kernel/world';
import type { PatchDocument } from '../patch/model';
import { readPatch } from '../patch/read';
import type { Setting } from './setting';
import { WorkspaceTrees, type AskTree, type OpenedTree } from './workspaceTree';

/** So many texts are kept, and of the last of them what pricing worked out, which takes more room. */
const kept = 4;
const keptPricers = 2;

interface ReadDocument {
  readonly patch: PatchDocument;
  /** The pricer under a configuration and a tree, or undefined before the code was read. */
  pricer: { readonly key: string; readonly made: DocumentPricer } | undefined;
}

const keyOf = ({ config, tree }: Setting): string => JSON.stringify([tree, ...[...config].sort()]);

/** Of a longer document the files are not looked up in a tree. */
const longest = 4_000_000;
const mostPaths = 300;

/** What runs of a kernel tree, beside what these include and reach. */
const runFiles: readonly string[] = [...coreFiles, ...coreHeaders, entryHeader];

/** Paths of the code that a patch changes, before and after. */
function codePaths({ files }: PatchDocument): string[] {
  const paths = files.flatMap(({ oldPath, newPath }) => [oldPath, newPath]);
  return [...new Set(paths.filter((path): path is string => path !== null && isCode(path)))].slice(
    0,
    mostPaths,
  );
}

const architectureOf = (paths: readonly string[]): Architecture =>
  paths.some(path => architectureOfPath(path) === 'arm64') ? 'arm64' : 'x86';

export class Documents {
  private readonly known = new Map<string, ReadDocument>();
  /** What was made of functions, of all documents: after an edit only the touched ones are read. */
  private readonly memory = new LoweringMemory();
  /** What was made of files, under one configuration and with one state of a tree. */
  private modules: {
    readonly config: string;
    readonly tree: OpenedTree | null;
    readonly cache: ModuleCache;
  } = {
    config: '',
    tree: null,
    cache: new ModuleCache(),
  };
  private readonly trees: WorkspaceTrees;

  constructor(
    private readonly loadAsset: WasmLoader,
    askTree: AskTree,
  ) {
    this.trees = new WorkspaceTrees(askTree);
  }

  /** The document of a text; the one that was used longest ago is forgotten. */
  read(text: string, firstInvalidLine: number | null): PatchDocument {
    return this.entry(text, firstInvalidLine).patch;
  }

  /** Files of a kernel tree that a patch changes, with the tree's TLB code and what they include; null: none is there. */
  async treeFiles(
    address: string,
    patch: PatchDocument,
    breathe: Breathe,
  ): Promise<ReadonlyMap<string, string> | null> {
    const changed = codePaths(patch);
    // Another architecture's code does not run.
    if (architectureOf(changed) !== 'x86') return null;
    const paths = [...new Set([...runFiles, ...changed])];
    return (await this.trees.open(address, paths, 'x86', breathe))?.files ?? null;
  }

  /** The same as a tree that can run; throws if it cannot. */
  async runTree(address: string, patch: string | null, breathe: Breathe): Promise<KernelTree> {
    await loadCParser(this.loadAsset);
    const files = await this.treeFiles(address, readPatch(patch ?? ''), breathe);
    const tree = files && userTree(files);
    if (!tree) throw new Error(`the kernel tree of the workspace has no ${coreFiles[0]}`);
    return tree;
  }

  /** Whether prices can be given without reading code. */
  isPriced(text: string, setting: Setting): boolean {
    return this.known.get(text)?.pricer?.key === keyOf(setting);
  }

  /**
   * Reads the code of the document, once. `breathe` is called between its steps and may throw: what was read until then is
   * remembered, so that the next reading goes on from there.
   */
  async pricer(text: string, setting: Setting, breathe: Breathe): Promise<DocumentPricer> {
    const key = keyOf(setting);
    const entry = this.entry(text, null);
    if (entry.pricer?.key === key) return entry.pricer.made;
    const made = await this.analyse(entry.patch, setting, breathe);
    entry.pricer = { key, made };
    return made;
  }

  private async analyse(
    patch: PatchDocument,
    { config, tree }: Setting,
    breathe: Breathe,
  ): Promise<DocumentPricer> {
    await loadCParser(this.loadAsset);
    const paths = tree !== null && patch.document.text.length < longest ? codePaths(patch) : [];
    const opened =
      tree !== null && paths.length
        ? await this.trees.open(tree, paths, architectureOf(paths), breathe)
        : null;
    const names = JSON.stringify([...config].sort());
    if (this.modules.config !== names || this.modules.tree !== opened)
      this.modules = { config: names, tree: opened, cache: new ModuleCache() };
    const { memory } = this;
    const frontEnd = makeFrontEnd({ config, index: opened?.index ?? null, memory, breathe });
    return analysePatch(patch, { frontEnd, tree: opened?.tree ?? null, cache: this.modules.cache, breathe });
  }

  private entry(text: string, firstInvalidLine: number | null): ReadDocument {
    const found = this.known.get(text) ?? { patch: readPatch(text, { firstInvalidLine }), pricer: undefined };
    this.known.delete(text);
    this.known.set(text, found);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= kept) break;
      this.known.delete(oldest);
    }
    for (const older of [...this.known.values()].slice(0, -keptPricers)) older.pricer = undefined;
    return found;
  }
}
