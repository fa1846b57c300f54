/** Prices as the JSON of the command line: polynomials as text. */
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

const cyclesJson = (cycles: Cycles | null) =>
  cycles && {
    before: tidy(cycles.before),
    after: tidy(cycles.after),
    delta: tidy(cycles.delta),
    low: tidy(cycles.low),
    high: tidy(cycles.high),
  };

/** `cycles` null: why. */
const unpriced = (part: {
  readonly cycles: Cycles | null;
  readonly noCycles: string;
}): { noCycles?: string } => (part.cycles ? {} : { noCycles: part.noCycles });

const unknownJson = ({ name, documentLine, why }: UnknownItem) => ({ name, documentLine, why });

const partJson = (part: PricedPart) => ({
  delta: countsJson(part.delta),
  ...(part.other ? { deltaOther: countsJson(part.other.delta) } : {}),
  conditions: part.conditions.map(({ documentLine, text, taken }) => ({ documentLine, text, taken })),
  gates: part.gates,
  alternatives: part.alternatives.map(({ features, delta }) => ({ features, delta: countsJson(delta) })),
  unknown: [
    ...part.unknown.map(unknownJson),
    ...(part.cycles || !part.noCycles ? [] : [{ name: 'cycles', documentLine: null, why: part.noCycles }]),
  ],
  cycles: cyclesJson(part.cycles),
  counts: { before: countsJson(part.before), after: countsJson(part.after) },
  assumed: part.assumed,
  deferred: part.deferred.map(item => ({ ...item, operations: countsJson(item.operations) })),
});

const hunkJson = (hunk: PricedHunk) => ({
  file: hunk.file,
  oldStart: hunk.oldStart,
  newStart: hunk.newStart,
  documentLine: hunk.documentLine,
  message: hunk.message,
  function: hunk.function,
  functions: hunk.functions,
  before: hunk.presence,
  ...partJson(hunk),
  byName: hunk.byName,
  lines: hunk.lines.map(({ documentLine, side, operations }) => ({
    documentLine,
    side,
    operations: countsJson(operations),
  })),
});

const rootJson = (root: PricedRoot) => ({ function: root.function, file: root.file, ...partJson(root) });

const patchJson = (patch: PricedPatch) => ({
  message: patch.message,
  subject: patch.subject,
  supersededBy: patch.supersededBy,
  ...(patch.revises === null ? {} : { revises: patch.revises }),
  delta: countsJson(patch.delta),
  cycles: cyclesJson(patch.cycles),
  ...unpriced(patch),
  unknown: patch.unknown.map(unknownJson),
  roots: patch.roots.map(rootJson),
});

/** The document of `tlbscope cost --json`. */
export const costJson = (priced: PricedDocument) => ({
  machine: priced.machine,
  features: priced.features,
  symbols: priced.symbols,
  hunks: priced.hunks.map(hunkJson),
  total: {
    delta: countsJson(priced.total.delta),
    cycles: cyclesJson(priced.total.cycles),
    ...unpriced(priced.total),
    unknown: priced.total.unknown.map(unknownJson),
    patches: priced.total.patches.map(patchJson),
  },
  findings: priced.findings.map(({ kind, documentLine, message }) => ({ kind, documentLine, message })),
  configuration: Object.fromEntries(priced.configuration),
});
