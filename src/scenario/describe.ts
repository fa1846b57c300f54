/** What an editor shows of a scenario file without running it: its parts, its runs, or what is wrong and where. */
import { findMachine, machineProfiles } from '../machine/registry';
import { checkScenario } from './check';
import { valueOf } from './expression';
import { Findings, membersOf, readTree, shown } from './json';
import type { Expectation, Scenario, ScenarioDiagnostic, ScenarioVariant } from './model';
import { combinations } from './ranges';
import { ScenarioError } from './run';
import { isPath, kernelNames, variantTree } from './variants';

/** So many runs are listed one by one. */
export const mostListedRuns = 500;

export interface ExpectationInfo {
  /** 1-based line of the file. */
  readonly line: number;
  /** As the file says it: `INVLPG == n * (c + 1)`. */
  readonly text: string;
}

/** A run that the scenario makes. */
export interface RunInfo {
  readonly variant: string;
  readonly parameters: Readonly<Record<string, number>>;
  /** Indexes into `expectations` of those that speak of this run. */
  readonly expectations: readonly number[];
}

export interface ScenarioInfo {
  readonly title: string;
  readonly about: string;
  readonly appliesTo: readonly string[];
  readonly kernel: string;
  /** null: what the settings choose. */
  readonly machine: string | null;
  /** null: what the settings choose, else the machine's. */
  readonly features: readonly string[] | null;
  readonly cpus: number;
  readonly parameters: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly variants: readonly string[];
  readonly expectations: readonly ExpectationInfo[];
  /** The first {@link mostListedRuns}, in the order in which they run. */
  readonly runs: readonly RunInfo[];
  /** How many there are. */
  readonly runCount: number;
}

export type DescribedScenario =
  | { readonly ok: true; readonly info: ScenarioInfo }
  | { readonly ok: false; readonly diagnostics: readonly ScenarioDiagnostic[] };

const signs = { is: '==', atMost: '<=', atLeast: '>=' } as const;

function expectationText({ what, bounds, verdict, cpu, variant, when }: Expectation): string {
  const name = cpu ? `${what} of CPU ${cpu.text}` : what;
  const said =
    verdict !== null
      ? `${name} == ${verdict}`
      : bounds.map(({ kind, value }) => `${name} ${signs[kind]} ${value.text}`).join(', ');
  return `${said}${variant === null ? '' : ` in ${variant}`}${when ? ` when ${when.text}` : ''}`;
}

/** Stacks of patches that were tried, and what is wrong with each; null: nothing. Files share them. */
const tried = new Map<string, string | null>();
const mostTried = 500;

/** Why a variant's patches do not make a tree, or null. */
function mistakeOf(kernel: string, variant: ScenarioVariant): string | null {
  const key = JSON.stringify([kernel, variant.patches]);
  const known = tried.get(key);
  if (known !== undefined) return known;
  let wrong: string | null = null;
  try {
    variantTree(kernel, variant);
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    wrong = error.message;
  }
  if (tried.size >= mostTried) tried.clear();
  tried.set(key, wrong);
  return wrong;
}

/** The kernel, the machine and the patches that the file names are there, and the patches apply. */
function checkNames(scenario: Scenario, text: string): readonly ScenarioDiagnostic[] {
  const findings = new Findings(text);
  const root = readTree(text, findings);
  const members = root ? membersOf(root, findings) : new Map<string, never>();
  const add = (member: string, message: string): void => {
    const node = members.get(member)?.value;
    if (node) findings.at(node, message);
  };
  if (scenario.machine !== null && !findMachine(scenario.machine))
    add(
      'machine',
      `no machine '${shown(scenario.machine)}'; there are ${machineProfiles.map(({ id }) => id).join(', ')}`,
    );
  // What a folder holds is not known here.
  if (isPath(scenario.kernel)) return findings.list;
  if (!kernelNames.includes(scenario.kernel)) {
    add('kernel', `no kernel tree '${shown(scenario.kernel)}'; there are ${kernelNames.join(', ')}`);
    return findings.list;
  }
  const variants = members.get('variants')?.value;
  const named = variants ? membersOf(variants, findings) : new Map<string, never>();
  for (const variant of scenario.variants) {
    const wrong = mistakeOf(scenario.kernel, variant);
    const at = named.get(variant.name)?.value;
    if (wrong !== null && at) findings.at(at, wrong);
  }
  return findings.list;
}

function infoOf(scenario: Scenario): ScenarioInfo {
  const { title, about, appliesTo, kernel, machine, features, cpus, parameters, variants, expect } = scenario;
  const runs: RunInfo[] = [];
  let runCount = 0;
  for (const { name } of variants)
    for (const values of combinations(parameters)) {
      if (++runCount > mostListedRuns) continue;
      const speaking = expect.flatMap(({ variant, when }, index) =>
        (variant === null || variant === name) && !(when && valueOf(when, values) === 0) ? [index] : [],
      );
      runs.push({ variant: name, parameters: Object.fromEntries(values), expectations: speaking });
    }
  return {
    ...{ title, about, appliesTo, kernel, machine, features, cpus, parameters, runs, runCount },
    variants: variants.map(({ name }) => name),
    expectations: expect.map(one => ({ line: one.line, text: expectationText(one) })),
  };
}

/** Reads and checks a scenario file with everything that it names. Never throws on a text. */
export function describeScenario(text: string): DescribedScenario {
  const checked = checkScenario(text);
  if (!checked.ok) return checked;
  const diagnostics = checkNames(checked.scenario, text);
  return diagnostics.length > 0 ? { ok: false, diagnostics } : { ok: true, info: infoOf(checked.scenario) };
}
