/** Prices of a whole document for given features, machine and symbols, out of its analysis. */
import { kernelConstants } from '../machine/registry';
import type { PatchFile } from '../patch/model';
import type { DocumentAnalysis, PatchAnalysis } from './analysis';
import { withoutFollowed } from './constantUses';
import { cutShort } from './cutShort';
import { priceList, type PriceList } from './cycles';
import { collectFindings, moduleFindings, treeFindings } from './documentFindings';
import { planHunk, type HunkPlan } from './hunkPlan';
import { emptyHunk, priceHunk, withValues } from './hunkPrice';
import { PairPricer, type PriceOptions } from './parts';
import { tooLong } from './patchReader';
import type { Finding, PricedDocument, PricedHunk, PricedPatch, PricedRoot, UnknownItem } from './priced';
import { rootsOf, type Root } from './roots';
import { skippedCalls } from './skippedCalls';
import { countedHunks, sumParts, withoutUnread } from './sums';
import { valueChanges } from './valueChanges';
import { Work } from './work';

interface RootPlan {
  readonly root: Root;
  readonly pricer: PairPricer;
}

/** Hunks of a patch that are looked at for what its roots leave out. */
const mostApart = 100;

/** Whether the functions that a hunk changes are what the roots of its patch are made of. */
const isInTotal = (hunk: PricedHunk): boolean => hunk.functions.length > 0;

/** A document ready to be priced, again and again, for other machines, features and symbols. */
export class DocumentPricer {
  /** Of files that were read. */
  private readonly hunks = new Map<PatchFile, readonly HunkPlan[]>();
  private readonly roots = new Map<PatchAnalysis, RootPlan[]>();

  /** What hunks of files that were not read call. */
  private readonly skipped = new Map<PatchFile, readonly (readonly UnknownItem[])[]>();

  /** Values at file level that hunks change. */
  private readonly values = new Map<PatchFile, readonly (readonly UnknownItem[])[]>();

  private readonly work = new Work();

  private planned = false;

  constructor(readonly analysis: DocumentAnalysis) {}

  /** Finds what each hunk and each patch changes, once. */
  private *plan(): Generator<void, void, void> {
    const { analysis } = this;
    for (const patch of analysis.patches) {
      yield;
      const unread = patch.entry.files.filter(file => !patch.files.has(file));
      for (const [file, calls] of skippedCalls(unread)) this.skipped.set(file, calls);
      for (const file of patch.entry.files) {
        const read = patch.files.get(file);
        const values = valueChanges(file);
        if (values) this.values.set(file, read ? withoutFollowed(read, values) : values);
        const short = cutShort(file);
        if (short) this.values.set(file, short.map((items, at) => [...items, ...(this.values.get(file)?.[at] ?? nothing)])); // prettier-ignore
        if (read) this.hunks.set(file, file.hunks.map((_, index) => planHunk(patch, file, read, index, this.work))); // prettier-ignore
      }
    }
    const series = new Map<string, PatchAnalysis[]>();
    for (const patch of analysis.patches) {
      if (patch.entry.supersededBy !== null) {
        this.planRoots([patch]);
        continue;
      }
      const known = series.get(patch.entry.series);
      if (known) known.push(patch);
      else series.set(patch.entry.series, [patch]);
    }
    for (const patches of series.values()) {
      yield;
      this.planRoots(patches);
    }
    this.planned = true;
  }

  private planRoots(patches: readonly PatchAnalysis[]): void {
    for (const [patch, roots] of rootsOf(patches))
      this.roots.set(
        patch,
        roots.map(root => ({
          root,
          pricer: new PairPricer([root.pair], patch.effective, () => true, this.work),
        })),
      );
  }

  price(given: PriceOptions): PricedDocument {
    const steps = this.pricing(given);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** The same in steps: it can be left between two hunks, and begun anew with what has been worked out. */
  *pricing(given: PriceOptions): Generator<void, PricedDocument, void> {
    if (!this.planned) yield* this.plan();
    const options = withMachineLimits(given);
    this.work.reset();
    const prices = priceList(options.machine);
    const findings = new Map<string, Finding>();
    const configuration = new Map<string, boolean>();
    for (const { modules } of this.analysis.patches)
      for (const module of modules)
        for (const [name, value] of module.assumedConfig) configuration.set(name, value);
    const hunks: PricedHunk[] = [];
    for (const file of this.analysis.document.files) {
      const plans = this.hunks.get(file);
      const skipped = this.skipped.get(file);
      const changes = this.values.get(file);
      for (let index = 0; index < file.hunks.length; index++) {
        const plan = plans?.[index];
        if (plan) yield;
        const hunk = plan
          ? this.priceHunk(plan, options, prices, findings)
          : emptyHunk(file, index, skipped?.[index] ?? nothing);
        const values = changes?.[index] ?? nothing;
        hunks.push(values.length ? withValues(hunk, values) : hunk);
      }
    }
    const apart = new Map<number, PricedHunk[]>();
    for (const hunk of hunks)
      if (hunk.byName || (hunk.unknown.length && !isInTotal(hunk)))
        apart.set(hunk.message, [...(apart.get(hunk.message) ?? []), hunk].slice(0, mostApart));
    const patches: PricedPatch[] = [];
    for (const patch of this.analysis.patches)
      patches.push(yield* this.pricePatch(patch, options, prices, findings, apart.get(patch.entry.message) ?? [])); // prettier-ignore
    moduleFindings(this.analysis, findings);
    treeFindings(this.analysis, findings);
    if (this.analysis.bounded)
      findings.set('too-long', {
        kind: 'too-long',
        documentLine: null,
        message: `${tooLong}: the rest is priced by name`,
      });
    const counted = patches.filter(patch => patch.supersededBy === null);
    const totals = sumParts(counted);
    return {
      machine: options.machine.id,
      features: [...options.features].sort(),
      symbols: given.values,
      hunks,
      total: { ...totals, patches },
      findings: [...findings.values()],
      configuration,
    };
  }

  private priceHunk(
    plan: HunkPlan,
    options: PriceOptions,
    prices: PriceList,
    findings: Map<string, Finding>,
  ): PricedHunk {
    const { hunk, compared } = priceHunk(plan, options, prices, this.analysis.hints);
    collectFindings(compared, findings);
    return hunk;
  }

  private *pricePatch(
    patch: PatchAnalysis,
    options: PriceOptions,
    prices: PriceList,
    findings: Map<string, Finding>,
    apart: readonly PricedHunk[],
  ): Generator<void, PricedPatch, void> {
    const roots: PricedRoot[] = [];
    for (const { root, pricer } of this.roots.get(patch) ?? []) {
      yield;
      const { part, compared } = pricer.price(options, prices);
      collectFindings(compared, findings);
      const unit = (root.pair.after ?? root.pair.before)?.unit;
      roots.push({ ...part, function: root.name, file: unit?.path ?? '' });
    }
    const { entry } = patch;
    const counted = countedHunks(entry, apart);
    const beside = [
      ...counted.filter(hunk => !isInTotal(hunk)).flatMap(hunk => hunk.unknown),
      ...entry.files
        .filter(file => !entry.supersededFiles.has(file))
        .flatMap(file => (this.values.get(file) ?? nothing).flat()),
    ];
    return {
      message: entry.message,
      subject: entry.subject,
      supersededBy: entry.supersededBy,
      revises: entry.revises,
      ...withoutUnread(sumParts(roots, beside), counted),
      roots,
    };
  }
}

/** Strides per INVLPGB are a property of the machine; Linux' own figure stands in where a machine has none. */
function withMachineLimits(options: PriceOptions): PriceOptions {
  const max = options.machine.hardware.invlpgbMaxPages ?? kernelConstants.invlpgbMaxPages.value;
  return { ...options, values: { max, ...options.values } };
}

const nothing: readonly never[] = [];
