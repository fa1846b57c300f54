/**
 * The runs of the panel as a reply to a list: plain ASCII within 75 columns, the hunk quoted, the figures, what they
 * assume, and the name of the scenario, so that others can run it again.
 */
import type { OperationChange } from '../../protocol/panel';
import type { RunReport } from '../../protocol/run';

const columns = 75;

export interface ReplySource {
  /** Title, and the name by which it is run. */
  readonly title: string;
  readonly name: string;
  readonly compares: string;
  /** One run, or before and after. */
  readonly runs: readonly RunReport[];
  readonly changes: readonly OperationChange[];
  /** Lines of the hunk that it is about; empty: none. */
  readonly hunk: readonly string[];
}

/** Characters that are written otherwise in ASCII. */
const plain: Readonly<Record<string, string>> = {
  '\u2212': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2192': '->',
  '\u00d7': 'x',
  '\u00b7': '*',
  '\u2026': '...',
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
};

/** Printable ASCII only; tabs become blanks, as they are seen. */
export function ascii(text: string): string {
  let line = '';
  for (const one of text) {
    if (one === '\t') line += ' '.repeat(8 - (line.length % 8));
    else line += plain[one] ?? (one >= ' ' && one <= '~' ? one : '?');
  }
  return line;
}

/** A quoted line: what does not fit is cut, never wrapped, so that the quotation stays one line. */
function quoted(text: string): string {
  const line = `> ${ascii(text)}`.trimEnd();
  return line.length <= columns ? line : `${line.slice(0, columns - 3)}...`;
}

/** Text broken at blanks; a word longer than a line is cut. */
export function wrap(text: string, indent = ''): string[] {
  const room = columns - indent.length;
  const lines: string[] = [];
  let line = '';
  for (const word of ascii(text).split(' ').filter(Boolean)) {
    const next = line === '' ? word : `${line} ${word}`;
    if (next.length <= room) {
      line = next;
      continue;
    }
    if (line !== '') lines.push(indent + line);
    line = word.length <= room ? word : `${word.slice(0, room - 3)}...`;
  }
  if (line !== '') lines.push(indent + line);
  return lines;
}

const whole = (value: number): string => String(Math.round(value));
const signed = (value: number): string => (Math.round(value) > 0 ? `+${whole(value)}` : whole(value));

/** A table of texts; the first column to the left, the others to the right. Columns are cut to fit the line. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const count = Math.max(0, ...rows.map(row => row.length));
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(0, ...rows.map(row => ascii(row[at] ?? '').length)),
  );
  let room = columns - 2 * (count - 1);
  const given = widths.map((wide, at) => {
    const least = Math.floor(room / (count - at));
    const width = Math.min(
      wide,
      Math.max(least, room - widths.slice(at + 1).reduce((sum, one) => sum + one, 0)),
    );
    room -= width;
    return width;
  });
  return rows.map(row =>
    given
      .map((width, at) => {
        const text = ascii(row[at] ?? '');
        const cut = text.length > width ? text.slice(0, width) : text;
        return at === 0 ? cut.padEnd(width) : cut.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

function cyclesOf({ complete, total, low, high, priced }: RunReport): string {
  if (!complete) return 'did not end';
  if (total !== null && low !== null && high !== null)
    return `${whole(total)} (${whole(low)}..${whole(high)})`;
  return priced ? `>= ${whole(priced.low)}` : 'not known';
}

const parametersText = (parameters: Readonly<Record<string, number>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

function figures(runs: readonly RunReport[]): string[] {
  return tableLines([
    ['', ...runs.map(({ variant }) => variant)],
    ['verdict', ...runs.map(({ verdict }) => verdict)],
    ['cycles, all CPUs', ...runs.map(cyclesOf)],
    ['TLB misses', ...runs.map(({ misses, complete }) => (complete ? String(misses) : 'not known'))],
  ]);
}

function operations({ runs, changes }: ReplySource): string[] {
  if (runs.length < 2) {
    const [run] = runs;
    const rows = Object.entries(run?.counts ?? {}).map(([name, count]) => {
      const price = run!.byOperation[name];
      return [
        name,
        String(count),
        price ? `${whole(price.cycles)} (${whole(price.low)}..${whole(price.high)})` : 'no price known',
      ];
    });
    return rows.length > 0 ? tableLines([['operation', 'times', 'cycles'], ...rows]) : ['No operations.'];
  }
  if (runs.some(({ complete }) => !complete))
    return ['A run did not end: what its operations change is not known.'];
  const changed = changes.filter(({ before, after }) => before !== after);
  if (changed.length === 0) return ['Both perform the same operations, equally often.'];
  const rows = changed.map(({ name, before, after, cycles, low, high }) => [
    ...[name, String(before), String(after)],
    cycles === null || low === null || high === null
      ? 'no price known'
      : `${signed(cycles)} (${signed(low)}..${signed(high)})`,
  ]);
  return tableLines([['operation', 'before', 'after', 'cycles'], ...rows]);
}

/** Each of these once, under a heading; nothing where there are none. */
function listed(heading: string, texts: readonly string[]): string[] {
  const each = [...new Set(texts)];
  if (each.length === 0) return [];
  const shown = each.slice(0, 12).flatMap(text => wrap(`- ${text}`, '  '));
  return ['', heading, ...shown, ...(each.length > 12 ? [`  - and ${each.length - 12} more`] : [])];
}

/** The whole text, with a newline at its end. */
export function replyText(source: ReplySource): string {
  const { title, name, compares, runs, hunk } = source;
  const [first] = runs;
  const last = runs.at(-1);
  const basis = first
    ? [
        `Machine ${first.machine}, features ${first.features.join(' ') || 'none'}, ${parametersText(first.parameters) || 'no parameters'}.`,
      ]
    : [];
  const lines = [
    ...hunk.map(quoted),
    ...(hunk.length > 0 ? [''] : []),
    ...wrap(`TLBScope, simulated: ${title}`),
    ...wrap(`Scenario ${name}. ${compares}.`),
    ...basis.flatMap(text => wrap(text)),
    '',
    ...figures(runs),
    '',
    ...operations(source),
    ...listed(
      'Not safe:',
      runs.flatMap(({ variant, why }) => why.map(text => `${variant}: ${text}`)),
    ),
    ...listed(
      'Not known:',
      runs.flatMap(({ unknown }) => unknown.map(one => `${one.name}: ${one.why}`)),
    ),
    ...listed('Assumed:', last?.assumed ?? []),
    '',
    ...wrap(
      'One schedule of each run; cycles are predicted from published figures, lowest to highest in parentheses.',
    ),
  ];
  return `${lines.map(line => line.trimEnd()).join('\n')}\n`;
}
