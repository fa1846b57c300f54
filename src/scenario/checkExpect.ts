/** What a scenario expects of its runs. */
import { operations } from '../machine/operations';
import type { Findings, Node } from './json';
import { itemsOf, kindOf, membersOf, shown } from './json';
import { limits } from './limits';
import type { Expectation, ScenarioVariant } from './model';
import { verdictNames } from './model';
import type { Ranges } from './ranges';

const members = ['what', 'is', 'atMost', 'atLeast', 'cpu', 'variant', 'when'];
const quantities = ['cycles', 'misses', 'verdict', ...operations.map(({ name }) => name)];

function checkOne(
  node: Node,
  cpus: number,
  variants: readonly ScenarioVariant[],
  ranges: Ranges,
  findings: Findings,
): Expectation | null {
  if (node.type !== 'object') {
    findings.at(node, `an expectation is an object, not ${kindOf(node)}`);
    return null;
  }
  const given = membersOf(node, findings);
  for (const [key, { name }] of given)
    if (!members.includes(key))
      findings.at(name, `an expectation has no '${shown(key)}'; it has ${members.join(', ')}`);
  const whatNode = given.get('what')?.value;
  if (!whatNode) {
    findings.add(node.offset, 1, "the expectation has no 'what'");
    return null;
  }
  const what: unknown = whatNode.value;
  if (typeof what !== 'string' || !quantities.includes(what)) {
    const said = typeof what === 'string' ? `'${shown(what)}'` : kindOf(whatNode);
    findings.at(whatNode, `'what' is cycles, misses, verdict or an operation such as INVLPG, not ${said}`);
    return null;
  }
  const kinds = (['is', 'atMost', 'atLeast'] as const).filter(kind => given.has(kind));
  if (kinds.length === 0) findings.add(node.offset, 1, "an expectation has 'is', 'atMost' or 'atLeast'");
  let verdict: string | null = null;
  if (what === 'verdict') {
    for (const kind of kinds)
      if (kind !== 'is') findings.at(given.get(kind)!.name, `a verdict has no '${kind}', only 'is'`);
    const cpuMember = given.get('cpu');
    if (cpuMember) findings.at(cpuMember.name, 'a verdict is of the whole run, not of one CPU');
    const is = given.get('is')?.value;
    const said: unknown = is?.value;
    if (is && (typeof said !== 'string' || !verdictNames.includes(said)))
      findings.at(is, `a verdict is one of ${verdictNames.join(', ')}`);
    else if (typeof said === 'string') verdict = said;
  }
  const value = (key: 'cpu' | 'when', bounds: { least: number; most: number } | null) => {
    const at = given.get(key)?.value;
    return at ? ranges.read(at, `'${key}'`, bounds) : null;
  };
  const variantNode = given.get('variant')?.value;
  const variant: unknown = variantNode?.value;
  if (variantNode && !variants.some(({ name }) => name === variant))
    findings.at(
      variantNode,
      `there is no variant ${typeof variant === 'string' ? `'${shown(variant)}'` : 'of that name'}`,
    );
  return {
    what,
    bounds:
      what === 'verdict'
        ? []
        : kinds.map(kind => ({ kind, value: ranges.read(given.get(kind)!.value, `'${kind}'`, null) })),
    verdict,
    cpu: value('cpu', { least: 0, most: cpus - 1 }),
    variant: typeof variant === 'string' ? variant : null,
    when: value('when', null),
    line: findings.lineOf(node.offset),
  };
}

/** `[{ "what": "INVLPG", "is": "pages", "when": "pages <= 33" }, { "what": "verdict", "is": "safe" }]`. */
export function checkExpectations(
  node: Node,
  cpus: number,
  variants: readonly ScenarioVariant[],
  ranges: Ranges,
  findings: Findings,
): Expectation[] {
  return itemsOf(node, 'expect', 0, limits.expectations, findings).flatMap(
    item => checkOne(item, cpus, variants, ranges, findings) ?? [],
  );
}
