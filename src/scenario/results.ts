/** The figures of one run, and what the scenario expected of them. */
import type { World } from '../kernel/world';
import type { MachineProfile } from '../machine/profile';
import { dominantOf, type Dominant } from '../machine/dominant';
import { cyclesOf, priceOf } from '../machine/price';
import { valueOf } from './expression';
import type { Expectation } from './model';

/** Cycles of a run. null: not known, see `unknown` of the run. */
export interface RunCycles {
  /** Of all CPUs together. null if an operation has no price, or the run did not come to its end. */
  readonly total: number | null;
  /** With unpriced operations still a lower bound. null if the run did not come to its end. */
  readonly low: number | null;
  readonly high: number | null;
  readonly perCpu: readonly (number | null)[];
  /** Count × price of each operation that ran; null: no price is known. Waiting and plain code are not in here. */
  readonly byOperation: Readonly<Record<string, number | null>>;
  /** The figure that moves the range most, of the operations and page walks that ran; waiting is left out. null without a total. */
  readonly dominant: Dominant | null;
}

/** What an execution could not know. */
export interface UnknownPart {
  readonly name: string;
  readonly why: string;
  /** Place in the kernel tree; '' and 0 where it has none. */
  readonly file: string;
  readonly line: number;
}

export interface ExpectationResult {
  readonly text: string;
  readonly ok: boolean;
  /** 1-based line of the scenario file. */
  readonly line: number;
  /** What was found, where it is known. */
  readonly found: number | string | null;
}

export interface RunFigures {
  readonly cycles: RunCycles;
  /** Operations of all CPUs together; PLAIN ones are left out. Of a run that stopped early: until then. */
  readonly counts: Readonly<Record<string, number>>;
  readonly countsPerCpu: readonly Readonly<Record<string, number>>[];
  readonly misses: number;
  readonly missesPerCpu: readonly number[];
  readonly unpriced: readonly UnknownPart[];
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000 + 0;

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** Sorted by name, so that the same run gives the same bytes. */
function sortedCounts(counts: Readonly<Record<string, number>>): Record<string, number> {
  const entries = Object.entries(counts).filter(([name, count]) => count > 0 && name !== 'PLAIN');
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function dominantFigure(
  counts: Readonly<Record<string, number>>,
  misses: number,
  machine: MachineProfile,
): Dominant | null {
  const walk = cyclesOf(machine, 'page_walk_cached');
  // Waiting comes about by the clocks: its figure is not what was spent.
  const counted = Object.entries(counts).flatMap(([name, times]) => {
    const figure = name === 'IPI_WAIT' ? null : priceOf(machine, name);
    return figure === null || 'unknown' in figure ? [] : [{ figure, times }];
  });
  return dominantOf('unknown' in walk ? counted : [...counted, { figure: walk, times: misses }]);
}

/** Figures of all CPUs of a world. `complete`: its run came to its end. */
export function figuresOf(
  world: World,
  cpus: number,
  machine: MachineProfile,
  complete: boolean,
): RunFigures {
  const each = Array.from({ length: cpus }, (_, cpu) => world.figures(cpu));
  const countsPerCpu = each.map(({ counts }) => sortedCounts(counts));
  const all: Record<string, number> = {};
  for (const counts of countsPerCpu)
    for (const [name, count] of Object.entries(counts)) all[name] = (all[name] ?? 0) + count;
  const counts = sortedCounts(all);
  const byOperation: Record<string, number | null> = {};
  const unpriced: UnknownPart[] = [];
  for (const [name, count] of Object.entries(counts)) {
    const price = priceOf(machine, name);
    byOperation[name] = 'unknown' in price ? null : rounded(price.cycles * count);
    if ('unknown' in price) unpriced.push({ name, why: price.unknown, file: '', line: 0 });
  }
  const priced = each.every(figures => figures.unpriced === 0);
  if (!priced && unpriced.length === 0)
    unpriced.push({
      name: 'time',
      why: 'the machine lacks a figure for something that the run did beside these operations',
      ...{ file: '', line: 0 },
    });
  const whole = priced && complete;
  return {
    cycles: {
      total: whole ? rounded(sum(each.map(({ cycles }) => cycles))) : null,
      low: complete ? rounded(sum(each.map(({ low }) => low))) : null,
      high: whole ? rounded(sum(each.map(({ high }) => high))) : null,
      perCpu: each.map(figures => (complete && figures.unpriced === 0 ? rounded(figures.cycles) : null)),
      byOperation,
      dominant: whole ? dominantFigure(counts, sum(each.map(({ misses }) => misses)), machine) : null,
    },
    counts,
    countsPerCpu,
    misses: sum(each.map(({ misses }) => misses)),
    missesPerCpu: each.map(({ misses }) => misses),
    unpriced,
  };
}

const signs = { is: '==', atMost: '<=', atLeast: '>=' } as const;

/** Checks one expectation; null where it does not speak of this run. */
export function checkExpectation(
  expectation: Expectation,
  figures: RunFigures,
  run: {
    readonly variant: string;
    readonly parameters: ReadonlyMap<string, number>;
    readonly verdict: string;
    readonly complete: boolean;
  },
): ExpectationResult | null {
  const { what, line, when } = expectation;
  if (expectation.variant !== null && expectation.variant !== run.variant) return null;
  if (when && valueOf(when, run.parameters) === 0) return null;
  if (what === 'verdict') {
    const text = `verdict == ${expectation.verdict}`;
    return { text, ok: run.verdict === expectation.verdict, line, found: run.verdict };
  }
  const cpu = expectation.cpu ? valueOf(expectation.cpu, run.parameters) : null;
  const at = typeof cpu === 'number' ? cpu : null;
  let found: number | null;
  if (what === 'cycles') found = at === null ? figures.cycles.total : (figures.cycles.perCpu[at] ?? null);
  else if (what === 'misses') found = at === null ? figures.misses : (figures.missesPerCpu[at] ?? null);
  else found = (at === null ? figures.counts : (figures.countsPerCpu[at] ?? {}))[what] ?? 0;
  // What was counted before a run stopped early is no result.
  if (!run.complete) found = null;
  const name = at === null ? what : `${what} of CPU ${at}`;
  const bounds = expectation.bounds.map(({ kind, value }) => {
    const bound = valueOf(value, run.parameters);
    if (typeof bound === 'string' || found === null)
      return { text: `${signs[kind]} ${value.text}`, ok: false };
    const ok = kind === 'is' ? found === bound : kind === 'atMost' ? found <= bound : found >= bound;
    return { text: `${signs[kind]} ${bound}`, ok };
  });
  return {
    text: bounds.map(({ text }) => `${name} ${text}`).join(', '),
    ok: bounds.every(({ ok }) => ok),
    line,
    found,
  };
}
