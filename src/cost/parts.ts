/** Prices pairs of functions: counts, conditions, gates, unknowns and cycles of one difference. */
import type { MachineProfile } from '../machine/profile';
import { seenBy, type Compared, type FunctionPair, type LineFilter } from './compare';
import { doubtOf } from './confidence';
import { cyclesOf, type PriceList } from './cycles';
import { FeatureSet, isAlwaysOn } from './features';
import { gatesOf, isSame } from './gates';
import { holds, no } from './guard';
import { add, constantOf, isZero, negate, zero, type Polynomial, type SymbolValues } from './polynomial';
import type { DeferredItem, DerivationItem, Difference, PricedPart, UnknownItem } from './priced';
import { callsItself, type Place, type Recording } from './record';
import { resolve, restrictAll, shownCounts, type Answer, type Counts, type Resolution } from './resolve';
import { runStoreOf, type RunHolder, type RunPrograms, type RunStore, type StoredRun } from './runStore';
import type { RangeAssumption } from './settle';
import { unseenHeadsOf } from './unseenHeads';
import { unseenWritesOf } from './unseenWrite';
import type { Work } from './work';

/** What prices depend on besides the code. */
export interface PriceOptions {
  readonly machine: MachineProfile;
  /** Exactly the features that are on. */
  readonly features: ReadonlySet<string>;
  /** `CONFIG_X=n`, `key=y`. */
  readonly switched: ReadonlyMap<string, boolean>;
  readonly values: SymbolValues;
  /** `n` was given, so that a range above the ceiling is flushed whole. */
  readonly nGiven: boolean;
  /** False: gates and alternatives are not worked out, for a first answer in less time. */
  readonly alternatives?: boolean;
}

/** Full-flush ceiling of Linux x86: `tlb_single_page_flush_ceiling`. */
const linuxCeiling = 33;

/** A stored run as this pricer sees it. */
interface Run {
  readonly stored: StoredRun;
  readonly compared: Compared;
}

/** A feature that a run asked for (or two of them), and the run with it the other way. */
interface Flip {
  readonly gates: readonly string[];
  readonly list: readonly string[];
  readonly run: Run;
}

/** All of a part but its cycles, and the answers that it was made of. */
interface Made {
  readonly run: Run;
  readonly resolution: Resolution;
  /** Single features, and how many there are, before pairs of features. */
  readonly flips: readonly Flip[];
  readonly singles: number;
  readonly flipped: readonly Resolution[];
  readonly part: Omit<PricedPart, 'cycles' | 'noCycles'>;
}

const keys = new WeakMap<ReadonlySet<string> | ReadonlyMap<string, boolean>, string>();

/** A set or a map as text; the same one is asked for by every hunk. */
function keyOf(of: ReadonlySet<string> | ReadonlyMap<string, boolean>): string {
  let key = keys.get(of);
  if (key === undefined) keys.set(of, (key = [...of].sort().join(',')));
  return key;
}

/** Pairs with the programs their calls are followed through; runs are kept by feature set. */
export class PairPricer implements RunHolder {
  private readonly runs = new Map<string, Run>();
  private readonly flips = new Map<Run, readonly Flip[]>();
  private readonly together = new Map<Run, readonly Flip[]>();
  private made: Made | null = null;
  private readonly store: RunStore;

  constructor(
    readonly pairs: readonly FunctionPair[],
    private readonly programs: RunPrograms,
    private readonly lines: LineFilter,
    work: Work,
  ) {
    this.store = runStoreOf(work);
  }

  giveUp(): void {
    this.store.forget(this.pairs, new Set([...this.runs.values()].map(({ stored }) => stored)));
    this.runs.clear();
    this.flips.clear();
    this.together.clear();
    this.made = null;
  }

  /** The symbolic runs under a set of features. */
  private run(on: ReadonlySet<string>, switched: ReadonlyMap<string, boolean>): Run {
    const key = `${keyOf(on)}|${keyOf(switched)}`;
    const known = this.runs.get(key);
    if (known) return known;
    const stored = this.store.run(this.pairs, this.programs, key, () => new FeatureSet(on, switched));
    const made = { stored, compared: seenBy(stored, this.lines) };
    this.runs.set(key, made);
    return made;
  }

  private flipsOf(run: Run, options: PriceOptions): readonly Flip[] {
    if (options.alternatives === false) return [];
    const known = this.flips.get(run);
    if (known) return known;
    const asked = [...run.stored.features.asked].sort(([a], [b]) => (a < b ? -1 : 1));
    const made = asked
      .filter(([gate]) => !isAlwaysOn(gate))
      .map(([gate, wasOn]): Flip => {
        const { features, switched, list } = flip(options, gate, wasOn);
        return { gates: [gate], list, run: this.run(features, switched) };
      });
    this.flips.set(run, made);
    return made;
  }

  /** Two features on that are off, of which neither alone changes anything: a test may ask for both. */
  private pairsOf(run: Run, silent: readonly Flip[], options: PriceOptions): readonly Flip[] {
    const known = this.together.get(run);
    if (known) return known;
    const alone = new Set(silent.flatMap(({ gates }) => gates));
    const found = new Map<string, Flip>();
    for (const {
      gates: [first = ''],
      run: there,
    } of silent)
      for (const [second, wasOn] of there.stored.features.asked) {
        const firstWasOn = run.stored.features.asked.get(first) ?? false;
        const isOpen = second !== first && !isAlwaysOn(second) && !firstWasOn && !wasOn;
        if (!isOpen || (run.stored.features.asked.has(second) && !alone.has(second))) continue;
        const gates = [first, second].sort();
        if (found.has(gates.join()) || found.size >= mostPairs) continue;
        const one = flip(options, first, false);
        const { features, switched, list } = flip({ ...options, ...one }, second, wasOn);
        found.set(gates.join(), { gates, list, run: this.run(features, switched) });
      }
    const made = [...found.values()];
    this.together.set(run, made);
    return made;
  }

  price(
    options: PriceOptions,
    prices: PriceList,
  ): { part: PricedPart; resolution: Resolution; compared: Compared } {
    const assumption = rangeAssumption(options);
    const run = this.run(options.features, options.switched);
    const { compared } = run;
    const resolution = resolve(compared.comparison, assumption);
    const { answer, other } = resolution;
    const single = this.flipsOf(run, options);
    const resolved = ({ run: there }: Flip): Resolution => resolve(there.compared.comparison, assumption);
    const alone = single.map(resolved);
    const { made } = this;
    const settled =
      made?.run === run &&
      made.resolution === resolution &&
      made.singles === alone.length &&
      alone.every((one, at) => one === made.flipped[at]);
    const together = settled
      ? made.flips.slice(made.singles)
      : this.pairsOf(run, single.filter((_, at) => isSame(alone[at]!, resolution)), options); // prettier-ignore
    const flips = [...single, ...together];
    const flipped = [...alone, ...together.map(resolved)];
    const [failure] = compared.failures;
    const { cycles, why } = failure
      ? { cycles: null, why: `${failure.name}: ${failure.why}` }
      : cyclesOf(answer, other, prices, options.values);
    const same =
      settled &&
      made.flipped.length === flipped.length &&
      made.flipped.every((one, at) => one === flipped[at]);
    const unseen = (): UnknownItem[] => {
      const { before, after } = compared.comparison;
      return unseenWritesOf(this.pairs, [...before, ...after], this.lines);
    };
    const part = same ? made.part : partOf(run, resolution, flips, flipped, unseen());
    this.made = { run, resolution, flips, singles: alone.length, flipped, part };
    this.store.used(this, [...this.runs.values()].map(({ stored }) => stored)); // prettier-ignore
    const doubt = cycles ? doubtOf(part) : null;
    const shown =
      doubt === null
        ? { cycles, noCycles: why }
        : { cycles: null, noCycles: doubt, onlyUnknown: part.delta.size === 0 };
    return { part: { ...part, ...shown }, resolution, compared };
  }
}

/** Pairs of features that are tried together. */
const mostPairs = 6;

function partOf(
  { compared, stored: { features } }: Run,
  resolution: Resolution,
  flips: readonly Flip[],
  flipped: readonly Resolution[],
  unseen: readonly UnknownItem[],
): Made['part'] {
  const { answer, other } = resolution;
  const { gates, alternatives } = gatesOf(resolution, flips, flipped);
  return {
    ...shownDifference(answer),
    other: other && shownDifference(other),
    conditions: resolution.conditions.map(({ record, taken }) => ({
      documentLine: documentLine(record.at),
      text: record.text,
      taken,
    })),
    unknown: [
      ...unknownOf(compared, answer),
      ...unseenHeadsOf(compared.comparison.space, resolution).map(({ name, at, why }) => ({
        name,
        documentLine: at && documentLine(at),
        why,
      })),
      ...unseen,
      ...failuresOf(compared),
    ],
    gates,
    alternatives,
    assumed: assumedBy(compared, features),
    deferred: deferredOf(compared, answer),
    derivation: derivationOf(compared, answer),
  };
}

const rangeAssumption = ({ values, nGiven }: PriceOptions): RangeAssumption => ({
  values,
  nGiven,
  ceiling: values['tlb_single_page_flush_ceiling'] ?? linuxCeiling,
});

const shownDifference = (answer: Answer | Difference): Difference => ({
  before: shownCounts(answer.before),
  after: shownCounts(answer.after),
  delta: shownCounts(answer.delta),
});

/** The options with one feature turned the other way. */
function flip(
  options: PriceOptions,
  gate: string,
  wasOn: boolean,
): { features: Set<string>; switched: Map<string, boolean>; list: string[] } {
  const features = new Set(options.features);
  const switched = new Map(options.switched);
  // A static key may be on by its declaration only; then it has to be switched off by name.
  if (switched.has(gate) || (wasOn && !features.has(gate))) switched.set(gate, !wasOn);
  else if (wasOn) features.delete(gate);
  else features.add(gate);
  return { features, switched, list: [...features].sort() };
}

/** 1-based line of the document, or null. */
export const documentLine = (place: Place): number | null =>
  place.unit.lines[place.line]?.documentLine || null; // 0: not in the document

/** Names that count differently before and after. What is unknown on both sides alike cancels. */
function unknownOf(compared: Compared, answer: Answer): UnknownItem[] {
  const net = new Map<string, { count: Polynomial; item: UnknownItem }>();
  const put = (recordings: readonly Recording[], sign: 1 | -1): void => {
    for (const recording of recordings)
      for (const record of recording.unknown) {
        // It is listed where it may be reached.
        const guard = restrictAll(compared.comparison.space, record.guard, answer.assignment);
        if (guard === no) continue;
        const key = `${record.name},${record.why},${record.given},${guard.id}`;
        const known = net.get(key);
        const count = add(known?.count ?? zero, sign === 1 ? record.count : negate(record.count));
        const item = known?.item ?? {
          name: record.name,
          documentLine: documentLine(record.at),
          why: record.why,
        };
        net.set(key, { count, item });
      }
  };
  put(compared.comparison.after, 1);
  put(compared.comparison.before, -1);
  // How deep a recursion goes is not known: where its body counts differently, the difference counts as often.
  const items = [...net.values()]
    .filter(({ count, item }) => !isZero(count) || (item.why === callsItself && answer.delta.size > 0))
    .map(({ item }) => item);
  return [...new Map(items.map(item => [`${item.name},${item.why}`, item])).values()];
}

const failuresOf = (compared: Compared): UnknownItem[] =>
  compared.failures.map(({ name, unit, line, why }) => ({
    name,
    documentLine: documentLine({ unit, line }),
    why,
  }));

function assumedBy(compared: Compared, features: FeatureSet): string[] {
  const found = new Set<string>();
  for (const recording of [...compared.comparison.before, ...compared.comparison.after])
    for (const text of recording.assumed) found.add(text);
  for (const [name, value] of features.assumed) found.add(`${name} is ${value ? 'on' : 'off'}`);
  return [...found].sort();
}

function deferredOf(compared: Compared, answer: Answer): DeferredItem[] {
  const net = new Map<string, { change: number; item: DeferredItem }>();
  const put = (recordings: readonly Recording[], sign: 1 | -1): void => {
    for (const recording of recordings)
      for (const record of recording.deferred) {
        if (restrictAll(compared.comparison.space, record.guard, answer.assignment) === no) continue;
        const times = Number(constantOf(record.count) ?? 1n);
        const known = net.get(record.name);
        net.set(record.name, {
          change: (known?.change ?? 0) + sign * times,
          item: known?.item ?? {
            name: record.name,
            where: record.where,
            documentLine: documentLine(record.at),
            change: sign,
            operations: record.operations,
          },
        });
      }
  };
  put(compared.comparison.after, 1);
  put(compared.comparison.before, -1);
  return [...net.values()]
    .filter(({ change }) => change !== 0)
    .map(({ item, change }) => ({ ...item, change: change > 0 ? 1 : -1 }));
}

const derivationLimit = 200;

function derivationOf(compared: Compared, answer: Answer): DerivationItem[] {
  const items = new Map<string, DerivationItem>();
  const put = (recordings: readonly Recording[], side: 'before' | 'after'): void => {
    for (const recording of recordings)
      for (const record of recording.operations) {
        if (!holds(record.guard, answer.assignment) || items.size >= derivationLimit) continue;
        const line = documentLine(record.inner) ?? documentLine(record.at);
        const key = [side, record.operation, line, record.via.join('>'), record.source].join('|');
        const known = items.get(key);
        items.set(key, {
          side,
          operation: record.operation,
          count: add(known?.count ?? zero, record.count),
          documentLine: line,
          via: record.via,
          source: record.source,
        });
      }
  };
  put(compared.comparison.before, 'before');
  put(compared.comparison.after, 'after');
  return [...items.values()];
}

export const emptyCounts: Counts = new Map();
