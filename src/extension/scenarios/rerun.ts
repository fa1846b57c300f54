/** Runs scenarios again when their file or the patch under review is saved: those that have been run already. */
import * as vscode from 'vscode';
import type { Releasable } from '../context';
import { withPatience } from '../progress';
import type { Settings } from '../settings';
import { Cancelled } from '../workerClient';
import type { Attachments } from './attachments';
import type { CurrentDocument } from './current';
import type { ScenarioLibrary } from './library';
import { isScenarioUri } from './names';
import type { Subject } from './request';
import type { ScenarioResults } from './results';
import { scenariosView } from './tree';

/** Scenarios of a patch that are run again at a save. */
const mostAgain = 20;

export interface RerunParts {
  readonly settings: Settings;
  readonly library: ScenarioLibrary;
  readonly attachments: Attachments;
  readonly current: CurrentDocument;
  readonly results: ScenarioResults;
  readonly log: vscode.LogOutputChannel;
}

export function registerRerun(parts: RerunParts): Releasable {
  return vscode.workspace.onDidSaveTextDocument(document => {
    if (parts.settings.rerunOnSave) void rerun(document, parts);
  });
}

async function rerun(document: vscode.TextDocument, parts: RerunParts): Promise<void> {
  const { results, log } = parts;
  try {
    const subjects = await (isScenarioUri(document.uri)
      ? ofScenarioFile(document, parts)
      : ofPatch(document, parts));
    if (!subjects.length) return;
    await withPatience('Running again', { viewId: scenariosView }, async ({ signal, progress }) => {
      for (const subject of subjects) await results.run(subject, signal, progress);
    });
  } catch (error) {
    // Why it could not be run stands in the tree.
    if (!(error instanceof Cancelled)) log.warn(`Running again: ${String(error)}`);
  }
}

/** A scenario that was run: by itself, and with the patch that the view is about. */
async function ofScenarioFile(
  document: vscode.TextDocument,
  { library, current, results }: RerunParts,
): Promise<Subject[]> {
  // What is saved is described a moment later.
  const scenario = await library.settled(document);
  if (!scenario?.described.ok || !results.hasRun(scenario)) return [];
  const view = current.scenarios;
  const here = view?.patch && view.attached.some(one => one.scenario.key === scenario.key) ? view : null;
  return [{ scenario, document: here }];
}

async function ofPatch(
  document: vscode.TextDocument,
  { attachments, results }: RerunParts,
): Promise<Subject[]> {
  // Nobody has run anything with it: nothing is read.
  if (!results.hasRunWith(document.uri)) return [];
  const found = await attachments.of(document);
  if (!found?.patch) return [];
  return found.attached
    .map(({ scenario }) => ({ scenario, document: found }))
    .filter(subject => results.of(subject)?.report)
    .slice(0, mostAgain);
}
