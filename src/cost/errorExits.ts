/**
 * Branches that only leave a function because something went wrong, told by how they are written: `if (ret) goto err`,
 * `if (WARN_ON(x)) return`, `if (unlikely(!mm)) return`. Nothing goes wrong when a patch is priced.
 */
import type { SourceUnit } from '../code/source';
import { no, support, yes, type Guard } from './guard';
import type { ConditionRecord, Recording } from './record';
import type { ValueSpace } from './values';

const alarm = /\b(?:__)?(?:WARN|BUG|VM_BUG|VM_WARN|ASSERT|IS_ERR)[A-Z_]*\s*\(/;
const rare = /\bunlikely\s*\(/;
/** A way out whose own words say that it is for errors. */
const errorExit =
  /^\{?\s*(?:return\s*\(?-\s*(?:E[A-Z0-9]+|\d+)\b|return\s+(?:ERR_PTR|ERR_CAST|PTR_ERR)\s*\(|return\s+(?:ret|rc|err|error|retval|res|status)\s*;|goto\s+\w*(?:err|fail|bad|abort|unwind)\w*\s*;)/i;
/** A way out that may be for anything. */
const plainExit = /^\{?\s*(?:return\b[^()]*;|goto\s+\w+\s*;)/;
const nullTest = /^\(\s*(?:!\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*==\s*NULL)\s*\)$/;

const linesBack = 3;
const linesOn = 8;

/** The condition of the `if` around a line, in its parentheses, and the first words behind it. */
function ifAround(unit: SourceUnit, line: number): { condition: string; behind: string } | null {
  let from = line;
  while (from > line - linesBack && from > 0 && !/\bif\s*\(/.test(unit.lines[from]?.text.slice(0, 300) ?? ''))
    from--;
  const text = unit.lines
    .slice(from, from + linesOn)
    .map(each => each.text.slice(0, 300).trim())
    .join(' ');
  const at = /\bif\s*\(/.exec(text);
  if (!at) return null;
  const open = at.index + at[0].length - 1;
  let depth = 0;
  for (let end = open; end < text.length; end++) {
    if (text[end] === '(') depth++;
    else if (text[end] === ')' && --depth === 0)
      return { condition: text.slice(open, end + 1), behind: text.slice(end + 1).trim() };
  }
  return null;
}

/** Whether a name is used as a pointer in the lines at hand. */
const isPointer = (unit: SourceUnit, name: string): boolean =>
  unit.lines.some(({ text }) => text.includes(`${name}->`) || text.includes(`*${name}`));

function saysError({ at }: ConditionRecord): boolean {
  const found = ifAround(at.unit, at.line);
  if (!found) return false;
  if (errorExit.test(found.behind)) return true;
  if (!plainExit.test(found.behind)) return false;
  if (alarm.test(found.condition) || rare.test(found.condition)) return true;
  const name = nullTest.exec(found.condition);
  return name !== null && isPointer(at.unit, name[1] ?? name[2] ?? '');
}

/** Whether `atom = holds` performs nothing that the other way does not, and less. */
function leavesOut(
  space: ValueSpace,
  recordings: readonly Recording[],
  index: number,
  holds: boolean,
): boolean {
  const { guards } = space;
  let less = false;
  for (const { operations } of recordings)
    for (const { guard } of operations) {
      const [here, there] = [guards.restrict(guard, index, holds), guards.restrict(guard, index, !holds)];
      if (here === there) continue;
      if (here !== no && guards.and(here, guards.not(there)) !== no) return false;
      less = true;
    }
  return less;
}

/** The value of an atom that makes a condition as written false, whatever else holds; null if there is none. */
function thatDenies(space: ValueSpace, truth: Guard, index: number): boolean | null {
  const { guards } = space;
  if (guards.restrict(truth, index, true) === yes) return false;
  return guards.restrict(truth, index, false) === yes ? true : null;
}

/** The value that an atom has when no branch for errors is taken; null if it leads to none. */
export function withoutErrorExit(
  space: ValueSpace,
  index: number,
  recordings: readonly Recording[],
): boolean | null {
  for (const { conditions } of recordings)
    for (const record of conditions) {
      if (!support(record.truth).has(index)) continue;
      if (/^(?:__)?(?:WARN|BUG|VM_BUG|VM_WARN|ASSERT)/.test(record.text)) {
        const value = thatDenies(space, record.truth, index);
        if (value !== null) return value;
      }
      if (!saysError(record)) continue;
      for (const holds of [true, false]) if (leavesOut(space, recordings, index, holds)) return !holds;
    }
  return null;
}
