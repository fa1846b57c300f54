/** At the end of each line that performs an operation: the operations and their cycles. */
import * as vscode from 'vscode';
import type { LineAnnotation } from '../../protocol/report';
import { patchSelector, pricing, type Releasable, type Shared } from '../context';
import { hintText } from '../present/labels';
import { lineHover } from '../present/hover';
import { explanation } from './hovers';

/** Lines that touch the TLB without an operation have a hover, not a hint. */
const isPriced = ({ operations, unknown }: LineAnnotation): boolean =>
  Object.keys(operations).length > 0 || unknown.length > 0;

class LineHint extends vscode.InlayHint {
  constructor(
    position: vscode.Position,
    label: string,
    readonly annotation: LineAnnotation,
  ) {
    super(position, label);
    this.paddingLeft = true;
  }
}

export class InlayHints implements vscode.InlayHintsProvider {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeInlayHints = this.changed.event;

  constructor(private readonly shared: Shared) {}

  register(): Releasable[] {
    const { models, settings } = this.shared;
    return [
      this.changed,
      models.onDidChange(({ ask }) => ask && this.changed.fire()),
      settings.onDidChange(() => this.changed.fire()),
      vscode.languages.registerInlayHintsProvider(patchSelector, this),
    ];
  }

  async provideInlayHints(document: vscode.TextDocument, range: vscode.Range): Promise<vscode.InlayHint[]> {
    const version = document.version;
    const model = await this.shared.models.get(document);
    if (!model || version !== document.version || !this.shared.settings.shows('inlayHints')) return [];
    const { machine, values } = pricing(this.shared);
    const hints: LineHint[] = [];
    for (const hunk of model.report.annotations) {
      if (model.lines.end(hunk.endLine) < range.start.line) continue;
      if (model.lines.start(hunk.line) > range.end.line) continue;
      for (const line of hunk.lines) {
        if (!isPriced(line)) continue;
        const at = model.lines.end(line.line);
        if (at < range.start.line || at > range.end.line || at >= document.lineCount) continue;
        hints.push(new LineHint(document.lineAt(at).range.end, hintText(line, machine, values), line));
      }
    }
    return hints;
  }

  resolveInlayHint(hint: vscode.InlayHint): vscode.InlayHint {
    if (!(hint instanceof LineHint)) return hint;
    const { machine, values } = pricing(this.shared);
    hint.tooltip = explanation(lineHover(hint.annotation, machine, values, ['inlayHints']));
    return hint;
  }
}
