/** Expressions. */
import type { UnaryOperator } from '../ir';
import { lowerAsm } from './asmStatement';
import { lowerBinary, lowerCompound, lowerLogical, lowerStep } from './arithmetic';
import { lowerCall } from './calls';
import { lowerCondition } from './conditions';
import type { Lowering } from './context';
import { stripped } from './context';
import { describedType, namedType } from './declarators';
import { gatesTest } from './featureTests';
import { initialise } from './initialisers';
import { charValue, integerLiteral } from './literals';
import { lowerPlace, lowerTarget } from './places';
import { headNotShown, notShown, unseen, unseenHead } from './unseen';
import { lowerStatement } from './statements';
import type { Node } from './syntax';
import { child } from './syntax';
import type { CType } from './types';
import {
  bool,
  char,
  common,
  int,
  pointerTo,
  promoted,
  registerType,
  sizeOf,
  typeText,
  unsignedLong,
} from './types';
import type { Value } from './values';
import { constant, convert, inRegister, load, materialise, store, truth, unknown } from './values';

/** The value of an expression. `wanted: false`: only its effects matter. */
export function lowerValue(l: Lowering, node: Node, wanted = true): Value {
  l.at(node);
  switch (node.type) {
    case 'parenthesized_expression':
      return lowerParenthesis(l, node, wanted);
    case 'identifier':
      return lowerName(l, node);
    case 'number_literal':
      return integerLiteral(node.text) ?? unknown(l, node.text, 'not an integer');
    case 'char_literal':
      return constant(charValue(node.text), int);
    case 'true':
      return constant(1n, bool);
    case 'false':
    case 'null':
      return constant(0n, node.type === 'false' ? bool : pointerTo(unsignedLong));
    case 'string_literal':
    case 'concatenated_string':
      return lowerString(l, node);
    case 'field_expression':
    case 'subscript_expression':
      return gatesTest(l, node) ?? load(l, lowerPlace(l, node));
    case 'pointer_expression':
      return child(node, 'operator')?.type === '&' ? lowerAddress(l, node) : load(l, lowerPlace(l, node));
    case 'assignment_expression':
      return lowerAssignment(l, node);
    case 'update_expression':
      return lowerStep(l, node, wanted);
    case 'binary_expression':
      return lowerBinary(l, node);
    case 'unary_expression':
      return lowerUnary(l, node);
    case 'call_expression':
      return lowerCall(l, node, wanted);
    case 'cast_expression':
      return lowerCast(l, child(node, 'type')!, child(node, 'value')!, wanted);
    case 'conditional_expression':
      return lowerChoice(l, node, wanted);
    case 'comma_expression':
      lowerValue(l, child(node, 'left')!, false);
      return lowerValue(l, child(node, 'right')!, wanted);
    case 'sizeof_expression':
      return lowerSizeof(l, node);
    case 'alignof_expression':
      return constant(8n, unsignedLong);
    case 'compound_literal_expression':
      return lowerCompoundLiteral(l, node);
    case 'gnu_asm_expression':
      lowerAsm(l, node);
      return { kind: 'none', type: { kind: 'void' } };
    default:
      return unknown(l, '', `'${l.text(node).slice(0, 80)}' (${node.type.replaceAll('_', ' ')}) is not read`);
  }
}

/** The type of an expression, without emitting anything. */
export function typeOf(l: Lowering, node: Node): CType {
  const known = l.knownTypes.get(node);
  if (known) return known;
  const before = l.code.checkpoint();
  const { line } = l.code;
  const { type } = lowerValue(l, node);
  l.code.rollBack(before);
  l.code.line = line;
  // Remembered, so that nested conditional expressions are not lowered twice at every level.
  l.knownTypes.set(node, type);
  return type;
}

function lowerParenthesis(l: Lowering, node: Node, wanted: boolean): Value {
  const inner = node.children[0];
  if (!inner) return { kind: 'none', type: { kind: 'void' } };
  if (inner.type !== 'compound_statement') return lowerValue(l, inner, wanted);
  // A statement expression: its value is that of the last statement.
  const last = inner.children.at(-1);
  const valued = last?.type === 'expression_statement' ? last.children[0] : undefined;
  l.scopes.push(new Map());
  for (const statement of inner.children) if (!valued || statement !== last) lowerStatement(l, statement);
  let result: Value = { kind: 'none', type: { kind: 'void' } };
  if (valued) {
    const value = lowerValue(l, valued, wanted);
    // The register of an inner variable may be reused by name only inside; the value itself stays valid.
    result = value;
  }
  l.scopes.pop();
  return result;
}

function lowerName(l: Lowering, node: Node): Value {
  const name = node.text;
  if (name === unseen) return unknown(l, '', notShown);
  if (name === unseenHead) return unknown(l, '', headNotShown);
  if (!l.find(name)) {
    if (name === 'current') {
      const dst = l.code.register(unsignedLong);
      l.code.emit({ op: 'primitive', name: 'current', dst, args: [] });
      return inRegister(
        dst,
        pointerTo({ kind: 'struct', tag: 'task_struct', info: l.names.struct('task_struct') }),
      );
    }
    if (name.startsWith('CONFIG_')) return constant(BigInt(l.configuration.valueOf(name)));
    const value = l.program.constant(name, l.chunk.unit);
    if (value !== null)
      return constant(value, value > 0x7fffffffn || value < -0x80000000n ? unsignedLong : int);
    const feature = gatesTest(l, node);
    if (feature) return feature;
    if (!l.program.variable(name, l.chunk.unit)) {
      const type = l.program.functionType(name, l.chunk.unit);
      if (type) return functionAddress(l, name, type);
    }
  }
  return load(l, lowerPlace(l, node));
}

/** The address of a function, which then belongs to what this code uses. */
export function functionAddress(l: Lowering, name: string, type: CType): Value {
  l.used.add(name);
  const dst = l.code.register(pointerTo(type));
  l.code.emit({ op: 'address', dst, name, kind: 'function' });
  return inRegister(dst, pointerTo(type));
}

function lowerString(l: Lowering, node: Node): Value {
  const dst = l.code.register(pointerTo(char));
  l.code.emit({ op: 'address', dst, name: l.text(node).slice(0, 200), kind: 'string' });
  return inRegister(dst, pointerTo(char));
}

function lowerAddress(l: Lowering, node: Node): Value {
  const argument = stripped(child(node, 'argument')!);
  if (argument.type === 'identifier' && !l.find(argument.text)) {
    const known = l.program.variable(argument.text, l.chunk.unit);
    const type = known ? null : l.program.functionType(argument.text, l.chunk.unit);
    if (type) return functionAddress(l, argument.text, type);
  }
  const place = lowerPlace(l, argument);
  if (place.kind === 'memory') return inRegister(place.address, pointerTo(place.type));
  return unknown(l, '', `the address of '${l.text(argument).slice(0, 80)}', which is kept in a register`);
}

function lowerAssignment(l: Lowering, node: Node): Value {
  const operator = child(node, 'operator')!.type;
  const left = child(node, 'left')!;
  const right = child(node, 'right')!;
  if (operator !== '=') return lowerCompound(l, left, operator.slice(0, -1), right, node);
  const from = l.code.checkpoint().length;
  const value = lowerValue(l, right);
  const place = lowerTarget(l, left);
  l.at(node);
  return store(l, place, value, from);
}

function lowerUnary(l: Lowering, node: Node): Value {
  const operator = child(node, 'operator')!.type;
  const argument = child(node, 'argument')!;
  if (operator === '!') return lowerLogical(l, node);
  const value = lowerValue(l, argument);
  const type = promoted(value.type);
  if (value.kind === 'constant') {
    const result = operator === '-' ? -value.value : operator === '~' ? ~value.value : value.value;
    return constant(result, type);
  }
  const a = materialise(l, convert(l, value, type));
  if (operator === '+') return inRegister(a, type);
  const name: UnaryOperator = operator === '-' ? 'neg' : 'not';
  const dst = l.code.register(type);
  l.at(node);
  l.code.emit({ op: 'unary', dst, operator: name, a, type: registerType(type) });
  return inRegister(dst, type);
}

function lowerCast(l: Lowering, type: Node, value: Node, wanted = true): Value {
  const target = describedType(type, l.names);
  return convert(l, lowerValue(l, value, wanted), target);
}

/** `a ? b : c`, and GNU's `a ?: c`. */
function lowerChoice(l: Lowering, node: Node, wanted: boolean): Value {
  const condition = child(node, 'condition')!;
  const consequence = child(node, 'consequence');
  const alternative = child(node, 'alternative')!;
  const known = constantCondition(l, condition);
  if (known !== null) {
    if (known && !consequence) return lowerValue(l, condition, wanted);
    return lowerValue(l, known ? consequence! : alternative, wanted);
  }
  const type = choiceType(typeOf(l, consequence ?? condition), typeOf(l, alternative));
  const { code } = l;
  const [yes, no, end] = [code.label(), code.label(), code.label()];
  const dst = type.kind === 'void' ? null : code.register(type);
  const keep = (value: Value): void => {
    if (dst !== null) store(l, { kind: 'register', register: dst, type }, value);
  };
  if (consequence) {
    lowerCondition(l, condition, yes, no);
    code.place(yes);
    keep(lowerValue(l, consequence, wanted));
  } else {
    const value = lowerValue(l, condition);
    code.branch(materialise(l, truth(l, value)), yes, no, l.bareText(condition), null);
    code.place(yes);
    keep(value);
  }
  code.jump(end);
  code.place(no);
  keep(lowerValue(l, alternative, wanted));
  code.place(end);
  if (dst === null) return { kind: 'none', type };
  if (type.kind === 'struct') return { kind: 'object', address: dst, type };
  return inRegister(dst, type);
}

function choiceType(a: CType, b: CType): CType {
  if (a.kind === 'void' || b.kind === 'void') return { kind: 'void' };
  if (a.kind === 'pointer' || a.kind === 'struct') return a.kind === 'pointer' && b.kind === 'struct' ? b : a;
  if (b.kind === 'pointer' || b.kind === 'struct') return b;
  if (a.kind === 'unknown' && b.kind === 'unknown') return a;
  return common(a, b);
}

/** The truth of a condition that is a constant; null for others. Emits nothing. */
function constantCondition(l: Lowering, node: Node): boolean | null {
  const known = l.knownConditions.get(node);
  if (known !== undefined) return known;
  const before = l.code.checkpoint();
  const value = lowerValue(l, node);
  l.code.rollBack(before);
  const result = value.kind === 'constant' ? value.value !== 0n : null;
  l.knownConditions.set(node, result);
  return result;
}

function lowerSizeof(l: Lowering, node: Node): Value {
  const named = child(node, 'type');
  const value = child(node, 'value');
  const inner = value && stripped(value);
  const typeName = inner?.type === 'identifier' && !l.find(inner.text) ? typeNamed(l, inner.text) : null;
  const type = named
    ? describedType(named, l.names)
    : (typeName ?? (value ? storedType(l, value) : unsignedLong));
  const size = sizeOf(type);
  if (size !== null) return constant(size, unsignedLong);
  const dst = l.code.register(unsignedLong);
  l.code.emit({ op: 'sizeof', dst, type: typeText(type) });
  return inRegister(dst, unsignedLong);
}

/** The type of an lvalue as it is stored: an array stays one. */
function storedType(l: Lowering, node: Node): CType {
  const before = l.code.checkpoint();
  const inner = stripped(node);
  const isPlace = ['identifier', 'field_expression', 'subscript_expression'].includes(inner.type);
  const { type } = isPlace ? lowerPlace(l, inner) : lowerValue(l, inner);
  l.code.rollBack(before);
  return type;
}

/** The type that a bare name stands for, or null where it is not known as one and does not look like one. */
export function typeNamed(l: Lowering, name: string): CType | null {
  const type = namedType(name, l.names);
  if (type.kind !== 'unknown') return type;
  const isValue = l.program.variable(name, l.chunk.unit) ?? l.program.constant(name, l.chunk.unit);
  return name.endsWith('_t') && isValue === null ? type : null;
}

function lowerCompoundLiteral(l: Lowering, node: Node): Value {
  const type = describedType(child(node, 'type')!, l.names);
  const value = child(node, 'value')!;
  const only = value.children[0];
  const scalar = type.kind !== 'struct' && type.kind !== 'array';
  const plain = only && only.type !== 'initializer_pair' ? only : only && child(only, 'value');
  if (scalar && type.kind !== 'unknown')
    return plain ? convert(l, lowerValue(l, plain), type) : constant(0n, type);
  const name = `literal@${node.from}`;
  l.memoryLocals.push({ name, type });
  const address = l.code.register(pointerTo(type));
  l.code.emit({ op: 'address', dst: address, name, kind: 'local' });
  initialise(l, { kind: 'memory', address, type, bits: null, named: true }, value);
  return { kind: 'object', address, type };
}
