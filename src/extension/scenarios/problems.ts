/**
 * What is wrong with scenario files, in Problems: what the engine's own checker finds. The JSON schema's complaints come
 * from VS Code; where it has one on a line, ours of that line would say the same twice.
 */
import * as vscode from 'vscode';
import type { Releasable } from '../context';
import { plainText } from '../present/escape';
import type { ScenarioLibrary } from './library';

const source = 'TLBScope';

export class ScenarioProblems {
  private readonly collection = vscode.languages.createDiagnosticCollection('tlbscope-scenarios');
  private shown = new Map<string, string>();

  constructor(private readonly library: ScenarioLibrary) {}

  register(): Releasable[] {
    return [
      this.collection,
      this.library.onDidChange(() => this.update()),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris) if (this.library.get(uri.toString())) this.show(uri.toString());
      }),
    ];
  }

  private update(): void {
    for (const key of this.shown.keys())
      if (!this.library.get(key)) {
        this.collection.delete(vscode.Uri.parse(key));
        this.shown.delete(key);
      }
    for (const { key, builtin } of this.library.all()) if (!builtin) this.show(key);
  }

  private show(key: string): void {
    const scenario = this.library.get(key);
    if (!scenario || scenario.builtin) return;
    const { described, uri, text } = scenario;
    const taken = new Set<number>();
    for (const other of vscode.languages.getDiagnostics(uri))
      if (other.source !== source)
        for (let line = other.range.start.line; line <= other.range.end.line; line++) taken.add(line);
    const problems = (described.ok ? [] : described.diagnostics).filter(({ line }) => !taken.has(line - 1));
    // Setting them is a change of diagnostics, which brings us back here: only what is new is set.
    const digest = JSON.stringify(problems);
    if (this.shown.get(key) === digest) return;
    this.shown.set(key, digest);
    this.collection.set(
      uri,
      problems.map(({ line, column, length, message, offset }) => {
        const start = new vscode.Position(line - 1, column - 1);
        // A value may go over several lines: its first line is underlined.
        const lineEnd = text.indexOf('\n', offset);
        const room = (lineEnd < 0 ? text.length : lineEnd) - offset;
        const end = start.translate(0, Math.max(1, Math.min(length, room)));
        const problem = new vscode.Diagnostic(new vscode.Range(start, end), plainText(message, 400));
        problem.source = source;
        problem.code = 'scenario';
        return problem;
      }),
    );
  }
}
