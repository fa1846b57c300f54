/** Which functions code can come to, by the names that it calls, takes the address of, or expands. */
import type { IrFunction, IrModule } from '../code/ir';

/**
 * Functions of `modules` that are reached from those that `isRoot` names. The first definition of a name counts, but a
 * call goes to a function of its own file first; functions of `replacing` stand for all others of their name.
 */
export function reachedFrom(
  modules: readonly IrModule[],
  replacing: readonly IrModule[],
  isRoot: (fn: IrFunction) => boolean,
): ReadonlySet<IrFunction> {
  const byName = new Map<string, IrFunction>();
  const byPlace = new Map<string, IrFunction>();
  const replaced = new Map<string, IrFunction>();
  const place = (path: string, name: string): string => `${path} ${name}`;
  const all = [...replacing, ...modules].flatMap(({ functions }) => functions);
  for (const fn of replacing.flatMap(({ functions }) => functions)) replaced.set(fn.name, fn);
  for (const fn of all) {
    const at = place(fn.unit.path, fn.name);
    if (!byName.has(fn.name)) byName.set(fn.name, fn);
    if (!byPlace.has(at)) byPlace.set(at, fn);
  }
  const reached = new Set(all.filter(fn => isRoot(fn) && (replaced.get(fn.name) ?? fn) === fn));
  for (const fn of reached) {
    const names = [...fn.code.flatMap(namesOf), ...(fn.expands ?? [])];
    for (const name of names) {
      const target = replaced.get(name) ?? byPlace.get(place(fn.unit.path, name)) ?? byName.get(name);
      if (target) reached.add(target);
    }
  }
  return reached;
}

function namesOf(one: IrFunction['code'][number]): string[] {
  switch (one.op) {
    case 'call':
      return one.callee === null ? [] : [one.callee];
    case 'address':
    case 'primitive':
      return [one.name];
    default:
      return [];
  }
}
