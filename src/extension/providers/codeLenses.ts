/** A verdict above each hunk that touches TLB code, and an offer above each part that has to be decoded. */
import * as vscode from 'vscode';
import type { HunkAnnotation, TotalReport } from '../../protocol/report';
import { patchSelector, pricing, type Releasable, type Shared } from '../context';
import { decodedUri } from '../decodedDocuments';
import { partTitle } from '../present/outline';
import { totalText, verdictText } from '../present/labels';

/** What a whole patch changes, above its mail. */
class TotalLens extends vscode.CodeLens {
  constructor(
    range: vscode.Range,
    readonly uri: vscode.Uri,
    readonly total: TotalReport,
  ) {
    super(range);
  }
}

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

/** A patch without any operation needs no line above its mail. */
const isWorthSaying = ({ delta, unknown, supersededBy, revises, roots }: TotalReport): boolean =>
  Object.keys(delta).length > 0 ||
  revises !== null ||
  (roots.length > 0 && (unknown.length > 0 || supersededBy !== null));

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
    const totals = report.totals
      .filter(isWorthSaying)
      .map(total => new TotalLens(at(total.line), document.uri, total));
    return [
      ...totals,
      ...parts,
      ...report.annotations.map(hunk => new HunkLens(at(hunk.line), document.uri, hunk)),
    ];
  }

  resolveCodeLens(lens: vscode.CodeLens): vscode.CodeLens {
    const { machine, values } = pricing(this.shared);
    const title =
      lens instanceof HunkLens
        ? verdictText(lens.hunk, machine, values)
        : lens instanceof TotalLens
          ? totalText(lens.total, machine, values)
          : undefined;
    if (title === undefined || !(lens instanceof HunkLens || lens instanceof TotalLens)) return lens;
    lens.command = {
      title,
      tooltip: `Explain this figure (${machine.name}). To turn these lines off: the explanation, or the setting tlbscope.show.codeLens.`,
      command: 'tlbscope.explain',
      arguments: [lens.uri, lens.range.start.line],
    };
    return lens;
  }
}
