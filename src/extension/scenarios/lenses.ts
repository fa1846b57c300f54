/** Above the first line of a patch: the scenarios that say something about it; of a scenario file: its run. */
import * as vscode from 'vscode';
import type { Releasable } from '../context';
import { patchSelector } from '../context';
import { labelText } from '../present/escape';
import { basisOf } from '../present/scenarios';
import type { Settings } from '../settings';
import type { Attachments, DocumentScenarios } from './attachments';
import type { CurrentDocument } from './current';
import { builtinScheme, scenarioEnding } from './names';

const top = new vscode.Range(0, 0, 0, 0);

export class ScenarioLenses implements vscode.CodeLensProvider {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    private readonly settings: Settings,
    private readonly attachments: Attachments,
    private readonly current: CurrentDocument,
  ) {}

  register(): Releasable[] {
    const selectors: vscode.DocumentSelector = [
      ...[patchSelector].flat(),
      { pattern: `**/*${scenarioEnding}` },
      { scheme: builtinScheme },
      { scheme: 'untitled', pattern: `**/*${scenarioEnding}` },
    ];
    return [
      this.changed,
      this.attachments.onDidChange(() => this.changed.fire()),
      this.settings.onDidChange(() => this.changed.fire()),
      vscode.languages.registerCodeLensProvider(selectors, this),
    ];
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!this.settings.shows('codeLens')) return [];
    // Menus of the editor ask what the view would say.
    this.current.follow();
    const found = await this.attachments.of(document);
    if (!found?.attached.length) return [];
    return found.kind === 'scenario' ? ofScenario(found) : found.kind === 'patch' ? ofPatch(found) : [];
  }
}

function ofScenario({ uri, attached }: DocumentScenarios): vscode.CodeLens[] {
  if (!attached[0]?.scenario.described.ok) return [];
  const key = uri.toString();
  return [
    lens('$(play) Run', 'Run all variants and values of this scenario', 'tlbscope.runScenario', [key]),
    lens('Simulate', 'Step through this scenario in the panel', 'tlbscope.simulate', [key]),
  ];
}

function ofPatch({ uri, attached, patch }: DocumentScenarios): vscode.CodeLens[] {
  const [first] = attached;
  if (!first?.scenario.described.ok) return [];
  const { title, kernel } = first.scenario.described.info;
  const basis = basisOf(kernel, patch?.reviews ?? {});
  const how = basis.compares === 'patch' ? ' before and after' : '';
  const name =
    attached.length === 1 ? `scenario${how}: ${labelText(title, 60)}` : `${attached.length} scenarios${how}`;
  const address = uri.toString();
  return [
    lens(`$(play) Run ${name}`, `${basis.text}.`, 'tlbscope.runAllScenarios', [address]),
    lens('Simulate…', 'Choose a scenario and step through it in the panel', 'tlbscope.simulate', [
      undefined,
      address,
    ]),
  ];
}

const lens = (title: string, tooltip: string, command: string, args: unknown[]): vscode.CodeLens =>
  new vscode.CodeLens(top, { title, tooltip, command, arguments: args });
