import * as vscode from 'vscode';
import type { ExtensionApi } from '../../src/extension/activate';
import { modelTree } from '../../src/kernel/tree';
import { equal, matches, ok } from './assert';
import { extensionId, lenses, open, until, workspaceUri } from './editor';

const series = 'examples/06-model-kernel-series.mbox';
const deferral = 'examples/01-user-flush-deferred.patch';

async function api(): Promise<ExtensionApi['scenarios']> {
  const extension = vscode.extensions.getExtension<ExtensionApi>(extensionId);
  ok(extension, 'the extension is there');
  return (await extension.activate()).scenarios;
}

const labelOf = ({ label }: vscode.TreeItem): string =>
  typeof label === 'string' ? label : (label?.label ?? '');

type Node = Awaited<ReturnType<typeof listed>>[number];

/** The view's scenarios once it is about the editor's file, and `enough` of them are there. */
async function listed(enough: (labels: string[]) => boolean = all => all.length > 0) {
  const { tree, current } = await api();
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  return until('the scenarios of the file', () => {
    const nodes = tree.getChildren();
    const labels = nodes.map(node => labelOf(tree.getTreeItem(node)));
    return current.scenarios?.uri.toString() === uri && enough(labels) && nodes;
  });
}

const itemOf = async (node: Node): Promise<vscode.TreeItem> => (await api()).tree.getTreeItem(node);

async function labelsOf(nodes: readonly Node[]): Promise<string[]> {
  const { tree } = await api();
  return nodes.map(node => labelOf(tree.getTreeItem(node)));
}

async function nodeNamed(label: string): Promise<Node> {
  const nodes = await listed(all => all.includes(label));
  return nodes[(await labelsOf(nodes)).indexOf(label)]!;
}

const budget = '07-shootdown-budget';

describe('scenarios of the file in the editor', () => {
  it('are those of the workspace and built-in ones that name its files or functions', async () => {
    await open(series);
    const labels = await labelsOf(await listed());
    ok(labels.includes(budget), 'one of the workspace');
    ok(labels.includes('madvise-threads'), 'one that is built in');
    ok(!labels.includes('over-budget'), 'none that names other files');
    const item = await itemOf(await nodeNamed(budget));
    equal(item.description, 'A budget for dropping pages while others run', 'its title before a run');
  });

  it('run before and after a patch that applies to the model kernel, and list each run', async () => {
    await open(series);
    const node = await nodeNamed(budget);
    await vscode.commands.executeCommand('tlbscope.runScenario', node);
    const { tree } = await api();
    const item = await itemOf(node);
    // 8 combinations, before and after: verdict, IPI and one INVLPG where n > 33; the other INVLPG speaks of `base`.
    matches(String(item.description), /^safe · [\d–]+ cy · 36 of 36 expectations$/, 'result');
    const runs = tree.getChildren(node).map(run => tree.getTreeItem(run));
    equal(runs.length, 16, 'runs');
    equal(runs[0]!.label, 'before, n=1, c=0', 'first run');
    const after = runs.find(({ label }) => label === 'after, n=10, c=0');
    matches(
      String(after?.description),
      /^safe · 29\d\d cy \(\d+–\d+\) · \+10·INVLPG −10·INVPCID_ADDR \+LFENCE against before$/,
      'what the patch changes',
    );
  });

  it('say that results are out of date when the machine changes, and that they are not when it changes back', async () => {
    await open(series);
    const node = await nodeNamed(budget);
    await vscode.commands.executeCommand('tlbscope.chooseMachine', 'skylake-sp-8160');
    await until('the mark', async () => /^out of date: /.test(String((await itemOf(node)).description)));
    await vscode.commands.executeCommand('tlbscope.chooseMachine', 'broadwell-ep-e5-2660v4');
    await until('no mark', async () => /^safe/.test(String((await itemOf(node)).description)));
    await vscode.workspace
      .getConfiguration('tlbscope')
      .update('machine', undefined, vscode.ConfigurationTarget.Global);
  });

  it('take their own variants where the patch does not apply, and say why', async () => {
    await open(deferral);
    const node = await nodeNamed('over-budget');
    const { results } = await api();
    ok(node.kind === 'scenario', 'a scenario');
    matches(
      results.plan(node).basis.text,
      /^Its own variants: the patch does not apply to the model kernel \(line \d+: arch\/x86\/entry\/tq_calling\.h: there is no file/,
      'why',
    );
    await vscode.commands.executeCommand('tlbscope.runScenario', node);
    matches(String((await itemOf(node)).description), /^safe · .* · 3 of 4 expectations$/, 'result');
  });

  it('apply to a source file by its path', async () => {
    await open('arch/x86/mm/tq_flush.c');
    const labels = await labelsOf(await listed());
    equal(labels, ['over-budget'], 'scenarios');
  });

  it('are none for other files, and the view says so', async () => {
    const { tree, current } = await api();
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: '# x\n' });
    await vscode.window.showTextDocument(document);
    await until('an empty view', () => current.emptiness === 'other-file' && tree.getChildren().length === 0);
  });

  it('have a line above the patch that runs them', async () => {
    const { document } = await open(series);
    const found = await until('the lens', async () =>
      (await lenses(document)).find(({ command }) => command?.command === 'tlbscope.runAllScenarios'),
    );
    matches(found.command?.title, /Run \d+ scenarios before and after$/, 'title');
    equal(found.range.start.line, 0, 'place');
  });
});

describe('a kernel tree in the workspace', () => {
  const useTree = (path: string | undefined): Thenable<void> =>
    vscode.workspace
      .getConfiguration('tlbscope')
      .update('kernelTree', path, vscode.ConfigurationTarget.Workspace);

  after(async () => {
    await useTree(undefined);
    await vscode.workspace.fs.delete(workspaceUri('own-kernel'), { recursive: true });
  });

  before(async () => {
    for (const [path, text] of modelTree())
      await vscode.workspace.fs.writeFile(workspaceUri(`own-kernel/${path}`), new TextEncoder().encode(text));
  });

  it('is what a patch that applies to it is run on', async () => {
    await useTree('own-kernel');
    await open(series);
    const { results } = await api();
    const node = await until('the tree to be read', async () => {
      const found = await nodeNamed(budget);
      ok(found.kind === 'scenario', 'a scenario');
      return /the kernel tree own-kernel of the workspace$/.test(results.plan(found).basis.text) && found;
    });
    await vscode.commands.executeCommand('tlbscope.runScenario', node);
    matches(String((await itemOf(node)).description), /^safe · .* · 36 of 36 expectations$/, 'result');
  });

  it('is said to be the wrong one where the patch does not apply', async () => {
    await useTree('own-kernel');
    await open(deferral);
    const { results } = await api();
    await until('the reason', async () => {
      const found = await nodeNamed('over-budget');
      ok(found.kind === 'scenario', 'a scenario');
      return /; nor to the kernel tree own-kernel \(line \d+: .*there is no file/.test(
        results.plan(found).basis.text,
      );
    });
  });
});

describe('scenario files', () => {
  it('have problems that the schema cannot see, at their lines', async () => {
    await (await api()).library.load();
    const { document } = await open('unknown-patch.tlbscope.jsonc');
    equal(document.languageId, 'jsonc', 'language');
    const problem = await until('the problem', () =>
      vscode.languages.getDiagnostics(document.uri).find(({ source }) => source === 'TLBScope'),
    );
    matches(problem.message, /^no patch 'tq-nothing' of the tree 'linux'/, 'message');
    equal(problem.range.start.line, 4, 'line');
  });

  it('are checked while they are edited, and run again when they are saved', async () => {
    const editor = await open('over-budget.tlbscope.jsonc');
    const [node] = await listed(labels => labels.includes('over-budget'));
    await vscode.commands.executeCommand('tlbscope.runScenario', node);
    matches(String((await itemOf(node!)).description), /3 of 4 expectations$/, 'before');
    const text = editor.document.getText();
    const at = editor.document.positionAt(text.indexOf('"atMost": 1') + '"atMost": '.length);
    await editor.edit(edit => edit.replace(new vscode.Range(at, at.translate(0, 1)), '2'));
    await until('the mark', async () => {
      const [edited] = await listed();
      return /^out of date/.test(String((await itemOf(edited!)).description));
    });
    await editor.document.save();
    await until('the new result', async () => {
      const [saved] = await listed();
      return /^safe · .* · 4 of 4 expectations$/.test(String((await itemOf(saved!)).description));
    });
    await editor.edit(edit => edit.replace(new vscode.Range(at, at.translate(0, 1)), '1'));
    await editor.document.save();
  });

  it('of the built-in ones are read-only documents', async () => {
    await vscode.commands.executeCommand('tlbscope.openScenario', 'madvise-threads');
    const document = await until('the document', () => {
      const active = vscode.window.activeTextEditor?.document;
      return active?.uri.scheme === 'tlbscope-builtin' && active;
    });
    equal(document.languageId, 'jsonc', 'language');
    matches(document.getText(), /"title": "madvise/, 'text');
  });

  it('are made from a template for the patch in the editor, valid as they stand', async () => {
    await open(series);
    await vscode.commands.executeCommand('tlbscope.newScenario', 'shootdown');
    const document = await until('the new file', () => {
      const active = vscode.window.activeTextEditor?.document;
      return active?.isUntitled && active.uri.path.endsWith('.tlbscope.jsonc') && active.getText()
        ? active
        : undefined;
    });
    matches(
      document.getText(),
      /"appliesTo": \["arch\/x86\/include\/asm\/tlbflush\.h", "arch\/x86\/mm\/tlb\.c"/,
      'paths',
    );
    const { library } = await api();
    const scenario = await library.settled(document);
    ok(scenario?.described.ok, JSON.stringify(scenario?.described));
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});

describe('the Test Explorer', () => {
  /** What a run told VS Code, by the labels of the items. */
  async function runTests(include: vscode.TestItem[], cancel = false) {
    const { tests } = await api();
    const told: { label: string; outcome: string; messages: readonly vscode.TestMessage[] }[] = [];
    const create = tests.controller.createTestRun.bind(tests.controller);
    const source = new vscode.CancellationTokenSource();
    let ended = false;
    tests.controller.createTestRun = request => {
      const run = create(request);
      const note =
        (outcome: string) =>
        (item: vscode.TestItem, messages: vscode.TestMessage | readonly vscode.TestMessage[] = []): void =>
          void told.push({ label: item.label, outcome, messages: [messages].flat() });
      return Object.assign(Object.create(run) as vscode.TestRun, {
        started: (item: vscode.TestItem) => run.started(item),
        appendOutput: (text: string) => run.appendOutput(text),
        passed: note('passed'),
        failed: note('failed'),
        skipped: note('skipped'),
        errored: note('errored'),
        end: () => ((ended = true), run.end()),
      });
    };
    try {
      const running = tests.run(new vscode.TestRunRequest(include), source.token);
      if (cancel) source.cancel();
      await running;
    } finally {
      tests.controller.createTestRun = create;
    }
    ok(ended, 'the run is ended');
    return told;
  }

  const fileItem = async (path: string): Promise<vscode.TestItem> => {
    const { tests, library } = await api();
    await library.load();
    return until(`the item of ${path}`, () => tests.controller.items.get(workspaceUri(path).toString()));
  };

  const children = (item: vscode.TestItem): vscode.TestItem[] => [...item.children].map(([, child]) => child);

  it('has file, scenario, run and expectation', async () => {
    const file = await fileItem('over-budget.tlbscope.jsonc');
    equal(file.label, 'over-budget.tlbscope.jsonc', 'file');
    const [scenario] = children(file);
    equal(scenario?.label, 'Over its budget', 'scenario');
    const runs = children(scenario!);
    equal(
      runs.map(({ label }) => label),
      ['base, n=1', 'base, n=2'],
      'runs',
    );
    const [verdict, invlpg] = children(runs[1]!);
    equal([verdict?.label, invlpg?.label], ['verdict == safe', 'INVLPG <= 1'], 'expectations');
    equal(invlpg?.range?.start.line, 11, 'place of the expectation');
  });

  it('passes what holds, and fails what does not at its line, with both figures', async () => {
    const file = await fileItem('over-budget.tlbscope.jsonc');
    const told = await runTests([file]);
    equal(
      told.map(({ outcome }) => outcome),
      ['passed', 'passed', 'passed', 'failed'],
      'outcomes',
    );
    const [message] = told[3]!.messages;
    equal([message?.expectedOutput, message?.actualOutput], ['INVLPG <= 1', 'INVLPG is 2'], 'figures');
    equal(message?.location?.range.start.line, 11, 'line');
    equal(message?.location?.uri.toString(), file.uri?.toString(), 'file');
  });

  it('gives an error at its line for a file that cannot be run', async () => {
    const told = await runTests([await fileItem('unknown-patch.tlbscope.jsonc')]);
    equal(
      told.map(({ outcome }) => outcome),
      ['errored'],
      'outcomes',
    );
    equal(told[0]?.messages[0]?.location?.range.start.line, 4, 'line');
  });

  it('can be cancelled', async () => {
    const told = await runTests([await fileItem('examples/07-shootdown-budget.tlbscope.jsonc')], true);
    ok(
      told.every(({ outcome }) => outcome === 'skipped'),
      JSON.stringify(told),
    );
  });

  it('holds for the examples', async () => {
    const files = await Promise.all(
      ['07-shootdown-budget', '08-freed-tables'].map(name => fileItem(`examples/${name}.tlbscope.jsonc`)),
    );
    const told = await runTests(files);
    // 8 combinations of 07 under two variants, 2 of 08 under two: see their `expect`.
    equal(told.length, 42 + 8, 'expectations');
    ok(
      told.every(({ outcome }) => outcome === 'passed'),
      JSON.stringify(told.filter(({ outcome }) => outcome !== 'passed')),
    );
  });
});

describe('commands of the palette', () => {
  it('copy results as plain text of 75 columns', async () => {
    await open(series);
    await vscode.commands.executeCommand('tlbscope.copyResults', await nodeNamed(budget));
    const text = await vscode.env.clipboard.readText();
    matches(
      text,
      /^A budget for dropping pages while others run\nBefore and after this patch, on the model kernel\.\n/,
      'head',
    );
    ok(
      text.split('\n').every(line => line.length <= 75 && /^[\x20-\x7e]*$/.test(line)),
      'plain lines',
    );
  });

  it('export results as a document', async () => {
    await open(series);
    const node = await nodeNamed(budget);
    await vscode.commands.executeCommand('tlbscope.exportResults', node, undefined, 'csv');
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    matches(text, /^variant,n,c,machine,verdict,cycles,low,high,misses,ATOMIC,/, 'head');
    equal(text.trim().split('\n').length, 17, 'rows');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('run all scenarios of the file', async () => {
    await open(deferral);
    const nodes = await listed();
    await vscode.commands.executeCommand('tlbscope.runAllScenarios');
    for (const node of nodes)
      ok(/ · \d+ of \d+ expectations?$/.test(String((await itemOf(node)).description)), 'each has run');
  });

  it('turn hints off and on', async () => {
    const { document } = await open(deferral);
    await vscode.commands.executeCommand('tlbscope.turnHintsOff');
    await until('no lens', async () => (await lenses(document)).length === 0);
    await vscode.commands.executeCommand('tlbscope.turnHintsOn');
    await until('the lenses', async () => (await lenses(document)).length > 0);
    const settings = vscode.workspace.getConfiguration('tlbscope');
    for (const name of ['inlayHints', 'codeLens', 'hover', 'overviewRuler'])
      await settings.update(`show.${name}`, undefined, vscode.ConfigurationTarget.Global);
  });

  it('open the sample of the walkthrough', async () => {
    await vscode.commands.executeCommand('tlbscope.openSample');
    const document = await until('the sample', () => {
      const active = vscode.window.activeTextEditor?.document;
      return active?.uri.scheme === 'tlbscope-sample' && active;
    });
    equal(document.languageId, 'diff', 'language');
    matches(document.getText(), /^From 0/, 'text');
  });
});
