/** Reads and checks a scenario file: a scenario, or diagnostics at their lines. Never throws. */
import { checkExpectations } from './checkExpect';
import { checkParameters, checkVariants } from './checkSweep';
import { checkSpaces } from './checkSpaces';
import { checkTasks } from './checkTasks';
import type { Node } from './json';
import {
  Findings,
  flagOf,
  integerOf,
  itemsOf,
  kindOf,
  membersOf,
  nameOf,
  nameOrPathOf,
  readTree,
  shown,
  textOf,
} from './json';
import { limits } from './limits';
import type { Scenario, ScenarioDiagnostic } from './model';
import { Ranges } from './ranges';

export type CheckedScenario =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly diagnostics: readonly ScenarioDiagnostic[] };

const memberNames = [
  ...['$schema', 'title', 'about', 'appliesTo', 'kernel', 'machine', 'features', 'cpus', 'sockets', 'seed'],
  'speculation',
  ...['parameters', 'variants', 'spaces', 'tasks', 'expect'],
];
const required = ['title', 'kernel', 'cpus', 'spaces', 'tasks'];

/** The scenario that a file's text says. `set` gives parameters one value instead of those of the file. */
export function checkScenario(text: string, set: ReadonlyMap<string, number> = new Map()): CheckedScenario {
  const findings = new Findings(text);
  const root = readTree(text, findings);
  const scenario = root ? readScenario(root, set, findings) : null;
  if (scenario && findings.list.length === 0) return { ok: true, scenario };
  return { ok: false, diagnostics: findings.list };
}

function readScenario(root: Node, set: ReadonlyMap<string, number>, findings: Findings): Scenario | null {
  if (root.type !== 'object') {
    findings.at(root, `a scenario is an object, not ${kindOf(root)}`);
    return null;
  }
  const members = membersOf(root, findings);
  for (const [key, { name }] of members)
    if (!memberNames.includes(key))
      findings.at(name, `a scenario has no '${shown(key)}'; it has ${memberNames.slice(1).join(', ')}`);
  for (const key of required)
    if (!members.has(key)) findings.add(root.offset, 1, `the scenario has no '${key}'`);
  const of = <T>(key: string, read: (node: Node) => T | null, byDefault: T): T => {
    const member = members.get(key);
    return (member && read(member.value)) ?? byDefault;
  };
  const texts = (what: string, most: number, characters: number) => (node: Node) =>
    itemsOf(node, what, 0, most, findings).flatMap(
      item => textOf(item, `an entry of ${what}`, characters, findings) ?? [],
    );
  const names = (what: string, most: number) => (node: Node) =>
    itemsOf(node, what, 0, most, findings).flatMap(
      item => nameOf(item, `an entry of ${what}`, findings) ?? [],
    );

  of('$schema', node => textOf(node, '$schema', 1_000, findings), '');
  const cpus = of('cpus', node => integerOf(node, 'cpus', 1, limits.cpus, findings), limits.cpus);
  const sockets = of<number[] | null>('sockets', node => checkSockets(node, cpus, findings), null);
  const parameters = of('parameters', node => checkParameters(node, findings), []);
  const swept = parameters.map(one => {
    const value = set.get(one.name);
    return value === undefined ? one : { ...one, values: [value] };
  });
  const variants = of('variants', node => checkVariants(node, findings), []);
  const runs = swept.reduce((all, { values }) => all * values.length, Math.max(1, variants.length));
  if (runs > limits.runs) {
    const { name } = (members.get('parameters') ?? members.get('variants'))!;
    findings.at(name, `parameters and variants make at most ${limits.runs} runs, not ${runs}`);
    return null;
  }
  const ranges = new Ranges(swept, findings);
  const spacesNode = members.get('spaces');
  const spaces = spacesNode ? checkSpaces(spacesNode.value, ranges, findings) : [];
  const tasksNode = members.get('tasks');
  return {
    title: of('title', node => textOf(node, 'title', limits.titleCharacters, findings), ''),
    about: of('about', node => textOf(node, 'about', 2_000, findings), ''),
    appliesTo: of('appliesTo', texts('appliesTo', limits.appliesTo, 200), []),
    kernel: of('kernel', node => nameOrPathOf(node, 'kernel', findings), ''),
    machine: of<string | null>('machine', node => nameOf(node, 'machine', findings), null),
    features: of<string[] | null>('features', names('features', limits.features), null),
    cpus,
    sockets,
    seed: of('seed', node => integerOf(node, 'seed', 1, limits.seed, findings), 1),
    speculation: of('speculation', node => flagOf(node, 'speculation', findings), false),
    parameters: swept,
    spaces,
    variants: variants.length ? variants : [{ name: 'base', patches: [], line: 1 }],
    tasks: tasksNode ? checkTasks(tasksNode.value, cpus, spaces, ranges, findings) : [],
    expect: of('expect', node => checkExpectations(node, cpus, variants, ranges, findings), []),
  };
}

/** One socket for each CPU. */
function checkSockets(node: Node, cpus: number, findings: Findings): number[] {
  const items = itemsOf(node, 'sockets', 1, limits.cpus, findings);
  if (items.length > 0 && items.length !== cpus)
    findings.at(node, `sockets has one entry for each of the ${cpus} CPUs, not ${items.length}`);
  return items.map(item => integerOf(item, 'a socket', 0, limits.sockets - 1, findings) ?? 0);
}
