/** Conditions, as branches. */
import type { Label } from './codeBuilder';
import type { Lowering } from './context';
import { stripped } from './context';
import { lowerValue } from './expressions';
import { ruleFor } from './primitives';
import type { Node } from './syntax';
import { child } from './syntax';
import { materialise } from './values';

/** Goes to `yes` where the condition holds, else to `no`. */
export function lowerCondition(
  l: Lowering,
  node: Node,
  yes: Label,
  no: Label,
  likely: boolean | null = null,
): void {
  const inner = stripped(node);
  if (inner.type === 'unary_expression' && child(inner, 'operator')?.type === '!') {
    lowerCondition(l, child(inner, 'argument')!, no, yes, likely === null ? null : !likely);
    return;
  }
  const operator = inner.type === 'binary_expression' ? child(inner, 'operator')?.type : undefined;
  if (operator === '&&' || operator === '||') {
    const next = l.code.label();
    if (operator === '&&') lowerCondition(l, child(inner, 'left')!, next, no);
    else lowerCondition(l, child(inner, 'left')!, yes, next);
    l.code.place(next);
    lowerCondition(l, child(inner, 'right')!, yes, no);
    return;
  }
  if (inner.type === 'comma_expression') {
    lowerValue(l, child(inner, 'left')!, false);
    lowerCondition(l, child(inner, 'right')!, yes, no, likely);
    return;
  }
  const hinted = hint(inner);
  if (hinted) {
    lowerCondition(l, hinted.node, yes, no, hinted.likely);
    return;
  }
  const value = lowerValue(l, inner);
  l.at(inner);
  if (value.kind === 'constant') l.code.jump(value.value !== 0n ? yes : no);
  else l.code.branch(materialise(l, value), yes, no, l.bareText(inner), likely);
}

/** `likely(x)`, `unlikely(x)`, and functions that give their first argument. */
function hint(node: Node): { node: Node; likely: boolean | null } | null {
  if (node.type !== 'call_expression') return null;
  const callee = child(node, 'function');
  const rule = callee?.type === 'identifier' ? ruleFor(callee.text) : null;
  const argument = child(node, 'arguments')?.children[0];
  return rule?.rule === 'identity' && argument ? { node: argument, likely: rule.likely ?? null } : null;
}
