/** `tlbscope reproduce`: published tables against what the models say. */
import { reproductions } from '../scenario/reproduce/registry';
import { findReproduction, reproduceTables, type FurtherFigure } from '../scenario/reproduce/reproduce';
import { accuracyMarkdown } from '../scenario/reproduce/markdown';
import { judgeMeasures } from '../scenario/reproduce/measures';
import { numberIn, percentIn } from '../scenario/reproduce/numbers';
import type { ReproducedTable } from '../scenario/reproduce/model';
import { plotOf } from '../scenario/reproduce/plot';
import { Exit, InputError, type Command, type CommandContext, type CommandOptions } from './command';
import { loadCGrammar } from './frontEnd';
import { readBytes } from './input';
import { tableText } from './table';

const textOf = (value: CommandOptions[string]): string | null => (typeof value === 'string' ? value : null);

/** Reads `--also`: a list of `{"table","row","column","unit","value"}`; `published` may stand for `value`. */
function furtherFigures(path: string): FurtherFigure[] {
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder().decode(readBytes(path)));
  } catch (error) {
    if (error instanceof SyntaxError) throw new InputError(`${path}: ${error.message}`);
    throw error;
  }
  if (!Array.isArray(list)) throw new InputError(`${path}: a list of published figures is expected`);
  return list.slice(0, 10_000).map((one: unknown, at): FurtherFigure => {
    const { table, row, column, unit, value, published } = (one ?? {}) as Record<string, unknown>;
    const number = value ?? published;
    if (typeof table !== 'string' || typeof row !== 'string' || typeof column !== 'string')
      throw new InputError(`${path}: entry ${at + 1} needs 'table', 'row' and 'column' as texts`);
    if (typeof number !== 'number' || !Number.isFinite(number))
      throw new InputError(`${path}: entry ${at + 1} needs 'value' as a number`);
    if (!findReproduction(table))
      throw new InputError(`${path}: entry ${at + 1}: no table '${table}'; known are ${knownTables()}`);
    return { table, row, column, unit: typeof unit === 'string' ? unit : '', value: number };
  });
}

const knownTables = (): string => reproductions.map(({ published }) => published.id).join(', ');

function reportTable(table: ReproducedTable): string {
  const rows = table.rows.map(row => [
    ...[row.row, row.column, numberIn(row.published), numberIn(row.predicted)],
    row.low === null || row.low === row.high ? '' : `${numberIn(row.low)} to ${numberIn(row.high)}`,
    ...[percentIn(row.error), row.unit, row.role],
  ]);
  const reasons = new Map<string, string[]>();
  for (const { row, column, role, reason } of table.rows)
    if (role === 'not modelled') reasons.set(reason, [...(reasons.get(reason) ?? []), `${row} ${column}`]);
  return [
    `${table.id}  ${table.title}\non ${table.machine}, ${table.free} free parameter${table.free === 1 ? '' : 's'}\n\n`,
    tableText(
      [['row', 'column', 'published', 'predicted', 'range', 'error', 'unit', 'role'], ...rows],
      [2, 3, 5],
    ),
    '\n',
    ...table.fitted.map(
      ({ name, value, unit, on }) => `fitted: ${name} ${numberIn(value)} ${unit}, on ${on}\n`,
    ),
    ...table.takes.map(text => `taken: ${text}\n`),
    ...[...reasons].map(([reason, which]) => `not modelled, ${which.length} figures: ${reason}\n`),
    '\n',
  ].join('');
}

async function run({ positionals, options, json, write }: CommandContext): Promise<Exit> {
  const which = positionals.map(name => {
    const found = findReproduction(name);
    if (!found) throw new InputError(`no table '${name}'; known are ${knownTables()}`);
    return found;
  });
  const also = textOf(options['also']);
  const further = also === null ? [] : furtherFigures(also);
  const plot = options['svg'] === true;
  if (plot && which.length !== 1) throw new InputError('--svg wants the name of one table');
  await loadCGrammar();
  const tables = [...reproduceTables(which.length ? which : reproductions, further)];
  const measures = judgeMeasures(tables);
  if (plot) {
    const svg = which[0]!.plot ? plotOf(tables[0]!, which[0]!.plot) : null;
    if (svg === null) throw new InputError(`${tables[0]!.id} has no plot`);
    write(svg);
  } else if (options['markdown'] === true) write(accuracyMarkdown(tables));
  else if (json) write(`${JSON.stringify({ tables, measures }, null, 2)}\n`);
  else {
    for (const table of tables) write(reportTable(table));
    for (const { met, text, found } of measures) write(`${met ? 'met   ' : 'missed'}  ${text}: ${found}\n`);
  }
  return options['check'] === true && measures.some(({ met }) => !met) ? Exit.Finding : Exit.Fine;
}

export const reproduceCommand: Command = {
  name: 'reproduce',
  usage: '[TABLE…]',
  summary: 'Compare published measurements with what the models predict.',
  options: {
    also: { type: 'string' },
    markdown: { type: 'boolean' },
    svg: { type: 'boolean' },
    check: { type: 'boolean' },
  },
  help: [
    `TABLE         such as R1; all of them without one: ${knownTables()}`,
    '--also FILE   JSON list of further published figures to compare: [{"table":"R3","row":"40 pages",',
    '              "column":"without","value":8400}]; nothing is fitted on them',
    '--markdown    print docs/accuracy.md',
    '--svg         print the plot of one table',
    '--check       exit with 1 if a measure is missed',
  ],
  positionals: [0, 32],
  run,
};
