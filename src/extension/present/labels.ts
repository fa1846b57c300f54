/** The short texts: hints at the ends of lines and verdicts above hunks. */
import type { HunkAnnotation, LineAnnotation, Operations } from '../../protocol/report';
import type { ShownMachine } from './machine';
import { hunkPrice, linePrice, type Cycles, type Price, type Values } from './prices';

/** VS Code cuts what a line's hints hold beyond this (`editor.inlayHints.maximumLength`). */
export const hintLimit = 43;

const minus = '\u2212';

/** A figure of cycles: whole numbers, one decimal below ten, `k` and `M` from a hundred thousand on. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  const sign = value < 0 ? minus : '';
  if (size >= 1e8) return `${sign}${(size / 1e6).toFixed(0)}M`;
  if (size >= 1e5) return `${sign}${(size / 1e3).toFixed(0)}k`;
  const text = size < 10 ? size.toFixed(1).replace(/\.0$/, '') : size.toFixed(0);
  return text === '0' ? text : sign + text;
}

/** `90–160 cy`, with a spelled-out `to` where a bound is negative. */
export function formatRange({ low, high }: Cycles): string {
  const [from, to] = [formatNumber(low), formatNumber(high)];
  if (from === to) return `${from} cy`;
  return low < 0 ? `${from} to ${to} cy` : `${from}–${to} cy`;
}

/** `−1380 cy (−1900 to −700)`. */
export function formatCycles(cycles: Cycles): string {
  const range = formatRange(cycles).replace(/ cy$/, '');
  const value = formatNumber(cycles.value);
  return range === value ? `${value} cy` : `${value} cy (${range})`;
}

/** One operation with its count, signed when `signed`: `+n·INVLPG`, `−INVPCID_ADDR`, `(n+c·n)·INVLPG`. */
export function countedOperation(operation: string, count: string, signed: boolean): string {
  const single = !/.[+-]/.test(count);
  const negative = single && count.startsWith('-');
  const size = (negative ? count.slice(1) : count).replaceAll('*', '·').replaceAll('-', minus);
  const sign = negative ? minus : signed ? '+' : '';
  if (size === '1') return `${sign}${operation}`;
  return single ? `${sign}${size}·${operation}` : `${sign}(${size})·${operation}`;
}

/** All of them, or as many as fit `limit` with `+N more`. */
export function operationsText(operations: Operations, signed: boolean, limit = Infinity): string {
  const parts = Object.entries(operations).map(([name, count]) => countedOperation(name, count, signed));
  for (let shown = parts.length; shown > 0; shown--) {
    const rest = parts.length - shown;
    const text = parts.slice(0, shown).join(' ') + (rest ? ` & ${rest} more` : '');
    if (text.length <= limit) return text;
  }
  return `${parts.length} operation${parts.length === 1 ? '' : 's'}`;
}

/** `n=10, c=3`: the symbols a price used. */
export const valuesText = ({ symbols }: Price, values: Values): string =>
  symbols
    .filter(name => Object.hasOwn(values, name))
    .map(name => `${name}=${values[name]}`)
    .join(', ');

const sideMark = { old: minus, new: '+', both: '' } as const;

/** The hint of a line: operations and cycles, at most {@link hintLimit} characters. */
export function hintText(line: LineAnnotation, machine: ShownMachine, values: Values): string {
  const mark = sideMark[line.side];
  const ending = line.weak ? ' by name' : '';
  const names = Object.keys(line.operations);
  if (!names.length) return `${mark}cost not known${ending}`.slice(0, hintLimit);
  const priced = linePrice(line, machine, values);
  const cycles = priced.cycles
    ? `${formatRange(priced.cycles)}${line.unknown.length ? ' + ?' : ''}`
    : 'no price';
  const at = priced.cycles && priced.symbols.length ? ` at ${valuesText(priced, values)}` : '';
  const whole = mark + operationsText(line.operations, false);
  const longest = `${whole} ${cycles}${at}${ending}`;
  if (longest.length <= hintLimit) return longest;
  const room = hintLimit - mark.length - cycles.length - ending.length - 1;
  return `${mark}${operationsText(line.operations, false, room)} ${cycles}${ending}`.slice(0, hintLimit);
}

/** How a hunk changes the cost: for marks and words; `unknown` where no number can be given. */
export type Direction = 'dearer' | 'cheaper' | 'same' | 'either' | 'unknown';

export function direction(hunk: HunkAnnotation, cycles: Cycles | null): Direction {
  if (!cycles || hunk.unknown.length) return 'unknown';
  if (!Object.keys(hunk.delta).length && !hunk.deltaOther) return 'same';
  if (cycles.low > 0) return 'dearer';
  if (cycles.high < 0) return 'cheaper';
  return 'either';
}

const arrows = { dearer: '▲', cheaper: '▼', same: '=', either: '◆', unknown: '?' } as const;
const words = {
  dearer: 'dearer',
  cheaper: 'cheaper',
  same: 'no change',
  either: 'dearer or cheaper',
  unknown: 'no number',
} as const;

export const directionWord = (of: Direction): string => words[of];

/** The verdict above a hunk. */
export function verdictText(hunk: HunkAnnotation, machine: ShownMachine, values: Values): string {
  const priced = hunkPrice(hunk, machine, values);
  const way = direction(hunk, priced.cycles);
  const lead = `${arrows[way]} TLB${hunk.quoted ? ', quoted' : ''}${hunk.weak ? ', by name' : ''}: `;
  const unknown = hunk.unknown.length ? `; ${hunk.unknown.length} not known` : '';
  if (!Object.keys(hunk.delta).length)
    return `${lead}${hunk.unknown.length ? 'no number' : 'no operation added or taken away'}${unknown}`;
  const at = priced.symbols.length ? ` at ${valuesText(priced, values)}` : '';
  const cycles = priced.cycles ? formatCycles(priced.cycles) : `no price on ${machine.shortName}`;
  return `${lead}${operationsText(hunk.delta, true, 80)} → ${cycles}${at}${unknown}`;
}
