/** Short texts about scenarios and their runs: for the tree, the Test Explorer and messages. */
import type { RunReport, ScenarioReport } from '../../protocol/run';
import { workspaceTree } from '../../protocol/scenarios';
import type { Review } from '../../scenario/review';
import { plainText } from './escape';
import { countedOperation, formatNumber } from './labels';

/** What is compared, and why not the patch under review where it is not. */
export interface Basis {
  readonly compares: 'patch' | 'variants';
  /** One sentence without a full stop. */
  readonly text: string;
  /** The kernel tree of the workspace is run, not a bundled one. */
  readonly onWorkspaceTree: boolean;
}

/** How kernel trees are called on screen. */
const kernelTitles: Readonly<Record<string, string>> = { linux: 'the model kernel', xen: 'the model of Xen' };

const kernelTitle = (kernel: string): string => kernelTitles[kernel] ?? `the kernel tree ${kernel}`;

const refusal = ({ line, reason }: Extract<Review, { applies: false }>): string =>
  `${line === null ? '' : `line ${line}: `}${plainText(reason, 160)}`;

/**
 * `reviews`: of the patch under review, by kernel tree; none where there is no patch. The tree of the workspace, a folder
 * called `folder`, comes first: it is what the patch was made for.
 */
export function basisOf(kernel: string, reviews: Readonly<Record<string, Review>>, folder = ''): Basis {
  // A Linux tree does not hold the hypervisor.
  const own = kernel === 'xen' ? undefined : reviews[workspaceTree];
  const bundled = reviews[kernel];
  const model = kernelTitle(kernel);
  if (own?.applies)
    return {
      ...{ compares: 'patch', onWorkspaceTree: true },
      text: `Before and after this patch, on the kernel tree ${plainText(folder, 60)} of the workspace`,
    };
  const variants = { compares: 'variants', onWorkspaceTree: false } as const;
  if (!bundled) return { ...variants, text: `Its own variants of ${model}` };
  const aside = own ? `; nor to the kernel tree ${plainText(folder, 60)} (${refusal(own)})` : '';
  if (bundled.applies)
    return {
      ...{ compares: 'patch', onWorkspaceTree: false },
      text: `Before and after this patch, on ${model}`,
    };
  return {
    ...variants,
    text: `Its own variants: the patch does not apply to ${model} (${refusal(bundled)})${aside}`,
  };
}

export const parametersText = (parameters: Readonly<Record<string, number>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

/** `after, n=10, c=3`. */
export const runName = ({ variant, parameters }: Pick<RunReport, 'variant' | 'parameters'>): string =>
  [variant, parametersText(parameters)].filter(Boolean).join(', ');

const range = (low: number, high: number): string =>
  low === high ? formatNumber(low) : `${formatNumber(low)}–${formatNumber(high)}`;

/** Cycles of a run with their range; `+ ?` where an operation has no price, and no number where it did not end. */
export function runCycles({ total, low, high, priced, complete }: RunReport): string {
  if (!complete) return 'no cycles: it did not end';
  if (total !== null && low !== null && high !== null)
    return `${formatNumber(total)} cy (${range(low, high)})`;
  if (priced) return `${formatNumber(priced.cycles)} cy (${range(priced.low, priced.high)}) + ?`;
  return 'cycles not known';
}

/**
 * Whether a run is as it should be. `unsafe`: a verdict other than safe that the scenario does not expect. `changed`: a
 * figure after the patch is not the one that a built-in scenario gives for the tree without it.
 */
export type Outcome = 'passed' | 'changed' | 'failed' | 'unsafe' | 'unknown';

/** `builtin`: figures that the scenario expects describe the model kernel as it is; they are nobody's budget. */
export function runOutcome({ expect, verdict, variant }: RunReport, builtin = false): Outcome {
  const onVerdict = ({ text }: RunReport['expect'][number]): boolean => text.startsWith('verdict ');
  const broken = expect.filter(({ ok }) => !ok);
  if (broken.length) return builtin && variant === 'after' && !broken.some(onVerdict) ? 'changed' : 'failed';
  if (verdict === 'safe' || expect.some(onVerdict)) return 'passed';
  return verdict === 'unknown' || verdict === 'unbounded' ? 'unknown' : 'unsafe';
}

const gravest: readonly Outcome[] = ['failed', 'unsafe', 'unknown', 'changed'];

export function outcomeOf({ runs, compares }: ScenarioReport, builtin = false): Outcome {
  const outcomes = new Set(runs.map(run => runOutcome(run, builtin && compares === 'patch')));
  return gravest.find(one => outcomes.has(one)) ?? 'passed';
}

const quantity = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** `safe`, or the others with how many runs have them: `stale-data in 2 of 8 runs`. */
export function verdictSummary(runs: readonly RunReport[]): string {
  const counts = new Map<string, number>();
  for (const { verdict } of runs) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  if (counts.size === 1) return [...counts.keys()][0]!;
  return [...counts]
    .filter(([verdict]) => verdict !== 'safe')
    .map(([verdict, count]) => `${verdict} in ${count} of ${quantity(runs.length, 'run')}`)
    .join(', ');
}

/** From the lowest bound of all runs to the highest. */
function cyclesSummary(runs: readonly RunReport[]): string {
  const known = runs.flatMap(({ complete, total, low, high, priced }) => {
    if (!complete) return [];
    if (total !== null && low !== null && high !== null) return [{ low, high, open: false }];
    return priced ? [{ low: priced.low, high: priced.high, open: true }] : [];
  });
  if (!known.length) return 'cycles not known';
  const bounds = range(Math.min(...known.map(({ low }) => low)), Math.max(...known.map(({ high }) => high)));
  const missing = known.length < runs.length || known.some(({ open }) => open);
  return `${bounds} cy${missing ? ' + ?' : ''}`;
}

/** `safe · 1204–18600 cy · 12 of 12 expectations`. */
export function reportSummary({ runs }: ScenarioReport): string {
  if (!runs.length) return 'no runs';
  const expectations = runs.flatMap(({ expect }) => expect);
  const held = expectations.filter(({ ok }) => ok).length;
  const kept = expectations.length ? [`${held} of ${quantity(expectations.length, 'expectation')}`] : [];
  const aside = runs.some(({ notes }) => notes?.some(note => note.startsWith('not run: ')))
    ? ['part of the patch did not run']
    : [];
  return [verdictSummary(runs), cyclesSummary(runs), ...kept, ...aside].join(' · ');
}

/** Operations whose count changes from one run to another: `−10·INVPCID_ADDR +10·INVLPG`; none: `same operations`. */
export function countsChange(before: RunReport, after: RunReport): string {
  const names = [...new Set([...Object.keys(before.counts), ...Object.keys(after.counts)])].sort();
  const parts = names.flatMap(name => {
    const difference = (after.counts[name] ?? 0) - (before.counts[name] ?? 0);
    return difference === 0 ? [] : [countedOperation(name, String(difference), true)];
  });
  return parts.join(' ') || 'same operations';
}

const sameParameters = (a: RunReport, b: RunReport): boolean =>
  parametersText(a.parameters) === parametersText(b.parameters);

/** Beside a run in a list: its verdict and cycles, and what it changes against the first variant. */
export function runSummary(run: RunReport, all: readonly RunReport[]): string {
  const first = all.find(one => sameParameters(one, run));
  const change =
    first && first !== run && first.complete && run.complete
      ? ` · ${countsChange(first, run)} against ${first.variant}`
      : '';
  return `${run.verdict} · ${runCycles(run)}${change}`;
}
