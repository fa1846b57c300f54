/**
 * The scenarios that there are: the built-in ones, those in files of the workspace, and those that are open in editors
 * (as they are there, saved or not). Nothing is looked for before somebody asks.
 */
import * as vscode from 'vscode';
import type { DescribedScenario } from '../../scenario/describe';
import { builtinScenarios } from '../../scenario/builtin';
import type { KeyedScenario } from '../../protocol/scenarios';
import { Cancelled, type WorkerClient } from '../workerClient';
import { builtinUri, isScenarioUri, scenarioEnding, scenarioName } from './names';

/** Files that are looked at; more would keep a big workspace busy. */
const mostFiles = 200;
/** Bytes of a file; the checker refuses less than half of it, by name. */
const mostBytes = 600_000;
/** After the last keystroke or change on disk. */
const quietMilliseconds = 300;

export interface LibraryScenario {
  /** The address as a text: what everything else knows it by. */
  readonly key: string;
  readonly uri: vscode.Uri;
  readonly name: string;
  readonly builtin: boolean;
  readonly text: string;
  readonly described: DescribedScenario;
}

type Undescribed = Omit<LibraryScenario, 'described'>;

export class ScenarioLibrary implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Something was added, changed or removed. */
  readonly onDidChange = this.changed.event;
  private known = new Map<string, LibraryScenario>();
  private readonly listening: vscode.Disposable[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private loading: Promise<void> | undefined;
  /** Files of the workspace; undefined: to be looked for (again). */
  private files: readonly vscode.Uri[] | undefined;
  /** Texts read from disk, until the file changes. */
  private readonly texts = new Map<string, string>();
  private turn = 0;

  constructor(
    private readonly worker: WorkerClient,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Whether files were left out because there are too many. */
  get cut(): boolean {
    return (this.files?.length ?? 0) >= mostFiles;
  }

  /** What is known now; empty before {@link load}. Built-in ones last. */
  all(): readonly LibraryScenario[] {
    return [...this.known.values()];
  }

  get(key: string): LibraryScenario | undefined {
    return this.known.get(key);
  }

  /** Looks for scenarios, the first time; later calls wait for what is under way. */
  async load(): Promise<readonly LibraryScenario[]> {
    if (!this.loading) {
      this.listen();
      this.loading = this.read();
    }
    await this.loading;
    return this.all();
  }

  /** A document's scenario as the document is now: waits for no quiet moment. */
  async settled(document: vscode.TextDocument): Promise<LibraryScenario | undefined> {
    await this.load();
    const key = document.uri.toString();
    if (this.known.get(key)?.text !== document.getText()) {
      clearTimeout(this.timer);
      this.loading = this.read();
      await this.loading;
    }
    return this.known.get(key);
  }

  /** Reads again what could not be used: a machine that it names may be there now. */
  retry(): void {
    let any = false;
    for (const [key, { described }] of this.known)
      if (!described.ok) {
        this.known.delete(key);
        any = true;
      }
    if (any) this.later();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listening.forEach(one => void one.dispose());
    this.changed.dispose();
  }

  private listen(): void {
    const watcher = vscode.workspace.createFileSystemWatcher(`**/*${scenarioEnding}`);
    const fresh = (uri: vscode.Uri): void => {
      this.texts.delete(uri.toString());
      this.later();
    };
    const other = (uri: vscode.Uri): void => {
      this.files = undefined;
      fresh(uri);
    };
    const edited = (document: vscode.TextDocument): void => {
      if (isScenarioUri(document.uri)) fresh(document.uri);
    };
    this.listening.push(
      watcher,
      watcher.onDidChange(fresh),
      watcher.onDidCreate(other),
      watcher.onDidDelete(other),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.files = undefined;
        this.later();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => edited(document)),
      vscode.workspace.onDidOpenTextDocument(edited),
      vscode.workspace.onDidCloseTextDocument(edited),
    );
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.loading = this.read();
    }, quietMilliseconds);
  }

  private async read(): Promise<void> {
    const turn = ++this.turn;
    try {
      const found = await this.find();
      const described = await this.describe(found);
      // A later reading has begun: it knows better.
      if (turn !== this.turn) return;
      this.known = described;
      this.changed.fire();
    } catch (error) {
      if (!(error instanceof Cancelled)) this.log.error(`Scenarios could not be read: ${String(error)}`);
    }
  }

  private async find(): Promise<Undescribed[]> {
    const found = new Map<string, Undescribed>();
    for (const document of vscode.workspace.textDocuments)
      if (isScenarioUri(document.uri)) this.put(found, document.uri, document.getText());
    this.files ??= await this.findFiles();
    for (const uri of this.files)
      if (!found.has(uri.toString())) {
        const text = await this.textOf(uri);
        if (text !== undefined) this.put(found, uri, text);
      }
    const sorted = [...found.values()].sort((a, b) => (a.uri.path < b.uri.path ? -1 : 1));
    const builtin = builtinScenarios.map(({ name, text }): Undescribed => {
      const uri = builtinUri(name);
      return { key: uri.toString(), uri, name, text, builtin: true };
    });
    return [...sorted, ...builtin];
  }

  private put(into: Map<string, Undescribed>, uri: vscode.Uri, text: string): void {
    const key = uri.toString();
    into.set(key, { key, uri, name: scenarioName(uri), text, builtin: false });
  }

  private async findFiles(): Promise<readonly vscode.Uri[]> {
    try {
      return await vscode.workspace.findFiles(
        `**/*${scenarioEnding}`,
        '**/{node_modules,.git}/**',
        mostFiles,
      );
    } catch (error) {
      // A virtual workspace may have no search.
      this.log.warn(`Scenario files could not be looked for: ${String(error)}`);
      return [];
    }
  }

  private async textOf(uri: vscode.Uri): Promise<string | undefined> {
    const known = this.texts.get(uri.toString());
    if (known !== undefined) return known;
    try {
      const { size } = await vscode.workspace.fs.stat(uri);
      if (size > mostBytes) {
        this.log.warn(`${uri.toString(true)} is left out: it has ${size} bytes.`);
        return undefined;
      }
      const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
      this.texts.set(uri.toString(), text);
      return text;
    } catch {
      // It went away meanwhile; the watcher will say so.
      return undefined;
    }
  }

  /** Only what has changed goes to the worker. */
  private async describe(found: readonly Undescribed[]): Promise<Map<string, LibraryScenario>> {
    const fresh = found.filter(one => this.known.get(one.key)?.text !== one.text);
    const told = new Map<string, DescribedScenario>();
    if (fresh.length) {
      const texts = fresh.map(({ key, text }) => ({ key, text }));
      const answer = await this.worker.ask({ type: 'describe', texts }, new AbortController().signal);
      if (answer.type !== 'described') throw new Error(`the worker answered ${answer.type}`);
      answer.scenarios.forEach(({ key, described }: KeyedScenario) => told.set(key, described));
    }
    return new Map(
      found.flatMap(one => {
        const before = this.known.get(one.key);
        if (before?.text === one.text) return [[one.key, before]];
        const described = told.get(one.key);
        return described ? [[one.key, { ...one, described }]] : [];
      }),
    );
  }
}
