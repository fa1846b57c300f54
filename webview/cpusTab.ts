/** The CPUs at the cursor: a table of all, and everything about the selected one. */
import type { CpuState } from '../src/protocol/run';
import { columnsFor, cpuColumns, optionalColumns, pcidText } from './columns';
import { button, checkList, type CheckList } from './controls';
import { h, replace, setText } from './dom';
import { counted, number, range } from './format';
import type { Change, Store } from './store';
import { VirtualGrid, type Cell } from './virtualGrid';

const rowPixels = 24;

export class CpusTab {
  readonly element: HTMLElement;
  private readonly grid: VirtualGrid;
  private readonly caption = h('p', { class: 'caption' });
  private readonly details = h('section', { class: 'details', aria: { label: 'The selected CPU' } });
  private readonly spaces = h('p', { class: 'faint' });
  private readonly columns: CheckList;
  private wide = 0;
  private due = false;
  private detailed: readonly unknown[] = [];

  constructor(private readonly store: Store) {
    this.grid = new VirtualGrid({
      ...{ label: 'CPUs at the cursor', id: 'cpus', rowHeight: rowPixels, mostHeight: 12 * rowPixels },
      chosen: cpu => store.setView({ cpu }),
    });
    this.columns = checkList(
      'Columns',
      'columns',
      optionalColumns.map(({ id, label, about }) => ({ value: id, label, about })),
      (id, shown) => this.showColumn(id, shown),
    );
    this.element = h('div', { class: 'tab' }, this.caption, this.grid.element, this.columns.element);
    this.element.append(this.spaces, this.details);
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  update(change: Change): void {
    if (change === 'snapshot' || change === 'view') this.resize(true);
    if (change === 'snapshot' || change === 'view') {
      const { hidden } = this.store.view;
      this.columns.set(new Set(optionalColumns.map(({ id }) => id).filter(id => !hidden.includes(id))));
    }
    if (change === 'progress' || change === 'library' || change === 'problem') return;
    // The cursor alone changes nothing here but whether the entries are still those of it.
    if (change === 'cursor' && !this.store.entries) return;
    this.schedule();
  }

  private showColumn(id: string, shown: boolean): void {
    const others = this.store.view.hidden.filter(one => one !== id);
    this.store.setView({ hidden: shown ? others : [...others, id] });
  }

  /** At most once a frame, and only while it is seen. */
  private schedule(): void {
    if (this.due || this.store.view.tab !== 'cpus') return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.draw();
    });
  }

  private get states(): readonly CpuState[] {
    return this.store.states[this.store.focus]?.cpus ?? [];
  }

  private resize(force = false): void {
    const width = this.element.clientWidth;
    if (width === 0 || (width === this.wide && !force)) return;
    this.wide = width;
    this.grid.setColumns(columnsFor(width, this.store.view.hidden));
    this.schedule();
  }

  private draw(): void {
    const { states, store } = this;
    const { focus, view } = store;
    setText(
      this.caption,
      store.sides.length > 1
        ? `${focus === 0 ? 'Before' : 'After'}: ${store.side?.report.variant ?? ''}`
        : '',
    );
    this.grid.setSource({
      rows: states.length,
      cell: (row, column) => this.cell(row, column),
      name: row => `CPU ${row}`,
    });
    this.grid.activate(view.cpu, false);
    const spaces = store.states[focus]?.spaces ?? [];
    setText(
      this.spaces,
      spaces
        .map(({ name, generation, cpumask }) => {
          const on = cpumask.length > 0 ? `on CPUs ${cpumask.join(', ')}` : 'on no CPU';
          return `mm ${name}: generation ${generation ?? 'not known'}, ${on}`;
        })
        .join('; '),
    );
    this.drawDetails();
  }

  private cell(row: number, column: string): Cell {
    const cpu = this.states[row];
    const found = cpuColumns.find(({ id }) => id === column);
    if (!cpu || !found) return { text: '' };
    const cell = found.cell(cpu);
    const changed = this.store.changed[this.store.focus]?.get(row);
    const marked = changed && changed.size > 1 && found.from.some(member => changed.has(member));
    return marked ? { ...cell, mark: `${cell.mark ?? ''} changed`.trim() } : cell;
  }

  private drawDetails(): void {
    const { store } = this;
    const cpu = this.states[store.view.cpu];
    const current = store.entries?.seq === store.cursor[store.focus];
    const shown = [cpu, store.focus, store.entries, current];
    if (shown.every((one, at) => one === this.detailed[at])) return;
    this.detailed = shown;
    if (!cpu) return replace(this.details);
    const facts = cpuColumns
      .filter(({ id }) => id !== 'cpu' && id !== 'operations')
      .flatMap(({ label, about, cell }) => {
        const { text, mark } = cell(cpu);
        return [h('dt', { title: about }, label), h('dd', mark ? { class: mark } : {}, text)];
      });
    replace(
      this.details,
      h('h2', {}, `CPU ${cpu.cpu}`),
      h('dl', {}, ...facts),
      this.slots(cpu),
      this.operations(cpu),
      this.entries(cpu),
    );
  }

  private slots({ slots, slot: current }: CpuState): HTMLElement | null {
    if (slots.length === 0) return null;
    return table(
      'Slots (PCIDs)',
      ['slot', 'mm', 'generation', 'user flush'],
      slots.map(({ slot, mm, generation, mmGeneration, userFlush }) => [
        slot === current ? `${slot} loaded` : String(slot),
        mm || 'none',
        generation === null ? 'not known' : `${generation} of ${mmGeneration ?? 'not known'}`,
        userFlush ? 'pending' : 'none',
      ]),
    );
  }

  private operations({ operations, misses }: CpuState): HTMLElement {
    const rows = operations.map(({ name, count, low, high }) => [
      name,
      number(count),
      low === null || high === null ? 'no price known' : range(low, high),
    ]);
    return table(
      'Operations so far',
      ['operation', 'times', 'cycles'],
      [...rows, ['TLB misses', number(misses), '']],
    );
  }

  private entries({ cpu, tlb, pagingEntries }: CpuState): HTMLElement {
    const { store } = this;
    const { entries } = store;
    const all = tlb.reduce((sum, one) => sum + one.entries, 0);
    const said = `TLB: ${counted(all, 'entry', 'entries')}, paging-structure caches: ${pagingEntries}`;
    const load = button(`Show entries of CPU ${cpu}`, () => void store.loadEntries(cpu), {
      id: 'show-entries',
    });
    const box = h('div', { class: 'entries' }, h('p', {}, said, ' '), load);
    const current = store.cursor[store.focus];
    if (entries?.cpu !== cpu || entries.side !== store.focus) return box;
    if (entries.seq !== current) {
      box.append(h('p', { class: 'faint' }, 'The cursor has moved: show them again.'));
      return box;
    }
    const shown = entries.list.slice(0, 500);
    box.append(
      table(
        `Entries after event ${entries.seq + 1}`,
        ['address', 'PCID', 'size', 'frame', 'rights', 'in', 'state'],
        shown.map(one => [
          ...[
            one.address,
            one.global ? 'global' : pcidText(one.tag),
            one.pageSize,
            one.frame,
            one.flags,
            one.structure,
          ],
          one.stale === null ? 'not known' : one.stale ? '⚠ stale' : 'fresh',
        ]),
      ),
    );
    if (entries.list.length > shown.length)
      box.append(h('p', { class: 'faint' }, `${entries.list.length - shown.length} more are not listed.`));
    return box;
  }
}

/** A small plain table. */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): HTMLElement {
  const head = h('tr', {}, ...heads.map(text => headCell(text)));
  const body = rows.map(cells =>
    h('tr', {}, ...cells.map(text => h('td', text.startsWith('⚠') ? { class: 'stale' } : {}, text))),
  );
  const element = h('table', {}, h('caption', {}, caption), h('thead', {}, head), h('tbody', {}, ...body));
  return h('div', { class: 'wide', tabindex: 0, role: 'region', aria: { label: caption } }, element);
}

function headCell(text: string): HTMLElement {
  const cell = h('th', {}, text);
  cell.setAttribute('scope', 'col');
  return cell;
}
