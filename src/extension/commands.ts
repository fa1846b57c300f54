/** The command table: every command of package.json, and nothing else. */
import * as vscode from 'vscode';
import { isPatchDocument, type Releasable, type Shared } from './context';
import { patchLanguage } from './models';
import { plainText } from './present/escape';
import { isSwitch, switches, switchNames, type Switch } from './present/switches';
import { sampleUri } from './sampleDocument';
import { Cancelled } from './workerClient';

type Run = (...args: unknown[]) => unknown;

const activePatch = (): vscode.TextEditor | undefined => {
  const editor = vscode.window.activeTextEditor;
  return editor && isPatchDocument(editor.document) ? editor : undefined;
};

const reasonOf = (error: unknown): string =>
  plainText(error instanceof Error ? error.message : String(error), 200);

/** Says once, quietly, why a command has nothing to do. */
const noPatch = (): unknown =>
  vscode.window.setStatusBarMessage(
    'TLBScope: open a patch first, or use "Read This File as a Patch".',
    5000,
  );

async function readAsPatch(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) noPatch();
  else if (!isPatchDocument(editor.document))
    await vscode.languages.setTextDocumentLanguage(editor.document, patchLanguage);
}

async function chooseMachine({ machines, settings }: Shared, wanted: unknown): Promise<void> {
  if (typeof wanted === 'string' && machines.has(wanted)) return settings.setMachine(wanted);
  const current = machines.current().id;
  const picked = await vscode.window.showQuickPick(
    machines.all().map(({ id, name }) => ({
      label: name,
      description: id === current ? 'chosen' : '',
      id,
    })),
    { title: 'TLBScope: the machine whose prices are shown', matchOnDescription: true },
  );
  if (picked) await settings.setMachine(picked.id);
}

/** Features that a review is often about, beside those of the machine. */
const usualFeatures = ['PTI', 'PCID', 'INVPCID', 'INVLPGB', 'XEN_PV', 'XPTI', 'KPTI'];

async function chooseFeatures({ machines, settings }: Shared, wanted: unknown): Promise<void> {
  if (wanted === null) return settings.setFeatures(null);
  if (Array.isArray(wanted)) return settings.setFeatures(wanted.filter(one => typeof one === 'string'));
  const own = machines.current().features;
  const on = new Set(settings.features ?? own);
  const names = [...new Set([...own, ...usualFeatures, ...on])];
  const picked = await vscode.window.showQuickPick(
    names.map(name => ({
      label: name,
      description: own.includes(name) ? 'on by default on this machine' : '',
      picked: on.has(name),
    })),
    { title: 'TLBScope: features that are on', canPickMany: true },
  );
  if (!picked) return;
  const chosen = picked.map(({ label }) => label);
  const asMachine = chosen.length === own.length && own.every(name => chosen.includes(name));
  await settings.setFeatures(asMachine ? null : chosen);
}

const symbols = [
  { key: 'pages', name: 'n', prompt: 'n: pages of the flushed range' },
  { key: 'remoteCpus', name: 'c', prompt: 'c: other CPUs that must be told' },
] as const;

async function chooseValues({ settings }: Shared, wanted: unknown): Promise<void> {
  const given =
    typeof wanted === 'object' && wanted !== null ? (wanted as Record<string, unknown>) : undefined;
  for (const { key, name, prompt } of symbols) {
    const value = given ? given[name] : await askCount(prompt, settings.symbols[name]);
    if (value === undefined && !given) return;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 1_000_000)
      await settings.setSymbol(key, value);
  }
}

async function askCount(prompt: string, value: number): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title: 'TLBScope: values that prices are worked out with',
    prompt,
    value: String(value),
    validateInput: entered => (/^\d{1,6}$/.test(entered) ? undefined : 'A whole number from 0 to 999999.'),
  });
  return text === undefined ? undefined : Number(text);
}

async function flip({ settings }: Shared, name: Switch): Promise<void> {
  await settings.show(name, !settings.shows(name));
}

async function hide({ settings }: Shared, name: unknown): Promise<void> {
  if (!isSwitch(name)) return;
  await settings.show(name, false);
  vscode.window.setStatusBarMessage(
    `${switches[name]}: off. The TLB item at the right turns them on again.`,
    6000,
  );
}

interface MenuItem extends vscode.QuickPickItem {
  readonly run: () => unknown;
}

async function menu(shared: Shared): Promise<void> {
  const { settings, machines, log } = shared;
  const { n, c } = settings.symbols;
  const items: MenuItem[] = [
    {
      label: '$(server) Machine',
      description: machines.current().name,
      run: () => chooseMachine(shared, undefined),
    },
    {
      label: '$(symbol-number) Values of n and c',
      description: `n=${n} pages, c=${c} other CPUs`,
      run: () => chooseValues(shared, undefined),
    },
    {
      label: '$(settings) Features',
      description: (settings.features ?? machines.current().features).join(', ') || 'none',
      run: () => chooseFeatures(shared, undefined),
    },
    ...switchNames.map(name => ({
      label: `$(${settings.shows(name) ? 'check' : 'circle-large-outline'}) ${switches[name]}`,
      description: settings.shows(name) ? 'on' : 'off',
      run: () => flip(shared, name),
    })),
    {
      label: '$(run-all) Scenarios',
      description: 'run those that say something about this file',
      run: () => vscode.commands.executeCommand('tlbscope.runAllScenarios'),
    },
    { label: '$(output) Log', description: 'what the extension has to say', run: () => log.show() },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: 'TLBScope' });
  await picked?.run();
}

/** Puts the cursor on the hunk's header and shows its hover there. */
async function explain({ models }: Shared, uri: unknown, line: unknown): Promise<void> {
  const editor = vscode.window.visibleTextEditors.find(
    one => uri instanceof vscode.Uri && one.document.uri.toString() === uri.toString(),
  );
  const target = editor ?? activePatch();
  if (!target) return void noPatch();
  let at = typeof line === 'number' ? line : undefined;
  if (at === undefined) {
    const model = await models.get(target.document);
    const cursor = model?.lines.readerLine(target.selection.active.line) ?? 0;
    const hunk = model?.report.annotations.find(one => one.line <= cursor && cursor <= one.endLine);
    if (!model || !hunk)
      return void vscode.window.setStatusBarMessage('TLBScope: no TLB operation in this hunk.', 5000);
    at = model.lines.start(hunk.line);
  }
  await vscode.window.showTextDocument(target.document, target.viewColumn);
  place(target, at);
  await vscode.commands.executeCommand('editor.action.showHover');
}

function place(editor: vscode.TextEditor, line: number): void {
  const position = new vscode.Position(Math.min(line, editor.document.lineCount - 1), 0);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(
    new vscode.Range(position, position),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}

/** To the next or the previous hunk that touches TLB code; round at the ends. */
async function go({ models }: Shared, step: 1 | -1): Promise<void> {
  const editor = activePatch();
  const model = editor && (await models.get(editor.document));
  if (!editor || !model) return void noPatch();
  const lines = model.report.annotations.map(hunk => model.lines.start(hunk.line)).sort((a, b) => a - b);
  if (!lines.length)
    return void vscode.window.setStatusBarMessage('TLBScope: no hunk of this patch touches TLB code.', 5000);
  const cursor = editor.selection.active.line;
  const next =
    step === 1
      ? (lines.find(line => line > cursor) ?? lines[0]!)
      : (lines.findLast(line => line < cursor) ?? lines[lines.length - 1]!);
  place(editor, next);
}

/** The explanation of the line at the cursor; of its hunk where the line performs no operation. */
async function explainLine(shared: Shared): Promise<void> {
  const editor = activePatch();
  if (!editor) return void noPatch();
  const model = await shared.models.get(editor.document);
  const at = editor.selection.active;
  const line = model?.lines.readerLine(at.line);
  const explained = model?.report.annotations.some(hunk => hunk.lines.some(one => one.line === line));
  if (!explained) return explain(shared, undefined, undefined);
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
  await vscode.commands.executeCommand('editor.action.showHover');
}

/** All that is drawn into the text of a patch; what is in Problems stays. */
const hints: readonly Switch[] = ['inlayHints', 'codeLens', 'hover', 'overviewRuler'];

async function turnHints({ settings }: Shared, on: boolean): Promise<void> {
  for (const name of hints) await settings.show(name, on);
  if (!on)
    vscode.window.setStatusBarMessage(
      'TLBScope: hints are off. "TLBScope: Turn Hints On" brings them back.',
      6000,
    );
}

/** Tells the menus which of the two commands makes sense. */
export function followHints({ settings }: Pick<Shared, 'settings'>): vscode.Disposable {
  const tell = (): void =>
    void vscode.commands.executeCommand(
      'setContext',
      'tlbscope.hintsOff',
      !hints.some(name => settings.shows(name)),
    );
  tell();
  return settings.onDidChange(tell);
}

/** The sample of the walkthrough: a series that applies to the model kernel. */
async function openSample(): Promise<void> {
  const document = await vscode.workspace.openTextDocument(sampleUri);
  await vscode.window.showTextDocument(document);
}

async function openDecoded(uri: unknown): Promise<void> {
  if (!(uri instanceof vscode.Uri)) return void noPatch();
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: true });
}

/** Name → what it does. Every command is always registered; "nothing to do" is said by the command itself. */
const commandTable = (shared: Shared): Readonly<Record<string, Run>> => ({
  'tlbscope.readAsPatch': readAsPatch,
  'tlbscope.chooseMachine': machine => chooseMachine(shared, machine),
  'tlbscope.chooseValues': values => chooseValues(shared, values),
  'tlbscope.chooseFeatures': names => chooseFeatures(shared, names),
  'tlbscope.menu': () => menu(shared),
  'tlbscope.hide': name => hide(shared, name),
  'tlbscope.explain': (uri, line) => explain(shared, uri, line),
  'tlbscope.explainLine': () => explainLine(shared),
  'tlbscope.turnHintsOff': () => turnHints(shared, false),
  'tlbscope.turnHintsOn': () => turnHints(shared, true),
  'tlbscope.openSample': openSample,
  'tlbscope.nextHunk': () => go(shared, 1),
  'tlbscope.previousHunk': () => go(shared, -1),
  'tlbscope.openDecoded': openDecoded,
  'tlbscope.stopReading': () => {
    const editor = activePatch();
    if (editor) shared.models.stop(editor.document);
  },
  'tlbscope.readAgain': () => {
    const editor = activePatch();
    if (editor) shared.models.again(editor.document);
  },
});

/** `more`: the tables of other modules. */
export function registerCommands(
  shared: Shared,
  ...more: readonly Readonly<Record<string, Run>>[]
): Releasable[] {
  const table = Object.assign({}, commandTable(shared), ...more) as Record<string, Run>;
  return Object.entries(table).map(([name, run]) =>
    vscode.commands.registerCommand(name, async (...args: unknown[]) => {
      try {
        return await run(...args);
      } catch (error) {
        // Whoever stopped it knows.
        if (error instanceof Cancelled) return undefined;
        shared.log.error(
          `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
        vscode.window.setStatusBarMessage(`TLBScope: ${reasonOf(error)}`, 10_000);
        return undefined;
      }
    }),
  );
}
