/** The view of the scenarios that say something about the active editor, with their last results. */
import * as vscode from 'vscode';
import type { RunReport } from '../../protocol/run';
import type { Releasable } from '../context';
import { markdownText, plainText } from '../present/escape';
import {
  outcomeOf,
  reportSummary,
  runName,
  runOutcome,
  runSummary,
  type Outcome,
} from '../present/scenarios';
import type { AttachedScenario, DocumentScenarios } from './attachments';
import type { CurrentDocument } from './current';
import type { ScenarioResult, ScenarioResults } from './results';
import type { Subject } from './request';

export const scenariosView = 'tlbscope.scenarios';

export interface ScenarioNode extends Subject {
  readonly kind: 'scenario';
  readonly because: readonly string[];
  readonly document: DocumentScenarios;
}

/** One run of a scenario's last report. */
export interface RunNode {
  readonly kind: 'run';
  readonly parent: ScenarioNode;
  readonly run: RunReport;
}

export type TreeNode = ScenarioNode | RunNode;

/** Runs that are listed; the panel has the others. */
const mostRuns = 200;
/** A sweep reports each run: the view is drawn again at most so often. */
const redrawMilliseconds = 150;

const icons: Readonly<Record<Outcome, vscode.ThemeIcon>> = {
  passed: new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed')),
  failed: new vscode.ThemeIcon('error', new vscode.ThemeColor('testing.iconFailed')),
  unsafe: new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground')),
  unknown: new vscode.ThemeIcon('question', new vscode.ThemeColor('testing.iconSkipped')),
  changed: new vscode.ThemeIcon('diff-modified', new vscode.ThemeColor('charts.blue')),
};
const words: Readonly<Record<Outcome, string>> = {
  ...{ passed: 'as expected', failed: 'an expectation does not hold', unsafe: 'not safe' },
  unknown: 'not known',
  changed: 'the patch changes figures',
};

export class ScenarioTree implements vscode.TreeDataProvider<TreeNode> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private view: vscode.TreeView<TreeNode> | undefined;

  constructor(
    private readonly current: CurrentDocument,
    private readonly results: ScenarioResults,
  ) {}

  register(): Releasable[] {
    const view = vscode.window.createTreeView<TreeNode>(scenariosView, {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.view = view;
    return [
      view,
      this.changed,
      { dispose: () => clearTimeout(this.timer) },
      // Nothing is read for a view that nobody looks at.
      view.onDidChangeVisibility(({ visible }) => visible && this.current.follow()),
      this.current.onDidChange(() => this.redraw()),
      this.results.onDidChange(() => this.later()),
    ];
  }

  getChildren(node?: TreeNode): TreeNode[] {
    this.current.follow();
    if (!node) return this.scenarios();
    if (node.kind === 'run') return [];
    const runs = this.results.of(node)?.report?.runs ?? [];
    return runs.slice(0, mostRuns).map(run => ({ kind: 'run', parent: node, run }));
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return node.kind === 'run' ? node.parent : undefined;
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    return node.kind === 'run' ? this.runItem(node) : this.scenarioItem(node);
  }

  private scenarios(): ScenarioNode[] {
    const document = this.current.scenarios;
    if (!document) return [];
    return document.attached.map(({ scenario, because }: AttachedScenario) => ({
      ...{ kind: 'scenario', scenario, because, document },
    }));
  }

  private redraw(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.view) {
      const document = this.current.scenarios;
      this.view.description = document ? plainText(document.uri.path.split('/').pop() ?? '', 60) : '';
      this.view.message = this.message();
    }
    this.changed.fire(undefined);
  }

  private later(): void {
    this.timer ??= setTimeout(() => this.redraw(), redrawMilliseconds);
  }

  /** What is compared: said once above the list, where all say the same. */
  private message(): string {
    const texts = new Set(this.scenarios().map(node => this.results.plan(node).basis.text));
    return texts.size === 1 && this.current.scenarios?.kind === 'patch' ? `${[...texts][0]!}.` : '';
  }

  private scenarioItem(node: ScenarioNode): vscode.TreeItem {
    const { scenario, document } = node;
    const { described } = scenario;
    const result = this.results.of(node);
    const item = new vscode.TreeItem(
      plainText(scenario.name, 80),
      result?.report?.runs.length
        ? vscode.TreeItemCollapsibleState.Collapsed
        : vscode.TreeItemCollapsibleState.None,
    );
    item.id = `${document.uri.toString()}\n${scenario.key}`;
    item.description = this.describe(node, result);
    item.iconPath = iconOf(node, result);
    item.tooltip = this.tooltip(node, result);
    item.contextValue = result?.running ? 'scenario-running' : described.ok ? 'scenario' : 'scenario-damaged';
    item.accessibilityInformation = {
      label: `${scenario.name}, ${described.ok ? described.info.title : ''}. ${result?.report && !result.running ? words[outcomeOf(result.report, scenario.builtin)] : ''} ${item.description}`,
    };
    return item;
  }

  private describe(node: ScenarioNode, result: ScenarioResult | undefined): string {
    const { described } = node.scenario;
    if (!described.ok) {
      const [first] = described.diagnostics;
      return first ? `line ${first.line}: ${plainText(first.message, 120)}` : 'cannot be read';
    }
    if (result?.running) {
      const { done, total } = result.running;
      return total ? `running, ${done} of ${total}` : 'running';
    }
    if (result?.failure) return plainText(result.failure, 160);
    if (!result?.report) return plainText(described.info.title, 120);
    return `${result.stale ? 'out of date: ' : ''}${reportSummary(result.report)}`;
  }

  private tooltip(node: ScenarioNode, result: ScenarioResult | undefined): vscode.MarkdownString {
    const { scenario, because } = node;
    const info = scenario.described.ok ? scenario.described.info : null;
    const origin = scenario.builtin ? 'Built in' : vscode.workspace.asRelativePath(scenario.uri);
    const basis = result?.report ? result.basis : this.results.plan(node).basis;
    const lines = [
      ...(info ? [`**${markdownText(info.title)}**`, markdownText(info.about, 600)] : []),
      `${markdownText(basis.text, 400)}\\.`,
      ...(because.length ? [`Applies because of ${markdownText(because.join(', '), 300)}\\.`] : []),
      ...notesOf(result),
      ...(result?.stale
        ? ['The scenario, the patch, the machine or the features have changed since it was run\\.']
        : []),
      markdownText(`${origin}${info ? `, ${info.runCount} runs on ${info.cpus} CPUs` : ''}.`),
    ];
    return new vscode.MarkdownString(lines.filter(Boolean).join('\n\n'));
  }

  private runItem({ parent, run }: RunNode): vscode.TreeItem {
    const runs = this.results.of(parent)?.report?.runs ?? [run];
    const item = new vscode.TreeItem(plainText(runName(run), 120));
    item.id = `${parent.document.uri.toString()}\n${parent.scenario.key}\n${runName(run)}`;
    item.description = plainText(runSummary(run, runs), 240);
    const { scenario } = parent;
    const reviewed = scenario.builtin && this.results.of(parent)?.report?.compares === 'patch';
    const outcome = runOutcome(run, reviewed);
    item.iconPath = icons[outcome];
    item.contextValue = 'run';
    const reasons = [
      ...run.why,
      ...run.expect
        .filter(({ ok }) => !ok)
        .map(one => `expected ${one.text}, found ${one.found ?? 'nothing known'}`),
      ...(run.notes ?? []),
      ...run.unknown.map(({ name, why }) => `unknown: ${name}: ${why}`),
      ...run.assumed.map(one => `assumed: ${one}`),
    ];
    item.tooltip = new vscode.MarkdownString(
      [
        `**${markdownText(runName(run))}**, on ${markdownText(run.machine)} with ${markdownText(run.features.join(', ') || 'no features')}`,
        ...reasons.slice(0, 12).map(one => `- ${markdownText(one)}`),
      ].join('\n\n'),
    );
    item.command = {
      title: 'Show in the panel',
      command: 'tlbscope.simulate',
      arguments: [{ kind: 'run', parent, run }],
    };
    item.accessibilityInformation = {
      label: `${item.label as string}. ${words[outcome]}. ${item.description}`,
    };
    return item;
  }
}

/** What holds of the runs beside their figures, each once. */
function notesOf(result: ScenarioResult | undefined): string[] {
  const notes = new Set(result?.report?.runs.flatMap(run => run.notes ?? []));
  return [...notes].slice(0, 8).map(note => markdownText(note));
}

function iconOf({ scenario }: ScenarioNode, result: ScenarioResult | undefined): vscode.ThemeIcon {
  if (!scenario.described.ok || result?.failure) return icons.failed;
  if (result?.running) return new vscode.ThemeIcon('sync~spin');
  if (!result?.report) return new vscode.ThemeIcon('circle-large-outline');
  return result.stale ? new vscode.ThemeIcon('history') : icons[outcomeOf(result.report, scenario.builtin)];
}
