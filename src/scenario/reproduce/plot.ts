/** Plots of tables as SVG text: published figures as marks, predictions as lines. */
import { leadingNumber, type PlotPlan, type ReproducedTable } from './model';
import { numberIn } from './numbers';

const width = 640;
const height = 380;
const frame = { left: 72, right: 20, top: 44, bottom: 74 };
const colours = ['#1f6feb', '#bc4c00', '#1a7f37', '#8250df'];

interface Series {
  readonly name: string;
  readonly points: readonly {
    readonly x: number;
    readonly published: number;
    readonly predicted: number | null;
  }[];
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** 1, 2 or 5 times a power of ten: about `count` steps up to `most`. */
function stepOf(most: number, count: number): number {
  const raw = most / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const unit = [1, 2, 5, 10].find(one => one * power >= raw) ?? 10;
  return unit * power;
}

const upTo = (most: number, step: number): number[] =>
  Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, at) => at * step);

const at = (value: number): string => (Math.round(value * 10) / 10).toString();

/** The plot of a table; null where no row begins with a number. */
export function plotOf(table: ReproducedTable, plan: PlotPlan): string | null {
  const series: Series[] = plan.columns.map(name => ({
    name,
    points: table.rows
      .flatMap(({ row, column, published, predicted }) => {
        const x = leadingNumber(row);
        return column === name && x !== null ? [{ x, published, predicted }] : [];
      })
      .sort((a, b) => a.x - b.x),
  }));
  const points = series.flatMap(one => one.points);
  if (points.length === 0) return null;
  const mostX = Math.max(...points.map(({ x }) => x));
  const mostY = Math.max(...points.flatMap(({ published, predicted }) => [published, predicted ?? 0]));
  const [stepX, stepY] = [Math.max(1, stepOf(mostX, 10)), stepOf(mostY, 6)];
  const [endX, endY] = [Math.ceil(mostX / stepX) * stepX, Math.ceil(mostY / stepY) * stepY];
  const [plotWidth, plotHeight] = [width - frame.left - frame.right, height - frame.top - frame.bottom];
  const px = (x: number): number => frame.left + (x / endX) * plotWidth;
  const py = (y: number): number => frame.top + plotHeight - (y / endY) * plotHeight;
  const text = (x: number, y: number, anchor: string, content: string, more = ''): string =>
    `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}"${more}>${escaped(content)}</text>`;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(`${table.id}: ${table.title}; published as marks, predicted as lines`)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(frame.left, 24, 'start', `${table.id}: ${table.title}`, ' font-size="14" fill="#1f2328"'),
    '<g stroke="#d1d9e0" fill="#59636e" stroke-width="1">',
    ...upTo(endY, stepY).flatMap(y => [
      `<line x1="${frame.left}" y1="${at(py(y))}" x2="${width - frame.right}" y2="${at(py(y))}"/>`,
      text(frame.left - 8, py(y) + 4, 'end', numberIn(y), ' stroke="none"'),
    ]),
    ...upTo(endX, stepX).map(x =>
      text(px(x), height - frame.bottom + 18, 'middle', numberIn(x), ' stroke="none"'),
    ),
    '</g>',
    text(frame.left + plotWidth / 2, height - frame.bottom + 36, 'middle', plan.x, ' fill="#59636e"'),
    text(16, frame.top + plotHeight / 2, 'middle', plan.y, ` fill="#59636e" transform="rotate(-90 16 ${at(frame.top + plotHeight / 2)})"`), // prettier-ignore
  ];
  series.forEach(({ name, points: own }, index) => {
    const colour = colours[index % colours.length]!;
    const drawn = own.filter(({ predicted }) => predicted !== null);
    const path = drawn.map(({ x, predicted }) => `${at(px(x))},${at(py(predicted!))}`).join(' ');
    lines.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>`);
    for (const { x, published } of own)
      lines.push(`<circle cx="${at(px(x))}" cy="${at(py(published))}" r="3.2" fill="#ffffff" stroke="${colour}" stroke-width="1.6"/>`); // prettier-ignore
    const left = frame.left + index * 150;
    lines.push(`<circle cx="${left + 6}" cy="${height - 18}" r="3.2" fill="#ffffff" stroke="${colour}" stroke-width="1.6"/>`); // prettier-ignore
    lines.push(`<line x1="${left + 14}" y1="${height - 18}" x2="${left + 32}" y2="${height - 18}" stroke="${colour}" stroke-width="1.5"/>`); // prettier-ignore
    lines.push(text(left + 38, height - 14, 'start', name, ' fill="#1f2328"'));
  });
  return `${lines.join('\n')}\n</svg>\n`;
}
