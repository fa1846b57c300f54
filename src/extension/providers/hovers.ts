/** The reason for a number: on a line with operations, and on the header of its hunk. */
import * as vscode from 'vscode';
import { patchSelector, pricing, type Releasable, type Shared } from '../context';
import { hoverCommands, hunkHover, lineHover, totalHover } from '../present/hover';

/** Trusted for our few commands alone; no HTML, no icons. */
export function explanation(markdown: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString(markdown, false);
  text.isTrusted = { enabledCommands: [...hoverCommands] };
  text.supportHtml = false;
  return text;
}

export class Hovers implements vscode.HoverProvider {
  constructor(private readonly shared: Shared) {}

  register(): Releasable[] {
    return [vscode.languages.registerHoverProvider(patchSelector, this)];
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.Hover | undefined> {
    const model = await this.shared.models.get(document);
    if (!model || !this.shared.settings.shows('hover')) return undefined;
    const line = model.lines.readerLine(position.line);
    const { machine, values } = pricing(this.shared);
    const contents: vscode.MarkdownString[] = [];
    for (const hunk of model.report.annotations) {
      if (line < hunk.line || line > hunk.endLine) continue;
      if (line === hunk.line)
        contents.push(
          explanation(hunkHover(hunk, machine, values, ['codeLens', 'inlayHints', 'overviewRuler', 'hover'])),
        );
      for (const annotation of hunk.lines)
        if (annotation.line === line)
          contents.push(explanation(lineHover(annotation, machine, values, ['hover', 'inlayHints'])));
    }
    for (const total of model.report.totals)
      if (total.line === line && total.roots.length)
        contents.push(explanation(totalHover(total, machine, values, ['codeLens', 'hover'])));
    return contents.length ? new vscode.Hover(contents, document.lineAt(position.line).range) : undefined;
  }
}
