/** The address spaces of a scenario. */
import type { Findings, Node } from './json';
import { flagOf, kindOf, membersOf, nameOf, shown } from './json';
import type { PageShift } from '../kernel/world';
import { limits } from './limits';
import type { ScenarioSpace } from './model';
import { constant, type Ranges } from './ranges';

const memberNames = ['pages', 'pageSize', 'writable', 'populated'];
const pageShifts: ReadonlyMap<unknown, PageShift> = new Map([
  ['4K', 12],
  ['2M', 21],
]);

/** `"pageSize": "2M"`; 4K where it is not there. */
function pageShiftOf(node: Node | undefined, findings: Findings): PageShift {
  if (!node) return 12;
  const value: unknown = node.value;
  const found = pageShifts.get(value);
  const said = typeof value === 'string' ? `'${shown(value)}'` : kindOf(node);
  if (!found) findings.at(node, `'pageSize' is one of ${[...pageShifts.keys()].join(', ')}, not ${said}`);
  return found ?? 12;
}

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
  let first: { readonly name: string; readonly shift: PageShift } | null = null;
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
    const pageShift = pageShiftOf(given.get('pageSize')?.value, findings);
    first ??= { name, shift: pageShift };
    if (pageShift !== first.shift)
      findings.at(
        given.get('pageSize')?.value ?? at,
        `all spaces of a scenario have pages of one size, and '${shown(first.name)}' has ${first.shift === 12 ? '4K' : '2M'}`,
      );
    if (!pages && value.type === 'object') findings.at(at, `the space '${shown(name)}' has no 'pages'`);
    return {
      name,
      pageShift,
      pages: pages ? ranges.read(pages.value, "'pages'", { least: 0, most: limits.pages }) : constant(0),
      writable: flag('writable'),
      populated: flag('populated'),
    };
  });
}
