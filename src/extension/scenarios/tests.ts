/** The `expect` blocks of scenario files in the Test Explorer: file, scenario, run, expectation. */
import * as vscode from 'vscode';
import type { RunReport, ScenarioReport } from '../../protocol/run';
import type { RunInfo, ScenarioInfo } from '../../scenario/describe';
import type { Releasable } from '../context';
import { plainText } from '../present/escape';
import { reportSummary, runName, runSummary } from '../present/scenarios';
import { Cancelled } from '../workerClient';
import type { LibraryScenario, ScenarioLibrary } from './library';
import type { ScenarioResults } from './results';

/** A scenario with more runs has one test for each run, without its expectations one by one. */
const mostExpectationItems = 1_000;

const at = (line: number): vscode.Range => new vscode.Range(line - 1, 0, line - 1, 0);

/** Ids below a file's item: `scenario`, `scenario/3` (a run), `scenario/3/0` (an expectation). */
const scenarioId = 'scenario';

export class ScenarioTests {
  readonly controller = vscode.tests.createTestController('tlbscope', 'TLBScope scenarios');
  /** File item → the scenario it was made of. */
  private readonly made = new Map<string, LibraryScenario>();

  constructor(
    private readonly library: ScenarioLibrary,
    private readonly results: ScenarioResults,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  register(): Releasable[] {
    this.controller.resolveHandler = async item => {
      if (item) return;
      await this.library.load();
      this.update();
    };
    this.controller.refreshHandler = async () => {
      await this.library.load();
      this.update();
    };
    this.controller.createRunProfile(
      'Run',
      vscode.TestRunProfileKind.Run,
      (request, token) => this.run(request, token),
      true,
    );
    return [this.controller, this.library.onDidChange(() => this.update())];
  }

  private update(): void {
    const files = this.library.all().filter(({ builtin }) => !builtin);
    const keys = new Set(files.map(({ key }) => key));
    for (const [id] of [...this.controller.items]) if (!keys.has(id)) this.controller.items.delete(id);
    for (const key of this.made.keys()) if (!keys.has(key)) this.made.delete(key);
    for (const scenario of files)
      if (this.made.get(scenario.key) !== scenario) {
        this.made.set(scenario.key, scenario);
        this.controller.items.add(this.fileItem(scenario));
      }
  }

  private fileItem(scenario: LibraryScenario): vscode.TestItem {
    const { key, uri, described, name } = scenario;
    const item = this.controller.createTestItem(key, `${name}.tlbscope.jsonc`, uri);
    item.description = vscode.workspace.asRelativePath(uri).split('/').slice(0, -1).join('/');
    if (described.ok) item.children.add(this.scenarioItem(scenario, described.info));
    else item.error = described.diagnostics.map(({ line, message }) => `line ${line}: ${message}`).join('\n');
    return item;
  }

  private scenarioItem({ uri }: LibraryScenario, info: ScenarioInfo): vscode.TestItem {
    const item = this.controller.createTestItem(scenarioId, plainText(info.title, 120), uri);
    item.range = at(1);
    const each = info.runs.reduce((sum, { expectations }) => sum + expectations.length, 0);
    info.runs.forEach((run, index) => {
      const child = this.controller.createTestItem(
        `${scenarioId}/${index}`,
        plainText(runName(run), 120),
        uri,
      );
      child.range = at(1);
      child.sortText = String(index).padStart(5, '0');
      if (each <= mostExpectationItems) this.addExpectations(child, uri, info, run, index);
      item.children.add(child);
    });
    if (info.runCount > info.runs.length)
      item.description = `the first ${info.runs.length} of ${info.runCount} runs are listed; all run`;
    return item;
  }

  private addExpectations(
    parent: vscode.TestItem,
    uri: vscode.Uri,
    info: ScenarioInfo,
    run: RunInfo,
    index: number,
  ): void {
    run.expectations.forEach((which, place) => {
      const { text, line } = info.expectations[which]!;
      const item = this.controller.createTestItem(
        `${scenarioId}/${index}/${place}`,
        plainText(text, 160),
        uri,
      );
      item.range = at(line);
      item.sortText = String(place).padStart(3, '0');
      parent.children.add(item);
    });
  }

  /** What the run profile does. */
  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    const abort = new AbortController();
    const listening = [
      token.onCancellationRequested(() => abort.abort()),
      run.token.onCancellationRequested(() => abort.abort()),
    ];
    try {
      await this.library.load();
      for (const [file, wanted] of this.chosen(request)) {
        if (abort.signal.aborted) break;
        const scenario = this.made.get(file.id);
        if (scenario) await this.runFile(run, file, scenario, wanted, abort.signal);
      }
    } finally {
      listening.forEach(one => void one.dispose());
      run.end();
    }
  }

  /** Files to run, each with the items of it that results are wanted for: those chosen and what is below them. */
  private chosen(request: vscode.TestRunRequest): Map<vscode.TestItem, Set<vscode.TestItem>> {
    const roots = request.include ?? [...this.controller.items].map(([, item]) => item);
    const excluded = new Set(request.exclude ?? []);
    const files = new Map<vscode.TestItem, Set<vscode.TestItem>>();
    for (const root of roots) {
      let file = root;
      while (file.parent) file = file.parent;
      const wanted = files.get(file) ?? new Set();
      const add = (item: vscode.TestItem): void => {
        if (excluded.has(item)) return;
        wanted.add(item);
        item.children.forEach(add);
      };
      add(root);
      files.set(file, wanted);
    }
    return files;
  }

  private async runFile(
    run: vscode.TestRun,
    file: vscode.TestItem,
    scenario: LibraryScenario,
    wanted: ReadonlySet<vscode.TestItem>,
    signal: AbortSignal,
  ): Promise<void> {
    if (!scenario.described.ok) {
      const errors = scenario.described.diagnostics.map(({ line, message }) =>
        located(new vscode.TestMessage(message), file.uri!, line),
      );
      return run.errored(file, errors);
    }
    // Results stand at the leaves: what is above them follows from them.
    const leaves = [...wanted].filter(item => item.children.size === 0);
    leaves.forEach(item => run.started(item));
    try {
      const report = await this.results.run({ scenario, document: null }, signal);
      run.appendOutput(`${scenario.name}: ${reportSummary(report)}\r\n`, undefined, file);
      leaves.forEach(item => this.settle(run, item, scenario, report));
    } catch (error) {
      if (error instanceof Cancelled) leaves.forEach(item => run.skipped(item));
      else {
        const reason = error instanceof Error ? error.message : String(error);
        this.log.warn(`${scenario.key}: ${reason}`);
        leaves.forEach(item => run.errored(item, new vscode.TestMessage(reason)));
      }
    }
  }

  private settle(
    run: vscode.TestRun,
    item: vscode.TestItem,
    scenario: LibraryScenario,
    report: ScenarioReport,
  ): void {
    const [, index, place] = item.id.split('/');
    const result = report.runs[Number(index)];
    if (index === undefined || !result) return run.skipped(item);
    const outcomes =
      place === undefined ? result.expect : result.expect.slice(Number(place), Number(place) + 1);
    // Once for each run, not for each of its expectations.
    if (place === undefined || place === '0')
      run.appendOutput(
        `  ${runName(result)}: ${runSummary(result, report.runs)}\r\n${result.why.map(why => `    ${why}\r\n`).join('')}`,
        undefined,
        item,
      );
    // Without an expectation there is nothing that could fail.
    if (!outcomes.length) return run.skipped(item);
    const messages = outcomes.filter(({ ok }) => !ok).map(one => messageOf(one, result, scenario.uri));
    if (messages.length) run.failed(item, messages);
    else run.passed(item);
  }
}

function located(message: vscode.TestMessage, uri: vscode.Uri, line: number): vscode.TestMessage {
  message.location = new vscode.Location(uri, at(Math.max(1, line)));
  return message;
}

function messageOf(
  { text, found, line }: RunReport['expect'][number],
  result: RunReport,
  uri: vscode.Uri,
): vscode.TestMessage {
  const actual = found === null ? 'not known' : String(found);
  const why = result.why.length ? `\n${result.why.join('\n')}` : '';
  const message = new vscode.TestMessage(`${runName(result)}: expected ${text}, found ${actual}${why}`);
  message.expectedOutput = text;
  message.actualOutput = `${text.split(/ [=<>]=/)[0] ?? ''} is ${actual}`;
  return located(message, uri, line);
}
