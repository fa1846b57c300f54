/** Commands about scenarios. Each can be used from the palette alone: what is not given is chosen from a list. */
import * as vscode from 'vscode';
import type { Shared } from '../context';
import { labelText } from '../present/escape';
import { csvText, jsonText, mailText } from '../present/resultTable';
import { outcomeOf, reportSummary } from '../present/scenarios';
import { withPatience } from '../progress';
import { Cancelled } from '../workerClient';
import type { CurrentDocument } from './current';
import { newScenario } from './newScenario';
import type { PanelPort, Showing } from './panelPort';
import type { ScenarioPicker } from './pick';
import type { Subject } from './request';
import type { ScenarioResults } from './results';

type Run = (...args: unknown[]) => unknown;

export interface ScenarioCommandParts {
  readonly shared: Shared;
  readonly picker: ScenarioPicker;
  readonly results: ScenarioResults;
  readonly current: CurrentDocument;
  readonly panel: PanelPort;
}

const say = (text: string): unknown => vscode.window.setStatusBarMessage(`TLBScope: ${text}`, 8000);

const titleOf = ({ scenario }: Subject): string =>
  labelText(scenario.described.ok ? scenario.described.info.title : scenario.name, 80);

const nothing = { run: null, compare: null, sweep: null } as const;

/** Steps through a scenario, or one of its runs, in the panel. */
async function simulate({ picker, panel }: ScenarioCommandParts, args: unknown[]): Promise<void> {
  const picked = await picker.pick(args, 'TLBScope: simulate a scenario');
  if (picked) await panel.show({ ...nothing, ...picked });
}

/** Runs everything of a scenario; its results stand in the view. */
async function runScenario({ picker, results }: ScenarioCommandParts, args: unknown[]): Promise<void> {
  const picked = await picker.pick(args, 'TLBScope: run a scenario');
  if (!picked) return;
  const { subject } = picked;
  const report = await withPatience(
    `Running ${titleOf(subject)}`,
    vscode.ProgressLocation.Notification,
    ({ signal, progress }) => results.run(subject, signal, progress),
  );
  say(`${titleOf(subject)}: ${reportSummary(report)}`);
}

async function runAll({ picker, results }: ScenarioCommandParts, [where]: unknown[]): Promise<void> {
  const document = await picker.document(where);
  const attached = document?.attached.filter(({ scenario }) => scenario.described.ok) ?? [];
  if (!document || !attached.length) return void say('no scenario says anything about this file.');
  const { stops } = results;
  const counts = await withPatience(
    'Running scenarios',
    vscode.ProgressLocation.Notification,
    async ({ signal, progress }) => {
      const found: Record<string, number> = {};
      const count = (outcome: string): void => void (found[outcome] = (found[outcome] ?? 0) + 1);
      for (const [done, { scenario }] of attached.entries()) {
        const subject = { scenario, document };
        progress(done, attached.length, titleOf(subject));
        try {
          const report = await results.run(subject, signal);
          count(outcomeOf(report, scenario.builtin));
        } catch (error) {
          if (signal.aborted || results.stops !== stops) throw error;
          // One that somebody has begun anew is theirs. Of others the view says why they could not be run.
          if (!(error instanceof Cancelled)) count('failed');
        }
      }
      return found;
    },
  );
  const changed = counts['changed'] ? `, in ${counts['changed']} the patch changes figures` : '';
  say(`${counts['passed'] ?? 0} of ${attached.length} scenarios are as expected${changed}.`);
}

/** Before and after the patch; without one that applies, two variants of the scenario. */
async function compare({ picker, results, panel }: ScenarioCommandParts, args: unknown[]): Promise<void> {
  const picked = await picker.pick(
    args,
    'TLBScope: compare before and after',
    subject =>
      results.plan(subject).basis.compares === 'patch' ||
      (subject.scenario.described.ok && subject.scenario.described.info.variants.length > 1),
  );
  if (!picked) return;
  const { subject } = picked;
  const { basis } = results.plan(subject);
  const chosen =
    basis.compares === 'patch'
      ? { before: 'before', after: 'after' }
      : await chooseVariants(subject, basis.text);
  if (chosen) await panel.show({ ...nothing, subject, compare: chosen });
}

async function chooseVariants({ scenario }: Subject, why: string): Promise<Showing['compare'] | undefined> {
  const names = scenario.described.ok ? scenario.described.info.variants : [];
  if (names.length < 2) return void say(`nothing to compare with. ${why}.`);
  if (names.length === 2) return { before: names[0]!, after: names[1]! };
  const ask = (title: string, from: readonly string[]): Thenable<string | undefined> =>
    vscode.window.showQuickPick(from, { title: `TLBScope: ${title}`, placeHolder: `${why}.` });
  const before = await ask('the variant before', names);
  if (before === undefined) return undefined;
  const after = await ask(
    'the variant after',
    names.filter(name => name !== before),
  );
  return after === undefined ? undefined : { before, after };
}

/** A plot over the values of a parameter: the pages of the flushed range, where the scenario has them. */
async function sweep({ picker, panel }: ScenarioCommandParts, args: unknown[]): Promise<void> {
  const parametersOf = ({ scenario: { described } }: Subject): string[] =>
    described.ok
      ? described.info.parameters.filter(({ values }) => values.length > 1).map(({ name }) => name)
      : [];
  const picked = await picker.pick(
    args,
    'TLBScope: sweep a parameter of a scenario',
    subject => parametersOf(subject).length > 0,
  );
  if (!picked) return;
  const { subject } = picked;
  const names = parametersOf(subject);
  const usual = names.find(name => name === 'n' || name === 'pages') ?? names[0];
  if (usual === undefined)
    return void say(
      'this scenario has no parameter with several values; give it "n": { "from": 1, "to": 50 }.',
    );
  const others = names.filter(name => name !== usual);
  const name = others.length
    ? await vscode.window.showQuickPick([usual, ...others], { title: 'TLBScope: the parameter to sweep' })
    : usual;
  if (name !== undefined) await panel.show({ ...nothing, subject, sweep: name });
}

async function open({ picker }: ScenarioCommandParts, args: unknown[]): Promise<void> {
  const picked = await picker.pick(args, 'TLBScope: open a scenario');
  if (!picked) return;
  const document = await vscode.workspace.openTextDocument(picked.subject.scenario.uri);
  await vscode.window.showTextDocument(document, { preview: true });
}

/** The last results; where there are none, it is run first. */
async function reported(
  { picker, results }: ScenarioCommandParts,
  args: unknown[],
  title: string,
): Promise<{ subject: Subject; text: (kind: 'mail' | 'csv' | 'json') => string } | undefined> {
  const picked = await picker.pick(args, title);
  if (!picked) return undefined;
  const { subject } = picked;
  const last = results.of(subject);
  const report =
    last?.report && !last.stale
      ? last.report
      : await withPatience(
          `Running ${titleOf(subject)}`,
          vscode.ProgressLocation.Notification,
          ({ signal, progress }) => results.run(subject, signal, progress),
        );
  const { basis } = results.plan(subject);
  const texts = { mail: mailText, csv: csvText, json: jsonText };
  return { subject, text: kind => texts[kind](report, basis) };
}

interface Format extends vscode.QuickPickItem {
  readonly as: 'mail' | 'csv' | 'json';
  readonly language: string;
}

const formats: readonly Format[] = [
  { label: 'CSV', description: 'one row for each run', as: 'csv', language: 'plaintext' },
  { label: 'JSON', description: 'everything that is known of each run', as: 'json', language: 'json' },
  { label: 'Text', description: 'for a mail, 75 columns', as: 'mail', language: 'plaintext' },
];

/** A new document with the results: where it is saved, if at all, is the user's. */
async function exportResults(parts: ScenarioCommandParts, args: unknown[]): Promise<void> {
  const made = await reported(parts, args, 'TLBScope: export the results of a scenario');
  if (!made) return;
  const wanted = formats.find(one => one.as === args[2]);
  const format = wanted ?? (await vscode.window.showQuickPick(formats, { title: 'TLBScope: export as' }));
  if (!format) return;
  const document = await vscode.workspace.openTextDocument({
    ...{ language: format.language, content: made.text(format.as) },
  });
  await vscode.window.showTextDocument(document);
}

async function copyResults(parts: ScenarioCommandParts, args: unknown[]): Promise<void> {
  const made = await reported(parts, args, 'TLBScope: copy the results of a scenario as text');
  if (!made) return;
  await vscode.env.clipboard.writeText(made.text('mail'));
  say(`the results of ${titleOf(made.subject)} are in the clipboard.`);
}

/** Name → what it does. */
export const scenarioCommands = (parts: ScenarioCommandParts): Readonly<Record<string, Run>> => ({
  'tlbscope.simulate': (...args) => simulate(parts, args),
  'tlbscope.runScenario': (...args) => runScenario(parts, args),
  'tlbscope.runAllScenarios': (...args) => runAll(parts, args),
  'tlbscope.stopScenarios': () => parts.results.stop(),
  'tlbscope.compare': (...args) => compare(parts, args),
  'tlbscope.sweep': (...args) => sweep(parts, args),
  'tlbscope.openScenario': (...args) => open(parts, args),
  'tlbscope.newScenario': template => newScenario(parts.shared, template),
  'tlbscope.exportResults': (...args) => exportResults(parts, args),
  'tlbscope.copyResults': (...args) => copyResults(parts, args),
});
