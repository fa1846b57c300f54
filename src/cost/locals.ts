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
