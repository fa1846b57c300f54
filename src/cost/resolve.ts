/** From guarded records to one answer (and perhaps another): every condition is settled, the same way before and after. */
import { withoutDamage } from './damage';
import { contradicts, exclusiveGroups, settle } from './exclusive';
import { ceilingsInTheWay } from './fullFlushOnly';
import { atomsOf, holds, no, support, type Guard } from './guard';
import { add, isZero, negate, type Polynomial } from './polynomial';
import { cr4WithoutFlush, type ConditionRecord, type OperationRecord, type Recording } from './record';
import { settledBy, type RangeAssumption } from './settle';
import { cheapest, dearest, leansTo, ranksOf, stillStands, type Choice, type Leaning } from './standing';
import type { Value } from './value';
import type { ValueSpace } from './values';

/** Operation → count. Never holds a zero. */
export type Counts = ReadonlyMap<string, Polynomial>;

/** The code before and after a change, run in one value space. */
export interface Comparison {
  readonly space: ValueSpace;
  readonly before: readonly Recording[];
  readonly after: readonly Recording[];
  readonly pointers: ReadonlySet<Value>;
  /** Guards under which the changed lines in question are reached. */
  readonly reached: readonly Guard[];
}

export interface Decision {
  readonly atom: number;
  readonly value: boolean;
  readonly why: 'range' | 'damage' | 'changed line' | 'dearer';
}

export interface Answer {
  readonly before: Counts;
  readonly after: Counts;
  readonly delta: Counts;
  readonly assignment: ReadonlyMap<number, boolean>;
}

export interface Resolution {
  readonly answer: Answer;
  /** The other answer of open conditions, if it differs. */
  readonly other: Answer | null;
  readonly decisions: readonly Decision[];
  /** Conditions that had a say, with the value taken. */
  readonly conditions: readonly { readonly record: ConditionRecord; readonly taken: boolean | 'both' }[];
}

/** Open conditions beyond this are settled one after the other. */
const enumerated = 8;

interface Group {
  readonly operation: string;
  readonly guard: Guard;
  count: Polynomial;
}

/** Sums records with the same guard; what is the same before and after goes. */
function groupsOf(space: ValueSpace, comparison: Comparison, fixed: ReadonlyMap<number, boolean>): Group[] {
  const groups = new Map<string, Group>();
  const put = (record: OperationRecord, sign: boolean): void => {
    const guard = restrictAll(space, record.guard, fixed);
    if (guard === no) return;
    const key = `${record.operation},${guard.id}`;
    const count = sign ? record.count : negate(record.count);
    const known = groups.get(key);
    if (known) known.count = add(known.count, count);
    else groups.set(key, { operation: record.operation, guard, count });
  };
  for (const recording of comparison.after) for (const record of recording.operations) put(record, true);
  for (const recording of comparison.before) for (const record of recording.operations) put(record, false);
  return [...groups.values()].filter(group => !isZero(group.count));
}

export function restrictAll(space: ValueSpace, guard: Guard, fixed: ReadonlyMap<number, boolean>): Guard {
  let result = guard;
  if (!fixed.size) return guard;
  for (const atom of atomsOf(guard)) {
    const value = fixed.get(atom);
    if (value !== undefined) result = space.guards.restrict(result, atom, value);
  }
  return result;
}

const supportOf = (guards: Iterable<Guard>): number[] => {
  const found = new Set<number>();
  for (const guard of guards) support(guard, found);
  return [...found].sort((a, b) => a - b);
};

function sumUnder(
  recordings: readonly Recording[],
  assignment: ReadonlyMap<number, boolean>,
): Map<string, Polynomial> {
  const counts = new Map<string, Polynomial>();
  for (const recording of recordings)
    for (const record of recording.operations)
      if (holds(record.guard, assignment)) {
        const sum = add(counts.get(record.operation) ?? { terms: new Map() }, record.count);
        if (isZero(sum)) counts.delete(record.operation);
        else counts.set(record.operation, sum);
      }
  return counts;
}

export function subtractCounts(after: Counts, before: Counts): Map<string, Polynomial> {
  const delta = new Map(after);
  for (const [operation, count] of before) {
    const sum = add(delta.get(operation) ?? { terms: new Map() }, negate(count));
    if (isZero(sum)) delta.delete(operation);
    else delta.set(operation, sum);
  }
  return delta;
}

export function addCounts(a: Counts, b: Counts): Map<string, Polynomial> {
  const sum = new Map(a);
  for (const [operation, count] of b) {
    const total = add(sum.get(operation) ?? { terms: new Map() }, count);
    if (isZero(total)) sum.delete(operation);
    else sum.set(operation, total);
  }
  return sum;
}

function answerUnder(comparison: Comparison, assignment: ReadonlyMap<number, boolean>): Answer {
  const before = sumUnder(comparison.before, assignment);
  const after = sumUnder(comparison.after, assignment);
  return { before, after, delta: subtractCounts(after, before), assignment: new Map(assignment) };
}

const sameCounts = (a: Counts, b: Counts): boolean => subtractCounts(a, b).size === 0;

/** Settles the atoms that a changed line decides: the pass reaches that line. */
function reachChangedLines(
  comparison: Comparison,
  atoms: readonly number[],
  fixed: Map<number, boolean>,
  decisions: Decision[],
  groups: ReadonlyMap<number, readonly number[]>,
): void {
  const { space } = comparison;
  const { guards } = space;
  let wanted = comparison.reached
    .map(guard => restrictAll(space, guard, fixed))
    .filter(guard => guard !== no);
  for (const atom of atoms) {
    if (fixed.has(atom)) continue;
    const lost = (value: boolean): number =>
      wanted.filter(guard => guards.restrict(guard, atom, value) === no).length;
    const [lostIfTrue, lostIfFalse] = [lost(true), lost(false)];
    if ((lostIfTrue === 0) === (lostIfFalse === 0)) continue;
    const value = lostIfTrue === 0;
    // Changed lines under values that exclude each other cannot all be reached: such a condition stays open.
    const rivals = groups.get(atom)?.filter(other => other !== atom && !fixed.has(other)) ?? [];
    if (value && rivals.some(other => wanted.some(guard => guards.restrict(guard, other, false) === no)))
      continue;
    settle(fixed, groups, atom, value);
    decisions.push({ atom, value, why: 'changed line' });
    wanted = wanted.map(guard => guards.restrict(guard, atom, value)).filter(guard => guard !== no);
  }
}

/** Every assignment of a few atoms. */
function* assignments(
  atoms: readonly number[],
  fixed: ReadonlyMap<number, boolean>,
  groups: ReadonlyMap<number, readonly number[]>,
): Generator<Map<number, boolean>> {
  for (let bits = 0; bits < 1 << atoms.length; bits++) {
    const assignment = new Map(fixed);
    atoms.forEach((atom, at) => assignment.set(atom, ((bits >> at) & 1) === 1));
    if (!contradicts(assignment, groups)) yield assignment;
  }
}

/** Which of the changed lines an assignment lets the pass reach, as bits; equal guards are one. */
function linesReached(
  space: ValueSpace,
  wanted: readonly Guard[],
  assignment: ReadonlyMap<number, boolean>,
): bigint {
  let bits = 0n;
  wanted.forEach((guard, at) => {
    if (restrictAll(space, guard, assignment) !== no) bits |= 1n << BigInt(at);
  });
  return bits;
}

/** Picks the dearer answer, and the cheapest that differs from it. */
function pickAnswers(
  comparison: Comparison,
  open: readonly number[],
  fixed: ReadonlyMap<number, boolean>,
  { values }: RangeAssumption,
  groups: ReadonlyMap<number, readonly number[]>,
): { answer: Answer; other: Answer | null; choice: Omit<Choice, 'leanings'> } {
  const { space } = comparison;
  const wanted = [
    ...new Set(
      comparison.reached.map(guard => restrictAll(space, guard, fixed)).filter(guard => guard !== no),
    ),
  ];
  const candidates = [...assignments(open, fixed, groups)].map(assignment => ({
    assignment,
    reached: linesReached(space, wanted, assignment),
  }));
  // Together the open conditions have to let the pass reach changed lines: an assignment that reaches only some of
  // those that another one reaches is none of the answers. Of two branches that are both changed, neither is.
  const masks = [...new Set(candidates.map(({ reached }) => reached))];
  const poorer = new Set(
    masks.filter(mask => masks.some(other => other !== mask && (mask & other) === mask)),
  );
  const found = candidates
    .filter(({ reached }) => !poorer.has(reached))
    .map(({ assignment }) => answerUnder(comparison, assignment));
  const ranks = ranksOf(found, values);
  const best = dearest(ranks);
  const differs = found.map(({ delta }) => !sameCounts(delta, found[best]!.delta));
  const other = cheapest(ranks, differs);
  return {
    answer: found[best]!,
    other: found[other] ?? null,
    choice: { candidates: found, differs, best, other },
  };
}

/** What settling a comparison needs that does not depend on values. */
interface Prepared {
  readonly every: readonly number[];
  /** All atoms that matter, in the order in which they are settled. */
  readonly atoms: readonly number[];
  readonly relevant: ReadonlySet<number>;
  readonly groups: ReadonlyMap<number, readonly number[]>;
  /** Atoms that damage settles; worked out when first needed. */
  readonly damage: Map<number, boolean | null>;
  /** The last answer, what the ranges settled for it, and what it was chosen of. */
  last: { readonly ranges: string; readonly choice: Choice; readonly resolution: Resolution } | null;
}

const preparations = new WeakMap<Comparison, Prepared>();

function prepared(comparison: Comparison): Prepared {
  const known = preparations.get(comparison);
  if (known) return known;
  const { space, before, after } = comparison;
  const every = supportOf(
    [...before, ...after].flatMap(recording => recording.operations.map(record => record.guard)),
  );
  const atoms = [...new Set([...every, ...supportOf(comparison.reached)])];
  const made: Prepared = {
    every,
    atoms,
    relevant: new Set(supportOf(groupsOf(space, comparison, new Map()).map(group => group.guard))),
    groups: exclusiveGroups(space, new Set(atoms)),
    damage: new Map(),
    last: null,
  };
  preparations.set(comparison, made);
  return made;
}

/**
 * Settles every condition of a comparison and gives the counts. With other values the same object comes back where they
 * change nothing.
 */
export function resolve(comparison: Comparison, assumption: RangeAssumption): Resolution {
  const { space, before, after } = comparison;
  const known = prepared(comparison);
  const { every, atoms, relevant, groups } = known;
  const byRange = atoms.map(atom => settledBy(space, space.atoms[atom]!, assumption));
  const ranges = `${assumption.nGiven} ${byRange.join()}`;
  if (known.last?.ranges === ranges && stillStands(known.last.choice, assumption.values))
    return known.last.resolution;
  const recordings = [...before, ...after];
  const fixed = new Map<number, boolean>();
  const decisions: Decision[] = [];
  atoms.forEach((atom, at) => {
    let value = byRange[at] ?? null;
    if (value === null) {
      const damage = known.damage.get(atom);
      value = damage === undefined ? withoutDamage(space, atom, recordings, comparison.pointers) : damage;
      known.damage.set(atom, value);
    }
    if (value === null) return;
    fixed.set(atom, value);
    decisions.push({ atom, value, why: byRange[at] === null ? 'damage' : 'range' });
  });
  if (!assumption.nGiven && !groupsOf(space, comparison, fixed).length) {
    const ranged = decisions.filter(({ why }) => why === 'range').map(({ atom }) => atom);
    const restrict = (guard: Guard, by: ReadonlyMap<number, boolean>): Guard => restrictAll(space, guard, by);
    for (const atom of ceilingsInTheWay(comparison, fixed, ranged, restrict)) {
      fixed.delete(atom);
      decisions.splice(
        decisions.findIndex(decision => decision.atom === atom),
        1,
      );
    }
  }
  reachChangedLines(comparison, [...atoms].sort((a, b) => a - b), fixed, decisions, groups); // prettier-ignore
  const open = supportOf(groupsOf(space, comparison, fixed).map(group => group.guard)).filter(
    atom => !fixed.has(atom),
  );
  // What only moves both sides alike is settled towards the dearer side, one condition after the other.
  const quiet = every.filter(atom => !fixed.has(atom) && !open.includes(atom));
  const leanings: Leaning[] = [];
  for (const atom of [...quiet, ...open.slice(enumerated)]) {
    if (fixed.has(atom)) continue;
    const under = (value: boolean): Counts => sumUnder(after, new Map(fixed).set(atom, value));
    const [whenTrue, whenFalse] = [under(true), under(false)];
    const value = leansTo(whenTrue, whenFalse, assumption.values);
    leanings.push({ whenTrue, whenFalse, value });
    settle(fixed, groups, atom, value);
  }
  const few = open.slice(0, enumerated).filter(atom => !fixed.has(atom));
  const { answer, other, choice } = pickAnswers(comparison, few, fixed, assumption, groups);
  for (const atom of few)
    decisions.push({ atom, value: answer.assignment.get(atom) ?? false, why: 'dearer' });
  const { last } = known;
  if (last?.ranges === ranges && sameAnswers(last.resolution, answer, other)) {
    known.last = { ...last, choice: { ...choice, leanings } };
    return last.resolution;
  }
  let conditions: Resolution['conditions'] | null = null;
  const resolution: Resolution = {
    answer,
    other,
    decisions,
    // Most answers are only compared with another: then nobody asks.
    get conditions() {
      return (conditions ??= conditionsOf(comparison, relevant, new Set(few), answer, other));
    },
  };
  known.last = { ranges, choice: { ...choice, leanings }, resolution };
  return resolution;
}

const sameAssignment = (a: Answer | null, b: Answer | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.assignment.size === b.assignment.size &&
    [...a.assignment].every(([atom, value]) => b.assignment.get(atom) === value));

/** Whether the same conditions were settled the same way: then everything else is the same too. */
const sameAnswers = (known: Resolution, answer: Answer, other: Answer | null): boolean =>
  sameAssignment(known.answer, answer) && sameAssignment(known.other, other);

function conditionsOf(
  comparison: Comparison,
  relevant: ReadonlySet<number>,
  open: ReadonlySet<number>,
  answer: Answer,
  other: Answer | null,
): Resolution['conditions'] {
  const seen = new Set<string>();
  const found: { record: ConditionRecord; taken: boolean | 'both' }[] = [];
  for (const recording of [...comparison.after, ...comparison.before])
    for (const record of recording.conditions) {
      const atoms = atomsOf(record.truth);
      if (!atoms.some(atom => relevant.has(atom))) continue;
      const line = record.at.unit.lines[record.at.line];
      const key = `${line?.documentLine || `${record.at.unit.path},${line?.fileLine ?? 0}`},${record.text}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const both = other !== null && atoms.some(atom => open.has(atom));
      found.push({ record, taken: both ? 'both' : holds(record.truth, answer.assignment) });
    }
  return found;
}

/** Counts as they are shown: a CR4 write is one operation whether or not it flushes. */
export function shownCounts(counts: Counts): Map<string, Polynomial> {
  const shown = new Map(counts);
  const plain = shown.get(cr4WithoutFlush);
  if (!plain) return shown;
  shown.delete(cr4WithoutFlush);
  const sum = add(shown.get('CR4_WRITE') ?? { terms: new Map() }, plain);
  if (isZero(sum)) shown.delete('CR4_WRITE');
  else shown.set('CR4_WRITE', sum);
  return shown;
}
