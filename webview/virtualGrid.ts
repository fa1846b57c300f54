/** A grid of many rows of equal height, of which only those in view are there. One tab stop; arrows move the active row. */
import { h, setText } from './dom';

export interface GridColumn {
  readonly id: string;
  readonly label: string;
  /** Width in em that it needs, and its share of what is left over. */
  readonly least: number;
  readonly grow?: number;
  readonly numeric?: boolean;
}

export interface Cell {
  readonly text: string;
  /** More classes: `stale`, `changed`. */
  readonly mark?: string;
  readonly title?: string;
}

export interface GridSource {
  readonly rows: number;
  cell(row: number, column: string): Cell;
  /** What the row is called by a screen reader. */
  name(row: number): string;
}

interface Line {
  readonly element: HTMLElement;
  readonly cells: HTMLElement[];
  row: number;
}

export interface GridOptions {
  readonly label: string;
  readonly id: string;
  readonly rowHeight: number;
  /** Pixels. */
  readonly mostHeight: number;
  /** The user went to a row. */
  chosen(row: number): void;
  /** The user pressed Enter on it, or clicked it twice. */
  opened?(row: number): void;
}

export class VirtualGrid {
  readonly element: HTMLElement;
  private readonly head: HTMLElement;
  private readonly body: HTMLElement;
  private readonly scroller: HTMLElement;
  private columns: readonly GridColumn[] = [];
  private source: GridSource = { rows: 0, cell: () => ({ text: '' }), name: () => '' };
  private readonly lines: Line[] = [];
  private active = -1;
  private due = false;

  constructor(private readonly options: GridOptions) {
    this.head = h('div', { class: 'head', role: 'row', aria: { rowindex: 1 } });
    this.body = h('div', { class: 'body', role: 'rowgroup' });
    this.scroller = h(
      'div',
      {
        ...{ class: 'grid', role: 'grid', id: options.id, tabindex: 0 },
        aria: { label: options.label, rowcount: 0, colcount: 0 },
      },
      h('div', { class: 'heads', role: 'rowgroup' }, this.head),
      this.body,
    );
    this.element = this.scroller;
    this.scroller.addEventListener('scroll', () => this.schedule());
    this.scroller.addEventListener('keydown', event => this.press(event));
    // It may have been hidden when its row was chosen.
    new ResizeObserver(() => {
      this.schedule();
      this.reveal(this.active);
    }).observe(this.scroller);
  }

  setColumns(columns: readonly GridColumn[]): void {
    if (columns.map(({ id }) => id).join() === this.columns.map(({ id }) => id).join()) return;
    this.columns = columns;
    const template = columns.map(({ least, grow = 0 }) =>
      grow > 0 ? `minmax(${least}em, ${grow}fr)` : `${least}em`,
    );
    this.scroller.style.setProperty('--columns', template.join(' '));
    this.scroller.style.setProperty('--least', `${columns.reduce((sum, { least }) => sum + least, 0)}em`);
    this.scroller.setAttribute('aria-colcount', String(columns.length));
    this.head.replaceChildren(
      ...columns.map(({ id, label, numeric }) =>
        h(
          'div',
          { class: `cell column-${id}${numeric ? ' numeric' : ''}`, role: 'columnheader', title: label },
          label,
        ),
      ),
    );
    for (const line of this.lines) line.element.remove();
    this.lines.length = 0;
  }

  setSource(source: GridSource): void {
    this.source = source;
    const { rowHeight, mostHeight } = this.options;
    const whole = source.rows * rowHeight;
    this.scroller.setAttribute('aria-rowcount', String(source.rows + 1));
    this.body.style.height = `${whole}px`;
    this.scroller.style.maxHeight = `${mostHeight}px`;
    this.schedule();
  }

  /** Marks a row as the active one, and brings it into view. */
  activate(row: number, show = true): void {
    if (this.active !== row) {
      this.active = row;
      this.schedule();
    }
    if (show) this.reveal(row);
  }

  /** Cells may have changed. */
  refresh(): void {
    this.schedule();
  }

  private reveal(row: number): void {
    if (row < 0) return;
    const { rowHeight } = this.options;
    const top = row * rowHeight;
    const room = this.scroller.clientHeight - this.head.offsetHeight;
    if (room <= 0) return;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (top + rowHeight > this.scroller.scrollTop + room)
      this.scroller.scrollTop = top + rowHeight - room;
  }

  private press(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.options.rowHeight) - 2);
    const moves: Readonly<Record<string, number>> = {
      ...{ ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity },
    };
    const by = moves[event.key];
    if (event.key === 'Enter' && this.active >= 0) this.options.opened?.(this.active);
    else if (by === undefined || this.source.rows === 0) return;
    else {
      const row = Math.min(this.source.rows - 1, Math.max(0, Math.max(this.active, 0) + by));
      this.activate(this.active < 0 && by === 1 ? 0 : row);
      this.options.chosen(this.active);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private schedule(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.draw();
    });
  }

  private draw(): void {
    const { rowHeight, mostHeight } = this.options;
    const height = this.scroller.clientHeight || mostHeight;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - 2);
    const count = Math.min(this.source.rows - first, Math.ceil(height / rowHeight) + 4);
    while (this.lines.length > Math.max(0, count)) this.lines.pop()!.element.remove();
    while (this.lines.length < count) this.lines.push(this.line());
    this.lines.forEach((line, at) => this.fill(line, first + at));
    const shown = this.lines.find(({ row }) => row === this.active);
    if (shown) this.scroller.setAttribute('aria-activedescendant', shown.element.id);
    else this.scroller.removeAttribute('aria-activedescendant');
  }

  private line(): Line {
    const cells = this.columns.map(({ id, numeric }) =>
      h('div', { class: `cell column-${id}${numeric ? ' numeric' : ''}`, role: 'gridcell' }),
    );
    const element = h('div', { class: 'row', role: 'row' }, ...cells);
    const line = { element, cells, row: -1 };
    element.addEventListener('click', () => {
      this.activate(line.row, false);
      this.options.chosen(line.row);
    });
    element.addEventListener('dblclick', () => this.options.opened?.(line.row));
    this.body.append(element);
    return line;
  }

  private fill(line: Line, row: number): void {
    const { element, cells } = line;
    if (line.row !== row) {
      line.row = row;
      element.id = `${this.options.id}-row-${row}`;
      element.style.transform = `translateY(${row * this.options.rowHeight}px)`;
      element.setAttribute('aria-rowindex', String(row + 2));
    }
    element.setAttribute('aria-selected', String(row === this.active));
    element.setAttribute('aria-label', this.source.name(row));
    this.columns.forEach(({ id, numeric }, at) => {
      const { text, mark = '', title } = this.source.cell(row, id);
      const cell = cells[at]!;
      setText(cell, text);
      const classes = `cell column-${id}${numeric ? ' numeric' : ''}${mark && ` ${mark}`}`;
      if (cell.className !== classes) cell.className = classes;
      if (title === undefined) cell.removeAttribute('title');
      else if (cell.title !== title) cell.title = title;
    });
  }
}
