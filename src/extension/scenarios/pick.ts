/** Which scenario a command is about: what it was given, else a list to choose from, those of the editor first. */
import * as vscode from 'vscode';
import type { RunReport } from '../../protocol/run';
import { labelText } from '../present/escape';
import { reportSummary } from '../present/scenarios';
import { type Attachments, documentKind, type DocumentScenarios } from './attachments';
import type { CurrentDocument } from './current';
import type { LibraryScenario, ScenarioLibrary } from './library';
import type { Subject } from './request';
import type { ScenarioResults } from './results';

/** A scenario, and one of its runs where that was chosen. */
export interface Picked {
  readonly subject: Subject;
  readonly run: Pick<RunReport, 'variant' | 'parameters'> | null;
}

interface Item extends vscode.QuickPickItem {
  readonly subject?: Subject;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export class ScenarioPicker {
  constructor(
    private readonly library: ScenarioLibrary,
    private readonly attachments: Attachments,
    private readonly current: CurrentDocument,
    private readonly results: ScenarioResults,
  ) {}

  /**
   * `args` of a command: a node of the tree; a scenario's address and a document's, either of them undefined; an address
   * from a menu; nothing. `suits` leaves out scenarios of the list. undefined: the user has left the list.
   */
  async pick(
    args: readonly unknown[],
    title: string,
    suits: (subject: Subject) => boolean = () => true,
  ): Promise<Picked | undefined> {
    const [given, where] = args;
    if (isRecord(given) && given['kind'] === 'run')
      return { subject: given['parent'] as Subject, run: given['run'] as RunReport };
    if (isRecord(given) && given['kind'] === 'scenario')
      return { subject: given as unknown as Subject, run: null };
    await this.library.load();
    const document = await this.document(where);
    const key = given instanceof vscode.Uri ? given.toString() : given;
    if (typeof key === 'string') {
      const scenario = this.library.get(key) ?? this.byName(key);
      if (scenario) return { subject: this.subject(scenario, document), run: null };
    }
    return this.choose(document, title, suits);
  }

  /** What an address (a text), or else the editor, is to scenarios. */
  async document(where?: unknown): Promise<DocumentScenarios | undefined> {
    const wanted = where instanceof vscode.Uri ? where.toString() : where;
    if (typeof wanted === 'string') {
      const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === wanted);
      return document && this.attachments.of(document);
    }
    const active = vscode.window.activeTextEditor?.document;
    if (active && documentKind(active)) return this.attachments.of(active);
    return this.current.scenarios;
  }

  /** A built-in one by its bare name, as on the command line. */
  private byName(name: string): LibraryScenario | undefined {
    return this.library.all().find(one => one.builtin && one.name === name);
  }

  private subject(scenario: LibraryScenario, document: DocumentScenarios | undefined): Subject {
    return { scenario, document: document?.patch ? document : null };
  }

  private async choose(
    document: DocumentScenarios | undefined,
    title: string,
    suits: (subject: Subject) => boolean,
  ): Promise<Picked | undefined> {
    const all = this.library.all().filter(({ described }) => described.ok);
    const near = new Set(document?.attached.map(({ scenario }) => scenario.key));
    const items = (group: string, scenarios: readonly LibraryScenario[]): Item[] => {
      const subjects = scenarios.map(one => this.subject(one, document)).filter(suits);
      const separator = { label: group, kind: vscode.QuickPickItemKind.Separator };
      return subjects.length ? [separator, ...subjects.map(one => this.item(one))] : [];
    };
    const name = document ? labelText(document.uri.path.split('/').pop() ?? '', 60) : '';
    const listed = [
      ...items(
        `about ${name}`,
        all.filter(({ key }) => near.has(key)),
      ),
      ...items(
        'others in files',
        all.filter(({ key, builtin }) => !builtin && !near.has(key)),
      ),
      ...items(
        'others, built in',
        all.filter(({ key, builtin }) => builtin && !near.has(key)),
      ),
    ];
    if (!listed.length) {
      vscode.window.setStatusBarMessage('TLBScope: no scenario can be used for this.', 6000);
      return undefined;
    }
    const picked = await vscode.window.showQuickPick(listed, {
      ...{ title, matchOnDescription: true, matchOnDetail: true },
      placeHolder: 'A scenario',
    });
    return picked?.subject && { subject: picked.subject, run: null };
  }

  private item(subject: Subject): Item {
    const { scenario } = subject;
    const info = scenario.described.ok ? scenario.described.info : null;
    const result = this.results.of(subject);
    const last = result?.report
      ? `${result.stale ? 'out of date: ' : ''}${reportSummary(result.report)}`
      : '';
    return {
      label: labelText(info?.title ?? scenario.name, 120),
      description: last || (scenario.builtin ? 'built in' : vscode.workspace.asRelativePath(scenario.uri)),
      detail: labelText(info?.about ?? '', 200),
      subject,
    };
  }
}
