import * as vscode from 'vscode';
import { equal, matches, ok } from './assert';
import { hints, hoverText, labelOf, lensTitles, lineOf, open, openText, until, workspaceUri } from './editor';

const deferral = 'examples/01-user-flush-deferred.patch';

/** Hint labels by the 0-based line they stand on. */
async function hintsByLine(document: vscode.TextDocument): Promise<Map<number, string>> {
  return new Map((await hints(document)).map(hint => [hint.position.line, labelOf(hint)]));
}

/** The same, once the code has been read and `line` has a hint that `pattern` matches. */
const hintsWith = (
  document: vscode.TextDocument,
  line: number,
  pattern: RegExp,
): Promise<Map<number, string>> =>
  until(`the hint ${String(pattern)} on line ${line}`, async () => {
    const found = await hintsByLine(document);
    return pattern.test(found.get(line) ?? '') && found;
  });

/** Titles of the verdicts, once one of them matches. */
const lensesWith = (document: vscode.TextDocument, pattern: RegExp): Promise<string[]> =>
  until(`the verdict ${String(pattern)}`, async () => {
    const titles = await lensTitles(document);
    return titles.some(title => pattern.test(title)) && titles;
  });

describe('annotations', () => {
  it('put a hint at the end of exactly the lines that perform an operation', async () => {
    const { document } = await open(deferral);
    const marks = [
      '\tmov\t\\scratch_reg, %cr3',
      'invlpg\t(\\scratch_reg)',
      '+\tlfence',
      'invpcid_flush_one(',
    ];
    const lines = marks.map(text => lineOf(document, text));
    const labels = await hintsWith(document, lines[1]!, /^\+n·INVLPG/);
    equal([...labels.keys()], lines, 'lines with hints');
    equal(
      [...labels.values()],
      [
        'CR3_NOFLUSH 90–250 cy',
        '+n·INVLPG 900–1600 cy at n=10',
        '+LFENCE 4–30 cy',
        '−n·INVPCID_ADDR 2280–3000 cy at n=10',
      ],
      'labels',
    );
    for (const { position } of await hints(document))
      equal(position.character, document.lineAt(position.line).text.length, 'end of the line');
  });

  it('put a verdict above each TLB hunk and each patch, priced when it is resolved', async () => {
    const { document } = await open(deferral);
    equal(
      await lensesWith(document, /^▲ TLB: /),
      [
        'Σ ▼ TLB of this patch: +n·INVLPG −n·INVPCID_ADDR +LFENCE → −1376 cy (−2096 to −650) at n=10',
        '▲ TLB: +n·INVLPG +LFENCE → 1204 cy (904–1630) at n=10',
        '▼ TLB: −n·INVPCID_ADDR → −2580 cy (−3000 to −2280) at n=10',
      ],
      'titles',
    );
  });

  it('go by name, and say so, where code is only quoted', async () => {
    const mail = await vscode.workspace.fs.readFile(workspaceUri('examples/04-review-reply.txt'));
    const { document } = await openText(new TextDecoder().decode(mail));
    const quoted = lineOf(document, '> -\t\tinvpcid_flush_one(');
    const labels = await hintsWith(document, quoted, /INVPCID_ADDR/);
    equal(labels.get(quoted), '−INVPCID_ADDR 228–300 cy by name', 'label');
    ok(
      (await lensTitles(document)).includes('▼ TLB, quoted, by name: −INVPCID_ADDR → −258 cy (−300 to −228)'),
      'verdict',
    );
  });

  it('explain a line, a hunk and a patch on hover, with sources and a way to turn them off', async () => {
    const { document } = await open(deferral);
    const at = lineOf(document, 'invpcid_flush_one(');
    await hintsWith(document, at, /^−n·/);
    const line = await hoverText(document, at);
    for (const part of ['n·INVPCID\\_ADDR', '228–300', 'derived', 'Nadav Amit', 'command:tlbscope.hide'])
      ok(line.includes(part), `the hover of the line holds ${part}`);
    const hunk = await hoverText(document, lineOf(document, '@@ -13,18'));
    for (const part of ['tq\\_flush\\_user\\_half', 'How it was counted', 'With PTI off'])
      ok(hunk.includes(part), `the hover of the hunk holds ${part}`);
    ok(
      (await hoverText(document, 0)).includes('One call of each function'),
      'the hover of the patch lists its roots',
    );
  });

  it('change at once with the machine, and with n', async () => {
    const { document } = await open(deferral);
    const line = lineOf(document, 'invlpg\t(');
    await hintsWith(document, line, /900–1600/);
    await vscode.commands.executeCommand('tlbscope.chooseMachine', 'ivy-bridge-i5-3550');
    matches((await hintsByLine(document)).get(line), /^\+n?·?INVLPG (?!90)\d+–\d+ cy/, 'Ivy Bridge');
    await lensesWith(document, /no price on Ivy Bridge/);
    await vscode.commands.executeCommand('tlbscope.chooseMachine', 'broadwell-ep-e5-2660v4');
    await hintsWith(document, line, /^\+n·INVLPG 900–1600 cy at n=10$/);
    await vscode.commands.executeCommand('tlbscope.chooseValues', { n: 2 });
    matches((await hintsByLine(document)).get(line), /^\+n·INVLPG 180–320 cy at n=2$/, 'n = 2');
    await vscode.commands.executeCommand('tlbscope.chooseValues', { n: 10 });
  });

  it('follow an edit', async () => {
    const text = [
      '--- a/mm/tq.c',
      '+++ b/mm/tq.c',
      '@@ -9 +9,2 @@ void f(void)',
      ' \ta();',
      '+\tflush_tlb_all();',
      '',
    ];
    const { document } = await openText(text.join('\n'));
    ok((await hintsByLine(document)).has(4), 'a hint before');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), '\n\n');
    edit.replace(document.uri, document.lineAt(4).range, '+\tnothing();\n+\tflush_tlb_all();');
    edit.replace(document.uri, document.lineAt(2).range, '@@ -9 +9,3 @@ void f(void)');
    await vscode.workspace.applyEdit(edit);
    equal([...(await hintsByLine(document)).keys()], [7], 'the hint has moved with its line');
  });

  it('can be turned off, each by itself', async () => {
    const { document } = await open(deferral);
    await vscode.commands.executeCommand('tlbscope.hide', 'inlayHints');
    equal((await hints(document)).length, 0, 'hints');
    equal((await lensTitles(document)).length, 3, 'verdicts stay');
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
