/** Published tables beside what the models say, worked out in the worker and shown as pages with their plots. */
import * as vscode from 'vscode';
import type { TablePage } from '../protocol/reproduce';
import type { Releasable, Shared } from './context';
import { withPatience } from './progress';
import type { WorkerClient } from './workerClient';

const scheme = 'tlbscope-table';

interface Item extends vscode.QuickPickItem {
  readonly tables: readonly string[];
}

export class ReproducedTables implements vscode.TextDocumentContentProvider {
  private readonly pages = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly worker: WorkerClient,
    private readonly log: Shared['log'],
  ) {}

  register(): Releasable[] {
    return [this.changed, vscode.workspace.registerTextDocumentContentProvider(scheme, this)];
  }

  /** After a restart the page is worked out again. */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const known = this.pages.get(uri.path);
    if (known !== undefined) return known;
    const ids = uri.query.split(',').filter(Boolean);
    return text(await this.make(ids, new AbortController().signal));
  }

  /** `given`: ids of tables, such as `R1`; else they are chosen from a list. */
  async show(given: unknown): Promise<void> {
    const ids = Array.isArray(given) ? given.filter(one => typeof one === 'string') : await this.choose();
    if (!ids) return;
    const pages = await withPatience(
      'Reproducing published tables',
      vscode.ProgressLocation.Notification,
      ({ signal, progress }) => this.make(ids, signal, progress),
    );
    const path = `/${ids.length === 1 ? ids[0]! : 'Published tables'}.md`;
    const uri = vscode.Uri.from({ scheme, path, query: ids.join(',') });
    this.pages.set(path, text(pages));
    this.changed.fire(uri);
    try {
      await vscode.commands.executeCommand('markdown.showPreview', uri);
    } catch (error) {
      // The preview is an extension of VS Code's that can be off: the text says the same without the plots.
      this.log.info(`No preview of Markdown: ${String(error)}`);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    }
  }

  private async choose(): Promise<readonly string[] | undefined> {
    const answer = await this.worker.ask({ type: 'tables' }, new AbortController().signal);
    if (answer.type !== 'tables') throw new Error(`the worker answered ${answer.type}`);
    const items: Item[] = [
      { label: 'All tables', description: `${answer.tables.length}`, tables: [] },
      ...answer.tables.map(({ id, title }) => ({ label: id, description: title, tables: [id] })),
    ];
    const picked = await vscode.window.showQuickPick(items, {
      ...{ title: 'TLBScope: the published table to reproduce', matchOnDescription: true },
    });
    return picked?.tables;
  }

  private async make(
    tables: readonly string[],
    signal: AbortSignal,
    progress?: (done: number, total: number) => void,
  ): Promise<readonly TablePage[]> {
    const answer = await this.worker.ask({ type: 'reproduce', tables }, signal, progress ? { progress } : {});
    if (answer.type !== 'reproduced') throw new Error(`the worker answered ${answer.type}`);
    return answer.pages;
  }
}

export const reproduceCommands = (
  tables: ReproducedTables,
): Readonly<Record<string, (...args: unknown[]) => unknown>> => ({
  'tlbscope.reproduce': ids => tables.show(ids),
});

const intro = `# Published figures and what the models say

Each published figure stands beside the model's. **fitted**: a constant was chosen with the figure in view, so it proves
nothing. **predicted**: nothing was. **not modelled**: there is nothing to say about it.
`;

const text = (pages: readonly TablePage[]): string =>
  pages.length
    ? [intro, ...pages.map(({ markdown }) => markdown)].join('\n')
    : 'TLBScope knows no table of this name.\n';
