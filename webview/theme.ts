/** Colours and fonts of the VS Code theme, for what is drawn rather than styled. */

export interface Theme {
  readonly background: string;
  readonly foreground: string;
  readonly faint: string;
  readonly grid: string;
  readonly cursor: string;
  readonly selection: string;
  /** Not transparent in high contrast only. */
  readonly border: string | null;
  readonly family: string;
  readonly fontSize: number;
  readonly stale: string;
  readonly ipi: string;
  readonly before: string;
  readonly after: string;
  /** Any other variable. */
  readonly colour: (variable: string) => string;
}

export function readTheme(): Theme {
  const style = getComputedStyle(document.body);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  const pick = (...names: readonly string[]): string => names.map(value).find(one => one !== '') ?? '#888888';
  const contrast =
    document.body.classList.contains('vscode-high-contrast') ||
    document.body.classList.contains('vscode-high-contrast-light');
  return {
    background:
      style.backgroundColor === 'rgba(0, 0, 0, 0)'
        ? pick('--vscode-editor-background')
        : style.backgroundColor,
    foreground: pick('--vscode-foreground', '--vscode-editor-foreground'),
    faint: pick('--vscode-descriptionForeground', '--vscode-foreground'),
    grid: contrast
      ? pick('--vscode-contrastBorder')
      : pick('--vscode-editorWidget-border', '--vscode-widget-border', '--vscode-editorRuler-foreground'),
    cursor: pick('--vscode-focusBorder', '--vscode-foreground'),
    selection: pick('--vscode-list-inactiveSelectionBackground', '--vscode-editor-selectionBackground'),
    border: contrast ? pick('--vscode-contrastBorder', '--vscode-foreground') : null,
    family: value('--vscode-font-family') || 'sans-serif',
    fontSize: Number.parseFloat(value('--vscode-font-size')) || 13,
    stale: pick('--vscode-tlbscope-stale', '--vscode-errorForeground'),
    ipi: pick('--vscode-tlbscope-laneIpi', '--vscode-charts-orange'),
    before: pick('--vscode-tlbscope-before', '--vscode-charts-blue'),
    after: pick('--vscode-tlbscope-after', '--vscode-charts-orange'),
    colour: variable => pick(variable, '--vscode-foreground'),
  };
}

/** Calls back when another theme, font size or contrast is there. */
export function onThemeChange(changed: () => void): void {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
}

export const prefersReducedMotion = (): boolean =>
  window.matchMedia('(prefers-reduced-motion: reduce)').matches ||
  document.body.classList.contains('vscode-reduce-motion');

/** Black or white, whichever is read better on a colour such as `#rrggbb` or `rgb(…)`. */
export function readable(colour: string): string {
  const channels = channelsOf(colour);
  if (!channels) return '#000000';
  const [red, green, blue] = channels.map(one => {
    const share = one / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! > 0.18 ? '#000000' : '#ffffff';
}

function channelsOf(colour: string): number[] | null {
  const short = /^#([0-9a-f]{3,8})$/i.exec(colour)?.[1];
  if (short !== undefined) {
    const long = short.length < 6 ? short.replace(/./g, '$&$&') : short;
    return [0, 2, 4].map(at => Number.parseInt(long.slice(at, at + 2), 16));
  }
  const numbers = colour.startsWith('rgb') ? (colour.match(/[\d.]+/g) ?? []) : [];
  return numbers.length >= 3 ? numbers.slice(0, 3).map(Number) : null;
}
