/** Local variables whose address is handed on. */
import { rootOf, type State } from './machineState';
import type { Runner } from './runner';
import type { Value } from './value';

/** Whether an address's object is a variable of a function. */
export const isLocal = (root: Value): boolean => root.kind === 'address' && root.storage === 'local';

/** What a callee that is not followed may have written through a pointer to a local variable is no longer known. */
export function forgetLocals(runner: Runner, name: string, args: readonly Value[], state: State): void {
  args.forEach((arg, at) => {
    const root = rootOf(arg);
    if (!isLocal(root)) return;
    for (const address of state.memory.keys())
      if (rootOf(address) === root)
        state.memory.set(
          address,
          runner.space.symbol('name' in root ? root.name : name, `out:${name}:${at}:${address.id}`),
        );
  });
}

/** What an object of the function holds, by the members that are known. */
function contentOf(root: Value, state: State): string {
  const parts: string[] = [];
  for (const [address, value] of state.memory)
    if (rootOf(address) === root) parts.push(`${pathTo(address)}=${value.id}`);
  return parts.sort().join();
}

/** Members and indexes from an object to an address in it. */
function pathTo(address: Value): string {
  if (address.kind === 'field') return `${pathTo(address.base)}.${address.member}`;
  return address.kind === 'index' ? `${pathTo(address.base)}[${address.index.id}]` : '';
}

/**
 * What a call hands on, as text: equal for two calls that are given the same. Variables of the caller count by what they
 * hold, not by their names; texts do not count.
 */
export function handedOn(args: readonly Value[], state: State): string {
  return args
    .map(arg => {
      const root = rootOf(arg);
      if (root.kind === 'address' && root.storage === 'string') return 'text';
      return isLocal(root) ? `${pathTo(arg)}{${contentOf(root, state)}}` : `${arg.id}`;
    })
    .join(';');
}
