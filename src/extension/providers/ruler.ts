/** Marks in the overview ruler where hunks change the cost: the only decorations, so text never moves. */
import * as vscode from 'vscode';
import { isPatchDocument, pricing, type Releasable, type Shared } from '../context';
import { direction, type Direction } from '../present/labels';
import { changePrice } from '../present/prices';

const colours = {
  dearer: 'tlbscope.dearer',
  cheaper: 'tlbscope.cheaper',
  same: 'tlbscope.unchanged',
  either: 'tlbscope.unchanged',
  unknown: 'tlbscope.unknown',
} as const satisfies Record<Direction, string>;

/** The colours contributed for it. */
const rulerColours: readonly string[] = [...new Set(Object.values(colours))];

export class Ruler {
  private readonly types = new Map<string, vscode.TextEditorDecorationType>();

  constructor(private readonly shared: Shared) {}

  register(): Releasable[] {
    const { models, settings } = this.shared;
    return [
      models.onDidChange(({ uri }) => this.show(uri)),
      settings.onDidChange(() => this.show()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.show()),
      { dispose: () => this.types.forEach(type => type.dispose()) },
    ];
  }

  private show(uri?: vscode.Uri): void {
    for (const editor of vscode.window.visibleTextEditors)
      if (!uri || editor.document.uri.toString() === uri.toString()) this.mark(editor);
  }

  private mark(editor: vscode.TextEditor): void {
    const { document } = editor;
    if (!isPatchDocument(document) && !this.types.size) return;
    const model = isPatchDocument(document) ? this.shared.models.peek(document) : undefined;
    const ranges = new Map<string, vscode.Range[]>(rulerColours.map(colour => [colour, []]));
    if (model && this.shared.settings.shows('overviewRuler')) {
      const { machine, values } = pricing(this.shared);
      for (const hunk of model.report.annotations) {
        const colour = colours[direction(hunk, changePrice(hunk, machine, values).cycles)];
        const [start, end] = [model.lines.start(hunk.line), model.lines.end(hunk.endLine)];
        ranges.get(colour)!.push(new vscode.Range(start, 0, end, 0));
      }
    }
    for (const [colour, marked] of ranges) editor.setDecorations(this.type(colour), marked);
  }

  private type(colour: string): vscode.TextEditorDecorationType {
    let type = this.types.get(colour);
    if (!type) {
      type = vscode.window.createTextEditorDecorationType({
        overviewRulerColor: new vscode.ThemeColor(colour),
        overviewRulerLane: vscode.OverviewRulerLane.Right,
      });
      this.types.set(colour, type);
    }
    return type;
  }
}
