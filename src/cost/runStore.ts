/**
 * The symbolic runs of a document. A function that one hunk changes is run once for the hunk and for the patch's total;
 * runs that were used longest ago are given up where there are many, and made again when they are asked for.
 */
import type { IrFunction } from '../code/ir';
import { runPairs, type FunctionPair, type PairsRun } from './compare';
import type { FeatureSet } from './features';
import type { Program } from './program';
import type { Work } from './work';

/** Values and guards that are kept, of all runs together; each takes some 400 bytes. */
const mostKept = 120_000;
/** What a run takes besides its values, in as many of them. */
const sizeOfRun = 16;

/** What code is run with. */
export interface RunPrograms {
  readonly before: Program;
  readonly after: Program;
}

/** A run, with the features that it asked for. */
export interface StoredRun extends PairsRun {
  readonly features: FeatureSet;
}

interface Shared {
  readonly pair: FunctionPair;
  readonly programs: RunPrograms;
  readonly key: string;
  readonly run: StoredRun;
}

/** Whoever holds runs and can make them again. */
export interface RunHolder {
  giveUp(): void;
}

export class RunStore {
  private readonly shared = new Map<IrFunction, Shared[]>();
  /** Nothing to run, under sets of features: most hunks of a very long document have no function that was read. */
  private readonly empty = new Map<string, StoredRun>();
  private readonly holders = new Map<RunHolder, number>();
  private kept = 0;

  constructor(private readonly work: Work) {}

  /** Runs the pairs under the features that `key` names. */
  run(
    pairs: readonly FunctionPair[],
    programs: RunPrograms,
    key: string,
    makeFeatures: () => FeatureSet,
  ): StoredRun {
    const make = (): StoredRun => {
      const features = makeFeatures();
      return { ...runPairs(pairs, programs, features, this.work), features };
    };
    if (!pairs.length) {
      const known = this.empty.get(key) ?? make();
      this.empty.set(key, known);
      return known;
    }
    const [pair] = pairs;
    const fn = pair?.after ?? pair?.before;
    if (pairs.length !== 1 || !pair || !fn) return make();
    const known = this.shared.get(fn) ?? [];
    const found = known.find(
      one =>
        one.key === key &&
        one.pair.before === pair.before &&
        one.pair.after === pair.after &&
        one.pair.halfway === pair.halfway &&
        one.programs.before === programs.before &&
        one.programs.after === programs.after,
    );
    if (found) return found.run;
    const run = make();
    this.shared.set(fn, [...known, { pair, programs, key, run }]);
    return run;
  }

  /** Says that a holder was used, and what it holds. The longest unused ones give theirs up where it is too much. */
  used(holder: RunHolder, runs: readonly StoredRun[]): void {
    let size = 0;
    for (const { comparison } of runs) size += comparison.space.size + sizeOfRun;
    this.kept += size - (this.holders.get(holder) ?? 0);
    this.holders.delete(holder);
    this.holders.set(holder, size);
    for (const [oldest, held] of this.holders) {
      if (this.kept <= mostKept || oldest === holder) break;
      this.holders.delete(oldest);
      this.kept -= held;
      oldest.giveUp();
    }
  }

  /** Forgets the runs of a holder that gives them up. */
  forget(pairs: readonly FunctionPair[], runs: ReadonlySet<StoredRun>): void {
    for (const { before, after } of pairs) {
      const fn = after ?? before;
      const rest = fn && this.shared.get(fn)?.filter(({ run }) => !runs.has(run));
      if (!fn || !rest) continue;
      if (rest.length) this.shared.set(fn, rest);
      else this.shared.delete(fn);
    }
  }
}

const stores = new WeakMap<Work, RunStore>();

/** The store of the document that `work` is done for. */
export function runStoreOf(work: Work): RunStore {
  let store = stores.get(work);
  if (!store) stores.set(work, (store = new RunStore(work)));
  return store;
}
