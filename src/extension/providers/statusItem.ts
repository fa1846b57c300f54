/** The one status-bar item: the machine, or why there are no hints, or the offer to read a text as a patch. */
import * as vscode from 'vscode';
import { isPatchDocument, type Releasable, type Shared } from '../context';
import { lookedAt, looksLikePatch } from '../looksLikePatch';
import {
  failedStatus,
  offerStatus,
  readingStatus,
  reportStatus,
  stoppedStatus,
  tooBigStatus,
  type StatusText,
} from '../present/status';

/** VS Code gives extensions no text of a bigger file. */
const editorLimit = 50 * 1024 * 1024;

interface Shown extends StatusText {
  readonly command: string;
}

export class StatusItem {
  private readonly item: vscode.StatusBarItem;
  /** Distinguishes the newest look-up of a file's size from those that were overtaken. */
  private turn = 0;

  constructor(private readonly shared: Shared) {
    this.item = vscode.window.createStatusBarItem('tlbscope.status', vscode.StatusBarAlignment.Right, 90);
    this.item.name = 'TLBScope';
  }

  register(): Releasable[] {
    const { models, settings } = this.shared;
    const update = (): void => this.update();
    const ofActive = (uri: vscode.Uri): void => {
      if (vscode.window.activeTextEditor?.document.uri.toString() === uri.toString()) this.update();
    };
    this.update();
    return [
      this.item,
      models.onDidChange(({ uri }) => ofActive(uri)),
      settings.onDidChange(update),
      vscode.window.onDidChangeActiveTextEditor(update),
      vscode.window.tabGroups.onDidChangeTabs(update),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => ofActive(uri)),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => ofActive(uri)),
    ];
  }

  private update(): void {
    const turn = ++this.turn;
    const editor = vscode.window.activeTextEditor;
    if (editor) this.show(this.statusOf(editor.document));
    else {
      this.show(undefined);
      void this.tooBig().then(big => {
        if (big && turn === this.turn) this.show({ ...tooBigStatus, command: 'tlbscope.menu' });
      });
    }
  }

  private show(status: Shown | undefined): void {
    if (!status) return this.item.hide();
    this.item.text = status.text;
    this.item.tooltip = status.tooltip;
    this.item.command = status.command;
    this.item.accessibilityInformation = {
      label: `${status.text.replace(/\$\([^)]*\) ?/, '')}. ${status.tooltip}`,
    };
    this.item.show();
  }

  private statusOf(document: vscode.TextDocument): Shown | undefined {
    if (!isPatchDocument(document)) return offer(document);
    const { models, machines } = this.shared;
    const model = models.peek(document);
    if (model) return { ...reportStatus(model.report, machines.current()), command: 'tlbscope.menu' };
    const state = models.state(document);
    if (state?.kind === 'reading')
      return { ...readingStatus(state.done, state.total), command: 'tlbscope.stopReading' };
    if (state?.kind === 'stopped') return { ...stoppedStatus, command: 'tlbscope.readAgain' };
    if (state?.kind === 'failed') return { ...failedStatus(state.reason), command: 'tlbscope.readAgain' };
    // Nobody has asked yet; the change event brings us back here.
    void models.get(document);
    return undefined;
  }

  /** Whether the active tab shows a patch file that VS Code keeps from extensions. */
  private async tooBig(): Promise<boolean> {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    if (!(input instanceof vscode.TabInputText) || !/\.(?:patch|diff|mbox|mbx|rej)$/.test(input.uri.path))
      return false;
    try {
      return (await vscode.workspace.fs.stat(input.uri)).size > editorLimit;
    } catch {
      // A document without a file: its size does not matter.
      return false;
    }
  }
}

function offer(document: vscode.TextDocument): Shown | undefined {
  if (document.languageId !== 'plaintext' || document.uri.scheme === 'output') return undefined;
  // No line of a patch is looked for behind line 3000, so that a big log is not copied.
  const beginning = document.getText(new vscode.Range(0, 0, 3000, 0)).slice(0, lookedAt);
  return looksLikePatch(beginning) ? { ...offerStatus, command: 'tlbscope.readAsPatch' } : undefined;
}
