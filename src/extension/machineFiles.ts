/** Machine files of the workspace (`*.tlbscope-machine.json`): their machines can be chosen, their mistakes are problems. */
import * as vscode from 'vscode';
import { setUserMachines } from '../machine/registry';
import type { ReadMachineFile } from '../protocol/machineFiles';
import type { Releasable } from './context';
import type { Machines } from './machines';
import { plainText } from './present/escape';
import type { Settings } from './settings';
import type { WorkerClient } from './workerClient';

const pattern = '**/*.tlbscope-machine.{json,jsonc}';
const isMachineFile = (uri: vscode.Uri): boolean => /\.tlbscope-machine\.jsonc?$/.test(uri.path);
const mostFiles = 64;
const mostBytes = 262_144;
/** Typing goes on for so long before a file is read again. */
const restMilliseconds = 250;

export class MachineFiles {
  private readonly collection = vscode.languages.createDiagnosticCollection('tlbscope-machines');
  private readonly watcher = vscode.workspace.createFileSystemWatcher(pattern);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reading = Promise.resolve();
  private found = false;

  constructor(
    /** Checks the files; the others are told which machines there are. */
    private readonly workers: readonly [WorkerClient, ...WorkerClient[]],
    private readonly machines: Machines,
    private readonly settings: Settings,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  register(): Releasable[] {
    const soon = (uri: vscode.Uri): void => {
      if (isMachineFile(uri)) this.soon();
    };
    // Nothing is looked for while the extension starts.
    this.soon();
    return [
      this.collection,
      this.watcher,
      this.watcher.onDidCreate(soon),
      this.watcher.onDidChange(soon),
      this.watcher.onDidDelete(soon),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.soon()),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => soon(uri)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => soon(document.uri)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => soon(uri)),
      { dispose: () => clearTimeout(this.timer) },
    ];
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.reading = this.reading
        .then(() => this.read())
        .catch((error: unknown) => this.log.warn(`Machine files could not be read: ${String(error)}`));
    }, restMilliseconds);
  }

  private async read(): Promise<void> {
    const texts = await this.texts();
    if (texts.size === 0 && !this.found) return;
    this.found = texts.size > 0;
    const files = [...texts].map(([key, text]) => ({ key, text }));
    const answer = await this.workers[0].ask({ type: 'readMachines', files }, new AbortController().signal);
    if (answer.type !== 'machinesRead') throw new Error(`the worker answered ${answer.type}`);
    const profiles = answer.files.flatMap(({ profile }) => profile ?? []);
    setUserMachines(profiles);
    for (const worker of this.workers) worker.greet({ type: 'useMachines', machines: profiles });
    this.show(answer.files, texts);
    this.machines.changed();
    this.settings.refresh();
  }

  /** Texts of the files by address: the editor's, where one is open. */
  private async texts(): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    let uris: readonly vscode.Uri[] = [];
    try {
      uris = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git}/**', mostFiles);
    } catch (error) {
      // A virtual workspace may have no search.
      this.log.warn(`Machine files could not be looked for: ${String(error)}`);
    }
    const open = vscode.workspace.textDocuments.filter(
      ({ uri, isClosed }) => !isClosed && isMachineFile(uri),
    );
    for (const document of open) texts.set(document.uri.toString(), document.getText());
    for (const uri of uris) {
      if (texts.has(uri.toString())) continue;
      try {
        const { size } = await vscode.workspace.fs.stat(uri);
        if (size > mostBytes) this.log.warn(`${uri.toString(true)} is left out: it has ${size} bytes.`);
        else texts.set(uri.toString(), new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
      } catch {
        // It went away meanwhile; the watcher will say so.
      }
    }
    return texts;
  }

  private show(files: readonly ReadMachineFile[], texts: ReadonlyMap<string, string>): void {
    this.collection.clear();
    for (const { key, diagnostics } of files) {
      const text = texts.get(key) ?? '';
      const problems = diagnostics.map(({ line, column, offset, length, message }) => {
        const start = new vscode.Position(line - 1, column - 1);
        // A value may go over several lines: its first line is underlined.
        const lineEnd = text.indexOf('\n', offset);
        const room = (lineEnd < 0 ? text.length : lineEnd) - offset;
        const range = new vscode.Range(start, start.translate(0, Math.max(1, Math.min(length, room))));
        const problem = new vscode.Diagnostic(range, plainText(message, 400));
        problem.source = 'TLBScope';
        problem.code = 'machine';
        return problem;
      });
      if (problems.length) this.collection.set(vscode.Uri.parse(key), problems);
    }
  }
}
