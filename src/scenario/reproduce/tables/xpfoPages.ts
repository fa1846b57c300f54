/** What XPFO costs for a page of user space, on all CPUs together, as the model kernel runs it. */
import type { CpuFigures, Step } from '../../../kernel/world';
import type { MachineProfile } from '../../../machine/profile';
import { priceOf } from '../../../machine/price';
import { cycles, type Lab } from '../lab';

/** Pages of a refill of a CPU's free list. */
const refill = 31;

/** Value, low, high. */
export type Three = readonly [number, number, number];

const plus = (a: Three, b: Three, times = 1): Three => [
  ...([a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]] as const),
];

/** Cycles that a CPU works for others: interrupts taken and what their handlers ran, without waiting for them. */
function served(profile: MachineProfile, { counts }: CpuFigures, interrupts: number): Three {
  const handler = cycles(profile, 'ipi_handler_overhead');
  let sum: Three = plus([0, 0, 0], [handler.cycles, handler.low, handler.high], interrupts);
  for (const [name, count] of Object.entries(counts)) {
    const price = priceOf(profile, name);
    if ('unknown' in price) throw new Error(price.unknown);
    sum = plus(sum, [price.cycles, price.low, price.high], count);
  }
  return sum;
}

/** A page of user space from the free list and back to it: given, written by the kernel once, freed. */
const lifeOf = (pages: number, batch: boolean): readonly Step[] =>
  (['refill', 'give-user', 'copy', 'free'] as const)
    .filter(what => batch || what !== 'refill')
    .map(what => ({ kind: 'direct', do: what, first: 0, count: pages }));

export interface XpfoKernel {
  readonly machine: MachineProfile;
  readonly features: readonly string[];
  readonly cpus: number;
  /** Of the model tree, which has XPFO with a flush on every CPU. */
  readonly patches: readonly string[];
}

/** Cycles of one page. All other CPUs run user code. */
export function xpfoPageCycles(lab: Lab, { machine, features, cpus, patches }: XpfoKernel): Three {
  const batch = patches.includes('xpfo-batch-refill');
  const pages = batch ? refill : 4;
  const rounds = (times: number): Three => {
    const steps: Step[] = Array.from({ length: times }, () => lifeOf(pages, batch)).flat();
    const [own, ...others] = lab.runAll({
      ...{ machine, patches, features, spaces: [4] },
      programs: [
        [{ kind: 'measure' }, { kind: 'enter', by: 'syscall', steps }],
        ...Array.from({ length: cpus - 1 }, (): Step[] => [{ kind: 'spin' }]),
      ],
    });
    const interrupts = (own!.counts['IPI'] ?? 0) / (cpus - 1);
    return others.reduce<Three>(
      (sum, figures) => plus(sum, served(machine, figures, interrupts)),
      [own!.cycles, own!.low, own!.high],
    );
  };
  // One entry and the first walks are in both.
  const one = plus(rounds(3), rounds(2), -1);
  return [one[0] / pages, one[1] / pages, one[2] / pages];
}
