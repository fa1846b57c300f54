/** The price of one hunk: of the functions that it changes, and by name of what could not be read. */
import { mentionsCatalogue } from '../code/nameFilter';
import type { PlaceHints } from './definitions';
import type { PatchFile } from '../patch/model';
import type { Compared } from './compare';
import { doubtOf } from './confidence';
import { cyclesOf, type PriceList } from './cycles';
import { FeatureSet } from './features';
import { holds } from './guard';
import type { HunkPlan } from './hunkPlan';
import { priceByName, type NamePrice, type UnreadRange } from './nameFallback';
import { documentLine, emptyCounts, type PriceOptions } from './parts';
import { add, isZero, zero, type Polynomial } from './polynomial';
import type { Cycles, LineItem, PricedHunk, UnknownItem } from './priced';
import { addCounts, shownCounts, type Answer } from './resolve';

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
export function withValues(hunk: PricedHunk, values: readonly UnknownItem[]): PricedHunk {
  const unknown = [...hunk.unknown, ...values];
  const doubt = hunk.cycles ? doubtOf({ delta: hunk.delta, unknown }) : null;
  return doubt === null ? { ...hunk, unknown } : { ...hunk, unknown, cycles: null, noCycles: doubt };
}

/** A hunk that nothing is to be said of. An archive has hundreds of thousands: the fields are spelled out for speed. */
export function emptyHunk(file: PatchFile, index: number, unknown: readonly UnknownItem[]): PricedHunk {
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

/** The price of a hunk, and the code that it was worked out of. */
export function priceHunk(
  plan: HunkPlan,
  options: PriceOptions,
  prices: PriceList,
  hints: PlaceHints,
): { readonly hunk: PricedHunk; readonly compared: Compared } {
  const { part, compared, resolution } = plan.pricer.price(options, prices);
  const failed = compared.failures.flatMap(({ name }) => rangeOf(plan, name));
  const ranges = [...plan.unread, ...failed];
  const named = ranges.length
    ? priceByName(ranges, plan.index, new FeatureSet(options.features, options.switched), hints)
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
  return { compared, hunk: named ? withNames(hunk, plan.index, named, ranges, options, prices) : hunk };
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

/** Lines of answers: with other values most answers stay. */
const linesKnown = new WeakMap<Answer, { readonly plan: HunkPlan; readonly lines: LineItem[] }>();

/** What each line of the hunk performs: removed lines before, the others after. */
function linesOf(plan: HunkPlan, compared: Compared, answer: Answer): LineItem[] {
  const known = linesKnown.get(answer);
  if (known?.plan === plan) return known.lines;
  const lines = countLines(plan, compared, answer);
  linesKnown.set(answer, { plan, lines });
  return lines;
}

function countLines(plan: HunkPlan, compared: Compared, answer: Answer): LineItem[] {
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
