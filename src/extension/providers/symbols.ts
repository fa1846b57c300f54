/** Outline: message › file › hunk. It also feeds breadcrumbs, sticky scroll and Go to Symbol. */
import * as vscode from 'vscode';
import type { FileReport, HunkReport } from '../../protocol/report';
import { patchSelector, type Releasable, type Shared } from '../context';
import type { LineMap } from '../lineMap';
import { fileDetail, fileName, hunkDetail, hunkName, messageName } from '../present/outline';

/** Makes symbols for one document. */
class Outline {
  constructor(
    private readonly document: vscode.TextDocument,
    private readonly lines: LineMap,
    /** Operations a hunk changes, by the line of its header. */
    private readonly deltas: ReadonlyMap<number, string>,
  ) {}

  private range(line: number, endLine: number): vscode.Range {
    const last = this.document.lineCount - 1;
    const start = Math.min(this.lines.start(line), last);
    const end = Math.min(Math.max(this.lines.end(endLine), start), last);
    return new vscode.Range(new vscode.Position(start, 0), this.document.lineAt(end).range.end);
  }

  symbol(
    name: string,
    detail: string,
    kind: vscode.SymbolKind,
    line: number,
    endLine: number,
  ): vscode.DocumentSymbol {
    const range = this.range(line, endLine);
    const selection = new vscode.Range(range.start, this.document.lineAt(range.start.line).range.end);
    return new vscode.DocumentSymbol(name, detail, kind, range, selection);
  }

  private hunk(hunk: HunkReport): vscode.DocumentSymbol[] {
    if (hunk.line === null) return [];
    const delta = this.deltas.get(hunk.line);
    const detail = delta ? `${hunkDetail(hunk)} · ${delta}` : hunkDetail(hunk);
    const kind = delta ? vscode.SymbolKind.Event : vscode.SymbolKind.Function;
    return [this.symbol(hunkName(hunk), detail, kind, hunk.line, hunk.endLine ?? hunk.line)];
  }

  file(file: FileReport): vscode.DocumentSymbol[] {
    if (file.line === null) return [];
    const end = file.endLine ?? file.line;
    const symbol = this.symbol(fileName(file), fileDetail(file), vscode.SymbolKind.File, file.line, end);
    symbol.children = file.hunks.flatMap(hunk => this.hunk(hunk));
    return [symbol];
  }
}

export class Symbols implements vscode.DocumentSymbolProvider {
  constructor(
    private readonly shared: Shared,
    private readonly deltaOf: (document: vscode.TextDocument) => ReadonlyMap<number, string>,
  ) {}

  register(): Releasable[] {
    return [
      vscode.languages.registerDocumentSymbolProvider(patchSelector, this, { label: 'Patch (TLBScope)' }),
    ];
  }

  async provideDocumentSymbols(document: vscode.TextDocument): Promise<vscode.DocumentSymbol[]> {
    const model = await this.shared.models.get(document);
    if (!model) return [];
    const { report, lines } = model;
    const outline = new Outline(document, lines, this.deltaOf(document));
    const filesOf = new Map<number, FileReport[]>();
    for (const file of report.files) {
      const list = filesOf.get(file.message);
      if (list) list.push(file);
      else filesOf.set(file.message, [file]);
    }
    const inOrder = (files: readonly FileReport[]): vscode.DocumentSymbol[] =>
      [...files].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)).flatMap(file => outline.file(file));
    const bare = report.messages.length === 1 && !report.messages[0]!.subject && !report.messages[0]!.from;
    if (bare || !report.messages.length) return inOrder(report.files);
    return report.messages.map(message => {
      const name = messageName(message);
      const detail = message.isReply ? 'reply' : '';
      const symbol = outline.symbol(name, detail, vscode.SymbolKind.Namespace, message.line, message.endLine);
      symbol.children = inOrder(filesOf.get(message.index) ?? []);
      return symbol;
    });
  }
}
