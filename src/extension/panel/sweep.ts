/** A sweep: cycles of each variant over the values of a parameter, and where they cross. */
import type { Crossover, PanelSweep, PublishedPoint, SweepPoint, SweepSeries } from '../../protocol/panel';
import type { RunReport, ScenarioReport } from '../../protocol/run';

function pointOf(x: number, { priced }: RunReport): SweepPoint {
  return priced
    ? { x, value: priced.cycles, low: priced.low, high: priced.high }
    : { x, value: null, low: null, high: null };
}

interface Known {
  readonly x: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const known = ({ points }: SweepSeries): Known[] =>
  points.flatMap(({ x, value, low, high }) =>
    value === null || low === null || high === null ? [] : [{ x, value, low, high }],
  );

/** Whether the ranges of two points leave the order open. */
const overlap = (a: Known, b: Known): boolean => a.low <= b.high && b.low <= a.high;

/** Between which neighbouring values two lines change their order, or part after they were equal. */
export function crossoversOf(first: SweepSeries, second: SweepSeries): Crossover[] {
  const others = new Map(known(second).map(point => [point.x, point]));
  const pairs = known(first).flatMap(a => {
    const b = others.get(a.x);
    return b ? [{ x: a.x, sign: Math.sign(a.value - b.value), open: overlap(a, b) }] : [];
  });
  const found: Crossover[] = [];
  /** The last pair that differs, and an equal one behind it. */
  let last: (typeof pairs)[number] | undefined;
  let equal: (typeof pairs)[number] | undefined;
  const close = (): void => {
    const open = found.at(-1);
    if (open?.until === null && last) found[found.length - 1] = { ...open, until: last.x };
  };
  for (const pair of pairs) {
    if (pair.sign === 0) {
      close();
      equal = pair;
      continue;
    }
    const turned = last && last.sign !== pair.sign;
    if (turned) close();
    const before = turned ? last : equal;
    if (before) {
      const [cheaper, than] = pair.sign > 0 ? [second.name, first.name] : [first.name, second.name];
      found.push({
        from: before.x,
        to: pair.x,
        cheaper,
        than,
        until: null,
        uncertain: before.open && pair.open,
      });
    }
    last = pair;
    equal = undefined;
  }
  return found;
}

export function sweepOf(
  report: ScenarioReport,
  parameter: string,
  published: readonly PublishedPoint[] = [],
): PanelSweep {
  const series = report.variants.map((name): SweepSeries => ({
    name,
    points: report.runs
      .filter(({ variant }) => variant === name)
      .map(run => pointOf(run.parameters[parameter] ?? 0, run))
      .sort((a, b) => a.x - b.x),
  }));
  const crossovers = series.flatMap((first, at) =>
    series.slice(at + 1).flatMap(second => crossoversOf(first, second)),
  );
  const fixed = Object.fromEntries(
    Object.entries(report.runs[0]?.parameters ?? {}).filter(([name]) => name !== parameter),
  );
  const unpriced = [
    ...new Set(
      report.runs.flatMap(({ counts, byOperation }) =>
        Object.keys(counts).filter(name => byOperation[name] === null),
      ),
    ),
  ];
  const note = [
    ...(unpriced.length > 0 ? [`Without ${unpriced.join(', ')}: no price is known.`] : []),
    ...(report.runs.some(({ complete }) => !complete) ? ['Runs that did not end have no point.'] : []),
    ...(report.runs.some(({ verdict }) => verdict !== 'safe')
      ? [`Not every run is safe: ${unsafeText(report.runs, parameter)}.`]
      : []),
  ].join(' ');
  return { parameter, fixed, series, published, crossovers, note };
}

function unsafeText(runs: readonly RunReport[], parameter: string): string {
  const texts = runs
    .filter(({ verdict }) => verdict !== 'safe')
    .map(
      ({ variant, verdict, parameters }) =>
        `${variant} at ${parameter} = ${parameters[parameter] ?? '?'} is ${verdict}`,
    );
  return texts.length > 4 ? `${texts.slice(0, 4).join(', ')} and ${texts.length - 4} more` : texts.join(', ');
}
