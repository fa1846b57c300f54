/** What the editor waits for: the analysis of a thread in the worker, and what the host does with its report. */
import { readFileSync } from 'node:fs';
import { hintText, verdictText } from '../../src/extension/present/labels';
import { lineMap } from '../../src/extension/lineMap';
import type { ShownMachine } from '../../src/extension/present/machine';
import { figureOf } from '../../src/machine/price';
import { defaultMachine, sourceLine } from '../../src/machine/registry';
import { isDocumentReport } from '../../src/protocol/reportCheck';
import { analyse } from '../../src/worker/analyse';
import { medianTime, type Bench, type BenchRow } from './bench';

const profile = defaultMachine();
const machine: ShownMachine = { ...profile, figure: name => figureOf(profile, name), source: sourceLine };
const options = {
  features: profile.features,
  machine: 'broadwell-ep-e5-2660v4',
  n: 10,
  c: 3,
  firstInvalidLine: null,
};
const values = { n: 10, c: 3 };

const example = readFileSync('examples/01-user-flush-deferred.patch', 'utf8');
const diff = example.slice(example.indexOf('diff --git'));
const repeated = (length: number): string => diff.repeat(Math.ceil(length / diff.length));

function rows(what: string, text: string): BenchRow[] {
  const report = analyse(text, options);
  const hints = (): void => {
    for (const hunk of report.annotations) {
      verdictText(hunk, machine, values);
      for (const line of hunk.lines) hintText(line, machine, values);
    }
  };
  const milliseconds = { unit: 'ms', lowerIsBetter: true } as const;
  return [
    { what: `analyse ${what}`, value: medianTime(() => void analyse(text, options)), ...milliseconds },
    {
      what: `check and place the report of ${what} (host)`,
      value: medianTime(() => {
        isDocumentReport(report);
        lineMap(text);
      }),
      ...milliseconds,
      floor: 10,
    },
    { what: `all hints and verdicts of ${what} (host)`, value: medianTime(hints), ...milliseconds },
  ];
}

export const benches: readonly Bench[] = [
  {
    name: 'annotations by name, warm',
    run: () => [
      ...rows('a 55 kB thread', repeated(55_000)),
      ...rows('a 10,000-line patch', repeated(10_000 * 40)),
    ],
  },
];
