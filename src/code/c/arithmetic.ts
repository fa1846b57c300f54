/** Binary operators, compound assignment, increments, and logical values. */
import type { BinaryOperator } from '../ir';
import { lowerCondition } from './conditions';
import type { Lowering } from './context';
import { stripped } from './context';
import { lowerValue, typeNamed } from './expressions';
import { lowerTarget } from './places';
import type { Node } from './syntax';
import { child } from './syntax';
import type { CType } from './types';
import { common, int, integer, long, normalised, promoted, registerType, sizeOf, typeText } from './types';
import type { Value } from './values';
import { constant, convert, element, inRegister, load, materialise, store } from './values';

const operators: Readonly<Record<string, BinaryOperator>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'mod',
  '&': 'and',
  '|': 'or',
  '^': 'xor',
  '<<': 'shl',
  '>>': 'shr',
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
};
const comparisons: ReadonlySet<string> = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge']);

export function lowerBinary(l: Lowering, node: Node): Value {
  const operator = child(node, 'operator')!.type;
  if (operator === '&&' || operator === '||') return lowerLogical(l, node);
  const left = child(node, 'left')!;
  const right = child(node, 'right')!;
  // `(pte_t) - 1`, where the grammar cannot know that the name is a type.
  const bare = stripped(left);
  if (left.type === 'parenthesized_expression' && bare.type === 'identifier' && !l.find(bare.text)) {
    const type = typeNamed(l, bare.text);
    if (type && ['-', '+', '*', '&'].includes(operator)) return castOf(l, operator, right, type, node);
  }
  const a = lowerValue(l, left);
  const b = lowerValue(l, right);
  l.at(node);
  return combine(l, operators[operator]!, a, b, node);
}

/** `(type) operator right`, where the operator is a prefix of what is cast. */
function castOf(l: Lowering, operator: string, right: Node, type: CType, node: Node): Value {
  if (operator === '*' || operator === '&') {
    const prefix: Node = { ...child(node, 'operator')!, text: operator };
    const operand: Node = { ...right, field: 'argument' };
    const value = { type: 'pointer_expression', field: '', from: prefix.from, to: right.to, text: '' };
    return convert(l, lowerValue(l, { ...value, children: [prefix, operand] }), type);
  }
  const value = lowerValue(l, right);
  return convert(l, operator === '-' ? combine(l, 'sub', constant(0n, int), value, node) : value, type);
}

/** `a operator b`, with C's conversions. */
export function combine(l: Lowering, operator: BinaryOperator, a: Value, b: Value, node: Node): Value {
  if (operator === 'add' || operator === 'sub') {
    const moved = pointerArithmetic(l, operator, a, b, node);
    if (moved) return moved;
  }
  const shift = operator === 'shl' || operator === 'shr';
  const type = shift ? promoted(a.type) : common(a.type, b.type);
  const compares = comparisons.has(operator);
  if (a.kind === 'constant' && b.kind === 'constant') {
    const folded = fold(operator, normalised(a.value, type), shift ? b.value : normalised(b.value, type));
    if (folded !== null) return constant(folded, compares ? int : type);
  }
  const left = materialise(l, convert(l, a, type));
  const right = materialise(l, shift ? convert(l, b, promoted(b.type)) : convert(l, b, type));
  const result = compares ? int : type;
  const dst = l.code.register(result);
  l.code.emit({ op: 'binary', dst, operator, a: left, b: right, type: registerType(type) });
  return inRegister(dst, result, compares);
}

function fold(operator: BinaryOperator, a: bigint, b: bigint): bigint | null {
  const truth = (value: boolean): bigint => (value ? 1n : 0n);
  switch (operator) {
    case 'add':
      return a + b;
    case 'sub':
      return a - b;
    case 'mul':
      return a * b;
    case 'div':
      return b === 0n ? null : a / b;
    case 'mod':
      return b === 0n ? null : a % b;
    case 'and':
      return a & b;
    case 'or':
      return a | b;
    case 'xor':
      return a ^ b;
    case 'shl':
      return b >= 0n && b < 64n ? a << b : null;
    case 'shr':
      return b >= 0n && b < 64n ? a >> b : null;
    case 'eq':
      return truth(a === b);
    case 'ne':
      return truth(a !== b);
    case 'lt':
      return truth(a < b);
    case 'le':
      return truth(a <= b);
    case 'gt':
      return truth(a > b);
    case 'ge':
      return truth(a >= b);
  }
}

/** Pointer plus integer, pointer minus integer, pointer minus pointer; null for numbers. */
function pointerArithmetic(
  l: Lowering,
  operator: 'add' | 'sub',
  a: Value,
  b: Value,
  node: Node,
): Value | null {
  if (a.type.kind === 'pointer' && b.type.kind === 'pointer' && operator === 'sub')
    return pointerDifference(l, a, b);
  if (a.type.kind === 'pointer') {
    const index = convert(l, b, long);
    const signed = operator === 'add' ? index : combine(l, 'sub', constant(0n, long), index, node);
    return inRegister(element(l, materialise(l, a), signed, a.type.to), a.type);
  }
  if (b.type.kind === 'pointer' && operator === 'add')
    return inRegister(element(l, materialise(l, b), convert(l, a, long), b.type.to), b.type);
  return null;
}

/** In elements: the distance in addresses divided by the size of what they point to. */
function pointerDifference(l: Lowering, a: Value, b: Value): Value {
  const of: CType = a.type.kind === 'pointer' ? a.type.to : integer(8, false);
  const distance = l.code.register(long);
  const type = registerType(long);
  l.code.emit({
    op: 'binary',
    dst: distance,
    operator: 'sub',
    a: materialise(l, a),
    b: materialise(l, b),
    type,
  });
  // Where memory is kept in slots an element has another size than in C: whoever lays it out says which.
  const size = of.kind === 'array' ? null : sizeOf(of);
  let divisor: number;
  if (size === 8n) divisor = l.code.constant(size, long);
  else {
    divisor = l.code.register(long);
    l.code.emit({ op: 'sizeof', dst: divisor, type: typeText(of) });
  }
  const dst = l.code.register(long);
  l.code.emit({ op: 'binary', dst, operator: 'div', a: distance, b: divisor, type });
  return inRegister(dst, long);
}

export function lowerCompound(l: Lowering, left: Node, operator: string, right: Node, node: Node): Value {
  const value = lowerValue(l, right);
  const place = lowerTarget(l, left);
  l.at(node);
  const from = l.code.checkpoint().length;
  const result = combine(l, operators[operator]!, load(l, place), value, node);
  return store(l, place, result, from);
}

/** `x++`, `--x`. */
export function lowerStep(l: Lowering, node: Node, wanted: boolean): Value {
  const argument = child(node, 'argument')!;
  const operator = child(node, 'operator')!;
  const place = lowerTarget(l, argument);
  l.at(node);
  let old = load(l, place);
  const prefix = operator.from < argument.from;
  if (wanted && !prefix && place.kind === 'register') {
    const copy = l.code.register(place.type);
    l.code.emit({ op: 'move', dst: copy, a: place.register });
    old = inRegister(copy, place.type);
  }
  const from = l.code.checkpoint().length;
  const current = load(
    l,
    place.kind === 'register' ? place : { kind: 'register', register: materialise(l, old), type: place.type },
  );
  const result = combine(l, operator.type === '++' ? 'add' : 'sub', current, constant(1n, int), node);
  const now = store(l, place, result, from);
  return prefix ? now : old;
}

/** The value, 0 or 1, of `a && b`, `a || b`, `!a`. */
export function lowerLogical(l: Lowering, node: Node): Value {
  const negated = node.type === 'unary_expression';
  if (negated) {
    const value = lowerValue(l, child(node, 'argument')!);
    if (value.kind === 'constant') return constant(value.value === 0n ? 1n : 0n);
    const dst = l.code.register(int);
    const a = materialise(l, value);
    l.code.emit({ op: 'unary', dst, operator: 'lnot', a, type: registerType(value.type) });
    return inRegister(dst, int, true);
  }
  const { code } = l;
  const [yes, no, end] = [code.label(), code.label(), code.label()];
  const dst = code.register(int);
  lowerCondition(l, node, yes, no);
  code.place(yes);
  code.emit({ op: 'const', dst, value: 1n });
  code.jump(end);
  code.place(no);
  code.emit({ op: 'const', dst, value: 0n });
  code.place(end);
  return inRegister(dst, int, true);
}
