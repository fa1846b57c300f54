/** Prices of a whole document for given features, machine and symbols, out of its analysis. */
import { kernelConstants } from '../machine/registry';
import { mentionsCatalogue } from '../code/nameFilter';
import type { SourceUnit } from '../code/source';
import type { PatchFile } from '../patch/model';
import type { DocumentAnalysis, PatchAnalysis } from './analysis';
import { planHunk, type HunkPlan } from './hunkPlan';
import type { Compared } from './compare';
import { doubtOf } from './confidence';
import { cutShort } from './cutShort';
import { cyclesOf, priceList, type PriceList } from './cycles';
import { holds } from './guard';
import { priceByName, type NamePrice, type UnreadRange } from './nameFallback';
import { documentLine, emptyCounts, PairPricer, type PriceOptions } from './parts';
import { add, isZero, zero, type Polynomial } from './polynomial';
import type {
  Cycles,
  Finding,
  LineItem,
  PricedDocument,
  PricedHunk,
  PricedPatch,
  PricedRoot,
  UnknownItem,
} from './priced';
import { addCounts, shownCounts, type Answer } from './resolve';
import { tooLong } from './patchReader';
import { rootsOf, type Root } from './roots';
import { FeatureSet } from './features';
import { skippedCalls } from './skippedCalls';
import { countedHunks, sumParts, withoutUnread } from './sums';
import { fitText } from './treeFit';
import { withoutFollowed } from './constantUses';
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
          ? priceHunk(plan, options, prices, this.analysis, findings)
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
const noCyclesAtAll: Cycles = { before: 0, after: 0, delta: 0, low: 0, high: 0 };

const placeOf = (file: PatchFile, index: number) => {
  const hunk = file.hunks[index]!;
  return {
    message: file.message,
    file: file.newPath ?? file.oldPath ?? '',
    oldStart: hunk.oldStart,
    newStart: hunk.newStart,
    documentLine: hunk.documentLine,
  };
};

/** A hunk with values at file level that it changes. */
function withValues(hunk: PricedHunk, values: readonly UnknownItem[]): PricedHunk {
  const unknown = [...hunk.unknown, ...values];
  const doubt = hunk.cycles ? doubtOf({ delta: hunk.delta, unknown }) : null;
  return doubt === null ? { ...hunk, unknown } : { ...hunk, unknown, cycles: null, noCycles: doubt };
}

/** A hunk that nothing is to be said of. An archive has hundreds of thousands: the fields are spelled out for speed. */
function emptyHunk(file: PatchFile, index: number, unknown: readonly UnknownItem[]): PricedHunk {
  const { oldStart, newStart, documentLine: line } = file.hunks[index]!;
  return {
    before: emptyCounts,
    after: emptyCounts,
    delta: emptyCounts,
    other: null,
    conditions: nothing,
    unknown,
    gates: nothing,
    alternatives: nothing,
    cycles: unknown.length ? null : noCyclesAtAll,
    noCycles: unknown[0] ? `${unknown[0].name}: ${unknown[0].why}` : '',
    assumed: nothing,
    deferred: nothing,
    derivation: nothing,
    message: file.message,
    file: file.newPath ?? file.oldPath ?? '',
    oldStart,
    newStart,
    documentLine: line,
    function: null,
    functions: nothing,
    presence: file.status === 'added' ? 'absent' : 'present',
    tree: null,
    byName: false,
    lines: nothing,
  };
}

function priceHunk(
  plan: HunkPlan,
  options: PriceOptions,
  prices: PriceList,
  analysis: DocumentAnalysis,
  findings: Map<string, Finding>,
): PricedHunk {
  const { part, compared, resolution } = plan.pricer.price(options, prices);
  collectFindings(compared, findings);
  const failed = compared.failures.flatMap(({ name }) => rangeOf(plan, name));
  const ranges = [...plan.unread, ...failed];
  const named = ranges.length
    ? priceByName(ranges, plan.index, new FeatureSet(options.features, options.switched), analysis.hints)
    : null;
  const hunk: PricedHunk = {
    ...part,
    ...placeOf(plan.file, plan.index),
    function: plan.names[0] ?? null,
    functions: plan.names,
    presence: plan.absent ? 'absent' : 'present',
    tree: plan.patch.files.get(plan.file)?.fit ?? null,
    byName: named !== null && named.delta.size > 0,
    lines: linesOf(plan, compared, resolution.answer),
  };
  return named ? withNames(hunk, plan.index, named, ranges, options, prices) : hunk;
}

/** The whole of a function that was not followed, on both sides of the patch. */
function rangeOf(plan: HunkPlan, name: string): UnreadRange[] {
  const read = plan.patch.files.get(plan.file);
  if (!read) return [];
  return [0, read.change.hunks.length].flatMap(stage =>
    (read.stages.get(stage) ?? [])
      .filter(fn => fn.name === name)
      .map(fn => ({ unit: fn.unit, firstLine: fn.firstLine, lastLine: fn.lastLine, why: '' })),
  );
}

/** Whether a changed line of the hunk in code that was not read names something of the catalogue. */
function namesSomething({ unit, firstLine, lastLine }: UnreadRange, hunk: number): boolean {
  return unit.lines
    .slice(firstLine, lastLine + 1)
    .some(line => line.changed && line.hunk === hunk && mentionsCatalogue(line.text));
}

function withNames(
  hunk: PricedHunk,
  index: number,
  named: NamePrice,
  ranges: readonly UnreadRange[],
  options: PriceOptions,
  prices: PriceList,
): PricedHunk {
  const delta = addCounts(hunk.delta, named.delta);
  const known = new Set(hunk.unknown.map(item => item.why));
  const telling = ranges.filter(range => namesSomething(range, index));
  const whys = new Map(
    telling.filter(({ why }) => why !== '' && !known.has(why)).map(range => [range.why, range]),
  );
  const reasons = [...whys.values()].slice(0, 4).map(range => ({
    name: hunk.function ?? hunk.file,
    documentLine: documentLine({ unit: range.unit, line: range.firstLine }),
    why: `read by name only: ${range.why}`,
  }));
  const { cycles, why } = cyclesOf({ ...hunk, delta }, null, prices, options.values);
  const lines = named.lines.flatMap(({ unit, line, counts }): LineItem[] => {
    const at = documentLine({ unit, line });
    return at === null
      ? []
      : [{ documentLine: at, side: unit.side === 'old' ? 'old' : 'new', operations: counts }];
  });
  return {
    ...hunk,
    delta,
    unknown: [...hunk.unknown, ...named.unknown, ...reasons],
    cycles,
    noCycles: why,
    lines: [...hunk.lines, ...lines],
  };
}

/** What each line of the hunk performs: removed lines before, the others after. */
function linesOf(plan: HunkPlan, compared: Compared, answer: Answer): LineItem[] {
  const found = new Map<string, { line: number; side: 'old' | 'new'; counts: Map<string, Polynomial> }>();
  for (const side of ['old', 'new'] as const)
    for (const recording of side === 'old' ? compared.comparison.before : compared.comparison.after)
      for (const record of recording.operations) {
        if (!holds(record.guard, answer.assignment)) continue;
        const at = record.at.unit.lines[record.at.line];
        if (
          !at ||
          at.hunk !== plan.index ||
          at.documentLine === 0 ||
          record.at.unit.path !== (plan.file.newPath ?? plan.file.oldPath)
        )
          continue;
        if (side === 'old' && !at.changed) continue;
        const key = `${side}${at.documentLine}`;
        const line = found.get(key) ?? { line: at.documentLine, side, counts: new Map<string, Polynomial>() };
        found.set(key, line);
        const sum = add(line.counts.get(record.operation) ?? zero, record.count);
        if (isZero(sum)) line.counts.delete(record.operation);
        else line.counts.set(record.operation, sum);
      }
  return [...found.values()]
    .filter(({ counts }) => counts.size > 0)
    .sort((a, b) => a.line - b.line)
    .map(({ line, side, counts }) => ({ documentLine: line, side, operations: shownCounts(counts) }));
}

function collectFindings(compared: Compared, into: Map<string, Finding>): void {
  for (const recording of compared.comparison.after)
    for (const { kind, at, message } of recording.findings) {
      const line = documentLine(at);
      into.set(`${kind},${line}`, { kind, documentLine: line, message });
    }
}

/** Files of the tree that a patch does not go with, or that have it already. */
function treeFindings(analysis: DocumentAnalysis, into: Map<string, Finding>): void {
  for (const { files } of analysis.patches)
    for (const [file, { fit, change }] of files) {
      if (fit !== 'other' && fit !== 'applied') continue;
      const { documentLine: line } = file.hunks[0]!;
      const kind = fit === 'other' ? 'tree-mismatch' : 'tree-applied';
      into.set(`${kind},${line}`, { kind, documentLine: line, message: fitText(fit, change.path) ?? '' });
    }
}

/** What the readers of code found on lines that the patch adds. */
function moduleFindings(analysis: DocumentAnalysis, into: Map<string, Finding>): void {
  for (const { modules, files } of analysis.patches) {
    // A file with some of the hunks applied may use what a later one adds.
    const halfway = new Set<SourceUnit>();
    for (const { change, stages } of files.values())
      for (const [stage, functions] of stages)
        if (stage < change.hunks.length) for (const fn of functions) halfway.add(fn.unit);
    for (const module of modules)
      for (const { kind, unit, line, message } of module.findings) {
        const at = unit.lines[line];
        if (unit.side === 'old' || halfway.has(unit) || !at?.changed || at.documentLine === 0) continue;
        into.set(`${kind},${at.documentLine}`, { kind, documentLine: at.documentLine, message });
      }
  }
}
