/** Reads that are tests of features though they look like variables: Xen's `cpu_has_x` and a domain's `xpti`. */
import type { FeatureKind } from '../ir';
import { gatesOfFeature } from '../featureNames';
import type { Lowering } from './context';
import type { Node } from './syntax';
import { stripped } from './context';
import { lowerValue } from './expressions';
import { child } from './syntax';
import { int, registerType } from './types';
import type { Value } from './values';
import { inRegister, materialise } from './values';

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

/**
 * A test whose argument names the feature, perhaps by way of macros. A parameter does not: then the test stays a call of
 * `static_cpu_has` or `this_cpu_has`, and who runs or prices it asks what the caller gave.
 */
export function testNamed(l: Lowering, call: Node, argument: Node, kind: 'cpu' | 'this-cpu'): Value {
  const inner = stripped(argument);
  const name = l.spelled(inner);
  const isValue = inner.type === 'identifier' && (l.find(name) !== null || !/[A-Z]/.test(name));
  if (!isValue) return testFeature(l, l.program.featureBehind(name, l.chunk), kind);
  const args = [materialise(l, lowerValue(l, inner))];
  l.at(call);
  const dst = l.code.register(int);
  const callee = kind === 'cpu' ? 'static_cpu_has' : 'this_cpu_has';
  l.code.emit({ op: 'call', dst, callee, pointer: null, args, text: l.text(call) });
  return inRegister(dst, int, true);
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
