/** The events as a list: what the timeline shows, for reading and for screen readers. */
import { dropdown } from './controls';
import { h } from './dom';
import { aboutEvent, detailLabels, eventSentence, kindLabel, kindOf, placeText, type Detail } from './events';
import { number } from './format';
import type { Change, Store } from './store';
import { VirtualGrid, type Cell, type GridColumn } from './virtualGrid';

const rowPixels = 22;

const columns: readonly GridColumn[] = [
  { id: 'seq', label: '#', least: 4.5, numeric: true },
  { id: 'clock', label: 'Cycle', least: 5.5, numeric: true },
  { id: 'cpu', label: 'CPU', least: 3.8, numeric: true },
  { id: 'kind', label: 'Event', least: 7, grow: 1 },
  { id: 'about', label: 'What', least: 11, grow: 2.4 },
  { id: 'function', label: 'Function', least: 8, grow: 1.6 },
  { id: 'place', label: 'Line', least: 7, grow: 1 },
];

const narrow = new Set(['cpu', 'about', 'place']);

export class EventsTab {
  readonly element: HTMLElement;
  private readonly grid: VirtualGrid;
  private readonly detail;
  private readonly note = h('p', { class: 'faint' });

  constructor(
    private readonly store: Store,
    reveal: (seq: number) => void,
  ) {
    this.grid = new VirtualGrid({
      ...{ label: 'Events', id: 'events', rowHeight: rowPixels, mostHeight: 18 * rowPixels },
      chosen: row => {
        const rows = store.side?.index.rows(store.view.detail);
        if (rows) store.seek(rows[row]!);
      },
      opened: row => {
        const rows = store.side?.index.rows(store.view.detail);
        if (rows) reveal(rows[row]!);
      },
    });
    this.detail = dropdown('List and step over', 'detail', value =>
      store.setView({ detail: Number(value) as Detail }),
    );
    this.element = h(
      'div',
      { class: 'tab' },
      this.detail.element,
      this.note,
      this.grid.element,
      h('p', { class: 'faint' }, 'Enter or a double click opens the line.'),
    );
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  update(change: Change): void {
    if (change === 'progress' || change === 'library' || change === 'problem' || change === 'entries') return;
    const { store } = this;
    const { side } = store;
    if (store.view.tab !== 'events') return;
    this.detail.set(
      detailLabels.map((label, value) => ({ value: String(value), label })),
      String(store.view.detail),
    );
    if (!side) return;
    const rows = side.index.rows(store.view.detail);
    this.note.textContent = side.trace.cut ? 'The trace breaks off: later events were not kept.' : '';
    if (change !== 'cursor' && change !== 'state')
      this.grid.setSource({
        rows: rows.length,
        cell: (row, column) => this.cell(rows[row]!, column),
        name: row => eventSentence(side.trace, rows[row]!),
      });
    this.grid.activate(side.index.rowOf(store.view.detail, store.cursor[store.focus]));
  }

  private resize(): void {
    const width = this.element.clientWidth;
    if (width === 0) return;
    this.grid.setColumns(
      columns.filter(
        ({ id }) => width >= 620 || narrow.has(id) || (width >= 420 && id !== 'function' && id !== 'seq'),
      ),
    );
  }

  private cell(seq: number, column: string): Cell {
    const { trace, index } = this.store.side!;
    const stale = kindOf(trace, seq) === 'stale' ? 'stale' : '';
    switch (column) {
      case 'seq':
        return { text: String(seq + 1) };
      case 'clock':
        return { text: number(trace.cycles[seq]! - index.start) };
      case 'cpu':
        return { text: String(trace.cpu[seq]!) };
      case 'kind':
        return { text: kindLabel(trace, seq), mark: stale };
      case 'about': {
        const text = aboutEvent(trace, seq);
        return { text: text || kindLabel(trace, seq), title: text, mark: stale };
      }
      case 'function':
        return { text: trace.places[trace.place[seq]!]!.function };
      default: {
        const text = placeText(trace, seq);
        const inPatch = trace.places[trace.place[seq]!]!.patchLine > 0;
        return { text: inPatch ? `✎ ${text}` : text, title: inPatch ? 'a line that the patch shows' : text };
      }
    }
  }
}
