/** `min` and `max`. */
import type { Lowering } from './context';
import { lowerValue } from './expressions';
import type { Node } from './syntax';
import { common, int, registerType } from './types';
import type { Value } from './values';
import { constant, convert, inRegister, materialise } from './values';

/** The smaller or larger of two values, each evaluated once. */
export function lowerChoiceOf(l: Lowering, node: Node, args: readonly Node[], larger: boolean): Value | null {
  const [left, right] = args;
  if (!left || !right) return null;
  const first = lowerValue(l, left);
  const second = lowerValue(l, right);
  const type = common(first.type, second.type);
  if (first.kind === 'constant' && second.kind === 'constant') {
    const takeFirst = larger ? first.value >= second.value : first.value <= second.value;
    return constant(takeFirst ? first.value : second.value, type);
  }
  const a = materialise(l, convert(l, first, type));
  const b = materialise(l, convert(l, second, type));
  const { code } = l;
  l.at(node);
  const dst = code.register(type);
  const test = code.register(int);
  const [yes, no, end] = [code.label(), code.label(), code.label()];
  code.emit({ op: 'binary', dst: test, operator: larger ? 'gt' : 'lt', a, b, type: registerType(type) });
  code.branch(test, yes, no, l.text(node), null);
  code.place(yes);
  code.emit({ op: 'move', dst, a });
  code.jump(end);
  code.place(no);
  code.emit({ op: 'move', dst, a: b });
  code.place(end);
  return inRegister(dst, type);
}
