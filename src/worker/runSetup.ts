/** What a run request names, as the rooms below take it: the scenario, its trees, the machine. */
import { defaultMachine, findMachine } from '../machine/registry';
import type { KernelTree } from '../kernel/world';
import { harnessEntryPath, harnessEntryText, harnessPath, harnessText } from '../kernel/harness';
import type { MachineProfile } from '../machine/profile';
import type { PatchFile } from '../patch/model';
import { readPatch } from '../patch/read';
import type { RunRequest } from '../protocol/run';
import { builtinScenarios } from '../scenario/builtin';
import { checkScenario } from '../scenario/check';
import type { Scenario, ScenarioVariant } from '../scenario/model';
import { patchLines, type PatchLines } from '../scenario/patchLines';
import { newestFiles } from '../scenario/review';
import { ScenarioError } from '../scenario/run';
import { reviewedTree, underReview, variantTree } from '../scenario/variants';

export interface RunSetup {
  readonly scenario: Scenario;
  readonly machine: MachineProfile;
  /** null: the scenario's, else the machine's. */
  readonly features: ReadonlySet<string> | null;
  /** Throws {@link ScenarioError}. */
  readonly treeOf: (variant: ScenarioVariant) => KernelTree;
  /** Paths that the patch under review changes. */
  readonly touched: readonly string[];
  /** Path → line → line of the patch under review, in a variant's tree. */
  readonly linesOf: (variant: string) => PatchLines;
}

/** A mistake in a scenario or a patch, in one sentence with its line. */
function sentence(name: string, error: ScenarioError): Error {
  return new Error(error.line > 0 ? `${name}, line ${error.line}: ${error.message}` : error.message);
}

/** Runs `step`; a {@link ScenarioError} becomes an error in words. */
export function inWords<T>(request: RunRequest, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof ScenarioError ? sentence(request.scenario.name, error) : error;
  }
}

function scenarioText({ scenario }: RunRequest): string {
  if (scenario.kind === 'text') return scenario.text;
  const found = builtinScenarios.find(({ name }) => name === scenario.name);
  if (!found) throw new Error(`there is no built-in scenario '${scenario.name}'`);
  return found.text;
}

function readScenario(request: RunRequest): Scenario {
  const checked = checkScenario(scenarioText(request), new Map(Object.entries(request.set)));
  const { name } = request.scenario;
  if (!checked.ok) {
    const { line, column, message } = checked.diagnostics[0]!;
    const more = checked.diagnostics.length - 1;
    throw new Error(`${name}:${line}:${column}: ${message}${more > 0 ? ` (and ${more} more)` : ''}`);
  }
  const { scenario } = checked;
  for (const parameter of Object.keys(request.set))
    if (!scenario.parameters.some(one => one.name === parameter))
      throw new Error(`${name} has no parameter '${parameter}'`);
  return scenario;
}

const noLines: PatchLines = new Map();

/** `tree`: the one at the request's address. Throws an error with what is wrong in one sentence. */
export function setUp(request: RunRequest, tree: KernelTree | null = null): RunSetup {
  const written = readScenario(request);
  const scenario = request.patch === null ? written : underReview(written);
  const machine = request.machine ?? scenario.machine ?? request.defaultMachine;
  const files: readonly PatchFile[] = request.patch === null ? [] : newestFiles(readPatch(request.patch));
  const given = tree ?? (request.tree && new Map(Object.entries(request.tree)));
  const profile = findMachine(machine);
  if (!profile && machine !== request.defaultMachine) throw new Error(`there is no machine '${machine}'`);
  const plain = (variant: ScenarioVariant): KernelTree => given ?? variantTree(scenario.kernel, variant);
  let lines: ReturnType<typeof patchLines> | undefined;
  return {
    scenario,
    machine: profile ?? defaultMachine(),
    features: request.features && new Set(request.features),
    touched: [...new Set(files.flatMap(({ oldPath, newPath }) => newPath ?? oldPath ?? []))],
    treeOf: variant => {
      const before = plain(variant);
      return request.patch !== null && variant.name === 'after' ? reviewedTree(before, files) : before;
    },
    linesOf: variant => {
      if (request.patch === null) return noLines;
      lines ??= patchLines(plain(scenario.variants[0]!), files);
      return variant === 'after' ? lines.after : lines.before;
    },
  };
}

/** The one run of a request: its first variant, and the first value of each parameter. */
export function firstRun({ scenario }: RunSetup, variants: readonly string[]) {
  const [wanted] = variants;
  const variant =
    wanted === undefined ? scenario.variants[0] : scenario.variants.find(one => one.name === wanted);
  if (!variant)
    throw new Error(
      `there is no variant '${wanted}'; there are ${scenario.variants.map(({ name }) => name).join(', ')}`,
    );
  return { variant, parameters: new Map(scenario.parameters.map(({ name, values }) => [name, values[0]!])) };
}

/** Texts of the simulation that events may lie in besides the tree. */
const surroundings: ReadonlyMap<string, string> = new Map([
  [harnessPath, harnessText],
  [harnessEntryPath, harnessEntryText],
]);

/** A file of a variant's tree; null if there is none. Throws an error in words. */
export function treeFile(
  request: RunRequest,
  variant: string,
  path: string,
  given: KernelTree | null = null,
): string | null {
  const set = setUp(request, given);
  const found = set.scenario.variants.find(({ name }) => name === variant) ?? set.scenario.variants[0]!;
  const tree = set.treeOf(found);
  return surroundings.get(path) ?? tree.get(path) ?? tree.rest?.get(path) ?? null;
}
