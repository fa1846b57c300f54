/** What is wrong with the patch itself or with its code, in Problems. Costs are no problems and do not go there. */
import * as vscode from 'vscode';
import { isPatchDocument, type Releasable, type Shared } from '../context';
import { plainText } from '../present/escape';

/** Kinds that only explain how something was read; the others say that something may be lost. */
const harmless: ReadonlySet<string> = new Set(['combined-diff', 'encoded-body', 'non-utf8']);
const mostProblems = 500;
/** Characters of a line that are underlined at most. */
const widest = 100;

export class Problems {
  private readonly collection = vscode.languages.createDiagnosticCollection('tlbscope');

  constructor(private readonly shared: Shared) {}

  register(): Releasable[] {
    return [
      this.collection,
      this.shared.models.onDidChange(({ uri }) => this.show(uri)),
      this.shared.settings.onDidChange(() =>
        vscode.workspace.textDocuments.forEach(({ uri }) => this.show(uri)),
      ),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.collection.delete(uri)),
    ];
  }

  private show(uri: vscode.Uri): void {
    const document = vscode.workspace.textDocuments.find(one => one.uri.toString() === uri.toString());
    const model = document && isPatchDocument(document) ? this.shared.models.peek(document) : undefined;
    if (!document || !model || !this.shared.settings.shows('problems')) {
      this.collection.delete(uri);
      return;
    }
    const { diagnostics, findings } = model.report;
    const problems = [...diagnostics, ...findings].slice(0, mostProblems).map(({ kind, line, message }) => {
      const at = Math.min(line === null ? 0 : model.lines.start(line), document.lineCount - 1);
      const problem = new vscode.Diagnostic(
        // A whole mail may stand on one line: the beginning says where.
        document.validateRange(new vscode.Range(at, 0, at, widest)),
        plainText(message, 500),
        harmless.has(kind) ? vscode.DiagnosticSeverity.Information : vscode.DiagnosticSeverity.Warning,
      );
      problem.source = 'TLBScope';
      problem.code = kind;
      return problem;
    });
    this.collection.set(uri, problems);
  }
}
