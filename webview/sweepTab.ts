/** Cycles over the values of a parameter, each variant a line. */
import type { PanelSweep } from '../src/protocol/panel';
import { button, dropdown, setDisabled } from './controls';
import { table } from './cpusTab';
import { h, replace } from './dom';
import { number, parametersText, range } from './format';
import type { Change, Store } from './store';
import { CanvasSurface } from './surface';
import { crossoverText, drawSweep } from './sweepPicture';
import { readTheme } from './theme';

const heightOf = (width: number): number => Math.round(Math.min(320, Math.max(180, width * 0.5)));

const marks = ['●', '■', '▲', '◆'];

export class SweepTab {
  readonly element = h('div', { class: 'tab' });
  private readonly parameter;
  private readonly run: HTMLElement;
  private readonly canvas = h('canvas', { class: 'plot', role: 'img' });
  private readonly body = h('div', {});
  private chosen = '';

  constructor(
    private readonly store: Store,
    sweep: (parameter: string) => void,
  ) {
    this.parameter = dropdown('Over the parameter', 'sweep-parameter', value => (this.chosen = value));
    this.run = button('Run all values', () => sweep(this.chosen), { id: 'run-sweep' });
    this.element.append(h('div', { class: 'controls' }, this.parameter.element, this.run), this.body);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  update(change: Change): void {
    if (change === 'progress' || change === 'snapshot')
      setDisabled(this.run, this.store.snapshot.progress !== null || this.chosen === '');
    if (change !== 'snapshot') return;
    const { scenario, sweep } = this.store.snapshot;
    const swept = scenario?.parameters.filter(({ values }) => values.length > 1) ?? [];
    if (!swept.some(({ name }) => name === this.chosen))
      this.chosen = sweep?.parameter ?? swept[0]?.name ?? '';
    this.parameter.set(
      swept.map(({ name, values }) => ({ value: name, label: `${name}: ${values.length} values` })),
      this.chosen,
    );
    this.parameter.element.hidden = swept.length === 0;
    this.run.hidden = swept.length === 0;
    setDisabled(this.run, this.store.snapshot.progress !== null || this.chosen === '');
    if (sweep) this.show(sweep);
    else
      replace(
        this.body,
        h(
          'p',
          { class: 'teach' },
          swept.length > 0
            ? 'Runs every variant for every value, and shows from where on which one is cheaper.'
            : 'This scenario has no parameter with several values. Give one a list in its file, such as "n": [1, 10, 33].',
        ),
      );
  }

  redraw(): void {
    this.draw();
  }

  private show(sweep: PanelSweep): void {
    const { parameter, fixed, series, crossovers, published, note } = sweep;
    const names = series.map(({ name }, at) => `${marks[at % marks.length]} ${name}`);
    this.canvas.setAttribute(
      'aria-label',
      `Cycles over ${parameter}; the same figures are in the table below.`,
    );
    const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
    const rows = xs.map(x => [
      String(x),
      ...series.map(({ points }) => {
        const point = points.find(one => one.x === x);
        if (!point || point.value === null) return 'did not end';
        if (point.low === null || point.high === null) return number(point.value);
        return `${number(point.value)} (${range(point.low, point.high)})`;
      }),
    ]);
    const rest = parametersText(fixed);
    replace(
      this.body,
      h('p', { class: 'legend' }, [...names, ...(published.length > 0 ? ['✕ published'] : [])].join('   ')),
      this.canvas,
      ...crossovers.map(one => h('p', { class: 'crossover' }, crossoverText(one, parameter))),
      crossovers.length === 0 &&
        series.length > 1 &&
        h('p', {}, 'No line crosses another over these values.'),
      note !== '' && h('p', { class: 'faint' }, note),
      table(
        `Cycles of all CPUs, low to high${rest ? `; ${rest}` : ''}`,
        [parameter, ...series.map(({ name }) => name)],
        rows,
      ),
      published.length > 0 &&
        table(
          'Published',
          [parameter, 'cycles', 'what', 'source'],
          published.map(({ x, value, label, source }) => [String(x), number(value), label, source]),
        ),
    );
    requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    const { sweep } = this.store.snapshot;
    const width = this.element.clientWidth;
    if (!sweep || width === 0 || !this.canvas.isConnected) return;
    const height = heightOf(width);
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const theme = readTheme();
    drawSweep(new CanvasSurface(context, theme.family, theme.background), sweep, theme, width, height);
  }
}
