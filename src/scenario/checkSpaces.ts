/** The address spaces of a scenario. */
import type { Findings, Node } from './json';
import { flagOf, kindOf, membersOf, nameOf, shown } from './json';
import { limits } from './limits';
import type { ScenarioSpace } from './model';
import { constant, type Ranges } from './ranges';

const memberNames = ['pages', 'writable', 'populated'];

/** `{ "a": { "pages": "n" }, "child": { "pages": 0 } }`. */
export function checkSpaces(node: Node, ranges: Ranges, findings: Findings): ScenarioSpace[] {
  if (node.type !== 'object') {
    findings.at(node, `spaces is an object, not ${kindOf(node)}`);
    return [];
  }
  const members = membersOf(node, findings);
  if (members.size === 0) findings.at(node, 'spaces is empty');
  if (members.size > limits.spaces) {
    findings.at(node, `a scenario has at most ${limits.spaces} spaces, not ${members.size}`);
    return [];
  }
  return [...members].map(([name, { name: at, value }]) => {
    nameOf(at, 'a space', findings);
    const given = value.type === 'object' ? membersOf(value, findings) : new Map<string, never>();
    if (value.type !== 'object') findings.at(value, `a space is an object, not ${kindOf(value)}`);
    for (const [key, member] of given)
      if (!memberNames.includes(key))
        findings.at(member.name, `a space has no '${shown(key)}'; it has ${memberNames.join(', ')}`);
    const flag = (key: string): boolean => {
      const member = given.get(key);
      return member ? flagOf(member.value, `'${key}'`, findings) : true;
    };
    const pages = given.get('pages');
    if (!pages && value.type === 'object') findings.at(at, `the space '${shown(name)}' has no 'pages'`);
    return {
      name,
      pages: pages ? ranges.read(pages.value, "'pages'", { least: 0, most: limits.pages }) : constant(0),
      writable: flag('writable'),
      populated: flag('populated'),
    };
  });
}
