/** The line of the event at the cursor: opened on request, marked while stepping, like the current line of a debugger. */
import * as vscode from 'vscode';
import type { Models } from '../models';
import { kernelUri } from './kernelDocuments';
import type { PanelModel, Side } from './model';
import type { PanelSubject } from './subject';

/** Stepping fast marks only where it comes to rest. */
const quietMilliseconds = 60;

interface Target {
  readonly uri: vscode.Uri;
  /** 0-based. */
  readonly line: number;
}

export class CurrentLine implements vscode.Disposable {
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('tlbscope.currentLine'),
    border: '1px solid transparent',
    overviewRulerColor: new vscode.ThemeColor('tlbscope.currentLine'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private timer: ReturnType<typeof setTimeout> | undefined;
  private current: Target | null = null;
  private readonly listening: vscode.Disposable[];

  constructor(
    private readonly model: PanelModel,
    private readonly models: Models,
    /** Column of the panel's tab, while it is in view. */
    private readonly tabColumn: () => vscode.ViewColumn | undefined,
  ) {
    model.listen(change => {
      if (change.what === 'state' || change.what === 'all' || change.what === 'view') this.later();
    });
    this.listening = [vscode.window.onDidChangeVisibleTextEditors(() => this.draw())];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.mark.dispose();
    this.listening.forEach(one => void one.dispose());
  }

  /** Opens the line of an event. Returns what is said about it. */
  async reveal(side: Side, seq: number): Promise<string> {
    const target = await this.target(side, seq);
    if (!target) return 'This event belongs to no line.';
    const editor = await this.open(target);
    this.current = target;
    this.draw();
    const name = vscode.workspace.asRelativePath(editor.document.uri).replace(/^.*\//, '');
    return `${name}, line ${target.line + 1}`;
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.follow(), quietMilliseconds);
  }

  /** Marks the line where its file is in view, and goes on into another file where one of ours is. */
  private async follow(): Promise<void> {
    const { model } = this;
    const side = model.focus;
    const seq = model.shown[side]?.state.seq ?? -1;
    const target = seq < 0 ? null : await this.target(side, seq);
    this.current = target;
    this.draw();
    if (!target) return;
    const key = target.uri.toString();
    const visible = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === key);
    if (visible) return reveal(visible, target.line);
    const ours = vscode.window.visibleTextEditors.some(
      ({ document }) =>
        document.uri.scheme === target.uri.scheme && document.uri.scheme === 'tlbscope-kernel',
    );
    if (ours) await this.open(target);
  }

  private async target(side: Side, seq: number): Promise<Target | null> {
    const { subject, shown } = this.model;
    const run = shown[side]?.run.opened;
    const place = run?.trace.places[run.trace.place[seq] ?? -1];
    if (!subject || !run || !place || place.line === 0) return null;
    if (place.patchLine > 0 && subject.patch !== null) {
      const uri = vscode.Uri.parse(subject.patch, true);
      return { uri, line: this.lineInPatch(uri, place.patchLine) };
    }
    const { variant } = run.report;
    const own = variant === 'before' ? await workspaceFile(subject, place.file) : null;
    return { uri: own ?? kernelUri(subject, variant, place.file), line: place.line - 1 };
  }

  /** Lines of a reader's document are not always those of the editor. */
  private lineInPatch(uri: vscode.Uri, line: number): number {
    const document = vscode.workspace.textDocuments.find(one => one.uri.toString() === uri.toString());
    const model = document && this.models.peek(document);
    return model ? model.lines.start(line) : line - 1;
  }

  private async open({ uri, line }: Target): Promise<vscode.TextEditor> {
    const document = await vscode.workspace.openTextDocument(uri);
    const viewColumn = this.columnFor(document);
    const editor = await vscode.window.showTextDocument(document, {
      ...{ preview: true, preserveFocus: true, viewColumn },
    });
    reveal(editor, line);
    return editor;
  }

  /** Where it is shown already, where another of ours is, beside the text that is read; never over the panel itself. */
  private columnFor(document: vscode.TextDocument): vscode.ViewColumn {
    const visible = vscode.window.visibleTextEditors;
    const found =
      visible.find(one => one.document === document) ??
      visible.find(one => one.document.uri.scheme === 'tlbscope-kernel') ??
      visible.find(one => one.viewColumn !== undefined);
    const own = this.tabColumn();
    if (found?.viewColumn !== undefined && found.viewColumn !== own) return found.viewColumn;
    return own === undefined
      ? vscode.ViewColumn.Active
      : own === vscode.ViewColumn.One
        ? vscode.ViewColumn.Beside
        : vscode.ViewColumn.One;
  }

  private draw(): void {
    const key = this.current?.uri.toString();
    for (const editor of vscode.window.visibleTextEditors) {
      const here = this.current && editor.document.uri.toString() === key;
      const line = here ? Math.min(this.current!.line, editor.document.lineCount - 1) : 0;
      editor.setDecorations(this.mark, here ? [new vscode.Range(line, 0, line, 0)] : []);
    }
  }
}

/** The file itself, where the kernel tree lies in the workspace; null where the run's text is another. */
async function workspaceFile({ request }: PanelSubject, path: string): Promise<vscode.Uri | null> {
  const { treeAddress } = request;
  if (typeof treeAddress !== 'string') return null;
  const uri = vscode.Uri.joinPath(vscode.Uri.parse(treeAddress.replace(/#\d+$/, ''), true), path);
  try {
    await vscode.workspace.fs.stat(uri);
    return uri;
  } catch {
    // A file of the model around it.
    return null;
  }
}

function reveal(editor: vscode.TextEditor, line: number): void {
  const position = new vscode.Position(Math.min(line, editor.document.lineCount - 1), 0);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(
    new vscode.Range(position, position),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}
