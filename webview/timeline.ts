/** The timeline: two canvases (what happened, and the cursor over it), scrubbed with the mouse, stepped with keys. */
import { eventSentence } from './events';
import { prepared, size } from './canvas';
import { h } from './dom';
import type { Store } from './store';
import { CanvasSurface, SvgSurface, type Surface } from './surface';
import { readTheme, type Theme } from './theme';
import {
  axisHeight,
  cpuAt,
  drawTimeline,
  gutterWidth,
  laneTop,
  rowHeight,
  rowsHeight,
  type Drawing,
  type Rows,
} from './timelinePicture';
import { fit, pan, reveal, toTime, toX, zoom, type Bounds, type TimeScale } from './timeScale';

const mostHeight = 360;

/** What the page remembers besides what the host does. */
export interface Zoom {
  readonly from: number;
  readonly to: number;
}

export class Timeline {
  readonly element: HTMLElement;
  private readonly scroller: HTMLElement;
  private readonly inner: HTMLElement;
  private readonly picture = h('canvas', { class: 'picture', aria: { hidden: true } });
  private readonly overlay = h('canvas', { class: 'overlay', aria: { hidden: true } });
  private readonly slider: HTMLElement;
  private scale: TimeScale = { from: 0, to: 1, left: 64, width: 100 };
  private theme: Theme | null = null;
  private due: 'picture' | 'cursor' | null = null;
  private dragging: 'cursor' | 'pan' | null = null;
  private dragX = 0;

  constructor(
    private readonly store: Store,
    private readonly zoomed: (zoom: Zoom) => void,
  ) {
    this.inner = h('div', { class: 'inner' });
    this.slider = h(
      'div',
      {
        ...{ class: 'canvases', role: 'slider', tabindex: 0, id: 'timeline' },
        aria: { label: 'Timeline', valuemin: 0, valuemax: 0, valuenow: 0, describedby: 'timeline-help' },
      },
      this.picture,
      this.overlay,
    );
    this.inner.append(this.slider);
    this.scroller = h('div', { class: 'scroller', tabindex: -1 }, this.inner);
    this.element = h(
      'div',
      { class: 'timeline' },
      this.scroller,
      h(
        'p',
        { id: 'timeline-help', class: 'only-read' },
        'Left and right step, with Shift the selected CPU only. Up and down choose a CPU. Home and End go to the ends. Plus and minus zoom, 0 shows all. The same events are listed in the tab Events.',
      ),
    );
    this.listen();
  }

  /** After the page has got another size, theme or snapshot. */
  redraw(): void {
    this.theme = null;
    this.schedule('picture');
  }

  moveCursor(): void {
    this.schedule('cursor');
  }

  /** Shows the whole run, or what was seen before. */
  show(zoomed: Zoom | null): void {
    const bounds = this.bounds();
    const whole = fit(this.scale, bounds);
    const fits =
      zoomed && zoomed.from >= bounds.start && zoomed.to <= bounds.end + 1 && zoomed.to > zoomed.from;
    this.scale = fits ? { ...whole, from: zoomed.from, to: zoomed.to } : whole;
    this.redraw();
  }

  zoomBy(factor: number): void {
    const { store, scale } = this;
    const { side } = store;
    const at = side ? store.time : scale.from;
    const inside = at >= scale.from && at <= scale.to ? at : (scale.from + scale.to) / 2;
    this.setScale(zoom(scale, factor, inside, this.bounds()));
  }

  zoomOut(): void {
    this.setScale(fit(this.scale, this.bounds()));
  }

  /** Moves the view so that the cursor is in it. */
  follow(): void {
    const { store } = this;
    const { side } = store;
    if (!side) return;
    const next = reveal(this.scale, store.time, this.bounds());
    if (next !== this.scale) this.setScale(next);
    const rows = this.rows();
    const top = store.view.cpu * rowHeight(rows);
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + rowHeight(rows) > scrollTop + clientHeight - axisHeight)
      this.scroller.scrollTop = top + rowHeight(rows) - clientHeight + axisHeight;
  }

  /** The picture as an SVG file, all CPUs in it. */
  svg(): string {
    const drawing = this.whole();
    const { background, family } = drawing.theme;
    const title = this.store.snapshot.scenario?.title ?? 'TLBScope';
    const surface = new SvgSurface(drawing.width, drawing.height, family, background, title);
    drawTimeline({ ...drawing, surface });
    return surface.toString();
  }

  /** The picture as PNG, at twice the size. */
  png(): Promise<Uint8Array> {
    const drawing = this.whole();
    const canvas = document.createElement('canvas');
    canvas.width = drawing.width * 2;
    canvas.height = drawing.height * 2;
    const context = canvas.getContext('2d')!;
    context.scale(2, 2);
    drawTimeline({ ...drawing, surface: this.surface(context, drawing.theme) });
    return new Promise((done, failed) =>
      canvas.toBlob(blob => {
        if (!blob) failed(new Error('the picture could not be made'));
        else blob.arrayBuffer().then(bytes => done(new Uint8Array(bytes)), failed);
      }, 'image/png'),
    );
  }

  private whole(): Omit<Drawing, 'surface'> {
    const theme = readTheme();
    const rows = { ...this.rows(), scroll: 0 };
    const width = Math.max(700, Math.round(this.scale.left + this.scale.width));
    const left = gutterWidth(rows.cpus, this.names(), false);
    const scale = { ...this.scale, left, width: width - left - 8 };
    return { ...this.drawn(theme, rows, scale), width, height: Math.ceil(axisHeight + rowsHeight(rows) + 2) };
  }

  private bounds(): Bounds {
    const { sides } = this.store;
    if (!sides.length) return { start: 0, end: 1 };
    return {
      start: Math.min(...sides.map(({ index }) => index.start)),
      end: Math.max(...sides.map(({ index }) => index.end)),
    };
  }

  private rows(): Rows {
    const runs = Math.max(1, this.store.sides.length);
    const cpus = this.store.states[0]?.cpus.length ?? 0;
    const roomy = cpus <= 8 ? 18 : cpus <= 32 ? 14 : 10;
    return { lane: runs > 1 ? roomy - 2 : roomy + 2, runs, cpus, scroll: this.scroller.scrollTop };
  }

  private setScale(scale: TimeScale): void {
    this.scale = scale;
    this.zoomed({ from: scale.from, to: scale.to });
    this.schedule('picture');
  }

  private schedule(what: 'picture' | 'cursor'): void {
    if (this.due === null) requestAnimationFrame(() => this.draw());
    if (this.due !== 'picture') this.due = what;
  }

  private draw(): void {
    const { due } = this;
    this.due = null;
    const width = this.scroller.clientWidth;
    if (width === 0 || this.store.sides.length === 0) return;
    const rows = this.rows();
    const height = Math.min(mostHeight, Math.ceil(axisHeight + rowsHeight(rows)) + 1);
    this.scroller.style.height = `${height}px`;
    this.inner.style.height = `${Math.ceil(axisHeight + rowsHeight(rows)) + 1}px`;
    const left = gutterWidth(rows.cpus, this.names(), width < 420);
    this.scale = { ...this.scale, left, width: width - left - 6 };
    const resized = [this.picture, this.overlay].map(canvas => size(canvas, width, height));
    if (due === 'picture' || resized.includes(true)) this.drawPicture(rows, width, height);
    this.drawCursor(rows, width, height);
    this.describe();
  }

  private surface(context: CanvasRenderingContext2D, theme: Theme): Surface {
    return new CanvasSurface(context, theme.family, theme.background);
  }

  private drawn(theme: Theme, rows: Rows, scale: TimeScale): Omit<Drawing, 'surface' | 'width' | 'height'> {
    const { sides, view } = this.store;
    return { theme, rows, scale, runs: sides, names: this.names(), selected: view.cpu };
  }

  private names(): readonly string[] {
    return this.store.sides.map(({ report }) => shortened(report.variant));
  }

  private drawPicture(rows: Rows, width: number, height: number): void {
    this.theme ??= readTheme();
    const context = prepared(this.picture);
    const surface = this.surface(context, this.theme);
    drawTimeline({ ...this.drawn(this.theme, rows, this.scale), surface, width, height });
  }

  private drawCursor(rows: Rows, width: number, height: number): void {
    this.theme ??= readTheme();
    const { theme, scale, store } = this;
    const context = prepared(this.overlay);
    context.clearRect(0, 0, width, height);
    const surface = this.surface(context, theme);
    const { side, focus } = store;
    if (!side) return;
    const seq = store.cursor[focus];
    const x = toX(scale, store.time);
    if (x >= scale.left - 1 && x <= scale.left + scale.width + 1) {
      surface.line(x, 0, x, height, theme.cursor, 2);
      surface.polygon(
        [
          [x - 5, 0],
          [x + 5, 0],
          [x, 7],
        ],
        theme.cursor,
      );
    }
    if (seq < 0) return;
    this.drawClocks(surface, theme, rows);
    // The event itself.
    const own = toX(scale, side.trace.cycles[seq]!);
    const top = laneTop(rows, side.trace.cpu[seq]!, focus);
    if (own < scale.left || own > scale.left + scale.width || top < axisHeight - rows.lane) return;
    surface.frame(own - 4, top - 2, 8, rows.lane + 4, theme.foreground);
  }

  /** How far each CPU has come: they do not go in step. */
  private drawClocks(surface: Surface, theme: Theme, rows: Rows): void {
    const { scale, store } = this;
    store.sides.forEach(({ index }, run) =>
      index.clocksAt(store.cursor[run as 0 | 1]).forEach((clock, cpu) => {
        const x = clock === null ? -1 : toX(scale, clock);
        const top = laneTop(rows, cpu, run);
        if (x < scale.left || x > scale.left + scale.width || top < axisHeight - rows.lane) return;
        surface.line(x, top, x, top + rows.lane, theme.foreground, 2);
      }),
    );
  }

  private describe(): void {
    const { store, slider } = this;
    const { side, focus } = store;
    if (!side) return;
    const rows = side.index.rows(store.view.detail);
    const seq = store.cursor[focus];
    slider.setAttribute('aria-valuemax', String(rows.length));
    slider.setAttribute('aria-valuenow', String(side.index.rowOf(store.view.detail, seq) + 1));
    slider.setAttribute('aria-valuetext', eventSentence(side.trace, seq));
  }

  private listen(): void {
    const { slider, scroller } = this;
    scroller.addEventListener('scroll', () => this.schedule('picture'));
    slider.addEventListener('pointerdown', event => this.press(event));
    slider.addEventListener('pointermove', event => this.drag(event));
    for (const name of ['pointerup', 'pointercancel'] as const)
      slider.addEventListener(name, () => (this.dragging = null));
    scroller.addEventListener('wheel', event => this.wheel(event), { passive: false });
    new ResizeObserver(() => this.redraw()).observe(scroller);
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.slider.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private press(event: PointerEvent): void {
    const { x, y } = this.place(event);
    this.slider.setPointerCapture(event.pointerId);
    this.slider.focus();
    if (event.button === 1 || event.shiftKey) {
      this.dragging = 'pan';
      this.dragX = x;
    } else if (event.button === 0) {
      this.dragging = 'cursor';
      const cpu = cpuAt(this.rows(), y);
      if (cpu !== null) this.store.setView({ cpu, ...this.sideAt(cpu, y) });
      if (x >= this.scale.left) this.store.seekTime(toTime(this.scale, x));
    }
    event.preventDefault();
  }

  /** Which of two runs a height belongs to. */
  private sideAt(cpu: number, y: number): { side?: 0 | 1 } {
    if (this.store.sides.length < 2) return {};
    return { side: y >= laneTop(this.rows(), cpu, 1) ? 1 : 0 };
  }

  private drag(event: PointerEvent): void {
    if (this.dragging === null) return;
    const { x } = this.place(event);
    if (this.dragging === 'cursor') return this.store.seekTime(toTime(this.scale, x));
    const cycles = toTime(this.scale, this.dragX) - toTime(this.scale, x);
    this.dragX = x;
    this.setScale(pan(this.scale, cycles, this.bounds()));
  }

  private wheel(event: WheelEvent): void {
    const { x } = this.place(event);
    if (event.ctrlKey || event.metaKey || event.altKey) {
      event.preventDefault();
      const factor = 1.0015 ** Math.max(-400, Math.min(400, event.deltaY));
      this.setScale(zoom(this.scale, factor, toTime(this.scale, x), this.bounds()));
      return;
    }
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (sideways === 0) return;
    event.preventDefault();
    const cycles = (sideways / this.scale.width) * (this.scale.to - this.scale.from);
    this.setScale(pan(this.scale, cycles, this.bounds()));
  }
}

const shortened = (name: string): string => (name.length > 9 ? `${name.slice(0, 8)}…` : name);
