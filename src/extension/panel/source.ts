/** Scenarios for the panel, from the library of the extension. */
import * as vscode from 'vscode';
import type { LibraryEntry } from '../../protocol/panel';
import { plainText } from '../present/escape';
import { isPatchDocument } from '../context';
import type { Attachments, DocumentScenarios } from '../scenarios/attachments';
import type { CurrentDocument } from '../scenarios/current';
import type { LibraryScenario, ScenarioLibrary } from '../scenarios/library';
import { planRun, type Subject } from '../scenarios/request';
import type { Settings } from '../settings';
import type { PanelSource, PanelSubject } from './subject';

/** What of the scenarios is needed here. */
export interface ScenarioParts {
  readonly library: ScenarioLibrary;
  readonly attachments: Attachments;
  readonly current: CurrentDocument;
}

const originOf = ({ builtin, uri }: LibraryScenario): string =>
  builtin ? 'built in' : vscode.workspace.asRelativePath(uri);

export function panelSubject(subject: Subject, settings: Settings): PanelSubject {
  const { scenario } = subject;
  const { described } = scenario;
  if (!described.ok) {
    const { line, message } = described.diagnostics[0]!;
    throw new Error(`${scenario.name} cannot be run: line ${line}: ${message}`);
  }
  const { info } = described;
  const { basis, request, patch } = planRun(subject, settings);
  return {
    ...{
      id: scenario.key,
      title: info.title,
      about: info.about,
      origin: originOf(scenario),
      kernel: info.kernel,
    },
    compares: plainText(basis.text, 300),
    request,
    patch: patch?.toString() ?? null,
    variants: basis.compares === 'patch' ? ['before', 'after'] : info.variants,
    parameters: info.parameters,
  };
}

export class LibrarySource implements PanelSource {
  constructor(
    /** They are there after this is made. */
    private readonly parts: () => ScenarioParts,
    private readonly settings: Settings,
  ) {}

  async list(): Promise<readonly LibraryEntry[]> {
    const all = await this.parts().library.load();
    return all.flatMap(scenario => {
      const { described, key } = scenario;
      if (!described.ok) return [];
      const { title, about } = described.info;
      return [{ id: key, title, about, origin: originOf(scenario) }];
    });
  }

  async subject(id: string, patch?: string | null): Promise<PanelSubject | undefined> {
    const { library } = this.parts();
    await library.load();
    const scenario = library.get(id);
    if (!scenario) return undefined;
    const document = await this.document(patch);
    return panelSubject({ scenario, document: document?.patch ? document : null }, this.settings);
  }

  usual(): Readonly<Record<string, number>> {
    return { ...this.settings.symbols };
  }

  private async document(patch: string | null | undefined): Promise<DocumentScenarios | undefined> {
    const { attachments, current } = this.parts();
    if (patch === null) return undefined;
    if (patch === undefined) {
      // While the panel has the focus no editor is active: then it is the patch beside it.
      const beside = vscode.window.visibleTextEditors.map(({ document }) => document);
      const document = vscode.window.activeTextEditor?.document ?? beside.find(isPatchDocument);
      return (document && (await attachments.of(document))) ?? current.scenarios;
    }
    try {
      return await attachments.of(await vscode.workspace.openTextDocument(vscode.Uri.parse(patch, true)));
    } catch {
      // The patch is gone; the scenario can still be looked at by itself.
      return undefined;
    }
  }
}
