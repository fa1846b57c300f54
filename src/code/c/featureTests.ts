/** Reads that are tests of features though they look like variables: Xen's `cpu_has_x` and a domain's `xpti`. */
import type { FeatureKind } from '../ir';
import { gatesOfFeature } from '../featureNames';
import type { Lowering } from './context';
import type { Node } from './syntax';
import { child } from './syntax';
import { int, registerType } from './types';
import type { Value } from './values';
import { inRegister } from './values';

/** The test that a name or a member stands for, or null. */
export function gatesTest(l: Lowering, node: Node): Value | null {
  if (node.type === 'identifier') {
    const match = /^cpu_has_([a-z0-9_]+)$/.exec(node.text);
    return match && !l.program.variable(node.text, l.chunk.unit)
      ? testFeature(l, match[1]!.toUpperCase(), 'cpu')
      : null;
  }
  if (node.type !== 'field_expression' || child(node, 'field')?.text !== 'xpti') return null;
  return testFeature(l, 'XPTI', 'cpu');
}

/** A test of all gates behind `name`. */
export function testFeature(
  l: Lowering,
  name: string,
  kind: FeatureKind,
  byDefault: boolean | null = null,
): Value {
  const gates = kind === 'cpu' || kind === 'this-cpu' ? gatesOfFeature(name) : [name];
  let result: number | null = null;
  for (const feature of gates) {
    const dst = l.code.register(int);
    l.code.emit({ op: 'feature', dst, feature, kind, default: byDefault });
    if (result === null) result = dst;
    else {
      const both = l.code.register(int);
      l.code.emit({ op: 'binary', dst: both, operator: 'and', a: result, b: dst, type: registerType(int) });
      result = both;
    }
  }
  return inRegister(result!, int, true);
}
