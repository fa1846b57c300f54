import * as vscode from 'vscode';
import { equal, matches, ok } from './assert';
import { hints, hoverText, labelOf, lensTitles, lineOf, open, openText, until } from './editor';

const deferral = 'examples/01-user-flush-deferred.patch';

/** Hint labels by the 0-based line they stand on. */
async function hintsByLine(document: vscode.TextDocument): Promise<Map<number, string>> {
  return new Map((await hints(document)).map(hint => [hint.position.line, labelOf(hint)]));
}

describe('annotations', () => {
  it('put a hint at the end of exactly the lines that perform an operation', async () => {
    const { document } = await open(deferral);
    const found = await hints(document);
    const expected = [
      '\tmov\t\\scratch_reg, %cr3',
      'invlpg\t(\\scratch_reg)',
      '+\tlfence',
      'invpcid_flush_one(',
    ];
    equal(
      found.map(({ position }) => position.line),
      expected.map(text => lineOf(document, text)),
      'lines with hints',
    );
    for (const { position } of found)
      equal(position.character, document.lineAt(position.line).text.length, 'end of the line');
    const labels = found.map(labelOf);
    matches(labels[1], /^\+INVLPG 90–160 cy by name$/, 'added line');
    matches(labels[3], /^−INVPCID_ADDR 228–300 cy by name$/, 'removed line');
    for (const label of labels) ok(label.length <= 43, `${label} is longer than VS Code shows`);
  });

  it('put a verdict above each TLB hunk, priced when it is resolved', async () => {
    const { document } = await open(deferral);
    const titles = await lensTitles(document);
    equal(titles.length, 2, 'two hunks');
    matches(titles[0], /^▲ TLB, by name: \+INVLPG \+LFENCE → 124 cy \(94–190\)$/, 'entry code');
    matches(titles[1], /^▼ TLB, by name: −INVPCID_ADDR → −258 cy \(−300 to −228\)$/, 'flush code');
  });

  it('explain a line and a hunk on hover, with sources and a way to turn them off', async () => {
    const { document } = await open(deferral);
    const line = await hoverText(document, lineOf(document, 'invpcid_flush_one('));
    for (const part of [
      'INVPCID\\_ADDR',
      '228–300',
      'derived',
      'Nadav Amit',
      'by name',
      'command:tlbscope.hide',
    ])
      ok(line.includes(part), `the hover of the line holds ${part}`);
    const hunk = await hoverText(document, lineOf(document, '@@ -13,18'));
    ok(
      hunk.includes('invpcid\\_flush\\_one performs INVPCID\\_ADDR'),
      'the hover of the hunk says how it was counted',
    );
  });

  it('change at once with the machine, and with n', async () => {
    const { document } = await open(deferral);
    const line = lineOf(document, 'invlpg\t(');
    await vscode.commands.executeCommand('tlbscope.chooseMachine', 'ivy-bridge-i5-3550');
    matches((await hintsByLine(document)).get(line), /^\+INVLPG (?!90–160)\d+–\d+ cy by name$/, 'Ivy Bridge');
    const titles = await lensTitles(document);
    matches(titles[1], /no price on Ivy Bridge/, 'a machine without INVPCID has no price for it');
    await vscode.commands.executeCommand('tlbscope.chooseMachine', 'broadwell-ep-e5-2660v4');
    matches((await hintsByLine(document)).get(line), /^\+INVLPG 90–160 cy by name$/, 'Broadwell');
  });

  it('count with n where a name covers a range', async () => {
    const text = [
      '--- a/arch/x86/mm/tq.c',
      '+++ b/arch/x86/mm/tq.c',
      '@@ -1 +1,2 @@',
      ' a;',
      '+\t__flush_tlb_range(s, e, 12);',
      '',
    ];
    const { document } = await openText(text.join('\n'));
    matches((await hintsByLine(document)).get(4), /n·INVLPG 900–1600 cy at n=10/, 'n = 10');
    await vscode.commands.executeCommand('tlbscope.chooseValues', { n: 2 });
    matches((await hintsByLine(document)).get(4), /n·INVLPG 180–320 cy at n=2/, 'n = 2');
    await vscode.commands.executeCommand('tlbscope.chooseValues', { n: 10 });
  });

  it('follow an edit', async () => {
    const text = ['--- a/mm/tq.c', '+++ b/mm/tq.c', '@@ -1 +1,2 @@', ' a;', '+\tflush_tlb_all();', ''];
    const { document } = await openText(text.join('\n'));
    ok((await hintsByLine(document)).has(4), 'a hint before');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), '\n\n');
    edit.replace(document.uri, document.lineAt(4).range, '+\tnothing();\n+\tflush_tlb_all();');
    edit.replace(document.uri, document.lineAt(2).range, '@@ -1 +1,3 @@');
    await vscode.workspace.applyEdit(edit);
    equal([...(await hintsByLine(document)).keys()], [7], 'the hint has moved with its line');
  });

  it('can be turned off, each by itself', async () => {
    const { document } = await open(deferral);
    await vscode.commands.executeCommand('tlbscope.hide', 'inlayHints');
    equal((await hints(document)).length, 0, 'hints');
    equal((await lensTitles(document)).length, 2, 'verdicts stay');
    await vscode.commands.executeCommand('tlbscope.hide', 'codeLens');
    equal((await lensTitles(document)).length, 0, 'verdicts');
    await vscode.commands.executeCommand('tlbscope.hide', 'hover');
    equal(await hoverText(document, lineOf(document, 'invpcid_flush_one(')), '', 'hover');
    const settings = vscode.workspace.getConfiguration('tlbscope');
    for (const name of ['inlayHints', 'codeLens', 'hover'])
      await settings.update(`show.${name}`, undefined, vscode.ConfigurationTarget.Global);
    await until('the hints to come back', async () => (await hints(document)).length === 4);
  });

  it('stand at the editor’s lines in a file with a lone CR', async () => {
    const { document } = await open('lone-cr.patch');
    equal([...(await hintsByLine(document)).keys()], [lineOf(document, 'flush_tlb_all')], 'line of the hint');
    equal(vscode.languages.getDiagnostics(document.uri).length, 0, 'the patch is whole');
  });

  it('lead from one TLB hunk to the next', async () => {
    const editor = await open(deferral);
    const headers = ['@@ -17,5', '@@ -13,18'].map(text => lineOf(editor.document, text));
    await vscode.commands.executeCommand('tlbscope.nextHunk');
    equal(editor.selection.active.line, headers[0], 'first');
    await vscode.commands.executeCommand('tlbscope.nextHunk');
    equal(editor.selection.active.line, headers[1], 'second');
    await vscode.commands.executeCommand('tlbscope.nextHunk');
    equal(editor.selection.active.line, headers[0], 'round');
    await vscode.commands.executeCommand('tlbscope.previousHunk');
    equal(editor.selection.active.line, headers[1], 'back');
  });
});

describe('big documents', () => {
  /** About 1.6 MB in 8000 small hunks, the last of them about the TLB. */
  const big = [
    ...Array.from({ length: 8000 }, (_, index) =>
      [
        `--- a/mm/file${index}.c`,
        `+++ b/mm/file${index}.c`,
        '@@ -1,3 +1,4 @@ int some_function_of_the_file(struct vm_area_struct *vma)',
        ' \tint before = 1;',
        '+\tint value_that_is_added_here = some_other_function(before);',
        ' \treturn before;',
        ' }',
        '',
      ].join('\n'),
    ),
    '--- a/arch/x86/mm/tq.c\n+++ b/arch/x86/mm/tq.c\n@@ -1 +1,2 @@\n a;\n+\tflush_tlb_all();\n',
  ].join('');

  it('are read in the worker, and end with the same annotations', async () => {
    const { document } = await openText(big);
    const found = await until('the hints', async () => {
      const all = await hints(document);
      return all.length > 0 && all;
    });
    equal(
      found.map(({ position }) => position.line),
      [lineOf(document, 'flush_tlb_all')],
      'line of the hint',
    );
  });

  it('do not keep what is edited meanwhile waiting, and end with the last version', async () => {
    const { document } = await openText(big);
    void hints(document);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'A line.\n\n');
    await vscode.workspace.applyEdit(edit);
    const found = await until('the hints', async () => {
      const all = await hints(document);
      return all.length > 0 && all;
    });
    equal(
      found.map(({ position }) => position.line),
      [lineOf(document, 'flush_tlb_all')],
      'line of the hint',
    );
  });
});
