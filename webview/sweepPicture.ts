/** The plot of a sweep: a line with its range for each variant, published points, crossovers. */
import type { Crossover, PanelSweep, SweepSeries } from '../src/protocol/panel';
import { number } from './format';
import type { Surface } from './surface';
import type { Theme } from './theme';

const margin = { left: 62, right: 12, top: 20, bottom: 34 };

/** Colours of the lines: before, after, then others; each also has a mark of its own. */
const colours = [
  '--vscode-tlbscope-before',
  '--vscode-tlbscope-after',
  '--vscode-charts-purple',
  '--vscode-charts-green',
];

export const seriesColour = (theme: Theme, at: number): string => theme.colour(colours[at % colours.length]!);

interface Axes {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly xs: readonly number[];
  readonly top: number;
}

/** A crossover in a sentence. */
export function crossoverText(
  { from, to, cheaper, than, until, uncertain }: Crossover,
  parameter: string,
): string {
  const begins =
    to - from <= 1 ? `from ${parameter} = ${to}` : `from somewhere between ${parameter} = ${from} and ${to}`;
  const ends = until === null ? 'on' : until === to ? 'only' : `to ${until}`;
  const doubt = uncertain ? ' The ranges overlap there: it may lie elsewhere, or not be there at all.' : '';
  return `${cheaper} is cheaper than ${than} ${begins} ${ends}.${doubt}`;
}

/** A round number not below `value`. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map(one => one * power).find(one => one >= value) ?? 10 * power;
}

function axes({ series, published }: PanelSweep, width: number, height: number): Axes {
  const xs = [
    ...new Set([...series.flatMap(({ points }) => points.map(({ x }) => x)), ...published.map(({ x }) => x)]),
  ].sort((a, b) => a - b);
  const values = series.flatMap(({ points }) => points.flatMap(({ high, value }) => high ?? value ?? []));
  const top = roundUp(Math.max(1, ...values, ...published.map(({ value }) => value)));
  const first = xs[0] ?? 0;
  const span = Math.max(1e-9, (xs.at(-1) ?? 1) - first);
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  return {
    x: value => margin.left + ((value - first) / span) * inner.width,
    y: value => margin.top + inner.height - (value / top) * inner.height,
    xs,
    top,
  };
}

export function drawSweep(
  surface: Surface,
  sweep: PanelSweep,
  theme: Theme,
  width: number,
  height: number,
): void {
  const { x, y, xs, top } = axes(sweep, width, height);
  surface.rect(0, 0, width, height, theme.background);
  const small = { colour: theme.faint, size: 11 };
  for (let step = 0; step <= 4; step++) {
    const value = (top * step) / 4;
    surface.line(margin.left, y(value), width - margin.right, y(value), theme.grid);
    surface.text(number(value), margin.left - 6, y(value), { ...small, align: 'right' });
  }
  let free = -Infinity;
  for (const value of xs) {
    const at = x(value);
    surface.line(at, y(0), at, y(0) + 4, theme.faint);
    if (at - free < 26) continue;
    surface.text(String(value), at, y(0) + 13, { ...small, align: 'center' });
    free = at;
  }
  surface.text(sweep.parameter, width - margin.right, height - 6, { ...small, align: 'right' });
  surface.text('cycles', 4, 8, small);
  for (const { from, to } of sweep.crossovers) {
    const at = (x(from) + x(to)) / 2;
    surface.line(at, margin.top, at, y(0), theme.foreground, 1, true);
  }
  sweep.series.forEach((series, at) => drawSeries(surface, series, theme, at, x, y));
  for (const { x: at, value } of sweep.published) mark(surface, 4, x(at), y(value), theme.foreground);
}

function drawSeries(
  surface: Surface,
  { points }: SweepSeries,
  theme: Theme,
  at: number,
  x: (value: number) => number,
  y: (value: number) => number,
): void {
  const colour = seriesColour(theme, at);
  let before: { x: number; y: number } | null = null;
  for (const point of points) {
    if (point.value === null) {
      before = null;
      continue;
    }
    const here = { x: x(point.x), y: y(point.value) };
    // A little to the side of each other, so that ranges of several lines can be told apart.
    const side = here.x + (at - 0.5) * 3;
    if (point.low !== null && point.high !== null) {
      surface.line(side, y(point.low), side, y(point.high), colour, 1);
      for (const end of [point.low, point.high]) surface.line(side - 3, y(end), side + 3, y(end), colour, 1);
    }
    if (before) surface.line(before.x, before.y, here.x, here.y, colour, 2, at % 2 === 1);
    mark(surface, at, here.x, here.y, colour);
    before = here;
  }
}

/** Circle-like, square, triangle, diamond; 4 is a cross. */
function mark(surface: Surface, kind: number, x: number, y: number, colour: string): void {
  const r = 4;
  if (kind === 4) {
    surface.line(x - r, y - r, x + r, y + r, colour, 2);
    surface.line(x - r, y + r, x + r, y - r, colour, 2);
    return;
  }
  const shapes: readonly (readonly (readonly [number, number])[])[] = [
    [
      [-r, -2],
      [-2, -r],
      [2, -r],
      [r, -2],
      [r, 2],
      [2, r],
      [-2, r],
      [-r, 2],
    ],
    [
      [-r, -r],
      [r, -r],
      [r, r],
      [-r, r],
    ],
    [
      [0, -r - 1],
      [r + 1, r],
      [-r - 1, r],
    ],
    [
      [0, -r - 1],
      [r + 1, 0],
      [0, r + 1],
      [-r - 1, 0],
    ],
  ];
  surface.polygon(
    shapes[kind % shapes.length]!.map(([dx, dy]) => [x + dx, y + dy] as const),
    colour,
  );
}
