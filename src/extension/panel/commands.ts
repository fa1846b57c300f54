/** Commands of the state panel. */
import * as vscode from 'vscode';
import type { PanelAction } from '../../protocol/panel';
import type { PanelModel } from './model';
import type { PanelOutputs } from './outputs';
import type { PanelViews } from './views';

type Run = (...args: unknown[]) => unknown;

export interface PanelCommandParts {
  readonly model: PanelModel;
  readonly views: PanelViews;
  readonly outputs: PanelOutputs;
}

const say = (text: string): unknown => text && vscode.window.setStatusBarMessage(`TLBScope: ${text}`, 6000);

async function exportTrace({ outputs }: PanelCommandParts, given: unknown): Promise<void> {
  const format =
    given === 'json' || given === 'csv'
      ? given
      : await vscode.window.showQuickPick(['JSON', 'CSV'], { title: 'TLBScope: save the trace as' });
  if (format) say(await outputs.exportTrace(format.toLowerCase() as 'json' | 'csv'));
}

/** The page has the picture: it must be there. */
async function exportPicture({ views }: PanelCommandParts, given: unknown): Promise<void> {
  const format =
    given === 'svg' || given === 'png'
      ? given
      : await vscode.window.showQuickPick(['SVG', 'PNG'], { title: 'TLBScope: save the timeline as' });
  if (!format) return;
  await views.reveal();
  views.act(format.toLowerCase() === 'svg' ? 'exportSvg' : 'exportPng');
}

const act =
  ({ views }: PanelCommandParts, action: PanelAction) =>
  async (): Promise<void> => {
    await views.reveal();
    views.act(action);
  };

/** Name → what it does. */
export const panelCommands = (parts: PanelCommandParts): Readonly<Record<string, Run>> => ({
  'tlbscope.showState': () => parts.views.reveal(),
  'tlbscope.showStateInTab': () => parts.views.openTab(),
  'tlbscope.stepForward': act(parts, 'step'),
  'tlbscope.stepBack': act(parts, 'stepBack'),
  'tlbscope.playRun': act(parts, 'play'),
  'tlbscope.nextIpi': act(parts, 'nextIpi'),
  'tlbscope.nextFlush': act(parts, 'nextFlush'),
  'tlbscope.firstStaleUse': act(parts, 'firstStale'),
  'tlbscope.copyState': async () => say(await parts.outputs.copyText()),
  'tlbscope.exportTrace': format => exportTrace(parts, format),
  'tlbscope.exportPicture': format => exportPicture(parts, format),
});
