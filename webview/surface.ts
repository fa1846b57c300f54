/** What pictures are drawn on: a canvas on screen, or an SVG file. The same drawing makes both. */

export interface TextStyle {
  readonly colour: string;
  readonly size: number;
  readonly align?: 'left' | 'right' | 'center';
  readonly bold?: boolean;
}

export type Pattern = 'plain' | 'stripes' | 'dots' | 'hollow';

export interface Surface {
  rect(x: number, y: number, width: number, height: number, colour: string, pattern?: Pattern): void;
  frame(x: number, y: number, width: number, height: number, colour: string): void;
  line(
    x1: number,
    y1: number,
    x2: number,
    y2: number,
    colour: string,
    width?: number,
    dashed?: boolean,
  ): void;
  /** Filled. */
  polygon(points: readonly (readonly [number, number])[], colour: string): void;
  text(text: string, x: number, y: number, style: TextStyle): void;
  /** Everything until {@link unclip} stays inside. */
  clip(x: number, y: number, width: number, height: number): void;
  unclip(): void;
}

const fontOf = ({ size, bold }: TextStyle, family: string): string =>
  `${bold ? 'bold ' : ''}${size}px ${family}`;

/** Distance of stripes and dots. */
const gap = 5;

export class CanvasSurface implements Surface {
  private readonly stripes = new Map<string, CanvasPattern | null>();

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly family: string,
    /** Colour that patterns are cut out with. */
    private readonly background: string,
  ) {}

  rect(
    x: number,
    y: number,
    width: number,
    height: number,
    colour: string,
    pattern: Pattern = 'plain',
  ): void {
    const { context } = this;
    if (pattern === 'hollow') {
      context.globalAlpha = 0.35;
      context.fillStyle = colour;
      context.fillRect(x, y, width, height);
      context.globalAlpha = 1;
      return;
    }
    context.fillStyle = colour;
    context.fillRect(x, y, width, height);
    if (pattern === 'plain' || width < 2 * gap) return;
    const filled = this.pattern(pattern);
    if (!filled) return;
    context.fillStyle = filled;
    context.fillRect(x, y, width, height);
  }

  frame(x: number, y: number, width: number, height: number, colour: string): void {
    this.context.strokeStyle = colour;
    this.context.lineWidth = 1;
    this.context.strokeRect(x + 0.5, y + 0.5, Math.max(0, width - 1), Math.max(0, height - 1));
  }

  line(x1: number, y1: number, x2: number, y2: number, colour: string, width = 1, dashed = false): void {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dashed ? [4, 3] : []);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.setLineDash([]);
  }

  polygon(points: readonly (readonly [number, number])[], colour: string): void {
    const { context } = this;
    context.fillStyle = colour;
    context.beginPath();
    points.forEach(([x, y], at) => (at === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.closePath();
    context.fill();
  }

  text(text: string, x: number, y: number, style: TextStyle): void {
    const { context } = this;
    context.font = fontOf(style, this.family);
    context.fillStyle = style.colour;
    context.textAlign = style.align ?? 'left';
    context.textBaseline = 'middle';
    context.fillText(text, x, y);
  }

  clip(x: number, y: number, width: number, height: number): void {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
  }

  unclip(): void {
    this.context.restore();
  }

  private pattern(kind: 'stripes' | 'dots'): CanvasPattern | null {
    const known = this.stripes.get(kind);
    if (known !== undefined) return known;
    const tile = document.createElement('canvas');
    tile.width = gap;
    tile.height = gap;
    const brush = tile.getContext('2d')!;
    brush.globalAlpha = 0.55;
    brush.strokeStyle = this.background;
    brush.fillStyle = this.background;
    if (kind === 'dots') brush.fillRect(1, 1, 2, 2);
    else {
      brush.lineWidth = 1.2;
      brush.beginPath();
      for (const shift of [-gap, 0, gap]) {
        brush.moveTo(shift, gap);
        brush.lineTo(shift + gap, 0);
      }
      brush.stroke();
    }
    const made = this.context.createPattern(tile, 'repeat');
    this.stripes.set(kind, made);
    return made;
  }
}

const escaped: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that XML has. */
const isXml = (code: number): boolean =>
  (code >= 0x20 || code === 9 || code === 10 || code === 13) && code !== 0xfffe && code !== 0xffff;

/** Text for an SVG file: also without characters that XML has none of. */
export const svgText = (text: string): string =>
  text
    .replace(/[^]/g, one => (isXml(one.charCodeAt(0)) ? one : '?'))
    .replace(/[&<>"']/g, one => escaped[one]!);

const rounded = (value: number): string => String(Math.round(value * 100) / 100);

export class SvgSurface implements Surface {
  private readonly parts: string[] = [];
  private readonly definitions: string[] = [];
  private clips = 0;

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly family: string,
    private readonly background: string,
    private readonly title: string,
  ) {}

  rect(
    x: number,
    y: number,
    width: number,
    height: number,
    colour: string,
    pattern: Pattern = 'plain',
  ): void {
    const place = `x="${rounded(x)}" y="${rounded(y)}" width="${rounded(width)}" height="${rounded(height)}"`;
    const opacity = pattern === 'hollow' ? ' opacity="0.35"' : '';
    this.parts.push(`<rect ${place} fill="${svgText(colour)}"${opacity}/>`);
    if ((pattern === 'stripes' || pattern === 'dots') && width >= 2 * gap)
      this.parts.push(`<rect ${place} fill="url(#${pattern})"/>`);
  }

  frame(x: number, y: number, width: number, height: number, colour: string): void {
    const size = `width="${rounded(Math.max(0, width - 1))}" height="${rounded(Math.max(0, height - 1))}"`;
    this.parts.push(
      `<rect x="${rounded(x + 0.5)}" y="${rounded(y + 0.5)}" ${size} fill="none" stroke="${svgText(colour)}"/>`,
    );
  }

  line(x1: number, y1: number, x2: number, y2: number, colour: string, width = 1, dashed = false): void {
    const ends = `x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}"`;
    const dash = dashed ? ' stroke-dasharray="4 3"' : '';
    this.parts.push(`<line ${ends} stroke="${svgText(colour)}" stroke-width="${rounded(width)}"${dash}/>`);
  }

  polygon(points: readonly (readonly [number, number])[], colour: string): void {
    const list = points.map(([x, y]) => `${rounded(x)},${rounded(y)}`).join(' ');
    this.parts.push(`<polygon points="${list}" fill="${svgText(colour)}"/>`);
  }

  text(text: string, x: number, y: number, { colour, size, align = 'left', bold }: TextStyle): void {
    const anchor = { left: 'start', center: 'middle', right: 'end' }[align];
    const weight = bold ? ' font-weight="bold"' : '';
    const place = `x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}" dominant-baseline="middle"`;
    this.parts.push(
      `<text ${place} font-size="${size}" fill="${svgText(colour)}"${weight}>${svgText(text)}</text>`,
    );
  }

  clip(x: number, y: number, width: number, height: number): void {
    const id = `clip${this.clips++}`;
    const place = `x="${rounded(x)}" y="${rounded(y)}" width="${rounded(width)}" height="${rounded(height)}"`;
    this.definitions.push(`<clipPath id="${id}"><rect ${place}/></clipPath>`);
    this.parts.push(`<g clip-path="url(#${id})">`);
  }

  unclip(): void {
    this.parts.push('</g>');
  }

  /** The whole file. */
  toString(): string {
    const { width, height, family, background } = this;
    const colour = svgText(background);
    const tile = `width="${gap}" height="${gap}" patternUnits="userSpaceOnUse"`;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${svgText(family)}">`,
      `<title>${svgText(this.title)}</title>`,
      `<defs><pattern id="stripes" ${tile}><path d="M0 ${gap}L${gap} 0" stroke="${colour}" stroke-opacity="0.55"/></pattern>`,
      `<pattern id="dots" ${tile}><rect x="1" y="1" width="2" height="2" fill="${colour}" fill-opacity="0.55"/></pattern>`,
      ...this.definitions,
      '</defs>',
      `<rect width="${width}" height="${height}" fill="${colour}"/>`,
      ...this.parts,
      '</svg>\n',
    ].join('\n');
  }
}
