/** Draws the timeline: a lane per CPU (two where two runs are compared), the time axis, IPIs and stale uses. */
import type { SegmentColumns } from '../src/protocol/run';
import { number } from './format';
import { laneList, type Lane } from './lanes';
import type { Surface } from './surface';
import { readable, type Theme } from './theme';
import { ticks, toX, type TimeScale } from './timeScale';
import { last, type TraceIndex } from './traceIndex';

/** One run as it is drawn. */
export interface DrawnRun {
  readonly index: TraceIndex;
  readonly segments: SegmentColumns;
  /** Row of the first segment of each CPU, and one behind the last. */
  readonly firstOf: Uint32Array;
}

export interface Rows {
  /** Pixels of one run's lane. */
  readonly lane: number;
  /** Lanes of a CPU. */
  readonly runs: number;
  readonly cpus: number;
  /** First pixel of what is scrolled. */
  readonly scroll: number;
}

export const axisHeight = 20;
const rowGap = 6;

export const rowHeight = ({ lane, runs }: Rows): number => lane * runs + rowGap;
export const rowsHeight = (rows: Rows): number => rowHeight(rows) * rows.cpus;
/** Top of a CPU's lane in the picture. */
export const laneTop = (rows: Rows, cpu: number, run: number): number =>
  axisHeight + rowGap / 2 + cpu * rowHeight(rows) + run * rows.lane - rows.scroll;

/** Widths of letters, of the size of the text: no canvas is needed to lay the margin out. */
const letter = 0.62;
const cpuSize = 12;
const nameSize = 10;

/** Pixels that the margin needs for the CPUs and, where there are two runs, their names; `narrow`: numbers and marks. */
export function gutterWidth(cpus: number, names: readonly string[], narrow: boolean): number {
  const digits = String(Math.max(0, cpus - 1)).length;
  const number = 4 + (digits + (narrow ? 0 : 4)) * cpuSize * letter + 6;
  if (names.length < 2) return Math.ceil(number);
  const longest = narrow ? 1 : Math.max(...names.map(({ length }) => length));
  return Math.ceil(number + longest * nameSize * letter + 6);
}

/** One letter for each of two runs: the first of its name, or its number where both begin with the same. */
export function nameMarks(names: readonly string[]): readonly string[] {
  const first = names.map(name => name.slice(0, 1));
  return new Set(first).size === names.length ? first : names.map((_, at) => String(at + 1));
}

/** The CPU at a height of the picture, or null. */
export function cpuAt(rows: Rows, y: number): number | null {
  const cpu = Math.floor((y - axisHeight + rows.scroll) / rowHeight(rows));
  return y >= axisHeight && cpu >= 0 && cpu < rows.cpus ? cpu : null;
}

/** Where each CPU's segments begin. */
export function segmentStarts({ count, cpu }: SegmentColumns, cpus: number): Uint32Array {
  const starts = new Uint32Array(cpus + 1).fill(count);
  for (let row = count - 1; row >= 0; row--) if (cpu[row]! < cpus) starts[cpu[row]!] = row;
  for (let at = cpus - 1; at >= 0; at--) if (starts[at]! > starts[at + 1]!) starts[at] = starts[at + 1]!;
  // A CPU without segments begins where the next one does.
  for (let at = cpus - 1; at >= 0; at--)
    if (starts[at] === count && at + 1 <= cpus) starts[at] = starts[at + 1]!;
  return starts;
}

export interface Drawing {
  readonly surface: Surface;
  readonly theme: Theme;
  readonly scale: TimeScale;
  readonly rows: Rows;
  readonly runs: readonly DrawnRun[];
  /** Names of the runs, shown in the margin where there are two. */
  readonly names: readonly string[];
  readonly selected: number;
  readonly width: number;
  readonly height: number;
}

export function drawTimeline(drawing: Drawing): void {
  const { surface, theme, scale, rows, runs, width, height } = drawing;
  surface.rect(0, 0, width, height, theme.background);
  surface.clip(0, axisHeight, width, height - axisHeight);
  for (let cpu = 0; cpu < rows.cpus; cpu++) {
    const top = laneTop(rows, cpu, 0);
    if (top > height || top + rowHeight(rows) < axisHeight) continue;
    if (cpu === drawing.selected)
      surface.rect(0, top - rowGap / 2, width, rowHeight(rows), theme.selection, 'hollow');
    surface.line(0, top - rowGap / 2, width, top - rowGap / 2, theme.grid);
  }
  surface.clip(scale.left, axisHeight, scale.width, height - axisHeight);
  runs.forEach((run, at) => {
    for (let cpu = 0; cpu < rows.cpus; cpu++) {
      const top = laneTop(rows, cpu, at);
      if (top < height && top + rows.lane > axisHeight) drawLane(drawing, run, cpu, top);
    }
  });
  runs.forEach((run, at) => drawArrows(drawing, run, at));
  runs.forEach((run, at) => drawStale(drawing, run, at));
  surface.unclip();
  drawNames(drawing);
  surface.unclip();
  drawAxis(drawing);
}

/** Segments narrower than a pixel share it: the one of highest rank is seen. */
function drawLane({ surface, theme, scale, rows }: Drawing, run: DrawnRun, cpu: number, top: number): void {
  const { segments, firstOf } = run;
  const first = firstOf[cpu]!;
  const behind = firstOf[cpu + 1]!;
  const visible = first + Math.max(0, last(segments.end.subarray(first, behind), scale.from));
  let pixel = -1;
  let shared: Lane | null = null;
  const flush = (): void => {
    if (shared) box(surface, theme, shared, pixel, top, 1, rows.lane);
    shared = null;
  };
  for (let row = visible; row < behind && segments.start[row]! < scale.to; row++) {
    const lane = laneList[segments.lane[row]!]!;
    const x = toX(scale, segments.start[row]!);
    const end = toX(scale, segments.end[row]!);
    if (end - x >= 1) {
      flush();
      box(surface, theme, lane, x, top, end - x, rows.lane);
      label(
        surface,
        theme,
        lane,
        run,
        row,
        Math.max(x, scale.left),
        top,
        Math.min(end, scale.left + scale.width),
        rows.lane,
      );
      continue;
    }
    const here = Math.floor(x);
    if (here !== pixel) flush();
    pixel = here;
    const before: Lane | null = shared;
    if (!before || lane.rank > before.rank) shared = lane;
  }
  flush();
}

function box(
  surface: Surface,
  theme: Theme,
  lane: Lane,
  x: number,
  top: number,
  width: number,
  height: number,
): void {
  const colour = theme.colour(lane.colour);
  const inner = Math.max(2, Math.round(height * lane.height));
  const y = top + height - inner;
  surface.rect(x, y, width, inner, colour, lane.pattern);
  if (theme.border !== null && width > 8 && inner > 5) surface.frame(x, y, width, inner, theme.border);
}

/** What a segment is, where there is room for it. */
function label(
  surface: Surface,
  theme: Theme,
  lane: Lane,
  { index: { trace }, segments }: DrawnRun,
  row: number,
  x: number,
  top: number,
  end: number,
  height: number,
): void {
  const size = Math.min(11, theme.fontSize - 2);
  const text = lane.kind === 'flush' ? trace.names[trace.name[segments.seq[row]!]!]! : lane.label;
  if (height < size + 2 || lane.height < 0.7 || end - x < text.length * size * 0.65) return;
  const colour = lane.pattern === 'hollow' ? theme.foreground : readable(theme.colour(lane.colour));
  const middle = top + height - (height * lane.height) / 2;
  // On stripes a text needs a plain ground.
  if (lane.pattern === 'stripes')
    surface.rect(
      x + 2,
      middle - size / 2 - 1,
      text.length * size * 0.62 + 4,
      size + 2,
      theme.colour(lane.colour),
    );
  surface.text(text, x + 4, middle, { colour, size });
}

function drawArrows(
  { surface, theme, scale, rows, height }: Drawing,
  { index }: DrawnRun,
  run: number,
): void {
  for (const { from, sent, to, taken } of index.arrows) {
    if (taken < scale.from || sent > scale.to) continue;
    const x1 = toX(scale, sent);
    const x2 = toX(scale, taken);
    const y1 = laneTop(rows, from, run) + rows.lane / 2;
    const y2 = laneTop(rows, to, run) + rows.lane / 2;
    if (Math.max(y1, y2) < axisHeight || Math.min(y1, y2) > height) continue;
    surface.line(x1, y1, x2, y2, theme.ipi, 1, true);
    surface.polygon(
      [
        [x2, y2],
        [x2 - 6, y2 - 3],
        [x2 - 6, y2 + 3],
      ],
      theme.ipi,
    );
  }
}

function drawStale({ surface, theme, scale, rows }: Drawing, { index }: DrawnRun, run: number): void {
  for (const seq of index.stale) {
    const time = index.trace.cycles[seq]!;
    if (time < scale.from || time > scale.to) continue;
    const x = toX(scale, time);
    const y = laneTop(rows, index.trace.cpu[seq]!, run);
    surface.polygon(
      [
        [x, y],
        [x - 6, y + 11],
        [x + 6, y + 11],
      ],
      theme.stale,
    );
    surface.text('!', x, y + 7, { colour: readable(theme.stale), size: 9, align: 'center', bold: true });
  }
}

function drawNames({ surface, theme, rows, scale, names, runs, height, selected }: Drawing): void {
  const size = Math.min(cpuSize, theme.fontSize - 1);
  const wide = scale.left >= gutterWidth(rows.cpus, names, false);
  const shown = wide ? names : nameMarks(names);
  for (let cpu = 0; cpu < rows.cpus; cpu++) {
    const top = laneTop(rows, cpu, 0);
    if (top > height || top + rowHeight(rows) < axisHeight) continue;
    const middle = top + (rows.lane * rows.runs) / 2;
    const style = { colour: theme.foreground, size, bold: cpu === selected };
    surface.text(wide ? `CPU ${cpu}` : String(cpu), 4, middle, style);
    if (runs.length < 2 || rows.lane < 9) continue;
    shown.forEach((name, run) =>
      surface.text(name, scale.left - 4, laneTop(rows, cpu, run) + rows.lane / 2, {
        ...{ colour: theme.faint, size: Math.min(nameSize, size), align: 'right' },
      }),
    );
  }
}

function drawAxis({ surface, theme, scale, runs, width }: Drawing): void {
  surface.rect(0, 0, width, axisHeight, theme.background);
  const size = Math.min(11, theme.fontSize - 2);
  const origin = Math.min(...runs.map(({ index }) => index.start));
  // Times count from the beginning of the run.
  const shifted = { ...scale, from: scale.from - origin, to: scale.to - origin };
  const shown = ticks(shifted);
  for (const time of shown) {
    const x = toX(shifted, time);
    surface.line(x, axisHeight - 5, x, axisHeight, theme.faint);
    const room = x + 50 < width;
    surface.text(number(time), room ? x + 3 : x - 3, axisHeight / 2, {
      ...{ colour: theme.faint, size, align: room ? 'left' : 'right' },
    });
  }
  surface.text('cy', 4, axisHeight / 2, { colour: theme.faint, size });
  surface.line(0, axisHeight, width, axisHeight, theme.grid);
}
