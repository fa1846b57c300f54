/**
 * Per-CPU variables. `address` of kind `per-cpu` is a variable's address on the executing CPU; of kind `global`, for a
 * per-CPU variable, it is the offset that `per_cpu_ptr` and `this_cpu_ptr` turn into an address.
 */
import type { Lowering } from './context';
import { stripped } from './context';
import { lowerValue } from './expressions';
import { lowerPlace } from './places';
import type { Rule } from './primitives';
import type { Node } from './syntax';
import { child } from './syntax';
import { pointerTo } from './types';
import type { Place, Value } from './values';
import { inRegister, materialise, memory } from './values';

/** `this_cpu_ptr(p)`, `per_cpu_ptr(p, cpu)`; `cpu`: which argument names the CPU. */
export function lowerPerCpuPointer(
  l: Lowering,
  node: Node,
  args: readonly Node[],
  cpu: number | null,
): Value | null {
  const [pointer] = args;
  if (!pointer) return null;
  const inner = stripped(pointer);
  const direct = inner.type === 'pointer_expression' && child(inner, 'operator')?.type === '&';
  if (direct && cpu === null) {
    const place = lowerPlace(l, child(inner, 'argument')!, 'per-cpu');
    if (place.kind === 'memory') return inRegister(place.address, pointerTo(place.type));
  }
  const value = lowerValue(l, pointer);
  const which = cpu === null ? null : args[cpu];
  const registers = [materialise(l, value)];
  if (which) registers.push(materialise(l, lowerValue(l, which)));
  l.at(node);
  const dst = l.code.register(value.type);
  const name = cpu === null ? 'this_cpu_ptr' : 'per_cpu_ptr';
  l.code.emit({ op: 'primitive', name, dst, args: registers });
  return inRegister(dst, value.type);
}

/** `per_cpu(x, cpu)`, `this_cpu(x)`, `get_cpu_var(x)`. */
export function lowerPerCpuLvalue(
  l: Lowering,
  node: Node,
  args: readonly Node[],
  rule: Rule & { rule: 'per-cpu-lvalue' },
): Place | null {
  const [variable] = args;
  if (!variable) return null;
  l.at(node);
  if (rule.also !== undefined) l.code.emit({ op: 'primitive', name: rule.also, dst: null, args: [] });
  if (rule.cpu === null) return lowerPlace(l, variable, 'per-cpu');
  const which = args[rule.cpu];
  if (!which) return null;
  const place = lowerPlace(l, variable);
  const offset = place.kind === 'memory' ? place.address : place.register;
  const cpu = materialise(l, lowerValue(l, which));
  l.at(node);
  const dst = l.code.register(pointerTo(place.type));
  l.code.emit({ op: 'primitive', name: 'per_cpu_ptr', dst, args: [offset, cpu] });
  return memory(dst, place.type);
}
