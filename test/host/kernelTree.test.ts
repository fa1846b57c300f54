import * as vscode from 'vscode';
import { ok } from './assert';
import { hoverText, lensTitles, lineOf, openText, until } from './editor';

/** The helper that it calls is thirty lines above: only the file of the tree shows it. */
const patch = [
  '--- a/arch/x86/mm/tq_tree.c',
  '+++ b/arch/x86/mm/tq_tree.c',
  '@@ -37,4 +37,5 @@ void tq_switch(struct mm_struct *mm)',
  ' \tflush_tlb_mm(mm);',
  '+\ttq_flush_helper();',
  ' \ttq_total += tq_step;',
  ' \ttq_last = tq_total;',
  ' }',
  '',
].join('\n');

const useTree = (value: string | undefined): Thenable<void> =>
  vscode.workspace
    .getConfiguration('tlbscope')
    .update('kernelTree', value, vscode.ConfigurationTarget.Workspace);

/** Waits for up to a minute: the worker may still be busy with what was open before. */
async function hoverWith(document: vscode.TextDocument, part: string): Promise<void> {
  let hover = '';
  const look = async (): Promise<boolean> => (hover = await plainHover(document)).includes(part);
  for (let turn = 0; turn < 4; turn++) if (await until('the hover', look).catch(() => false)) return;
  ok(false, `${part} is not in: ${hover}`);
}

/** Some verdict that `pattern` matches. */
const verdict = (document: vscode.TextDocument, pattern: RegExp): Promise<string> =>
  until(`the verdict ${String(pattern)}`, async () =>
    (await lensTitles(document)).find(title => pattern.test(title)),
  );

/** The hover on the header of the hunk, without the escapes of Markdown. */
const plainHover = async (document: vscode.TextDocument): Promise<string> =>
  (await hoverText(document, lineOf(document, '@@ -37'))).replaceAll('\\', '');

describe('a patch on a kernel tree of the workspace', () => {
  after(() => useTree(undefined));

  it('shows what the patch does not, says where it does not fit, and is left out when it is turned off', async () => {
    await useTree('kernel');
    const other = await openText(patch.replace('tq_total += tq_step', 'tq_total = tq_step'));
    await hoverWith(other.document, 'another version');
    const { document } = await openText(patch);
    await verdict(document, /INVPCID_ALL_GLOBAL/);
    await hoverWith(document, 'whole of arch/x86/mm/tq_tree.c in the tree');
    await useTree('none');
    await until('the tree to be left out', async () =>
      (await lensTitles(document)).every(title => !title.includes('INVPCID_ALL_GLOBAL')),
    );
    await useTree('kernel');
    await verdict(document, /INVPCID_ALL_GLOBAL/);
  }).timeout(150_000);
});
