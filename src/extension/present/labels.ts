/** The short texts: hints at the ends of lines and verdicts above hunks. */
import type { HunkAnnotation, LineAnnotation, Operations, TotalReport } from '../../protocol/report';
import { plainText } from './escape';
import type { ShownMachine } from './machine';
import { changePrice, linePrice, totalPrice, type Cycles, type Price, type Values } from './prices';

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

/** `n=10, c=3`: the values that a price used, also those inside `ceil(n/21)`. */
export const valuesText = ({ symbols }: Price, values: Values): string =>
  Object.keys(values)
    .filter(name => symbols.some(symbol => symbol.split(/\W+/).includes(name)))
    .map(name => `${name}=${values[name]}`)
    .join(', ');

/** ` at n=10`, or nothing where the price uses no value. */
function atValues(priced: Price, values: Values): string {
  const text = valuesText(priced, values);
  return text && ` at ${text}`;
}

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
  const at = priced.cycles ? atValues(priced, values) : '';
  const whole = mark + operationsText(line.operations, false);
  const longest = `${whole} ${cycles}${at}${ending}`;
  if (longest.length <= hintLimit) return longest;
  const room = hintLimit - mark.length - cycles.length - ending.length - 1;
  return `${mark}${operationsText(line.operations, false, room)} ${cycles}${ending}`.slice(0, hintLimit);
}

/** How a hunk changes the cost: for marks and words; `unknown` where no number can be given. */
export type Direction = 'dearer' | 'cheaper' | 'same' | 'either' | 'unknown';

export function direction(
  hunk: Pick<HunkAnnotation, 'delta' | 'deltaOther' | 'unknown'>,
  cycles: Cycles | null,
): Direction {
  if (!cycles || hunk.unknown.length) return 'unknown';
  if (!Object.keys(hunk.delta).length && !hunk.deltaOther) return 'same';
  if (cycles.low > 0) return 'dearer';
  if (cycles.high < 0) return 'cheaper';
  return 'either';
}

const arrows = { dearer: '▲', cheaper: '▼', same: '=', either: '◆', unknown: '?' } as const;

/** The verdict above a hunk. */
export function verdictText(hunk: HunkAnnotation, machine: ShownMachine, values: Values): string {
  const priced = changePrice(hunk, machine, values);
  const way = direction(hunk, priced.cycles);
  const lead = `${arrows[way]} TLB${hunk.quoted ? ', quoted' : ''}${hunk.weak ? ', by name' : ''}: `;
  const unknown = hunk.unknown.length ? `; ${hunk.unknown.length} not known` : '';
  if (!Object.keys(hunk.delta).length)
    return `${lead}${hunk.unknown.length ? 'no number' : 'no operation added or taken away'}${unknown}`;
  const at = atValues(priced, values);
  const cycles = priced.cycles ? formatCycles(priced.cycles) : `no price on ${machine.shortName}`;
  return `${lead}${operationsText(hunk.delta, true, 80)} → ${cycles}${at}${unknown}`;
}

/** What a patch changes, above its mail; of several together, above the first. */
export function totalText(total: TotalReport, machine: ShownMachine, values: Values): string {
  const replaced = total.supersededBy ?? total.revises;
  if (replaced !== null)
    return `Σ TLB: ${total.revises === null ? 'a newer version counts instead' : 'counted with the patch it revises'} (${plainText(replaced, 60)})`;
  const priced = totalPrice(total, machine, values);
  const lead = `Σ ${arrows[direction(total, priced.cycles)]} TLB of ${total.scope === 'all' ? 'all patches' : 'this patch'}: `;
  const unknown = total.unknown.length ? `; ${total.unknown.length} not known` : '';
  if (!Object.keys(total.delta).length) return `${lead}no operation added or taken away${unknown}`;
  const cycles = priced.cycles ? formatCycles(priced.cycles) : `no price on ${machine.shortName}`;
  return `${lead}${operationsText(total.delta, true, 80)} → ${cycles}${atValues(priced, values)}${unknown}`;
}
