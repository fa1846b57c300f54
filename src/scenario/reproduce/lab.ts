/** Where tables are reproduced: runs the model kernel, with patches of it, on the simulated machine of a profile. */
import { bootWorld } from '../../kernel/boot';
import { lowerKernel, type LoweredTree } from '../../kernel/lower';
import type { CpuFigures, CpuStart, KernelTree, Step, World } from '../../kernel/world';
import type { MachineProfile, PublishedFigure } from '../../machine/profile';
import { cyclesOf } from '../../machine/price';
import { findMachine } from '../../machine/registry';
import { regionStart } from '../plan';
import { variantTree } from '../variants';

/** What is run: threads of one address space, or of several. */
export interface Experiment {
  readonly machine: MachineProfile;
  /** Name of the bundled tree; `linux` by default. */
  readonly kernel?: string;
  /** Patches of that tree, in order. */
  readonly patches?: readonly string[];
  readonly features: readonly string[];
  /** Pages of each space: `a`, `b`, … Each begins at {@link regionStart}. */
  readonly spaces: readonly number[];
  /** Per CPU. */
  readonly programs: readonly (readonly Step[])[];
  /** Pages in the TLB of every CPU that runs the first space. */
  readonly warm?: number;
}

/** Pages from page `from` of the region on, as steps take them. */
export const pagesFrom = (from: number, pages: number): { start: bigint; pages: number } => ({
  start: regionStart + BigInt(from) * 4096n,
  pages,
});

const mostInstructions = 400_000_000;

export class Lab {
  private readonly trees = new Map<string, { tree: KernelTree; lowered: LoweredTree }>();

  /** The figures of CPU 0 from its `measure` on. */
  run(experiment: Experiment): CpuFigures {
    return this.runAll(experiment)[0]!;
  }

  /**
   * The figures of every CPU, each from its `measure` on. Throws where the run does not end well: then the model is
   * wrong. Of pages that the direct map still reaches nothing is said: that is what XPFO's cheaper flushes allow.
   */
  runAll(experiment: Experiment): CpuFigures[] {
    const world = this.world(experiment);
    for (let left = mostInstructions; left > 0 && world.run(1_000_000) === 1_000_000; left -= 1_000_000);
    const stale = world.staleUses.find(({ verdict }) => verdict !== 'exposure');
    if (world.ending.verdict !== 'finished' || stale)
      throw new Error(
        `${experiment.patches?.join(', ') ?? 'base'}: ${stale?.verdict ?? world.ending.verdict} ${world.ending.why}`,
      );
    return experiment.programs.map((_, cpu) => world.figures(cpu));
  }

  private world(experiment: Experiment): World {
    const { machine, kernel = 'linux', patches = [], features, spaces, programs, warm = 0 } = experiment;
    const { tree, lowered } = this.tree(kernel, patches);
    const start: CpuStart[] = programs.map(() => ({
      ...{ space: 'a', warm: warm > 0 ? [{ start: regionStart, pages: warm }] : [] },
    }));
    return bootWorld(
      {
        ...{
          tree,
          machine,
          cpus: programs.length,
          features: new Set(features),
          start,
          programs,
          trace: null,
        },
        spaces: spaces.map((pages, at) => ({
          name: String.fromCharCode(97 + at),
          regions: pages > 0 ? [{ start: regionStart, pages }] : [],
        })),
      },
      lowered,
    );
  }

  private tree(kernel: string, patches: readonly string[]): { tree: KernelTree; lowered: LoweredTree } {
    const key = [kernel, ...patches].join(' ');
    let known = this.trees.get(key);
    if (!known) {
      const tree = variantTree(kernel, { name: key, patches, line: 0 });
      known = { tree, lowered: lowerKernel(tree) };
      this.trees.set(key, known);
    }
    return known;
  }
}

/** A profile that is known; throws where it is not. */
export function machine(id: string): MachineProfile {
  const found = findMachine(id);
  if (!found) throw new Error(`there is no machine ${id}`);
  return found;
}

/** Cycles of a profile's figure; throws where it has none. */
export function cycles(
  profile: MachineProfile,
  figure: string,
): { cycles: number; low: number; high: number } {
  const found = cyclesOf(profile, figure);
  if ('unknown' in found) throw new Error(found.unknown);
  return found;
}

/** The profile with some figures changed, in their own units. A figure that it lacks is left out. */
export function withFigures(
  profile: MachineProfile,
  values: Readonly<Record<string, number>>,
): MachineProfile {
  const figures: Record<string, PublishedFigure> = { ...profile.figures };
  for (const [id, value] of Object.entries(values)) {
    const figure = figures[id];
    if (figure) figures[id] = { ...figure, value, low: value, high: value };
  }
  return { ...profile, figures };
}
