import * as vscode from 'vscode';
import { equal, matches, ok } from './assert';
import { lineOf, open, openText, symbols, until } from './editor';

describe('a patch in the editor', () => {
  it('.mbox files are in the language diff', async () => {
    const { document } = await open('examples/02-series.mbox');
    equal(document.languageId, 'diff', 'language');
  });

  it('has an outline of message, file and hunk', async () => {
    const { document } = await open('examples/02-series.mbox');
    const outline = await symbols(document);
    equal(
      outline.map(({ name }) => name),
      [
        '[PATCH v2 1/2] x86/tq: Do not interrupt other CPUs for a process that never moved',
        '[PATCH v2 2/2] x86/tq: Flush everything when the range is long',
      ],
      'messages',
    );
    const file = outline[0]!.children[0]!;
    equal(file.name, 'arch/x86/mm/tq_flush.c', 'file');
    matches(file.detail, /\+6 −0/, 'lines of the file');
    matches(file.children[0]!.name, /tq_flush_mm/, 'hunk');
    equal(
      file.children[0]!.selectionRange.start.line,
      lineOf(document, '@@ -51,5 +51,11 @@'),
      'place of the hunk',
    );
  });

  it('folds messages, files and hunks', async () => {
    const { document } = await open('examples/02-series.mbox');
    const ranges = await vscode.commands.executeCommand<vscode.FoldingRange[]>(
      'vscode.executeFoldingRangeProvider',
      document.uri,
    );
    const starts = new Set(ranges.map(({ start }) => start));
    for (const text of ['From ce736b', 'diff --git', '@@ -51,5', '@@ -31,6'])
      ok(starts.has(lineOf(document, text)), `a region begins at ${text}`);
  });

  it('links message ids, commits, and paths that the workspace has', async () => {
    const { document } = await open('examples/01-user-flush-deferred.patch');
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      document.uri,
      100,
    );
    const at = (text: string): string[] =>
      links
        .filter(({ range }) => range.start.line === lineOf(document, text))
        .map(({ target }) => target?.toString(true) ?? '');
    equal(at('Message-ID:'), ['https://lore.kernel.org/r/20260302090000.1-dev@example.org'], 'message id');
    equal(at('Fixes:'), ['https://git.kernel.org/linus/1234567890ab'], 'commit');
    matches(at('+++ b/arch/x86/mm/tq_flush.c')[0], /workspace\/arch\/x86\/mm\/tq_flush\.c#L1$/, 'path');
    equal(at('+++ b/arch/x86/entry/tq_calling.h'), [], 'a path that the workspace does not have');
  });

  it('lists damage of the patch in Problems, at its line, and takes it away after the repair', async () => {
    const lines = ['--- a/mm/tq.c', '+++ b/mm/tq.c', '@@ -1,3 +1,4 @@', ' a', '+flush_tlb_all();', ' b', ''];
    const { document } = await openText(lines.join('\n'));
    const [problem] = await until('the problem', () => {
      const problems = vscode.languages.getDiagnostics(document.uri);
      return problems.length > 0 && problems;
    });
    equal(problem?.code, 'hunk-count-mismatch', 'kind');
    equal(problem?.range.start.line, 2, 'line');
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, document.lineAt(2).range, '@@ -1,2 +1,3 @@');
    await vscode.workspace.applyEdit(edit);
    await until('the problem to go', () => vscode.languages.getDiagnostics(document.uri).length === 0);
  });

  it('reads a plain text as a patch on command', async () => {
    const { document } = await open('examples/04-review-reply.txt');
    equal(document.languageId, 'plaintext', 'language before');
    await vscode.commands.executeCommand('tlbscope.readAsPatch');
    const outline = await until('the outline', async () => {
      const found = await symbols(document);
      return found.length > 0 && found;
    });
    equal(vscode.window.activeTextEditor?.document.languageId, 'diff', 'language after');
    const [message] = outline;
    const names = message?.children.map(({ name }) => name);
    equal(
      names,
      ['> arch/x86/entry/tq_calling.h', '> arch/x86/mm/tq_flush.c', 'arch/x86/mm/tq_flush.c'],
      'quoted files are shown as such',
    );
  });

  it('opens a quoted-printable part decoded', async () => {
    const { document } = await open('examples/05-quoted-printable.mbox');
    const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      100,
    );
    const lens = found.find(({ command }) => command?.command === 'tlbscope.openDecoded');
    ok(lens?.command, 'the offer is there');
    await vscode.commands.executeCommand(lens.command.command, ...(lens.command.arguments as unknown[]));
    const decoded = await until('the decoded part', () => {
      const active = vscode.window.activeTextEditor?.document;
      return active?.uri.scheme === 'tlbscope-decoded' && active;
    });
    equal(decoded.languageId, 'diff', 'language');
    ok(decoded.getText().includes('René Developer'), 'decoded');
    ok(!decoded.getText().includes('=3D'), 'no escapes are left');
  });
});
