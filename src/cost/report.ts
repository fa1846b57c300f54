/** Prices as the JSON of the command line: polynomials as text. */
import type { Dominant } from '../machine/dominant';
import { print } from './polynomial';
import type {
  Cycles,
  PricedDocument,
  PricedHunk,
  PricedPart,
  PricedPatch,
  PricedRoot,
  UnknownItem,
} from './priced';
import type { Counts } from './resolve';

/** Operation → polynomial as text, in the order of the vocabulary's names. */
export const countsJson = (counts: Counts): Record<string, string> =>
  Object.fromEntries(
    [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => [name, print(count)]),
  );

const tidy = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 100) / 100 + 0;

/** The figure that moves the range of a change most. */
export type Weigh = (delta: Counts) => Dominant | null;

const cyclesJson = (cycles: Cycles | null, delta: Counts, weigh: Weigh) =>
  cycles && {
    before: tidy(cycles.before),
    after: tidy(cycles.after),
    delta: tidy(cycles.delta),
    low: tidy(cycles.low),
    high: tidy(cycles.high),
    dominant: weigh(delta),
  };

/** `cycles` null: why. */
const unpriced = (part: {
  readonly cycles: Cycles | null;
  readonly noCycles: string;
}): { noCycles?: string } => (part.cycles ? {} : { noCycles: part.noCycles });

const unknownJson = ({ name, documentLine, why }: UnknownItem) => ({ name, documentLine, why });

const partJson = (part: PricedPart, weigh: Weigh) => ({
  delta: countsJson(part.delta),
  ...(part.other ? { deltaOther: countsJson(part.other.delta) } : {}),
  conditions: part.conditions.map(({ documentLine, text, taken }) => ({ documentLine, text, taken })),
  gates: part.gates,
  alternatives: part.alternatives.map(({ features, delta }) => ({ features, delta: countsJson(delta) })),
  unknown: [
    ...part.unknown.map(unknownJson),
    ...(part.cycles || !part.noCycles ? [] : [{ name: 'cycles', documentLine: null, why: part.noCycles }]),
  ],
  cycles: cyclesJson(part.cycles, part.delta, weigh),
  counts: { before: countsJson(part.before), after: countsJson(part.after) },
  assumed: part.assumed,
  deferred: part.deferred.map(item => ({ ...item, operations: countsJson(item.operations) })),
});

const hunkJson = (hunk: PricedHunk, weigh: Weigh) => ({
  file: hunk.file,
  oldStart: hunk.oldStart,
  newStart: hunk.newStart,
  documentLine: hunk.documentLine,
  message: hunk.message,
  function: hunk.function,
  functions: hunk.functions,
  before: hunk.presence,
  ...(hunk.tree ? { tree: hunk.tree } : {}),
  ...partJson(hunk, weigh),
  byName: hunk.byName,
  lines: hunk.lines.map(({ documentLine, side, operations }) => ({
    documentLine,
    side,
    operations: countsJson(operations),
  })),
});

const rootJson = (root: PricedRoot, weigh: Weigh) => ({
  function: root.function,
  file: root.file,
  ...partJson(root, weigh),
});

const patchJson = (patch: PricedPatch, weigh: Weigh) => ({
  message: patch.message,
  subject: patch.subject,
  supersededBy: patch.supersededBy,
  ...(patch.revises === null ? {} : { revises: patch.revises }),
  delta: countsJson(patch.delta),
  cycles: cyclesJson(patch.cycles, patch.delta, weigh),
  ...unpriced(patch),
  unknown: patch.unknown.map(unknownJson),
  roots: patch.roots.map(root => rootJson(root, weigh)),
});

/** The document of `tlbscope cost --json`. Without `weigh` no figure is named as the dominant one. */
export const costJson = (priced: PricedDocument, weigh: Weigh = () => null) => ({
  machine: priced.machine,
  features: priced.features,
  symbols: priced.symbols,
  hunks: priced.hunks.map(hunk => hunkJson(hunk, weigh)),
  total: {
    delta: countsJson(priced.total.delta),
    cycles: cyclesJson(priced.total.cycles, priced.total.delta, weigh),
    ...unpriced(priced.total),
    unknown: priced.total.unknown.map(unknownJson),
    patches: priced.total.patches.map(patch => patchJson(patch, weigh)),
  },
  findings: priced.findings.map(({ kind, documentLine, message }) => ({ kind, documentLine, message })),
  configuration: Object.fromEntries(priced.configuration),
});
