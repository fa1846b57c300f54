/**
 * Conditions that mean an error or damage: the branch that only leads to returning an error, or that a warning, a null
 * pointer or a failed allocation guards. No error occurs when a patch is priced.
 */
import { withoutErrorExit } from './errorExits';
import { no, support, type Guard } from './guard';
import { findInside } from './machineState';
import { lastName } from './quantity';
import type { FrameRecord, Recording } from './record';
import type { Atom, Value } from './value';
import type { ValueSpace } from './values';

const alarm = /^(?:__)?(?:WARN|BUG|IS_ERR|IS_ERR_OR_NULL|PTR_ERR_OR_ZERO|VM_BUG|VM_WARN|ASSERT)/;
const maybeNull = /alloc|lookup|find_|_find|get_page|kmap|ioremap|_get_unless/;
const largestError = 4095n;

/** The values that may be returned where `guard` holds. */
function leaves(space: ValueSpace, value: Value, guard: Guard, into: Value[]): void {
  if (guard === no) return;
  if (value.kind !== 'choice') {
    into.push(value);
    return;
  }
  const { guards } = space;
  leaves(space, value.a, guards.and(guard, value.guard), into);
  leaves(space, value.b, guards.and(guard, guards.not(value.guard)), into);
}

const isErrno = (value: bigint): boolean =>
  [value, BigInt.asIntN(64, value), BigInt.asIntN(32, value)].some(v => v < 0n && v >= -largestError);

/** `-EINVAL`, where the number behind the name is not known. */
function isNamedErrno(value: Value): boolean {
  if (value.kind !== 'linear' || value.constant !== 0n || value.terms.length !== 1) return false;
  const [term, factor] = value.terms[0]!;
  return factor === -1n && /^E[A-Z0-9]{2,}$/.test(lastName(term));
}

/** Names of variables that hold an error or 0. */
const errorName = /^!?\s*\(?\s*(?:ret|rc|err|errno|error|retval|res|result|status|r)\b/;

/**
 * A returned value that says "error" when the atom is true. `named`: what is tested may be returned as an error, by its
 * name or because it is returned there only.
 */
function saysError(value: Value, atom: Atom, holds: boolean, named: boolean): boolean {
  if (value.kind === 'constant') return isErrno(value.value);
  if (value.kind === 'call' && /^ERR_(PTR|CAST)$/.test(value.name)) return true;
  if (isNamedErrno(value)) return true;
  if (atom.bit !== null) return false;
  const tested = atom.value;
  if (holds && named && tested === value) return true;
  return (
    holds &&
    tested.kind === 'binary' &&
    tested.operator === 'lt' &&
    tested.a === value &&
    tested.b.kind === 'constant' &&
    tested.b.value === 0n
  );
}

/** Whether every way out of a function under `atom = holds` returns an error, while another way does not. */
function onlyErrors(
  space: ValueSpace,
  frame: FrameRecord,
  index: number,
  holds: boolean,
  atom: Atom,
  named: boolean,
): boolean {
  const { guards } = space;
  const found = (value: boolean): { error: number; fine: number } => {
    const counts = { error: 0, fine: 0 };
    for (const back of frame.returns) {
      const guard = guards.restrict(back.guard, index, value);
      if (guard === no) continue;
      if (!back.value) {
        counts.fine++;
        continue;
      }
      const only = guards.restrict(back.guard, index, !value) === no;
      const values: Value[] = [];
      leaves(space, back.value, guard, values);
      for (const leaf of values)
        if (saysError(leaf, atom, value, named || only)) counts.error++;
        else counts.fine++;
    }
    return counts;
  };
  const here = found(holds);
  return here.error > 0 && here.fine === 0 && found(!holds).fine > 0;
}

/** True if nothing is performed where `atom = holds`, in every code that tests it. */
function idle(space: ValueSpace, recordings: readonly Recording[], index: number, holds: boolean): boolean {
  const tests = recordings.filter(({ conditions }) =>
    conditions.some(({ truth }) => support(truth).has(index)),
  );
  return tests.every(({ operations }) =>
    operations.every(record => space.guards.restrict(record.guard, index, holds) === no),
  );
}

/** The value that an atom has when nothing is wrong; null if it is no sign of damage. */
export function withoutDamage(
  space: ValueSpace,
  index: number,
  recordings: readonly Recording[],
  pointers: ReadonlySet<Value>,
): boolean | null {
  const atom = space.atoms[index]!;
  if (findInside(atom.value, value => value.kind === 'call' && alarm.test(value.name))) return false;
  const named = recordings.some(({ conditions }) =>
    conditions.some(({ truth, text }) => errorName.test(text) && support(truth).has(index)),
  );
  for (const recording of recordings)
    for (const frame of recording.frames)
      for (const holds of [true, false])
        if (onlyErrors(space, frame, index, holds, atom, named)) return !holds;
  const exit = withoutErrorExit(space, index, recordings);
  if (exit !== null) return exit;
  const { value } = atom;
  if (atom.bit !== null) return null;
  if (value.kind === 'call' && maybeNull.test(value.name)) return true;
  if (pointers.has(value) && idle(space, recordings, index, false)) return true;
  return null;
}
