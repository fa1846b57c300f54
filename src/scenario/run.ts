/** Runs a scenario: every variant under every value of the parameters, each in a world of its own. */
import type { KernelTree, SourceFile, World, WorldOptions } from '../kernel/world';
import { WorldError } from '../kernel/world';
import type { MachineProfile } from '../machine/profile';
import { Trace } from '../vm/trace';
import type { Scenario, ScenarioVariant } from './model';
import { planRun, stepAt, type Plan } from './plan';
import { combinations } from './ranges';
import type { ExpectationResult, RunCycles, UnknownPart } from './results';
import { notesOf } from './notes';
import { checkExpectation, figuresOf } from './results';

/** Instructions of one run, of all CPUs; more is the verdict `unbounded`. */
export const mostInstructions = 200_000_000;
const slice = 1_000_000;
/** Events of one run that are kept; a longer trace says that it breaks off. */
export const mostEvents = 2_000_000;

export interface RunResult {
  readonly variant: string;
  readonly parameters: Readonly<Record<string, number>>;
  readonly machine: string;
  readonly features: readonly string[];
  readonly cycles: RunCycles;
  readonly counts: Readonly<Record<string, number>>;
  readonly misses: number;
  readonly verdict: string;
  /** Whether the run came to its end; if not, counts are those until then. */
  readonly complete: boolean;
  /** Why the verdict is not `safe`. */
  readonly why: readonly string[];
  readonly assumed: readonly string[];
  readonly unknown: readonly UnknownPart[];
  readonly expect: readonly ExpectationResult[];
  /** What the figures do not say, each in a sentence that begins with its kind. */
  readonly notes: readonly string[];
  /** Files whose functions took part, and whose they are. */
  readonly sources: readonly SourceFile[];
}

/** A scenario that cannot be run as it stands: `line` of its file, 0 where it is not about one. */
export class ScenarioError extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

export interface RunSettings {
  readonly machine: MachineProfile;
  /** Features that are on; null: the scenario's, else the machine's. */
  readonly features?: ReadonlySet<string> | null;
  /** The tree of a variant; throws {@link ScenarioError}. */
  readonly treeOf: (variant: ScenarioVariant) => KernelTree;
  readonly boot: (options: WorldOptions) => World;
  /** Names of the variants to run; none: all. */
  readonly variants?: readonly string[];
  readonly trace?: boolean;
  /** Paths that the patch under review changes. */
  readonly touched?: readonly string[];
  /** Called after each run, before the next begins. */
  readonly ran?: (result: RunResult, world: World, index: number) => void;
}

function bootPlan(scenario: Scenario, plan: Plan, settings: RunSettings, tree: KernelTree): World {
  const features = settings.features ?? new Set(scenario.features ?? settings.machine.features);
  try {
    return settings.boot({
      ...{ tree, machine: settings.machine, cpus: scenario.cpus, features, seed: scenario.seed },
      ...{ spaces: plan.spaces, start: plan.start, programs: plan.programs },
      // What a CPU fills by speculation says nothing about what a flush cost.
      ...{ speculation: scenario.speculation, overflush: !scenario.speculation },
      ...(scenario.sockets ? { hardware: { sockets: scenario.sockets } } : {}),
      trace: settings.trace ? new Trace(mostEvents) : null,
    });
  } catch (error) {
    // A tree that lacks what every kernel here has: patched away, or torn so that it cannot be read.
    if (error instanceof Error && /^no (?:per-CPU )?(?:object|function) /.test(error.message))
      throw new ScenarioError(`the tree cannot be run: ${error.message}`, 0);
    if (!(error instanceof WorldError)) throw error;
    throw new ScenarioError(error.message, stepAt(plan, error.step)?.line ?? 0);
  }
}

/** Verdict and reasons. A stale use that happened stays one, whatever came after it. */
function judge(world: World): { verdict: string; why: string[]; unknown: UnknownPart[]; complete: boolean } {
  const { ending, staleUses } = world;
  const { name, position } = ending;
  const place = position.file ? ` (${position.file}:${position.line})` : '';
  const complete = ending.verdict === 'finished';
  const why = staleUses.map(
    use => `${use.verdict} on CPU ${use.cpu} at 0x${use.address.toString(16)}: ${use.why}`,
  );
  let stopped: string = ending.verdict;
  if (ending.verdict === 'running') {
    stopped = 'unbounded';
    why.push(`the run has not ended after ${mostInstructions} instructions`);
  } else if (!complete)
    why.push(`${ending.verdict} on CPU ${ending.cpu}: ${name ? `${name}: ` : ''}${ending.why}${place}`);
  const unknown =
    ending.verdict === 'unknown' ? [{ name, why: ending.why, file: position.file, line: position.line }] : [];
  return { verdict: staleUses[0]?.verdict ?? (complete ? 'safe' : stopped), why, unknown, complete };
}

/** A run that has been booted and not yet run. */
export interface PreparedRun {
  readonly world: World;
  /** The result, once the world is at its end, or as far as it has come. */
  readonly finish: () => RunResult;
}

/** Boots one run. Throws {@link ScenarioError}. */
export function prepareRun(
  scenario: Scenario,
  variant: string,
  tree: KernelTree,
  parameters: ReadonlyMap<string, number>,
  settings: RunSettings,
): PreparedRun {
  const plan = planRun(scenario, parameters);
  const world = bootPlan(scenario, plan, settings, tree);
  const finish = (): RunResult => {
    const { verdict, why, unknown, complete } = judge(world);
    const figures = figuresOf(world, scenario.cpus, settings.machine, complete);
    const about = { variant, parameters, verdict, complete };
    const features = settings.features ?? new Set(scenario.features ?? settings.machine.features);
    const lacking = [...features].filter(name => settings.machine.lacks.includes(name));
    if (!complete && lacking.length > 0)
      why.push(`${settings.machine.shortName} lacks ${lacking.join(', ')}, which this run has on`);
    return {
      variant,
      parameters: Object.fromEntries(parameters),
      machine: settings.machine.id,
      features: [...features].sort(),
      cycles: figures.cycles,
      counts: figures.counts,
      misses: figures.misses,
      verdict,
      complete,
      why,
      assumed: [...world.assumed],
      unknown: [...unknown, ...figures.unpriced],
      expect: scenario.expect.flatMap(one => checkExpectation(one, figures, about) ?? []),
      notes: notesOf(world, scenario.cpus, settings.touched ?? []),
      sources: world.sources,
    };
  };
  return { world, finish };
}

/** The runs, in the order of the file: parameters inside variants. Throws {@link ScenarioError}. */
export function* runScenario(scenario: Scenario, settings: RunSettings): Generator<RunResult> {
  const wanted = settings.variants ?? [];
  for (const name of wanted)
    if (!scenario.variants.some(variant => variant.name === name))
      throw new ScenarioError(
        `no variant '${name}'; there are ${scenario.variants.map(one => one.name).join(', ')}`,
        0,
      );
  let index = 0;
  for (const variant of scenario.variants) {
    if (wanted.length > 0 && !wanted.includes(variant.name)) continue;
    const tree = settings.treeOf(variant);
    for (const parameters of combinations(scenario.parameters)) {
      const { world, finish } = prepareRun(scenario, variant.name, tree, parameters, settings);
      for (let left = mostInstructions; left > 0; left -= slice)
        if (world.run(Math.min(slice, left)) < Math.min(slice, left)) break;
      const result = finish();
      settings.ran?.(result, world, index++);
      yield result;
    }
  }
}
