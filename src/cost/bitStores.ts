/** Bit operations on variables: `__set_bit(63, &cr3)`. */
import { rootOf, type State } from './machineState';
import type { Value } from './value';
import type { ValueSpace } from './values';

const u64 = { bits: 64, signed: false } as const;
const bitOperation = /^(?:arch_|generic_)?_{0,3}(?:test_and_)?(set|clear|change)_bit(?:_lock|_unlock)?$/;

/** What a bit operation on a local variable leaves in it, or null for any other call. */
export function bitStored(
  space: ValueSpace,
  name: string,
  args: readonly Value[],
  state: State,
): { readonly address: Value; readonly value: Value } | null {
  const how = bitOperation.exec(name)?.[1];
  const [bit, address] = args;
  if (how === undefined || bit?.kind !== 'constant' || address?.kind !== 'address') return null;
  if (bit.value < 0n || bit.value > 63n || rootOf(address) !== address || address.storage !== 'local')
    return null;
  const old = state.memory.get(address) ?? space.load(address, 0);
  const mask = space.constant(1n << bit.value);
  const value =
    how === 'set'
      ? space.binary('or', old, mask, u64)
      : how === 'change'
        ? space.binary('xor', old, mask, u64)
        : space.binary('and', old, space.not(mask, u64), u64);
  return { address, value };
}
