/** Folding of messages, files and hunks. */
import * as vscode from 'vscode';
import { patchSelector, type Releasable, type Shared } from '../context';

export class Folding implements vscode.FoldingRangeProvider {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeFoldingRanges = this.changed.event;

  constructor(private readonly shared: Shared) {}

  register(): Releasable[] {
    return [
      this.changed,
      this.shared.models.onDidChange(({ ask }) => ask && this.changed.fire()),
      vscode.languages.registerFoldingRangeProvider(patchSelector, this),
    ];
  }

  async provideFoldingRanges(document: vscode.TextDocument): Promise<vscode.FoldingRange[]> {
    const model = await this.shared.models.get(document);
    if (!model) return [];
    const { report, lines } = model;
    const last = document.lineCount - 1;
    // Of regions that begin on one line the editor keeps one: the first, so the widest comes first.
    const byStart = new Map<number, vscode.FoldingRange>();
    const add = (line: number | null, endLine: number | null): void => {
      if (line === null || endLine === null) return;
      const start = lines.start(line);
      const end = Math.min(lines.end(endLine), last);
      if (end > start && !byStart.has(start)) byStart.set(start, new vscode.FoldingRange(start, end));
    };
    if (report.messages.length > 1) for (const message of report.messages) add(message.line, message.endLine);
    for (const file of report.files) {
      add(file.line, file.endLine);
      for (const hunk of file.hunks) add(hunk.line, hunk.endLine);
    }
    return [...byStart.values()];
  }
}
