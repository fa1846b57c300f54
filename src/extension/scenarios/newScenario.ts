/** A new scenario from a template, for the file in the editor. Nothing is written: the user saves it, or does not. */
import * as vscode from 'vscode';
import { scenarioTemplates, type ScenarioTemplate, type TemplateOptions } from '../../scenario/templates';
import { isPatchDocument, type Shared } from '../context';
import { plainText } from '../present/escape';
import { documentKind } from './attachments';
import { scenarioEnding } from './names';

/** Entries of `appliesTo` that are proposed. */
const mostPaths = 12;

const isTemplate = (value: unknown): value is string =>
  typeof value === 'string' && scenarioTemplates.some(({ id }) => id === value);

/** `given`: a template's id, from a walkthrough or a test; else it is chosen from a list, the first by default. */
export async function newScenario({ models }: Shared, given: unknown): Promise<void> {
  const template = await chooseTemplate(given);
  if (!template) return;
  const document = vscode.window.activeTextEditor?.document;
  const options = await optionsFor(document, template, models);
  const uri = await freeUri(slug(options.title));
  const created = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(created);
  await editor.edit(edit => edit.insert(new vscode.Position(0, 0), template.text(options)));
  // The title is what is changed first.
  const at = created.getText().indexOf(JSON.stringify(options.title)) + 1;
  editor.selection = new vscode.Selection(
    created.positionAt(at),
    created.positionAt(at + JSON.stringify(options.title).length - 2),
  );
}

async function chooseTemplate(given: unknown): Promise<ScenarioTemplate | undefined> {
  if (isTemplate(given)) return scenarioTemplates.find(({ id }) => id === given);
  const items = scenarioTemplates.map(template => ({
    ...{ label: template.label, description: template.detail, template },
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: 'TLBScope: what the scenario begins with',
  });
  return picked?.template;
}

/** A patch: its files and its subject. A source file: itself. */
async function optionsFor(
  document: vscode.TextDocument | undefined,
  { label }: ScenarioTemplate,
  models: Shared['models'],
): Promise<TemplateOptions> {
  const model = document && isPatchDocument(document) ? await models.get(document) : undefined;
  if (model) {
    const paths = new Set(model.report.files.filter(({ quoted }) => !quoted).map(({ path }) => path));
    const subject = model.report.messages[0]?.subject.replace(/^\[[^\]]{0,80}\]\s*/, '');
    return { title: titleOf(subject) || label, appliesTo: [...paths].filter(isEntry).slice(0, mostPaths) };
  }
  if (document && documentKind(document) === 'source') {
    const path = vscode.workspace.asRelativePath(document.uri, false);
    return { title: `${label}: ${titleOf(path.split('/').pop())}`, appliesTo: [path].filter(isEntry) };
  }
  return { title: label, appliesTo: ['arch/x86/mm/tlb.c', 'flush_tlb_mm_range'] };
}

const titleOf = (text = ''): string => plainText(text, 120);
const isEntry = (path: string): boolean => path.length > 0 && path.length <= 200;

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40) || 'scenario';

/** In the first folder of the workspace, under a name that is free; the file is made when the user saves it. */
async function freeUri(name: string): Promise<vscode.Uri> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  for (let number = 1; ; number++) {
    const file = `${number === 1 ? name : `${name}-${number}`}${scenarioEnding}`;
    const path = folder ? vscode.Uri.joinPath(folder, file).path : file;
    const uri = vscode.Uri.from({ scheme: 'untitled', path });
    const open = vscode.workspace.textDocuments.some(one => one.uri.path === path);
    if (open) continue;
    if (!folder || number > 50) return uri;
    try {
      await vscode.workspace.fs.stat(vscode.Uri.joinPath(folder, file));
    } catch {
      return uri;
    }
  }
}
