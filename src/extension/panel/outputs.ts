/** What can be taken out of the panel: the trace, a picture, a text for a reply. */
import * as vscode from 'vscode';
import { replyText } from '../present/replyText';
import type { Models } from '../models';
import type { PanelModel } from './model';
import { csvOf, jsonOf } from './traceFiles';

/** Lines of a hunk that are quoted. */
const mostQuoted = 60;

const fileName = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 48) || 'trace';

/** Asks where, and writes. Returns what is said about it. */
async function save(name: string, filter: string, bytes: Uint8Array): Promise<string> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const target = await vscode.window.showSaveDialog({
    title: 'TLBScope: save',
    filters: { [filter.toUpperCase()]: [filter] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder.uri, `${name}.${filter}`) }),
  });
  if (!target) return '';
  await vscode.workspace.fs.writeFile(target, bytes);
  return `Saved as ${vscode.workspace.asRelativePath(target)}.`;
}

export class PanelOutputs {
  constructor(
    private readonly model: PanelModel,
    private readonly models: Models,
  ) {}

  async exportTrace(format: 'json' | 'csv'): Promise<string> {
    const { subject, shown } = this.model;
    if (!subject || shown.length === 0) throw new Error('There is nothing to save: run a scenario first.');
    const runs = shown.map(({ run }) => run.opened);
    const text = format === 'json' ? jsonOf(subject.title, runs) : csvOf(runs);
    return save(fileName(subject.title), format, new TextEncoder().encode(text));
  }

  async savePicture(format: 'svg' | 'png', bytes: Uint8Array): Promise<string> {
    return save(fileName(this.model.subject?.title ?? ''), format, bytes);
  }

  async copyText(): Promise<string> {
    await vscode.env.clipboard.writeText(this.text());
    return 'Copied: a table for a reply.';
  }

  /** The reply. Throws if there is nothing to tell. */
  text(): string {
    const { subject, shown, snapshot } = this.model;
    if (!subject || shown.length === 0) throw new Error('There is nothing to copy: run a scenario first.');
    return replyText({
      title: subject.title,
      name: subject.request.scenario.name,
      compares: subject.compares,
      runs: shown.map(({ run }) => run.opened.report),
      changes: snapshot.changes,
      hunk: this.hunk(),
    });
  }

  /** The hunk of the event at the cursor, else the first one that changes TLB work. */
  private hunk(): string[] {
    const { subject, shown, focus } = this.model;
    if (!subject?.patch) return [];
    const document = vscode.workspace.textDocuments.find(one => one.uri.toString() === subject.patch);
    const model = document && this.models.peek(document);
    if (!document || !model) return [];
    const side = shown[focus];
    const trace = side?.run.opened.trace;
    const at = trace?.places[trace.place[side?.state.seq ?? -1] ?? -1]?.patchLine ?? 0;
    const hunks = model.report.annotations.filter(({ quoted }) => !quoted);
    const hunk = hunks.find(({ line, endLine }) => line <= at && at <= endLine) ?? hunks[0];
    if (!hunk) return [];
    const first = model.lines.start(hunk.line);
    const last = Math.min(model.lines.start(hunk.endLine), document.lineCount - 1);
    const lines = [];
    for (let line = first; line <= last && lines.length < mostQuoted; line++)
      lines.push(document.lineAt(line).text);
    return last - first >= mostQuoted ? [...lines, '[...]'] : lines;
  }
}
