/** Wires what the extension does with scenarios. Nothing is looked for before a view, a patch or a command asks. */
import type { Releasable, Shared } from '../context';
import type { KernelTrees } from '../kernelTree';
import type { Runs } from '../runs';
import type { WorkerClient } from '../workerClient';
import { Attachments } from './attachments';
import { registerBuiltinDocuments } from './builtinDocuments';
import { scenarioCommands } from './commands';
import { CurrentDocument } from './current';
import { ScenarioLenses } from './lenses';
import { ScenarioLibrary } from './library';
import type { PanelPort } from './panelPort';
import { ScenarioPicker } from './pick';
import { ScenarioProblems } from './problems';
import { registerRerun } from './rerun';
import { ScenarioResults } from './results';
import { ScenarioTests } from './tests';
import { ScenarioTree } from './tree';

export interface ScenarioFeature {
  readonly library: ScenarioLibrary;
  readonly attachments: Attachments;
  readonly current: CurrentDocument;
  readonly results: ScenarioResults;
  readonly tree: ScenarioTree;
  readonly tests: ScenarioTests;
  readonly commands: ReturnType<typeof scenarioCommands>;
  /** After the verdicts of hunks: of lenses on one line, those that were registered last come first. */
  register(): Releasable[];
}

export function makeScenarios(
  shared: Shared,
  worker: WorkerClient,
  runs: Pick<Runs, 'run'>,
  trees: KernelTrees,
  panel: PanelPort,
): ScenarioFeature {
  const { settings, log } = shared;
  const library = new ScenarioLibrary(worker, log);
  const attachments = new Attachments(library, worker, log, trees, shared.models);
  const current = new CurrentDocument(attachments);
  const results = new ScenarioResults(runs, settings);
  const picker = new ScenarioPicker(library, attachments, current, results);
  const tree = new ScenarioTree(current, results);
  const tests = new ScenarioTests(library, results, log);
  return {
    ...{ library, attachments, current, results, tree, tests },
    commands: scenarioCommands({ shared, picker, results, current, panel }),
    register: () => [
      ...[library, attachments, current, results],
      settings.onDidChange(() => {
        library.retry();
        results.settingsChanged();
      }),
      registerBuiltinDocuments(),
      registerRerun({ settings, library, attachments, current, results, log }),
      ...tree.register(),
      ...new ScenarioProblems(library).register(),
      ...new ScenarioLenses(settings, attachments, current).register(),
      ...tests.register(),
    ],
  };
}
