/** Conditions that exclude each other: one value cannot equal two constants. */
import type { ValueSpace } from './values';

/** Atoms that compare the same value with different constants, by atom; atoms that exclude nothing are missing. */
export function exclusiveGroups(space: ValueSpace, atoms: Iterable<number>): Map<number, readonly number[]> {
  const byValue = new Map<number, number[]>();
  for (const index of atoms) {
    const { value, bit } = space.atoms[index]!;
    if (bit !== null || value.kind !== 'binary' || value.operator !== 'eq') continue;
    const { a, b } = value;
    const tested = a.kind === 'constant' ? b : b.kind === 'constant' ? a : null;
    if (!tested || tested.kind === 'constant') continue;
    const known = byValue.get(tested.id);
    if (known) known.push(index);
    else byValue.set(tested.id, [index]);
  }
  const groups = new Map<number, readonly number[]>();
  for (const group of byValue.values())
    if (group.length > 1) for (const index of group) groups.set(index, group);
  return groups;
}

/** Whether an assignment lets one value equal two constants. */
export function contradicts(
  assignment: ReadonlyMap<number, boolean>,
  groups: ReadonlyMap<number, readonly number[]>,
): boolean {
  for (const group of new Set(groups.values())) {
    let equal = 0;
    for (const atom of group) if (assignment.get(atom)) equal++;
    if (equal > 1) return true;
  }
  return false;
}

/** Settles an atom; where it becomes true, those that it excludes become false. */
export function settle(
  fixed: Map<number, boolean>,
  groups: ReadonlyMap<number, readonly number[]>,
  atom: number,
  value: boolean,
): void {
  fixed.set(atom, value);
  if (value) for (const other of groups.get(atom) ?? []) if (other !== atom) fixed.set(other, false);
}
