/** Lvalues: names, members, elements, what pointers point to. */
import type { Lowering } from './context';
import { stripped } from './context';
import { lowerValue } from './expressions';
import { lowerPerCpuLvalue } from './perCpu';
import { ruleFor } from './primitives';
import type { Node } from './syntax';
import { child } from './syntax';
import type { CType } from './types';
import { pointerTo, unknownType, unsignedLong } from './types';
import type { Place, Value } from './values';
import { element, load, materialise, memory, unknown } from './values';

/** How the root of an lvalue is addressed: as usual, or on the executing CPU. */
export type Addressing = 'plain' | 'per-cpu';

/** The place that an lvalue designates. What is not an lvalue gets a place whose use traps. */
export function lowerPlace(l: Lowering, node: Node, addressing: Addressing = 'plain'): Place {
  const inner = stripped(node);
  switch (inner.type) {
    case 'identifier':
      return namedPlace(l, inner, addressing);
    case 'field_expression':
      return memberPlace(l, inner, addressing);
    case 'subscript_expression':
      return elementPlace(l, inner, addressing);
    case 'pointer_expression':
      if (child(inner, 'operator')?.type === '*')
        return pointedPlace(l, child(inner, 'argument')!, addressing);
      break;
    case 'cast_expression': {
      // GNU: a cast as an lvalue is the place under it.
      const value = child(inner, 'value');
      if (value) return lowerPlace(l, value, addressing);
      break;
    }
    case 'comma_expression':
      lowerValue(l, child(inner, 'left')!, false);
      return lowerPlace(l, child(inner, 'right')!, addressing);
    case 'call_expression': {
      const place = calledPlace(l, inner);
      if (place) return place;
      break;
    }
    default:
  }
  const value = lowerValue(l, inner);
  if (value.kind === 'object') return memory(value.address, value.type);
  if (value.kind === 'register' && value.type.kind !== 'void')
    return { kind: 'register', register: value.register, type: value.type };
  if (value.kind === 'constant')
    return { kind: 'register', register: materialise(l, value), type: value.type };
  return trap(l, inner);
}

/** The place that is written: a variable or memory, not an intermediate value. */
export function lowerTarget(l: Lowering, node: Node): Place {
  const place = lowerPlace(l, node);
  return place.kind === 'register' && l.code.names[place.register] === '' ? trap(l, node) : place;
}

/** `per_cpu(x, cpu)` and its like are lvalues. */
function calledPlace(l: Lowering, node: Node): Place | null {
  const callee = child(node, 'function');
  const rule = callee?.type === 'identifier' && !l.find(callee.text) ? ruleFor(callee.text) : null;
  const args = child(node, 'arguments')?.children ?? [];
  if (rule?.rule === 'per-cpu-lvalue') return lowerPerCpuLvalue(l, node, args, rule);
  if (rule?.rule === 'identity' || (rule?.rule === 'load' && rule.from === 'lvalue'))
    return args[0] ? lowerPlace(l, args[0]) : null;
  return null;
}

function trap(l: Lowering, node: Node): Place {
  const { register } = unknown(l, '', `'${l.text(node).slice(0, 80)}' is not an lvalue`);
  return { kind: 'register', register, type: unsignedLong };
}

function namedPlace(l: Lowering, node: Node, addressing: Addressing): Place {
  const name = node.text;
  const local = l.find(name);
  if (local?.kind === 'register') return { kind: 'register', register: local.register, type: local.type };
  if (local?.kind === 'memory') return addressed(l, node, local.name, 'local', local.type);
  if (local) return addressed(l, node, local.name, 'global', local.type);
  const variable = l.program.variable(name, l.chunk.unit);
  if (variable) {
    const kind = addressing === 'per-cpu' ? 'per-cpu' : 'global';
    return addressed(l, node, name, kind, variable.type);
  }
  if (addressing === 'per-cpu') return addressed(l, node, name, 'per-cpu', unknownType);
  return undeclaredPlace(l, node);
}

function addressed(
  l: Lowering,
  node: Node,
  name: string,
  kind: 'global' | 'per-cpu' | 'local' | 'function',
  type: CType,
): Place {
  l.at(node);
  const dst = l.code.register(pointerTo(type));
  l.code.emit({ op: 'address', dst, name, kind });
  return memory(dst, type);
}

/**
 * A name that nothing declares: where the fragment hides declarations it is taken for a local variable, else for a
 * variable at file level.
 */
function undeclaredPlace(l: Lowering, node: Node): Place {
  const name = node.text;
  if (l.chunk.partial && /[a-z]/.test(name) && !l.addressTaken.has(name)) {
    const register = l.code.register(unsignedLong, name);
    const local = { kind: 'register' as const, register, type: { kind: 'unknown' as const, name: '' } };
    l.scopes[0]!.set(name, local);
    return { kind: 'register', register, type: local.type };
  }
  return addressed(l, node, name, 'global', unknownType);
}

function memberPlace(l: Lowering, node: Node, addressing: Addressing): Place {
  const argument = child(node, 'argument')!;
  const member = child(node, 'field')!;
  let address: number;
  let type: CType;
  if (child(node, 'operator')?.type === '->') {
    const pointed = pointedPlace(l, argument, addressing);
    if (pointed.kind === 'register') return pointed;
    ({ address, type } = pointed);
  } else {
    const base = lowerPlace(l, argument, addressing);
    if (base.kind === 'register') return base;
    ({ address, type } = base);
  }
  // A wrapper of one member is that member.
  if (type.kind === 'integer') return memory(address, type);
  const info = type.kind === 'struct' ? type.info : null;
  const tag = type.kind === 'struct' ? type.tag : type.kind === 'unknown' ? type.name : '';
  const known = info?.member(member.text) ?? null;
  l.at(member);
  const memberType = known?.type ?? unknownType;
  const dst = l.code.register(pointerTo(memberType));
  const bits = known?.bits ? { width: known.bits } : null;
  l.code.emit({ op: 'field', dst, base: address, struct: tag || null, member: member.text, bits });
  return { kind: 'memory', address: dst, type: memberType, bits: known?.bits ?? null, named: true };
}

function elementPlace(l: Lowering, node: Node, addressing: Addressing): Place {
  const argument = child(node, 'argument')!;
  const base = arrayBase(l, argument, addressing);
  const index = lowerValue(l, child(node, 'index')!);
  l.at(node);
  return memory(element(l, base.address, index, base.of), base.of);
}

/** The address of the first element of what is subscripted. */
function arrayBase(l: Lowering, node: Node, addressing: Addressing): { address: number; of: CType } {
  const inner = stripped(node);
  const isPlace = ['identifier', 'field_expression', 'subscript_expression'].includes(inner.type);
  if (isPlace) {
    const place = lowerPlace(l, inner, addressing);
    const { type } = place;
    if (place.kind === 'memory' && type.kind === 'array') return { address: place.address, of: type.of };
    if (place.kind === 'memory' && type.kind === 'unknown')
      return { address: place.address, of: unknownType };
    return pointerBase(l, load(l, place));
  }
  return pointerBase(l, lowerValue(l, inner));
}

function pointerBase(l: Lowering, value: Value): { address: number; of: CType } {
  const of = value.type.kind === 'pointer' ? value.type.to : unknownType;
  return { address: materialise(l, value), of };
}

/** `*node`. */
function pointedPlace(l: Lowering, node: Node, addressing: Addressing): Place {
  const value = lowerValue(l, node);
  const pointed = value.type.kind === 'pointer' ? value.type.to : unknownType;
  const to = pointed.kind === 'void' ? unknownType : pointed;
  let address = materialise(l, value);
  if (addressing === 'per-cpu') {
    l.at(node);
    const dst = l.code.register(value.type);
    l.code.emit({ op: 'primitive', name: 'this_cpu_ptr', dst, args: [address] });
    address = dst;
  }
  return memory(address, to, false);
}
