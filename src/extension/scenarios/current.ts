/** The document that the view of scenarios is about: that of the active editor, or the last one where none is active. */
import * as vscode from 'vscode';
import { type Attachments, documentKind, type DocumentScenarios } from './attachments';

/** After the last keystroke in the document. */
const quietMilliseconds = 500;

/** Why there is nothing to list: the view says something else for each. */
export type Emptiness = 'nothing-open' | 'other-file' | 'reading' | 'none-fits' | 'failed' | '';

export class CurrentDocument implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private document: vscode.TextDocument | undefined;
  private found: DocumentScenarios | undefined;
  private state: Emptiness = 'nothing-open';
  private timer: ReturnType<typeof setTimeout> | undefined;
  private turn = 0;
  private listening: vscode.Disposable[] = [];

  constructor(private readonly attachments: Attachments) {}

  /** What is known; undefined while there is nothing to say. */
  get scenarios(): DocumentScenarios | undefined {
    return this.found;
  }

  get emptiness(): Emptiness {
    return this.state;
  }

  /** Begins to follow the editors, once. */
  follow(): void {
    if (this.listening.length) return;
    this.listening = [
      vscode.window.onDidChangeActiveTextEditor(editor => this.look(editor)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document === this.document && this.later()),
      // Another language makes it another document.
      vscode.workspace.onDidOpenTextDocument(() => this.look(vscode.window.activeTextEditor)),
      vscode.workspace.onDidCloseTextDocument(document => {
        if (document === this.document) this.look(vscode.window.activeTextEditor, true);
      }),
      this.attachments.onDidChange(() => void this.read()),
    ];
    this.look(vscode.window.activeTextEditor);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listening.forEach(one => void one.dispose());
    this.changed.dispose();
  }

  private look(editor: vscode.TextEditor | undefined, gone = false): void {
    // The panel, the output or a search have no text of interest: what was looked at before stays.
    if (!editor && this.document && !gone) return;
    const document = editor?.document;
    if (document && document === this.document && this.found?.kind === documentKind(document)) return;
    if (document && this.document && !gone && !documentKind(document) && document.uri.scheme === 'output')
      return;
    this.document = document;
    this.found = undefined;
    clearTimeout(this.timer);
    void this.read();
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.read(), quietMilliseconds);
  }

  private async read(): Promise<void> {
    const turn = ++this.turn;
    const { document } = this;
    if (!document) return this.set(undefined, 'nothing-open');
    if (!documentKind(document)) return this.set(undefined, 'other-file');
    if (!this.found) this.set(undefined, 'reading');
    const found = await this.attachments.of(document);
    if (turn !== this.turn) return;
    if (!found) return this.set(undefined, 'failed');
    const empty = found.kind === 'scenario' ? 'reading' : 'none-fits';
    this.set(found, found.attached.length ? '' : empty);
  }

  private set(found: DocumentScenarios | undefined, state: Emptiness): void {
    this.found = found;
    this.state = state;
    void vscode.commands.executeCommand('setContext', 'tlbscope.scenarios', state || 'listed');
    this.changed.fire();
  }
}
