/**
 * Functions that use a constant which a patch changes in their own file: they do something else although their own lines
 * stay the same.
 */
import type { IrFunction } from '../code/ir';
import type { FileAnalysis } from './analysis';
import type { UnknownItem } from './priced';
import { valueChanges, type ValueChange } from './valueChanges';

/** Constants of one hunk that are looked for. */
const mostConstants = 20;

const uses = new WeakMap<FileAnalysis, readonly ReadonlyMap<string, readonly string[]>[]>();

function usesIn(fn: IrFunction, names: ReadonlySet<string>, into: Map<string, string[]>): void {
  for (let line = fn.firstLine; line <= fn.lastLine; line++)
    for (const [word] of (fn.unit.lines[line]?.text ?? '').slice(0, 400).matchAll(/[A-Za-z_]\w*/g)) {
      if (!names.has(word)) continue;
      const known = into.get(word);
      if (!known) into.set(word, [fn.name]);
      else if (!known.includes(fn.name)) known.push(fn.name);
    }
}

/** By hunk of a file: the functions, by name, that use each constant whose value it changes. */
export function constantUses(read: FileAnalysis): readonly ReadonlyMap<string, readonly string[]>[] {
  const known = uses.get(read);
  if (known) return known;
  const last = read.change.hunks.length;
  const made = (valueChanges(read.change.file) ?? []).map(changes => {
    const constants = changes.filter(({ constant }) => constant).slice(0, mostConstants);
    const names = new Set(constants.map(({ name }) => name));
    const found = new Map<string, string[]>();
    if (names.size)
      for (const stage of [0, last]) for (const fn of read.stages.get(stage) ?? []) usesIn(fn, names, found);
    return found;
  });
  uses.set(read, made);
  return made;
}

/** Names of the functions that use what a hunk changes. */
export const usersOf = (read: FileAnalysis, hunk: number): string[] => [
  ...new Set([...(constantUses(read)[hunk]?.values() ?? [])].flat()),
];

/** Values that change, without constants of a source file whose users are followed. Those of a header have others. */
export const withoutFollowed = (
  read: FileAnalysis,
  values: readonly (readonly ValueChange[])[],
): readonly (readonly UnknownItem[])[] =>
  read.change.path.endsWith('.h')
    ? values
    : values.map((changes, hunk) => changes.filter(({ name }) => !constantUses(read)[hunk]?.has(name)));
