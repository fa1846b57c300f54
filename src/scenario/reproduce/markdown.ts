/** `docs/accuracy.md`: every table, its errors, and what they rest on. */
import { sourceLine } from '../../machine/registry';
import { judgeMeasures } from './measures';
import type { ReproducedRow, ReproducedTable, Role } from './model';
import { numberIn, percentIn } from './numbers';
import { plotOf } from './plot';
import { reproductions } from './registry';

const intro = `# Accuracy

<!-- Made by \`npm run accuracy\`; a test fails when it is not current. -->

How close do the models come to what others have measured? \`tlbscope reproduce\` runs every table below and sets each
published figure beside what the product says. This page is its output.

- **fitted**: a constant of the model was chosen with this figure in view. A fitted row proves nothing, however close.
- **predicted**: nothing in the model was chosen by this figure. The prediction may use constants fitted on other rows.
- **not modelled**: the figure is published, and the product has nothing to say about it. It stays in the table.

Each table counts its _free parameters_. A table with as many as it has figures validates nothing, and says so. Error is
(predicted − published) / published. The range of a prediction comes from the ranges of the machine profile's figures,
or is two standard errors of a fitted line; it is not a promise.

A published duration holds much that is no flush: a system call, the page tables, tracing. That part is fitted, and
only differences say something about flushes.

Constants that go from one table to another:

| constant | fitted on | used for |
| :-- | :-- | :-- |
| INVPCID less INVLPG, Skylake | R3, both columns up to 33 pages | R1, second column |
| an entry fetched again, Skylake | R10, 512 pages with and without PCIDs | R3, kernel compile |
| entries in use between flushes | R2, counters of page walks and flushes | R3, kernel compile |

Figures that are published elsewhere can be compared as well: \`tlbscope reproduce --also FILE\` takes a JSON list such as
\`[{"table": "R3", "row": "40 pages", "column": "without", "value": 8400}]\`. Nothing is ever fitted on them. Rows are named as
below, with any number: pages (R1, R2, R3, R10, G1) or threads (R4, R8, R9; for R9 there is a column \`flush avoided\` too).
`;

const knownWrong = `## Known to be wrong

- **A full flush is too cheap** in the table that traces one (R2): the profile's price of a CR3 write has no refill of the
  walk caches and no cold code in it.
- **A second of compile time** (R3): the sign is right, the size is an eighth of what was measured.
- **Misses with PCIDs** (R10): the kernel's own translations are not there, so a working set that fits never misses.
- **Many CPUs at once** (R8): locks that all threads share are not modelled; throughput beyond a handful of threads is an
  upper bound.
- **Prices of one core in another's units**: most tables do not say whether cycles are of the core or of the time stamp
  counter; differences of 20 to 60 % between two machines may be nothing else.
- **What XPFO costs beside interrupts** (R12): once flushes are deferred, five times as much is left on both machines as the
  model kernel has. Its split entries, cache misses and contended marks are not modelled; flushes on every CPU, which are
  nearly all of the table, come out within a fifth.
- **How often a guest enters Xen** (R14) is fitted on the elapsed time: what is predicted is that all of it is system time,
  and not how much that is. The border of the hypervisor is run, its other work is not.
- **Guests**: one price for an instruction does not exist there; a busy neighbour changes it fivefold (G1).
- Most figures of the profiles are estimates, above all on AMD, arm64 and recent Intel servers; no published table here
  tests them.
`;

const rolesOf: readonly Role[] = ['fitted', 'predicted', 'not modelled'];

const count = (table: ReproducedTable, role: Role): number =>
  table.rows.filter(row => row.role === role).length;

const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

function worstPrediction(table: ReproducedTable): ReproducedRow | null {
  return table.rows
    .filter(({ role, error }) => role === 'predicted' && error !== null)
    .reduce<ReproducedRow | null>(
      (worst, one) => (worst === null || Math.abs(one.error!) > Math.abs(worst.error!) ? one : worst),
      null,
    );
}

function summary(tables: readonly ReproducedTable[]): string[] {
  const lines = tables.map(table => {
    const worst = worstPrediction(table);
    return row(
      `[${table.id}](#${table.id.toLowerCase()})`,
      table.title,
      ...rolesOf.map(role => String(count(table, role))),
      String(table.free),
      worst ? `${percentIn(worst.error)} (${worst.row}, ${worst.column})` : '–',
    );
  });
  return [
    '## The tables',
    '',
    row('table', 'what', ...rolesOf, 'free parameters', 'worst prediction'),
    '| :-- | :-- | --: | --: | --: | --: | :-- |',
    ...lines,
    '',
    `${tables.reduce((sum, { free }) => sum + free, 0)} free parameters for ${tables.reduce((sum, table) => sum + count(table, 'fitted'), 0)} fitted figures; ${tables.reduce((sum, table) => sum + count(table, 'predicted'), 0)} are predicted.`,
    '',
  ];
}

function measuresText(tables: readonly ReproducedTable[]): string[] {
  return [
    '## What was asked of them',
    '',
    row('', 'measure', 'found'),
    '| :-- | :-- | :-- |',
    ...judgeMeasures(tables).map(({ met, text, found }) => row(met ? 'met' : '**missed**', text, found)),
    '',
  ];
}

function tableText(table: ReproducedTable, plotAddress = `accuracy/${table.id.toLowerCase()}.svg`): string[] {
  const plot = reproductions.find(({ published }) => published.id === table.id)?.plot;
  const range = ({ low, high }: ReproducedRow): string =>
    low === null || low === high ? '' : `${numberIn(low)} to ${numberIn(high)}`;
  const rows = table.rows.map(one =>
    row(
      ...[one.row, one.column, one.unit, numberIn(one.published), numberIn(one.predicted), range(one)],
      ...[percentIn(one.error), one.role],
    ),
  );
  const reasons = new Map<string, ReproducedRow[]>();
  for (const one of table.rows) if (one.role !== 'fitted') reasons.set(one.reason, [...(reasons.get(one.reason) ?? []), one]); // prettier-ignore
  const about = (some: readonly ReproducedRow[]): string => {
    const names = [...new Set(some.map(one => `${one.row}, ${one.column}`))];
    return names.length > 3
      ? `${names.slice(0, 2).join('; ')} and ${names.length - 2} more`
      : names.join('; ');
  };
  return [
    `## ${table.id}`,
    '',
    `**${table.title}.** ${table.about}`,
    '',
    `Source: ${table.sources.map(sourceLine).join(' ')} Machine profile: \`${table.machine}\`.`,
    '',
    ...(table.fitted.length
      ? [
          `Free parameters, ${table.fitted.length}:`,
          '',
          ...table.fitted.map(({ name, value, unit, on }) => `- ${name}: ${numberIn(value)}${unit ? ` ${unit}` : ''}, fitted on ${on}`), // prettier-ignore
          '',
        ]
      : []),
    ...(table.takes.length ? ['Taken from elsewhere:', '', ...table.takes.map(text => `- ${text}`), ''] : []),
    ...(plot ? [`![${table.title}](${plotAddress})`, ''] : []),
    row('row', 'column', 'unit', 'published', 'product', 'range', 'error', 'role'),
    '| :-- | :-- | :-- | --: | --: | --: | --: | :-- |',
    ...rows,
    '',
    'How the predictions come about, and why a figure has none:',
    '',
    ...[...reasons].map(([reason, some]) => `- ${about(some)}: ${reason}.`),
    '',
    ...(table.fitted.length
      ? ['Left out, or doubtful:', '', ...table.leavesOut.map(text => `- ${text}`), '']
      : []),
  ];
}

/** One table by itself, with its plot in the text. */
export function tableMarkdown(table: ReproducedTable): string {
  const plan = reproductions.find(({ published }) => published.id === table.id)?.plot;
  const plot = plan ? plotOf(table, plan) : null;
  // A parenthesis would end the address early.
  const coded = encodeURIComponent(plot ?? '')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29');
  return tableText(table, `data:image/svg+xml;utf8,${coded}`).join('\n');
}

/** The text of the file, for all tables. */
export function accuracyMarkdown(tables: readonly ReproducedTable[]): string {
  return [
    intro,
    ...summary(tables),
    ...measuresText(tables),
    knownWrong,
    ...tables.flatMap(table => tableText(table)),
  ].join('\n');
}
