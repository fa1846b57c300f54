/** Wires the extension; the same in both kinds of extension host. Nothing is read before a provider is asked. */
import * as vscode from 'vscode';
import { followHints, registerCommands } from './commands';
import type { Shared } from './context';
import { DecodedDocuments } from './decodedDocuments';
import { KernelTrees } from './kernelTree';
import { MachineFiles } from './machineFiles';
import { Machines } from './machines';
import { Models } from './models';
import { operationsText } from './present/labels';
import { CodeLenses } from './providers/codeLenses';
import { Folding } from './providers/folding';
import { Hovers } from './providers/hovers';
import { InlayHints } from './providers/inlayHints';
import { Links } from './providers/links';
import { Problems } from './providers/problems';
import { Ruler } from './providers/ruler';
import { StatusItem } from './providers/statusItem';
import { Symbols } from './providers/symbols';
import { ReproducedTables, reproduceCommands } from './reproduce';
import { Runs } from './runs';
import { registerSample } from './sampleDocument';
import { makePanel, type PanelFeature } from './panel/feature';
import { makeScenarios, type ScenarioFeature } from './scenarios/feature';
import { Settings } from './settings';
import { WorkerClient, type StartWorker } from './workerClient';

/** What `activate` returns; tests read it. */
export interface ExtensionApi {
  /** Time that `activate` itself took. */
  readonly activationMilliseconds: number;
  readonly scenarios: ScenarioFeature;
  readonly panel: PanelFeature;
}

/** Operations that the hunks of a document change, by header line. */
const deltas =
  (models: Models) =>
  (document: vscode.TextDocument): ReadonlyMap<number, string> =>
    new Map(
      models
        .peek(document)
        ?.report.annotations.map(hunk => [hunk.line, operationsText(hunk.delta, true, 60) || 'no change']) ??
        [],
    );

export function activateExtension(context: vscode.ExtensionContext, startWorker: StartWorker): ExtensionApi {
  const begun = performance.now();
  const log = vscode.window.createOutputChannel('TLBScope', { log: true });
  const settings = new Settings(log);
  const machines = new Machines(settings);
  const trees = new KernelTrees(settings);
  const makeWorker = (): WorkerClient =>
    new WorkerClient(
      startWorker,
      async name => vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, 'dist', name)),
      line => log.warn(line),
      asked => trees.answer(asked),
    );
  const worker = makeWorker();
  // Simulations take their time: hints do not wait for them.
  const simulations = makeWorker();
  const models = new Models(
    worker,
    log,
    () => ({
      machine: machines.current().id,
      features: settings.features,
      ...settings.symbols,
    }),
    trees,
  );
  const shared: Shared = { settings, models, machines, log, extensionUri: context.extensionUri };
  const runs = new Runs(simulations);
  const panel: PanelFeature = makePanel(shared, runs, context.workspaceState, () => scenarios);
  const scenarios = makeScenarios(shared, worker, runs, trees, panel.port);
  const tables = new ReproducedTables(simulations, log);
  context.subscriptions.push(
    log,
    settings,
    trees,
    worker,
    simulations,
    models,
    ...registerCommands(shared, scenarios.commands, panel.commands, reproduceCommands(tables)),
    ...panel.releasables,
    ...tables.register(),
    followHints(shared),
    registerSample(context.extensionUri),
    ...new CodeLenses(shared).register(),
    ...new InlayHints(shared).register(),
    ...new Hovers(shared).register(),
    ...new Symbols(shared, deltas(models)).register(),
    ...new Folding(shared).register(),
    ...new Links(shared).register(),
    ...new Ruler(shared).register(),
    ...new Problems(shared).register(),
    ...new MachineFiles([worker, simulations], machines, settings, log).register(),
    ...new DecodedDocuments(shared, worker).register(),
    ...new StatusItem(shared).register(),
    ...scenarios.register(),
  );
  const activationMilliseconds = performance.now() - begun;
  log.info(`Activated in ${activationMilliseconds.toFixed(1)} ms.`);
  return { activationMilliseconds, scenarios, panel };
}
