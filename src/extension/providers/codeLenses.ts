/** A verdict above each hunk that touches TLB code, and an offer above each part that has to be decoded. */
import * as vscode from 'vscode';
import type { HunkAnnotation } from '../../protocol/report';
import { patchSelector, pricing, type Releasable, type Shared } from '../context';
import { decodedUri } from '../decodedDocuments';
import { partTitle } from '../present/outline';
import { verdictText } from '../present/labels';

/** Positions only; the text is worked out when the lens comes into view. */
class HunkLens extends vscode.CodeLens {
  constructor(
    range: vscode.Range,
    readonly uri: vscode.Uri,
    readonly hunk: HunkAnnotation,
  ) {
    super(range);
  }
}

export class CodeLenses implements vscode.CodeLensProvider {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(private readonly shared: Shared) {}

  register(): Releasable[] {
    const { models, settings } = this.shared;
    return [
      this.changed,
      models.onDidChange(({ ask }) => ask && this.changed.fire()),
      settings.onDidChange(() => this.changed.fire()),
      vscode.languages.registerCodeLensProvider(patchSelector, this),
    ];
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const model = await this.shared.models.get(document);
    if (!model || !this.shared.settings.shows('codeLens')) return [];
    const { report, lines } = model;
    const at = (line: number): vscode.Range => new vscode.Range(lines.start(line), 0, lines.start(line), 0);
    const parts = report.decoded.map(
      part =>
        new vscode.CodeLens(at(part.line), {
          title: `$(go-to-file) ${partTitle(part)}`,
          tooltip: 'The part of the mail that holds this diff, decoded, as a document of its own',
          command: 'tlbscope.openDecoded',
          arguments: [decodedUri(document.uri, part.index, part.name)],
        }),
    );
    return [...parts, ...report.annotations.map(hunk => new HunkLens(at(hunk.line), document.uri, hunk))];
  }

  resolveCodeLens(lens: vscode.CodeLens): vscode.CodeLens {
    if (!(lens instanceof HunkLens)) return lens;
    const { machine, values } = pricing(this.shared);
    lens.command = {
      title: verdictText(lens.hunk, machine, values),
      tooltip: `Explain this figure (${machine.name}). To turn these lines off: the explanation, or the setting tlbscope.show.codeLens.`,
      command: 'tlbscope.explain',
      arguments: [lens.uri, lens.range.start.line],
    };
    return lens;
  }
}
