/** The one cache of what has been read: each version of a document is analysed once, and all providers share it. */
import * as vscode from 'vscode';
import type { DocumentReport } from '../protocol/report';
import type { AnalysisOptions } from '../protocol/workerMessages';
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
  readonly key: string;
  readonly abort: AbortController;
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
    private readonly options: () => Omit<AnalysisOptions, 'firstInvalidLine'>,
  ) {
    this.listening = vscode.workspace.onDidCloseTextDocument(document => this.forget(document.uri));
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

  /** The model of the current version; undefined if it was stopped or failed (then {@link state} says why). */
  get(document: vscode.TextDocument): Promise<DocumentModel | undefined> {
    const known = this.current(document);
    if (known) return known.promise;
    const uri = document.uri.toString();
    this.entries.get(uri)?.abort.abort();
    const entry: Entry = {
      version: document.version,
      key: this.key(),
      abort: new AbortController(),
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
    return JSON.stringify(this.options());
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

  private async read(document: vscode.TextDocument, entry: Entry): Promise<DocumentModel | undefined> {
    const { uri } = document;
    const { signal } = entry.abort;
    const analyse = async (text: string, firstInvalidLine: number | null): Promise<DocumentModel> => {
      const options = { ...this.options(), firstInvalidLine };
      const report = await this.worker.analyse(text, options, signal, (done, total) => {
        entry.state = { kind: 'reading', done, total };
        this.changed.fire({ uri, ask: false });
      });
      return { report, lines: lineMap(text) };
    };
    try {
      const text = document.getText();
      let model = await analyse(text, null);
      const raw = mayDiffer(text, model.report) ? await rereadFromDisk(document, text) : undefined;
      if (raw && !signal.aborted) model = await analyse(raw.text, raw.firstInvalidLine);
      if (signal.aborted) return undefined;
      entry.model = model;
      return model;
    } catch (error) {
      if (error instanceof Cancelled || signal.aborted) return undefined;
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error(`${uri.toString(true)}: ${reason}`);
      entry.state = { kind: 'failed', reason };
      return undefined;
    } finally {
      if (this.entries.get(uri.toString()) === entry) this.changed.fire({ uri, ask: false });
    }
  }
}
