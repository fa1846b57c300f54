/** Calls over a CPU mask that holds one CPU: `cpumask_of(cpu)`. */
import { constant, negate, add, substitute, zero, type Polynomial } from './polynomial';
import type { Value } from './value';

/** Whether a call is given the mask of a single CPU, which is taken to be another one than this. */
export const toOneCpu = (args: readonly Value[]): boolean =>
  args.some(arg => arg.kind === 'call' && /^(?:cpumask_of|get_cpu_mask)$/.test(arg.name));

/** A count over the CPUs of a mask, such as `c` or `c*n+n`, for the mask of one other CPU; one without `c` stays. */
export function onOneCpu(count: Polynomial): Polynomial {
  const [one, none] = [substitute(count, 'c', constant(1n)), substitute(count, 'c', zero)];
  const each = add(one, negate(none));
  return each.terms.size === 0 ? count : each;
}
