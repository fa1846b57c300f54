/** Which scenarios say something about a document, and whether it is a patch that they can run before and after. */
import * as vscode from 'vscode';
import type { Review } from '../../scenario/review';
import { isPatchDocument } from '../context';
import { Cancelled, type WorkerClient } from '../workerClient';
import type { KernelTrees } from '../kernelTree';
import type { Models } from '../models';
import type { LibraryScenario, ScenarioLibrary } from './library';
import { builtinScheme, isScenarioUri } from './names';

export interface AttachedScenario {
  readonly scenario: LibraryScenario;
  /** Entries of `appliesTo` that fit; none for a scenario file itself. */
  readonly because: readonly string[];
}

export interface PatchUnderReview {
  readonly text: string;
  /** By the name of a kernel tree: whether the patch applies to it. */
  readonly reviews: Readonly<Record<string, Review>>;
  /** Address of the kernel tree of the workspace; null: there is none. */
  readonly tree: string | null;
}

/** What a document is to scenarios. */
export interface DocumentScenarios {
  readonly uri: vscode.Uri;
  readonly kind: 'patch' | 'source' | 'scenario';
  readonly attached: readonly AttachedScenario[];
  /** The patch under review; null for other files. */
  readonly patch: PatchUnderReview | null;
}

const sourcePath = /\.(?:[chsS]|asm)$/;

/** undefined: scenarios have nothing to do with it. */
export function documentKind(document: vscode.TextDocument): DocumentScenarios['kind'] | undefined {
  if (document.uri.scheme === builtinScheme || isScenarioUri(document.uri)) return 'scenario';
  if (isPatchDocument(document)) return 'patch';
  return sourcePath.test(document.uri.path) ? 'source' : undefined;
}

interface Entry {
  readonly version: number;
  /** Of the library. */
  readonly generation: number;
  readonly abort: AbortController;
  readonly made: Promise<DocumentScenarios | undefined>;
}

export class Attachments implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** The library has changed: ask again. */
  readonly onDidChange = this.changed.event;
  private readonly entries = new Map<string, Entry>();
  private generation = 0;
  private readonly listening: vscode.Disposable[];

  constructor(
    private readonly library: ScenarioLibrary,
    private readonly worker: WorkerClient,
    private readonly log: vscode.LogOutputChannel,
    private readonly trees: Pick<KernelTrees, 'of' | 'onDidChange'>,
    private readonly models: Pick<Models, 'get'>,
  ) {
    this.listening = [
      trees.onDidChange(() => {
        this.generation++;
        this.changed.fire();
      }),
      library.onDidChange(() => {
        this.generation++;
        this.changed.fire();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.entries.get(uri.toString())?.abort.abort();
        this.entries.delete(uri.toString());
      }),
    ];
  }

  /** Of the current version; undefined for a document of another kind, one that was closed, or if it failed. */
  async of(document: vscode.TextDocument): Promise<DocumentScenarios | undefined> {
    const kind = documentKind(document);
    if (!kind) return undefined;
    // The worker is the same: hints come first.
    if (kind === 'patch') await this.models.get(document);
    await this.library.load();
    const key = document.uri.toString();
    const known = this.entries.get(key);
    const isCurrent = known?.version === document.version && known.generation === this.generation;
    const entry = isCurrent ? known : this.begin(document, kind);
    const found = await entry.made;
    // Somebody who asked for a newer state has ended this one: that answer is the one to have.
    return !found && entry.abort.signal.aborted && this.entries.has(key) ? this.of(document) : found;
  }

  private begin(document: vscode.TextDocument, kind: DocumentScenarios['kind']): Entry {
    const key = document.uri.toString();
    this.entries.get(key)?.abort.abort();
    const abort = new AbortController();
    const made = this.make(document, kind, abort.signal).catch((error: unknown) => {
      if (!(error instanceof Cancelled)) this.log.error(`${key}: ${String(error)}`);
      if (this.entries.get(key)?.abort === abort) this.entries.delete(key);
      return undefined;
    });
    const entry = { version: document.version, generation: this.generation, abort, made };
    this.entries.set(key, entry);
    return entry;
  }

  dispose(): void {
    for (const { abort } of this.entries.values()) abort.abort();
    this.listening.forEach(one => void one.dispose());
    this.changed.dispose();
  }

  private async make(
    document: vscode.TextDocument,
    kind: DocumentScenarios['kind'],
    signal: AbortSignal,
  ): Promise<DocumentScenarios> {
    const { uri } = document;
    if (kind === 'scenario') {
      const scenario = this.library.get(uri.toString());
      return { uri, kind, attached: scenario ? [{ scenario, because: [] }] : [], patch: null };
    }
    const all = this.library.all();
    const candidates = all.flatMap(({ key, described }) =>
      described.ok ? [{ key, appliesTo: described.info.appliesTo }] : [],
    );
    const text = document.getText();
    const tree = kind === 'patch' ? await this.trees.of(uri) : null;
    const answer = await this.worker.ask(
      { type: 'attach', path: uri.path, text, patch: kind === 'patch', tree, candidates },
      signal,
    );
    if (answer.type !== 'attached') throw new Error(`the worker answered ${answer.type}`);
    const { fits, isPatch, reviews } = answer.attachment;
    const attached = fits.flatMap(({ key, because }) => {
      const scenario = this.library.get(key);
      return scenario ? [{ scenario, because }] : [];
    });
    return { uri, kind, attached, patch: isPatch ? { text, reviews, tree } : null };
  }
}
