/** Prices that come of reading the code, put in place of what was recognised by name. */
import { priceList, cyclesOfCounts } from '../cost/cycles';
import { print } from '../cost/polynomial';
import type { DerivationItem, PricedDocument, PricedHunk, PricedPart, PricedPatch } from '../cost/priced';
import { countsJson } from '../cost/report';
import type { Counts } from '../cost/resolve';
import { fitText } from '../cost/treeFit';
import { LineKind, type PatchDocument, type PatchHunk } from '../patch/model';
import type {
  Cause,
  DocumentReport,
  HunkAnnotation,
  LineAnnotation,
  TotalReport,
  UnknownReport,
} from '../protocol/report';
import { absence } from './analyse';
import type { Setting } from './setting';

const unknownOf = ({ unknown }: Pick<PricedPart, 'unknown'>): UnknownReport[] =>
  unknown.map(({ name, documentLine, why }) => ({ name, line: documentLine, why }));

/** Why there is no price although each operation, as it is shown, has one. */
function noCycles(part: { cycles: unknown; noCycles: string; delta: Counts }, setting: Setting): string {
  if (part.cycles !== null) return '';
  const shown = cyclesOfCounts(part.delta, priceList(setting.machine), setting.values);
  return 'unknown' in shown ? '' : part.noCycles;
}

const lineText = (line: number | null): string => (line === null ? '' : `, line ${line}`);

const stepText = ({ side, operation, count, documentLine, via }: DerivationItem): string => {
  const through = via.length ? `, through ${via.join(' → ')}` : '';
  return `${side === 'before' ? 'Before' : 'After'}${lineText(documentLine)}: ${print(count)} × ${operation}${through}`;
};

const countsText = (counts: Counts): string =>
  counts.size ? [...counts].map(([name, count]) => `${name} ${print(count)}`).join(', ') : 'nothing';

/** How a difference was come by, a sentence a line. */
function derivation(part: PricedPart, setting: Setting): string[] {
  const taken = { true: 'taken as true', false: 'taken as false', both: 'both ways' } as const;
  return [
    ...part.derivation.map(stepText),
    ...part.conditions.map(
      ({ documentLine, text, taken: value }) =>
        `Condition${lineText(documentLine)}: ${text} (${taken[`${value}`]})`,
    ),
    ...part.deferred.map(
      ({ name, where, change, operations }) =>
        `${change > 0 ? 'Leaves work' : 'No longer leaves work'} to the ${where}: ${name}` +
        (operations.size ? ` (${countsText(operations)} there)` : ''),
    ),
    ...part.alternatives.map(
      ({ gate, features, delta }) =>
        `With ${gate} ${setting.features.has(gate) ? 'off' : features.includes(gate) ? 'on' : 'the other way'}: ${countsText(delta)}`,
    ),
    ...part.assumed.map(text => `Assumed: ${text}`),
  ];
}

const sideOfKind: Readonly<Record<number, LineAnnotation['side']>> = {
  [LineKind.Removed]: 'old',
  [LineKind.Added]: 'new',
  [LineKind.Context]: 'both',
  [LineKind.BareContext]: 'both',
};

/** Side of each line of a hunk, by its line in the document. */
function sidesOf({ source, firstLine, endLine }: PatchHunk): Map<number, LineAnnotation['side']> {
  const sides = new Map<number, LineAnnotation['side']>();
  for (let line = firstLine; line < endLine; line++) {
    const side = sideOfKind[source.lineKind(line)];
    const at = source.documentLine(line);
    if (side && at !== null) sides.set(at, side);
  }
  return sides;
}

/** What the whole file in the workspace was good for. */
function treeText({ tree, file }: PricedHunk): string[] {
  const text = fitText(tree, file);
  return text === null ? [] : [`${text[0]!.toUpperCase()}${text.slice(1)}.`];
}

/** Operations of one line, with what in the derivation belongs to it. */
function pricedLine(
  { documentLine, side: counted, operations }: PricedHunk['lines'][number],
  side: LineAnnotation['side'],
  hunk: PricedHunk,
  /** Why the hunk has no price although each operation has one: a write of CR4 that the figure is not for. */
  structural: string,
  byName: LineAnnotation | undefined,
): LineAnnotation {
  const steps = hunk.derivation.filter(
    step => step.documentLine === documentLine && step.side === (counted === 'old' ? 'before' : 'after'),
  );
  const causes = steps.map((step): Cause => ({
    name: step.via.at(-1) ?? step.source,
    operations: countsJson(new Map([[step.operation, step.count]])),
    why: step.via.length ? `${step.source}, through ${step.via.join(' → ')}.` : '',
    gates: [],
    note: '',
  }));
  return {
    line: byName?.line ?? documentLine,
    side,
    operations: countsJson(operations),
    operationsOther: null,
    noCycles: operations.has('CR4_WRITE') ? structural : '',
    weak: false,
    causes: causes.length ? causes : (byName?.causes ?? []),
    unknown: unknownOf(hunk).filter(({ line }) => line === documentLine),
  };
}

/** Lines as the code reads, and by name what was not changed: nobody has counted that. */
function linesOf(
  hunk: PricedHunk,
  sides: ReadonlyMap<number, LineAnnotation['side']>,
  structural: string,
  byName: HunkAnnotation | undefined,
): LineAnnotation[] {
  const named = byName?.lines ?? [];
  const key = (line: number, side: string): string => `${side}${line}`;
  const known = new Map(named.map(line => [key(line.line, line.side), line]));
  const priced = new Map<string, LineAnnotation>();
  for (const line of hunk.lines) {
    const side = sides.get(line.documentLine) ?? line.side;
    const at = key(line.documentLine, side);
    // A context line has been counted on both sides: the new one stands.
    if (line.side === 'new' || !priced.has(at))
      priced.set(at, pricedLine(line, side, hunk, structural, known.get(at)));
  }
  const done = new Set([...priced.values()].map(({ line, side }) => key(line, side)));
  // Where code could not be read, its changed lines stand as their names say.
  const rest = named.filter(
    line => !done.has(key(line.line, line.side)) && (line.side === 'both' || hunk.byName),
  );
  // A name that costs nothing where it stands still has its explanation.
  const silent = named
    .filter(line => !hunk.byName && line.side !== 'both' && !done.has(key(line.line, line.side)))
    .map(line => ({ ...line, operations: {}, operationsOther: null, unknown: [], weak: false }));
  return [...priced.values(), ...rest, ...silent].sort((a, b) => a.line - b.line);
}

function hunkAnnotation(
  hunk: PricedHunk,
  place: { readonly line: number; readonly endLine: number; readonly hunk: PatchHunk },
  byName: HunkAnnotation | undefined,
  setting: Setting,
): HunkAnnotation | null {
  const counted = hunk.delta.size || hunk.other?.delta.size || hunk.deferred.length;
  // What an ordinary function calls is of no interest; in one that flushes it may hide operations.
  const unsure = hunk.unknown.length && (hunk.before.size || hunk.after.size);
  if (!counted && !unsure && !byName) return null;
  // Code outside every function that was found has not been counted: its names are all there is.
  if (!counted && !hunk.functions.length) return byName ?? null;
  const structural = noCycles(hunk, setting);
  return {
    path: hunk.file,
    line: place.line,
    endLine: place.endLine,
    heading: hunk.function ?? place.hunk.heading,
    quoted: false,
    delta: countsJson(hunk.delta),
    deltaOther: hunk.other && countsJson(hunk.other.delta),
    noCycles: structural,
    weak: hunk.byName,
    lines: linesOf(hunk, sidesOf(place.hunk), structural, byName),
    unknown: unknownOf(hunk),
    gates: hunk.gates,
    derivation: [...treeText(hunk), ...derivation(hunk, setting)],
  };
}

function patchTotal(priced: PricedPatch, patch: PatchDocument, setting: Setting): TotalReport {
  const subjectOf = (message: number | null): string | null =>
    message === null ? null : (patch.messages[message - 1]?.subject ?? '');
  return {
    scope: 'patch',
    line: patch.messages[priced.message - 1]?.documentLine ?? 1,
    subject: priced.subject,
    delta: countsJson(priced.delta),
    deltaOther: null,
    noCycles: noCycles(priced, setting),
    unknown: unknownOf(priced),
    supersededBy: subjectOf(priced.supersededBy),
    revises: subjectOf(priced.revises),
    roots: priced.roots.map(root => ({
      name: root.function,
      path: root.file,
      delta: countsJson(root.delta),
      deltaOther: root.other && countsJson(root.other.delta),
      noCycles: noCycles(root, setting),
      unknown: unknownOf(root),
    })),
  };
}

/** Each patch; before them the whole, where several count. */
function totals({ total }: PricedDocument, patch: PatchDocument, setting: Setting): TotalReport[] {
  const patches = total.patches.map(one => patchTotal(one, patch, setting));
  const counted = patches.filter(({ supersededBy, revises }) => supersededBy === null && revises === null);
  if (counted.length < 2) return patches;
  const all: TotalReport = {
    ...counted[0]!,
    scope: 'all',
    line: 1,
    subject: '',
    delta: countsJson(total.delta),
    noCycles: noCycles(total, setting),
    unknown: counted.flatMap(({ unknown }) => unknown),
    roots: counted.flatMap(({ roots }) => roots),
  };
  return [all, ...patches];
}

/** The report by name with prices of code that was read; quotations keep what their names say. */
export function withPrices(
  named: DocumentReport,
  patch: PatchDocument,
  priced: PricedDocument,
  setting: Setting,
): DocumentReport {
  const byLine = new Map(named.annotations.map(hunk => [hunk.line, hunk]));
  const places = patch.files.flatMap(file => file.hunks);
  const annotations: HunkAnnotation[] = [];
  for (const [index, hunk] of priced.hunks.entries()) {
    const { documentLine: line } = hunk;
    const place = places[index];
    if (line === null || !place) continue;
    const endLine = place.source.documentEndLine(Math.max(place.headerLine, place.endLine - 1)) ?? line;
    const made = hunkAnnotation(hunk, { line, endLine, hunk: place }, byLine.get(line), setting);
    if (made) annotations.push(made);
  }
  const quoted = named.annotations.filter(hunk => hunk.quoted);
  const all = [...annotations, ...quoted].sort((a, b) => a.line - b.line);
  return {
    ...named,
    absence: absence(patch, all.length),
    annotations: all,
    totals: totals(priced, patch, setting),
    findings: priced.findings.map(({ kind, documentLine, message }) => ({
      kind,
      line: documentLine,
      message,
    })),
    byNameOnly: '',
  };
}
