/** The parts of a scenario that make several runs of it: parameters and variants. */
import type { Findings, Node } from './json';
import { integerOf, itemsOf, kindOf, membersOf, nameOf, nameOrPathOf, shown } from './json';
import { limits } from './limits';
import type { ScenarioParameter, ScenarioVariant } from './model';

const parameterName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const magnitude = 1_000_000_000;

/** `{ "from": 1, "to": 50, "step": 7 }`. */
function readRange(node: Node, what: string, findings: Findings): number[] {
  const members = membersOf(node, findings);
  for (const [key, { name }] of members)
    if (!['from', 'to', 'step'].includes(key))
      findings.at(name, `${what} has 'from', 'to' and 'step', not '${shown(key)}'`);
  const number = (key: string, least: number): number | null => {
    const member = members.get(key);
    if (member) return integerOf(member.value, `'${key}'`, least, magnitude, findings);
    if (key === 'step') return 1;
    findings.at(node, `${what} has no '${key}'`);
    return null;
  };
  const from = number('from', -magnitude);
  const to = number('to', -magnitude);
  const step = number('step', 1);
  if (from === null || to === null || step === null) return [];
  if (to < from) findings.at(node, `${what} ends (${to}) before it begins (${from})`);
  const count = Math.floor((to - from) / step) + 1;
  if (count > limits.values) {
    findings.at(node, `${what} has at most ${limits.values} values, not ${count}`);
    return [];
  }
  return Array.from({ length: Math.max(0, count) }, (_, index) => from + index * step);
}

/** `{ "pages": [1, 10], "responders": { "from": 1, "to": 3 }, "order": 2 }`. */
export function checkParameters(node: Node, findings: Findings): ScenarioParameter[] {
  if (node.type !== 'object') {
    findings.at(node, `parameters is an object, not ${kindOf(node)}`);
    return [];
  }
  const parameters: ScenarioParameter[] = [];
  const members = membersOf(node, findings);
  if (members.size > limits.parameters)
    findings.at(node, `a scenario has at most ${limits.parameters} parameters, not ${members.size}`);
  for (const [name, { name: at, value }] of members) {
    if (!parameterName.test(name) || name.length > limits.name)
      findings.at(at, `a parameter has a name such as 'pages', not '${shown(name)}'`);
    const what = `the parameter '${shown(name)}'`;
    let values: number[];
    if (value.type === 'number') values = [integerOf(value, what, -magnitude, magnitude, findings) ?? 0];
    else if (value.type === 'object') values = readRange(value, what, findings);
    else
      values = itemsOf(value, what, 1, limits.values, findings).map(
        item => integerOf(item, `a value of ${what}`, -magnitude, magnitude, findings) ?? 0,
      );
    parameters.push({ name, values });
  }
  return parameters.slice(0, limits.parameters);
}

/** `{ "serial": ["serial-flush"], "base": [] }`. */
export function checkVariants(node: Node, findings: Findings): ScenarioVariant[] {
  if (node.type !== 'object') {
    findings.at(node, `variants is an object, not ${kindOf(node)}`);
    return [];
  }
  const members = membersOf(node, findings);
  if (members.size === 0) findings.at(node, 'variants is empty');
  if (members.size > limits.variants) {
    findings.at(node, `a scenario has at most ${limits.variants} variants, not ${members.size}`);
    return [];
  }
  return [...members].map(([name, { name: at, value }]) => {
    nameOf(at, 'a variant', findings);
    const patches = itemsOf(value, `the variant '${shown(name)}'`, 0, limits.patchesOfVariant, findings);
    return {
      name,
      patches: patches.flatMap(item => nameOrPathOf(item, 'a patch', findings) ?? []),
      line: findings.lineOf(at.offset),
    };
  });
}
