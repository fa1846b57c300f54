/** The last results of a scenario as text: a table for a reply to a list, CSV, JSON. */
import type { RunReport, ScenarioReport } from '../../protocol/run';
import { parametersText, type Basis } from './scenarios';

/** Longest line of a mail. */
const width = 75;

/** Plain ASCII in one line: what a mail program cannot spoil. */
const ascii = (text: string): string =>
  text
    .replaceAll('\u2212', '-')
    .replaceAll('\u2013', '-')
    .replace(/[\s]+/g, ' ')
    .replace(/[^\x20-\x7e]/g, '?')
    .trim();

/** Breaks at blanks; a word that is longer than a line is cut. */
export function wrapped(text: string, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of ascii(text).split(' ')) {
    const piece = word.slice(0, width - indent.length);
    if (line && indent.length + line.length + 1 + piece.length > width) {
      lines.push(indent + line);
      line = piece;
    } else line = line ? `${line} ${piece}` : piece;
  }
  if (line) lines.push(indent + line);
  return lines;
}

const whole = (value: number): string => Math.round(value).toString();

/** Cycles, and their range. */
function cyclesOf({ complete, total, low, high, priced }: RunReport): [cycles: string, range: string] {
  if (!complete) return ['-', '-'];
  if (total !== null && low !== null && high !== null) return [whole(total), `${whole(low)}..${whole(high)}`];
  return priced ? [`${whole(priced.cycles)}+?`, `${whole(priced.low)}..${whole(priced.high)}+?`] : ['?', '?'];
}

/** Columns that hold figures, right-aligned: cycles, their range, misses. */
const firstFigure = 3;

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)));
  const pad = (cell: string, column: number): string =>
    column < firstFigure ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return rows.map(row => row.map(pad).join('  ').trimEnd());
}

/** Rows that do not fit a mail's line are written one below the other. */
function runLines(runs: readonly RunReport[]): string[] {
  const head = ['variant', 'parameters', 'verdict', 'cycles', 'range', 'misses'];
  const rows = runs.map(run => [
    ascii(run.variant),
    ascii(parametersText(run.parameters)) || '-',
    run.verdict,
    ...cyclesOf(run),
    String(run.misses),
  ]);
  const lines = table([head, ...rows]);
  if (lines.every(line => line.length <= width)) return lines;
  return rows.flatMap(row =>
    row.flatMap((cell, column) => wrapped(`${head[column]!} ${cell}`, column === 0 ? '' : '  ')),
  );
}

/** Operations of each run, or of all together where they are the same. */
function operationLines(runs: readonly RunReport[]): string[] {
  return runs.flatMap(run => {
    const counts = Object.entries(run.counts).map(([name, count]) => `${count} ${name}`);
    const name = [run.variant, parametersText(run.parameters)].filter(Boolean).join(', ');
    const until = run.complete ? '' : ' until it stopped';
    return wrapped(`${name}${until}: ${counts.join(', ') || 'none'}`, '  ');
  });
}

/** Plain ASCII of at most 75 columns: what was run, on what, the figures, and what they leave open. */
export function mailText(report: ScenarioReport, basis: Basis): string {
  const [first] = report.runs;
  const unknown = [
    ...new Set(report.runs.flatMap(run => run.unknown.map(({ name, why }) => `${name}: ${why}`))),
  ];
  const assumed = [...new Set(report.runs.flatMap(run => run.assumed))];
  const notes = [...new Set(report.runs.flatMap(run => run.notes ?? []))];
  const why = report.runs.flatMap(run =>
    run.why.map(reason => `${run.variant}, ${parametersText(run.parameters)}: ${reason}`),
  );
  const failed = report.runs.flatMap(run =>
    run.expect
      .filter(({ ok }) => !ok)
      .map(
        one =>
          `${run.variant}, ${parametersText(run.parameters)}: ${one.text}, found ${one.found ?? 'nothing known'}`,
      ),
  );
  const listed = (title: string, lines: readonly string[]): string[] =>
    lines.length ? ['', title, ...lines.slice(0, 40).flatMap(line => wrapped(line, '  '))] : [];
  return [
    ...wrapped(report.title),
    ...wrapped(`${basis.text}.`),
    ...(first
      ? wrapped(`Simulated on ${first.machine}, features ${first.features.join(',') || 'none'}.`)
      : []),
    '',
    ...(report.runs.length ? runLines(report.runs) : ['No runs.']),
    '',
    'Operations:',
    ...operationLines(report.runs),
    ...listed('Why not safe:', why),
    ...listed('Expectations that do not hold:', failed),
    ...listed('Notes:', notes),
    ...listed('Not known:', unknown),
    ...listed('Assumed:', assumed),
    '',
  ].join('\n');
}

const field = (value: string | number | null): string => {
  const text = value === null ? '' : String(value);
  // A cell that begins like a formula is kept from being one.
  const safe = typeof value === 'string' && /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** One row a run, one column an operation. Empty: not known. */
export function csvText({ runs }: ScenarioReport): string {
  const parameters = [...new Set(runs.flatMap(run => Object.keys(run.parameters)))];
  const operations = [...new Set(runs.flatMap(run => Object.keys(run.counts)))].sort();
  const head = [
    'variant',
    ...parameters,
    'machine',
    'verdict',
    'cycles',
    'low',
    'high',
    'misses',
    ...operations,
  ];
  const rows = runs.map(run => [
    run.variant,
    ...parameters.map(name => run.parameters[name] ?? null),
    run.machine,
    run.verdict,
    ...[run.total, run.low, run.high, run.misses],
    // What a run that did not end would still have done is not known.
    ...operations.map(name => run.counts[name] ?? (run.complete ? 0 : null)),
  ]);
  return [head, ...rows].map(row => `${row.map(field).join(',')}\n`).join('');
}

export const jsonText = (report: ScenarioReport, basis: Basis): string =>
  `${JSON.stringify({ scenario: report.title, basis: basis.text, kernel: report.kernel, runs: report.runs }, null, 2)}\n`;
