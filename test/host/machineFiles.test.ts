import * as vscode from 'vscode';
import { equal, matches } from './assert';
import { hints, labelOf, lineOf, open, until } from './editor';

const deferral = 'examples/01-user-flush-deferred.patch';
const own = 'examples/09-own-machine.tlbscope-machine.jsonc';

const problemsOf = (uri: vscode.Uri): vscode.Diagnostic[] =>
  vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'TLBScope');

describe('machine files of the workspace', () => {
  const choose = (id: string | undefined): Thenable<void> =>
    vscode.workspace.getConfiguration('tlbscope').update('machine', id, vscode.ConfigurationTarget.Global);
  afterEach(() => choose(undefined));

  it('give machines that can be chosen', async () => {
    const { document } = await open(deferral);
    const line = lineOf(document, 'invlpg\t(');
    await choose('build-box');
    const label = await until('a hint', async () => {
      const found = (await hints(document)).find(({ position }) => position.line === line);
      return found && /1950/.test(labelOf(found)) && labelOf(found);
    });
    // INVLPG 195 to 260 there, ten times.
    matches(label, /^\+n·INVLPG 1950–2600 cy at n=10$/, 'the hint');
  });

  it('have their mistakes in Problems, while they are written', async () => {
    const { document } = await open(own);
    const line = lineOf(document, '"low": 195');
    const right = document.lineAt(line).text;
    const write = async (text: string): Promise<void> => {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, document.lineAt(line).range, text);
      await vscode.workspace.applyEdit(edit);
    };
    equal(problemsOf(document.uri).length, 0, 'problems before');
    await write('      "low": 220,');
    const [problem] = await until('a problem', () => problemsOf(document.uri).length > 0 && problemsOf(document.uri)); // prettier-ignore
    equal(problem!.range.start.line, line, 'the line');
    matches(problem!.message, /the value 210 is not between low 220 and high 260/, 'the message');
    await write(right);
    await until('no problem', () => problemsOf(document.uri).length === 0);
    await document.save();
  });
});
