/** What the tests do with the editor. */
import * as vscode from 'vscode';
import { ok } from './assert';

export const extensionId = 'tlbscope.tlbscope';

export const workspaceUri = (path: string): vscode.Uri => {
  const folder = vscode.workspace.workspaceFolders?.[0];
  ok(folder, 'a folder is open');
  return vscode.Uri.joinPath(folder.uri, path);
};

export async function open(path: string): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(workspaceUri(path));
  return vscode.window.showTextDocument(document);
}

/** A document that is in no file. */
export async function openText(content: string, language = 'diff'): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument({ language, content });
  return vscode.window.showTextDocument(document);
}

/** Calls `look` until it gives something, at each change that VS Code tells of or every 50 ms; fails after 15 s. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = Date.now() + 15_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    ok(Date.now() < end, `waited 15 s for ${what}`);
    await new Promise(done => setTimeout(done, 50));
  }
}

export const hints = (document: vscode.TextDocument): Thenable<vscode.InlayHint[]> =>
  vscode.commands.executeCommand(
    'vscode.executeInlayHintProvider',
    document.uri,
    new vscode.Range(0, 0, document.lineCount, 0),
  );

export const lenses = (document: vscode.TextDocument): Thenable<vscode.CodeLens[]> =>
  vscode.commands.executeCommand('vscode.executeCodeLensProvider', document.uri, 1000);

export const symbols = (document: vscode.TextDocument): Thenable<vscode.DocumentSymbol[]> =>
  vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', document.uri);

export async function hoverText(document: vscode.TextDocument, line: number): Promise<string> {
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
    'vscode.executeHoverProvider',
    document.uri,
    new vscode.Position(line, 1),
  );
  return hovers
    .flatMap(hover => hover.contents)
    .map(content => (content instanceof vscode.MarkdownString ? content.value : ''))
    .join('\n');
}

/** 0-based line of the first line that contains `text`. */
export function lineOf(document: vscode.TextDocument, text: string): number {
  for (let line = 0; line < document.lineCount; line++)
    if (document.lineAt(line).text.includes(text)) return line;
  throw new Error(`no line holds ${text}`);
}

export const labelOf = (hint: vscode.InlayHint): string =>
  typeof hint.label === 'string' ? hint.label : hint.label.map(part => part.value).join('');

/** Titles of the verdicts, in order of their lines. */
export async function lensTitles(document: vscode.TextDocument): Promise<string[]> {
  const found = await lenses(document);
  return found.map(({ command }) => command?.title ?? '').filter(title => title.includes('TLB'));
}
