/**
 * Which CPU runs the code. A function that is run on every CPU of a mask runs once where the call stands and on the
 * others; what was stored from `smp_processor_id()` before the call tells the two apart.
 */
import { add, negate, substitute, zero, type Polynomial } from './polynomial';
import type { Value } from './value';

/**
 * The CPU that runs: `0` is the one of the priced function, a function run elsewhere goes one further. Marks behind the
 * number say that it may be this CPU or another.
 */
export type Cpu = string;

export const thisCpu: Cpu = '0';

const isKnown = (cpu: Cpu): boolean => /^\d+$/.test(cpu);

/** The CPU that runs what `cpu` has run on another, or on either. */
export function cpuBehind(cpu: Cpu, where: 'here' | 'elsewhere' | 'either'): Cpu {
  if (where === 'here') return cpu;
  if (where === 'either') return `${cpu}?`;
  return isKnown(cpu) ? `${Number(cpu) + 1}` : `${cpu}+`;
}

const prefix = '%cpu:';

/** Key of the symbol that stands for the number of a CPU. */
export const cpuKey = (cpu: Cpu): string => `${prefix}${cpu}`;

const levelOf = (value: Value): number | null => {
  if (value.kind !== 'symbol' || !value.key.startsWith(prefix)) return null;
  const cpu = value.key.slice(prefix.length);
  return isKnown(cpu) ? Number(cpu) : null;
};

/** Whether two values are the numbers of a CPU and of one that it asked, so never equal. */
export function differentCpus(a: Value, b: Value): boolean {
  const [one, other] = [levelOf(a), levelOf(b)];
  // A CPU that is asked by one that was asked may be the first again.
  return one !== null && other !== null && Math.abs(one - other) === 1;
}

/** Names that give the number of this CPU. */
export const cpuNumber: ReadonlySet<string> = new Set([
  ...['smp_processor_id', 'raw_smp_processor_id', '__smp_processor_id', 'get_cpu'],
]);

/** How often a function runs here and on other CPUs, of a count over all CPUs. A count without `c` is on either. */
export function whereRuns(
  runs: Polynomial,
): readonly { readonly cpu: 'here' | 'elsewhere' | 'either'; readonly count: Polynomial }[] {
  const here = substitute(runs, 'c', zero);
  const elsewhere = add(runs, negate(here));
  if (elsewhere.terms.size === 0) return [{ cpu: 'either', count: runs }];
  if (here.terms.size === 0) return [{ cpu: 'elsewhere', count: runs }];
  return [
    { cpu: 'here', count: here },
    { cpu: 'elsewhere', count: elsewhere },
  ];
}
