/** The explanation of a number: Markdown in which every piece of patch text is escaped. */
import { dominantOf } from '../../machine/dominant';
import { figureTitles, kernelConstants } from '../../machine/registry';
import type {
  Cause,
  HunkAnnotation,
  LineAnnotation,
  Operations,
  TotalReport,
  UnknownReport,
} from '../../protocol/report';
import { crossover } from './crossover';
import { markdownText } from './escape';
import {
  countedOperation,
  formatCycles,
  formatNumber,
  formatRange,
  operationsText,
  valuesText,
} from './labels';
import type { ShownMachine } from './machine';
import { changePrice, linePrice, totalPrice, type Price, type PriceRow, type Values } from './prices';
import { switches, type Switch } from './switches';

/** The commands that a hover may run; the Markdown is trusted for these alone. */
export const hoverCommands = ['tlbscope.chooseMachine', 'tlbscope.chooseValues', 'tlbscope.hide'] as const;

/** At most so many entries of one list: a hover is read, not scrolled. */
const longestList = 12;

const commandLink = (label: string, command: (typeof hoverCommands)[number], argument?: string): string =>
  `[${label}](command:${command}${argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument]))}`})`;

function list(lines: readonly string[]): string[] {
  const shown = lines.slice(0, longestList).map(line => `- ${line}`);
  return lines.length > longestList ? [...shown, `- and ${lines.length - longestList} more`] : shown;
}

/** `−1`, or `n → 10` where the count has symbols. */
function countCell({ count, times }: PriceRow): string {
  const shown = markdownText(count.replaceAll('*', '·').replaceAll('-', '\u2212'));
  if (times === null) return `${shown} → unknown`;
  return /^-?\d+$/.test(count) ? shown : `${shown} → ${formatNumber(times)}`;
}

function tableRow(row: PriceRow): string {
  const { figure } = row;
  const each =
    !figure || figure.cycles === null
      ? 'unknown'
      : `${formatNumber(figure.cycles)} (${formatNumber(figure.low ?? figure.cycles)}–${formatNumber(figure.high ?? figure.cycles)})`;
  const sum = row.cycles ? formatRange(row.cycles) : `unknown: ${markdownText(row.why)}`;
  const cells = [markdownText(row.operation), countCell(row), each, figure?.kind ?? '–', sum];
  return `| ${cells.join(' | ')} |`;
}

function priceTable(priced: Price): string[] {
  if (!priced.rows.length) return [];
  return [
    '| operation | count | cycles each | kind | sum |',
    '| :-- | :-- | :-- | :-- | :-- |',
    ...priced.rows.map(tableRow),
  ];
}

/** Which figure of the machine to look at first. Nothing where only one goes in: its row says it. */
function dominantLine({ rows }: Price): string[] {
  const dominant = dominantOf(
    rows.flatMap(({ figure, times }) => (figure && times ? [{ figure, times }] : [])),
  );
  if (!dominant || dominant.share === 1) return [];
  const title = figureTitles[dominant.figure] ?? dominant.figure;
  return [
    `The range is moved most by: ${markdownText(title)} \\(${dominant.kind}, ${Math.round(100 * dominant.share)} %\\).`,
  ];
}

/** Source and note of every figure that was used. */
function sources(priced: Price, machine: ShownMachine): string[] {
  const lines = priced.rows.flatMap(({ operation, figure }) => {
    if (!figure) return [];
    const from = figure.source.map(id => markdownText(machine.source(id))).join('; ');
    const converted = figure.converted ? ` Converted: ${markdownText(figure.converted)}.` : '';
    const note = figure.note ? ` ${markdownText(figure.note, 400)}` : '';
    return [`${markdownText(operation)}: ${from || 'no source'}.${converted}${note}`];
  });
  return lines.length ? ['Sources of the figures:', '', ...list(lines)] : [];
}

const unknownLines = (unknown: readonly UnknownReport[]): string[] =>
  unknown.length
    ? [
        'Not known, and not counted:',
        '',
        ...list(
          unknown.map(
            ({ name, line, why }) =>
              `${markdownText(name)}${line === null ? '' : `, line ${line}`}: ${markdownText(why)}`,
          ),
        ),
      ]
    : [];

function causeLine({ name, operations, why, gates, note }: Cause): string {
  const performs = operationsText(operations, false);
  const parts = [`**${markdownText(name)}**`];
  if (performs && Object.keys(operations).length) parts.push(`→ ${markdownText(performs)}.`);
  if (why) parts.push(markdownText(why));
  if (gates.length) parts.push(`Needs ${gates.map(gate => markdownText(gate)).join(', ')}.`);
  if (note) parts.push(markdownText(note));
  return parts.join(' ');
}

const byNameNote =
  'By name: each line counts once, as the catalogue of kernel names says; loops, conditions and the functions called are not read.';

function links(machine: ShownMachine, off: readonly Switch[]): string {
  const commands = [
    commandLink('Choose machine', 'tlbscope.chooseMachine'),
    commandLink('Set n and c', 'tlbscope.chooseValues'),
    ...off.map(name => commandLink(`Turn off: ${switches[name].toLowerCase()}`, 'tlbscope.hide', name)),
  ];
  return `${markdownText(machine.name)} · ${commands.join(' · ')}`;
}

const blocks = (...parts: readonly (readonly string[])[]): string =>
  parts
    .filter(part => part.length)
    .map(part => part.join('\n'))
    .join('\n\n');

const sumText = (priced: Price, values: Values, why = ''): string => {
  const used = valuesText(priced, values);
  const at = used && ` at ${used}`;
  return priced.cycles
    ? `**${formatCycles(priced.cycles)}**${at}`
    : `**no price**${why ? ` \\(${markdownText(why)}\\)` : ' \\(a figure is missing, see below\\)'}`;
};

/** `Breaks even at n ≈ 7 …`, where the change of a hunk or a patch depends on the pages. */
function crossoverLine(operations: Operations, machine: ShownMachine, values: Values): string[] {
  const found = crossover(operations, machine, values);
  if (!found) return [];
  const { value, low, high } = found.pages;
  const range = `${formatNumber(Math.floor(low))} to ${formatNumber(Math.ceil(high))}`;
  const above = found.cheaper === 'above' ? 'cheaper above, dearer below' : 'dearer above, cheaper below';
  const ceiling = kernelConstants.flushCeiling.value;
  return [
    `Breaks even at n ≈ ${formatNumber(value)} pages (${range}): ${above}. Linux flushes everything past ${ceiling} pages.`,
  ];
}

/** Why a line has its hint. */
export function lineHover(
  line: LineAnnotation,
  machine: ShownMachine,
  values: Values,
  off: readonly Switch[],
): string {
  const priced = linePrice(line, machine, values);
  const side = { old: 'Removed line', new: 'Added line', both: 'Context line' }[line.side];
  const head = Object.keys(line.operations).length
    ? `${side}: ${markdownText(operationsText(line.operations, false))}, ${sumText(priced, values, line.noCycles)}${line.weak ? ', *by name*' : ''}`
    : line.unknown.length
      ? `${side}: **cost not known**`
      : `${side}: no operation, but it has to do with the TLB`;
  return blocks(
    [head],
    [links(machine, off)],
    list(line.causes.map(causeLine)),
    priceTable(priced),
    dominantLine(priced),
    unknownLines(line.unknown),
    line.weak ? [byNameNote] : [],
    sources(priced, machine),
  );
}

/** How a hunk's verdict came about. */
export function hunkHover(
  hunk: HunkAnnotation,
  machine: ShownMachine,
  values: Values,
  off: readonly Switch[],
): string {
  const priced = changePrice(hunk, machine, values);
  const names = Object.entries(hunk.delta).map(([name, count]) => countedOperation(name, count, true));
  const where = hunk.heading ? `${markdownText(hunk.heading)}: ` : '';
  const head = names.length
    ? `${where}${markdownText(names.join(' '))}, ${sumText(priced, values, hunk.noCycles)}${hunk.weak ? ', *by name*' : ''}`
    : `${where}no operation added or taken away${hunk.weak ? ', *by name*' : ''}`;
  const other = hunk.deltaOther
    ? [
        `Or, if the open condition falls the other way: ${markdownText(operationsText(hunk.deltaOther, true)) || 'nothing'}.`,
      ]
    : [];
  return blocks(
    [head],
    [links(machine, off)],
    other,
    crossoverLine(hunk.delta, machine, values),
    priceTable(priced),
    dominantLine(priced),
    hunk.derivation.length
      ? ['How it was counted:', '', ...list(hunk.derivation.map(text => markdownText(text)))]
      : [],
    unknownLines(hunk.unknown),
    hunk.weak && hunk.gates.length
      ? [`Depends on ${hunk.gates.map(gate => markdownText(gate)).join(', ')}.`]
      : [],
    hunk.weak ? [byNameNote] : [],
    sources(priced, machine),
  );
}

/** What a patch changes, root by root. */
export function totalHover(
  total: TotalReport,
  machine: ShownMachine,
  values: Values,
  off: readonly Switch[],
): string {
  const changed = total.roots.filter(root => Object.keys(root.delta).length || root.unknown.length);
  const priced = totalPrice(total, machine, values);
  const roots = changed.map(root => {
    const each = changePrice(root, machine, values);
    const operations = markdownText(operationsText(root.delta, true)) || 'no operation changed';
    return `**${markdownText(root.name)}** \\(${markdownText(root.path)}\\): ${operations}, ${sumText(each, values, root.noCycles)}`;
  });
  const replaced = total.supersededBy ?? total.revises;
  const head =
    replaced === null
      ? `${total.scope === 'all' ? 'All patches' : 'This patch'}: ${markdownText(operationsText(total.delta, true)) || 'no operation changed'}, ${sumText(priced, values, total.noCycles)}`
      : `${total.revises === null ? 'A newer version counts instead' : 'Counted with the patch it revises'}: ${markdownText(replaced)}`;
  return blocks(
    [head],
    [links(machine, off)],
    roots.length
      ? [
          'One call of each function that changed and that nothing else of the series calls:',
          '',
          ...list(roots),
        ]
      : [],
    crossoverLine(total.delta, machine, values),
    priceTable(priced),
    dominantLine(priced),
    unknownLines(total.unknown),
    sources(priced, machine),
  );
}
