/** Wires the state panel. Nothing is run before a command or a page asks. */
import * as vscode from 'vscode';
import { isPanelView } from '../../protocol/panelCheck';
import { isNumber, isSequence, isText, mapOf, orNull, shape } from '../../protocol/check';
import { pageCommands } from '../../protocol/panel';
import type { Releasable, Shared } from '../context';
import type { Runs } from '../runs';
import type { PanelPort, Showing } from '../scenarios/panelPort';
import { panelCommands } from './commands';
import { KernelDocuments } from './kernelDocuments';
import { CurrentLine } from './lines';
import { PanelModel, type PanelMemory, type ShowOptions } from './model';
import { PanelOutputs } from './outputs';
import type { PageActions } from './page';
import { LibrarySource, panelSubject, type ScenarioParts } from './source';
import { PanelViews } from './views';

const memoryKey = 'tlbscope.panel';
/** After the last change. */
const quietMilliseconds = 400;

const isMemory = (value: unknown): value is PanelMemory =>
  shape({
    id: isText,
    patch: orNull(isText),
    choice: shape({ before: isText, after: orNull(isText), parameters: mapOf(isNumber) }),
    view: isPanelView,
    seq: isSequence,
    sweep: orNull(isText),
  })(value);

export interface PanelFeature {
  readonly model: PanelModel;
  readonly outputs: PanelOutputs;
  readonly port: PanelPort;
  readonly commands: ReturnType<typeof panelCommands>;
  readonly releasables: readonly Releasable[];
}

/** How a showing is asked of the model. */
function optionsOf({ run, compare, sweep }: Showing): ShowOptions {
  const tab = sweep !== null ? 'sweep' : compare ? 'compare' : 'cpus';
  const choice = compare ?? (run ? { before: run.variant, after: null, parameters: run.parameters } : {});
  return { choice, sweep, view: { tab, side: 0 } };
}

export function makePanel(
  shared: Shared,
  runs: Runs,
  memory: vscode.Memento,
  /** They are there after this is made. */
  parts: () => ScenarioParts,
): PanelFeature {
  const { settings, models, log, extensionUri } = shared;
  const source = new LibrarySource(parts, settings);
  const model = new PanelModel(runs, source, line => log.error(line));
  const outputs = new PanelOutputs(model, models);
  const lines = new CurrentLine(model, models, () => views.tabColumn);
  const actions: PageActions = {
    reveal: (side, seq) => lines.reveal(side, seq),
    exportTrace: format => outputs.exportTrace(format),
    savePicture: (format, bytes) => outputs.savePicture(format, bytes),
    copyText: () => outputs.copyText(),
    command: async name => {
      if (pageCommands.some(one => one === name)) await vscode.commands.executeCommand(name);
      return '';
    },
  };
  const kept = memory.get<unknown>(memoryKey);
  let remembered = isMemory(kept) ? kept : null;
  const opened = (): void => {
    const last = remembered;
    remembered = null;
    if (last && !model.subject) void model.restore(last);
  };
  const views: PanelViews = new PanelViews(extensionUri, model, actions, line => log.warn(line), opened);
  let timer: ReturnType<typeof setTimeout> | undefined;
  model.listen(({ what }) => {
    if (what === 'all')
      void vscode.commands.executeCommand('setContext', 'tlbscope.stateShown', model.shown.length > 0);
    if (what === 'progress' || what === 'library') return;
    clearTimeout(timer);
    timer = setTimeout(() => void memory.update(memoryKey, model.memory ?? undefined), quietMilliseconds);
  });
  const documents = new KernelDocuments(runs, source, () => model.subject);
  return {
    ...{ model, outputs },
    port: {
      show: async showing => {
        const subject = panelSubject(showing.subject, settings);
        remembered = null;
        await views.reveal();
        await model.show(subject, optionsOf(showing));
      },
    },
    commands: panelCommands({ model, views, outputs }),
    releasables: [
      { dispose: () => clearTimeout(timer) },
      { dispose: () => model.dispose() },
      lines,
      documents.register(),
      ...views.register(),
    ],
  };
}
