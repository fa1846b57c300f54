/** The one cache of what has been read: each version of a document is analysed once, and all providers share it. */
import * as vscode from 'vscode';
import type { DocumentReport } from '../protocol/report';
import type { AnalysisOptions } from '../protocol/workerMessages';
import type { KernelTrees } from './kernelTree';
import { lineMap, type LineMap } from './lineMap';
import { mayDiffer, rereadFromDisk } from './rawText';
import { Cancelled, type WorkerClient } from './workerClient';

/** A document, read, for one version of its text. */
export interface DocumentModel {
  readonly report: DocumentReport;
  readonly lines: LineMap;
}

/** What is known while there is no model, for the status bar. */
export type ReadingState =
  | { readonly kind: 'reading'; readonly done: number; readonly total: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly reason: string };

interface Entry {
  readonly version: number;
  /** Features: with others the counts are not those of this model. */
  readonly key: string;
  /** Machine and values: with others the counts hold, but which of two answers comes first may change. */
  values: string;
  readonly abort: AbortController;
  /** The text that was read: the editor's, or the file's own. */
  source: { readonly text: string; readonly firstInvalidLine: number | null };
  /** Address of the kernel tree that it is read with, or null. */
  tree: string | null;
  model: DocumentModel | undefined;
  state: ReadingState;
  promise: Promise<DocumentModel | undefined>;
}

/** What happened to a document's model. */
export interface ModelChange {
  readonly uri: vscode.Uri;
  /** Providers that had nothing have to be asked again. Those that wait for a reading answer by themselves. */
  readonly ask: boolean;
}

/** Only files in this language are read; a provider's selector says the same. */
export const patchLanguage = 'diff';

export class Models implements vscode.Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly changed = new vscode.EventEmitter<ModelChange>();
  /** A document has been read, or its reading has made progress. */
  readonly onDidChange = this.changed.event;
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly worker: WorkerClient,
    private readonly log: vscode.LogOutputChannel,
    /** What the analysis depends on besides the text: a change of it makes every model stale. */
    private readonly options: () => Omit<AnalysisOptions, 'firstInvalidLine' | 'tree'>,
    private readonly trees: KernelTrees,
  ) {
    this.listening = vscode.Disposable.from(
      vscode.workspace.onDidCloseTextDocument(document => this.forget(document.uri)),
      trees.onDidChange(() => this.stale()),
    );
  }

  /** What is known of the current version, without waiting. */
  peek(document: vscode.TextDocument): DocumentModel | undefined {
    return this.current(document)?.model;
  }

  /** Why {@link peek} gives nothing, for a document of which `get` was called. */
  state(document: vscode.TextDocument): ReadingState | undefined {
    const entry = this.current(document);
    return entry && !entry.model ? entry.state : undefined;
  }

  /**
   * The model of the current version, as soon as there is one: by name at first, then of the code. Undefined if the
   * reading was stopped or failed (then {@link state} says why).
   */
  get(document: vscode.TextDocument): Promise<DocumentModel | undefined> {
    const known = this.current(document);
    if (known) {
      this.refresh(document, known);
      return known.model ? Promise.resolve(known.model) : known.promise;
    }
    const uri = document.uri.toString();
    this.entries.get(uri)?.abort.abort();
    const entry: Entry = {
      version: document.version,
      key: this.key(),
      values: this.values(),
      abort: new AbortController(),
      source: { text: '', firstInvalidLine: null },
      tree: null,
      model: undefined,
      state: { kind: 'reading', done: 0, total: 1 },
      promise: Promise.resolve(undefined),
    };
    this.entries.set(uri, entry);
    entry.promise = this.read(document, entry);
    return entry.promise;
  }

  /** Stops a reading that goes on; the document stays unread until it changes or is asked for again. */
  stop(document: vscode.TextDocument): void {
    const entry = this.current(document);
    if (!entry || entry.model) return;
    entry.state = { kind: 'stopped' };
    entry.abort.abort();
    this.changed.fire({ uri: document.uri, ask: false });
  }

  /** Reads it again although it has not changed. */
  again(document: vscode.TextDocument): void {
    this.trees.reread();
    this.forget(document.uri);
    this.changed.fire({ uri: document.uri, ask: true });
  }

  dispose(): void {
    this.listening.dispose();
    this.changed.dispose();
    for (const entry of this.entries.values()) entry.abort.abort();
    this.entries.clear();
  }

  private key(): string {
    return JSON.stringify(this.options().features);
  }

  private values(): string {
    const { machine, n, c } = this.options();
    return JSON.stringify([machine, n, c]);
  }

  private current(document: vscode.TextDocument): Entry | undefined {
    const entry = this.entries.get(document.uri.toString());
    return entry?.version === document.version && entry.key === this.key() ? entry : undefined;
  }

  private forget(uri: vscode.Uri): void {
    const key = uri.toString();
    this.entries.get(key)?.abort.abort();
    this.entries.delete(key);
  }

  /** What documents were read with has changed: they are read again when somebody asks. */
  private stale(): void {
    for (const key of [...this.entries.keys()]) {
      const uri = vscode.Uri.parse(key, true);
      this.forget(uri);
      this.changed.fire({ uri, ask: true });
    }
  }

  private async read(document: vscode.TextDocument, entry: Entry): Promise<DocumentModel | undefined> {
    const { uri } = document;
    const { signal } = entry.abort;
    try {
      entry.tree = await this.trees.of(uri);
      const text = document.getText();
      let reading = this.analyse(uri, entry, { text, firstInvalidLine: null });
      await reading.begun;
      const raw = mayDiffer(text, reading.latest()) ? await rereadFromDisk(document, text) : undefined;
      if (raw && !signal.aborted) {
        reading = this.analyse(uri, entry, raw);
        await reading.begun;
      }
      if (signal.aborted) return undefined;
      entry.model = { report: reading.latest(), lines: lineMap(entry.source.text) };
      return entry.model;
    } catch (error) {
      this.failed(uri, entry, error);
      return undefined;
    } finally {
      this.tell(uri, entry, false);
    }
  }

  /** Reads `source`: `begun` resolves at the first report. A later one replaces the model, once there is one. */
  private analyse(
    uri: vscode.Uri,
    entry: Entry,
    source: Entry['source'],
  ): { readonly begun: Promise<void>; latest(): DocumentReport } {
    let latest: DocumentReport | undefined;
    entry.source = source;
    const begun = new Promise<void>((done, failed) => {
      const take = (report: DocumentReport): void => {
        latest = report;
        done();
        // A file that was read again from disk has taken the place of this text.
        if (!entry.model || entry.source !== source || entry.abort.signal.aborted) return;
        entry.model = { ...entry.model, report };
        this.tell(uri, entry, true);
      };
      const options = { ...this.options(), firstInvalidLine: source.firstInvalidLine, tree: entry.tree };
      const progress = (share: number, total: number): void => {
        entry.state = { kind: 'reading', done: share, total };
        this.tell(uri, entry, false);
      };
      this.worker
        .analyse(source.text, options, entry.abort.signal, { progress, first: take })
        .then(take, (error: unknown) => {
          // With a report by name the document stays readable.
          if (latest) this.failed(uri, entry, error);
          failed(error instanceof Error ? error : new Error(String(error)));
        });
    });
    return { begun, latest: () => latest! };
  }

  /** With another machine or other values: prices follow at once, the counts as soon as the worker has them. */
  private refresh(document: vscode.TextDocument, entry: Entry): void {
    const values = this.values();
    if (!entry.model || entry.values === values) return;
    entry.values = values;
    const { lines } = entry.model;
    const options = {
      ...this.options(),
      firstInvalidLine: entry.source.firstInvalidLine,
      tree: entry.tree,
    };
    this.worker.analyse(entry.source.text, options, entry.abort.signal).then(
      report => {
        if (entry.values !== values || entry.abort.signal.aborted) return;
        entry.model = { report, lines };
        this.tell(document.uri, entry, true);
      },
      (error: unknown) => this.failed(document.uri, entry, error),
    );
  }

  private failed(uri: vscode.Uri, entry: Entry, error: unknown): void {
    if (error instanceof Cancelled || entry.abort.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.log.error(`${uri.toString(true)}: ${reason}`);
    entry.state = { kind: 'failed', reason };
  }

  private tell(uri: vscode.Uri, entry: Entry, ask: boolean): void {
    if (this.entries.get(uri.toString()) === entry) this.changed.fire({ uri, ask });
  }
}
