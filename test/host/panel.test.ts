import * as vscode from 'vscode';
import type { ExtensionApi } from '../../src/extension/activate';
import { equal, matches, ok } from './assert';
import { extensionId, open, until } from './editor';

const series = 'examples/06-model-kernel-series.mbox';
const scheme = 'tlbscope-kernel';

async function panel(): Promise<ExtensionApi['panel']> {
  const extension = vscode.extensions.getExtension<ExtensionApi>(extensionId);
  ok(extension, 'the extension is there');
  return (await extension.activate()).panel;
}

describe('the state panel', () => {
  it('runs before and after the patch in the editor, and can be looked at after any event', async () => {
    await open(series);
    const { model } = await panel();
    await vscode.commands.executeCommand('tlbscope.simulate', 'madvise-threads');
    equal(
      model.shown.map(({ run }) => run.opened.report.variant),
      ['before', 'after'],
      'the runs',
    );
    const [before] = model.shown;
    ok(before, 'a run is shown');
    const { trace } = before.run.opened;
    ok(trace.count > 100, 'it has events');
    const state = await model.seek(0, Math.floor(trace.count / 2));
    equal(state.cpus.length, 8, 'CPUs of the state');
    equal(model.shown[0]!.state.seq, Math.floor(trace.count / 2), 'the cursor');
    const { entries } = await model.entries(0, 0);
    ok(Array.isArray(entries), 'the entries of a CPU are given');
    equal(model.lastProblem, '', 'what went wrong');
  });

  it('sweeps a parameter on request, and compares the variants that a command names', async () => {
    await open(series);
    const { model } = await panel();
    await vscode.commands.executeCommand('tlbscope.sweep', 'madvise-one-thread');
    const { sweep, view } = model.snapshot;
    equal(sweep?.parameter, 'n', 'the parameter');
    equal(
      sweep?.series.map(({ name }) => name),
      ['before', 'after'],
      'the lines',
    );
    equal(view.tab, 'sweep', 'the tab');
  });

  it('copies a reply with the hunk, the figures and the name of the scenario', async () => {
    await open(series);
    const { outputs } = await panel();
    await vscode.commands.executeCommand('tlbscope.simulate', 'madvise-threads');
    const text = await until('the hunk in the reply', () => {
      const made = outputs.text();
      return made.startsWith('> @@') && made;
    });
    matches(text, /Scenario madvise-threads\. Before and after this patch/, 'what was run');
    ok(
      text.split('\n').every(line => line.length <= 75),
      'no line is longer than 75 columns',
    );
  });

  it('has the files of the kernel tree as read-only documents, before and after', async () => {
    await open(series);
    const { model } = await panel();
    await vscode.commands.executeCommand('tlbscope.simulate', 'madvise-threads');
    const { subject } = model;
    ok(subject?.patch, 'a patch is under review');
    const text = async (variant: string): Promise<string> => {
      const query = JSON.stringify({ scenario: subject.id, patch: subject.patch, variant });
      const uri = vscode.Uri.from({ scheme, path: `/${variant}/arch/x86/mm/tlb.c`, query });
      return (await vscode.workspace.openTextDocument(uri)).getText();
    };
    const [before, after] = [await text('before'), await text('after')];
    ok(before.includes('void flush_tlb_mm_range('), 'the text of the file');
    ok(before !== after, 'the patch has changed it');
    const nowhere = vscode.Uri.from({ scheme, path: '/x/y.c', query: 'not JSON' });
    matches(
      (await vscode.workspace.openTextDocument(nowhere)).getText(),
      /names no file/,
      'an address that is none',
    );
  });

  it('says what is wrong instead of showing something else', async () => {
    const { model } = await panel();
    await model.startSweep('no such').then(
      () => ok(false, 'a parameter that is not there is refused'),
      (error: unknown) => matches(String(error), /no parameter/, 'why'),
    );
    const { subject } = model;
    ok(subject, 'a scenario is shown');
    await model.show({ ...subject, request: { ...subject.request, machine: 'no-such-machine' } }, {});
    matches(model.lastProblem, /no machine 'no-such-machine'/, 'what went wrong');
    ok(model.shown.length > 0, 'what was shown stays');
  });
});
