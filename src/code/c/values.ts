/** Values and places while lowering, and how they are converted, loaded and stored. */
import type { Register } from '../ir';
import type { Lowering } from './context';
import type { CType } from './types';
import { fits, int, normalised, pointerTo, registerType, typeText, unsignedLong } from './types';

export type Value =
  | { readonly kind: 'constant'; readonly value: bigint; readonly type: CType }
  /** `truth`: it is 0 or 1. */
  | { readonly kind: 'register'; readonly register: Register; readonly type: CType; readonly truth?: boolean }
  /** A struct or union by value, at an address. */
  | { readonly kind: 'object'; readonly address: Register; readonly type: CType }
  | { readonly kind: 'none'; readonly type: CType };

export type Place =
  | { readonly kind: 'register'; readonly register: Register; readonly type: CType }
  | {
      readonly kind: 'memory';
      readonly address: Register;
      readonly type: CType;
      /** Width of a bit-field. */
      readonly bits: number | null;
      /** Reached by name or member, so an unknown type that is subscripted is an array. */
      readonly named: boolean;
    };

export const constant = (value: bigint, type: CType = int): Value => ({
  kind: 'constant',
  value: normalised(value, type),
  type,
});

export const inRegister = (register: Register, type: CType, truth = false): Value => ({
  kind: 'register',
  register,
  type,
  ...(truth ? { truth } : {}),
});

export const memory = (address: Register, type: CType, named = true): Place => ({
  kind: 'memory',
  address,
  type,
  bits: null,
  named,
});

/** The register that holds the value. */
export function materialise(l: Lowering, value: Value): Register {
  switch (value.kind) {
    case 'constant':
      return l.code.constant(value.value, value.type);
    case 'register':
      return value.register;
    case 'object':
      return value.address;
    case 'none':
      return unknown(l, 'void', 'the value of an expression without one').register;
  }
}

/** An instruction that traps; its result stands for the value. */
export function unknown(l: Lowering, name: string, why: string): Value & { kind: 'register' } {
  const dst = l.code.register(unsignedLong);
  l.code.emit({ op: 'unknown', dst, name, why });
  return { kind: 'register', register: dst, type: unsignedLong };
}

/** Something that happens here and is not known; unlike {@link unknown} it is no value. */
export function notUnderstood(l: Lowering, name: string, why: string): void {
  l.code.emit({ op: 'unknown', dst: null, name, why });
}

/** The value in another type. */
export function convert(l: Lowering, value: Value, type: CType): Value {
  if (type.kind === 'void') return { kind: 'none', type };
  if (value.kind === 'none' || value.kind === 'object') return value;
  if (type.kind === 'struct' || type.kind === 'array') return { ...value, type };
  if (value.kind === 'constant') return { ...value, value: normalised(value.value, type), type };
  if (type.kind === 'integer' && type.bits === 1) return { ...truth(l, value), type };
  if (fits(value.type, type) || (value.truth && type.kind === 'integer')) return { ...value, type };
  const dst = l.code.register(type);
  l.code.emit({ op: 'cast', dst, a: value.register, type: registerType(type) });
  return inRegister(dst, type);
}

/** 1 if the value is not zero, else 0. */
export function truth(l: Lowering, value: Value): Value {
  if (value.kind === 'constant') return constant(value.value === 0n ? 0n : 1n);
  if (value.kind === 'register' && (value.truth || registerType(value.type).bits === 1))
    return { ...value, truth: true };
  const a = materialise(l, value);
  const b = l.code.constant(0n, value.type);
  const dst = l.code.register(int);
  l.code.emit({ op: 'binary', dst, operator: 'ne', a, b, type: registerType(value.type) });
  return inRegister(dst, int, true);
}

/** What stands at a place. Arrays become pointers to their first element, structs stay where they are. */
export function load(l: Lowering, place: Place): Value {
  const { type } = place;
  if (place.kind === 'register') return inRegister(place.register, type);
  if (type.kind === 'array') return inRegister(place.address, pointerTo(type.of));
  if (type.kind === 'function') return inRegister(place.address, pointerTo(type));
  if (type.kind === 'struct') return { kind: 'object', address: place.address, type };
  const dst = l.code.register(type);
  l.code.emit({ op: 'load', dst, address: place.address, type: registerType(type) });
  return inRegister(dst, type);
}

/** Stores and returns the value as it then is. `from`: length of the code before the value was made. */
export function store(l: Lowering, place: Place, value: Value, from = Number.MAX_SAFE_INTEGER): Value {
  if (place.kind === 'memory' && (place.type.kind === 'struct' || value.kind === 'object')) {
    const source = materialise(l, value);
    l.code.emit({ op: 'primitive', name: 'struct_copy', dst: null, args: [place.address, source] });
    return { kind: 'object', address: place.address, type: place.type };
  }
  const converted = convert(l, value, place.type);
  if (place.kind === 'register') {
    const source = materialise(l, converted);
    if (source === place.register) return converted;
    const at = converted.kind === 'constant' ? 0 : from;
    if (!l.code.retarget(source, place.register, at))
      l.code.emit({ op: 'move', dst: place.register, a: source });
    return inRegister(place.register, place.type);
  }
  const cut = place.bits === null ? converted : cutToField(l, converted, place.type, place.bits);
  l.code.emit({
    op: 'store',
    address: place.address,
    value: materialise(l, cut),
    type: registerType(place.type),
  });
  return cut;
}

/** The value as a bit-field of `width` bits keeps it. */
function cutToField(l: Lowering, value: Value, type: CType, width: number): Value {
  const kept = registerType(type);
  if (width >= kept.bits || kept.bits === 1) return value;
  if (value.kind === 'constant') {
    const cut = kept.signed ? BigInt.asIntN(width, value.value) : BigInt.asUintN(width, value.value);
    return { ...value, value: cut };
  }
  const a = materialise(l, value);
  if (!kept.signed) return arithmetic(l, 'and', a, l.code.constant((1n << BigInt(width)) - 1n, type), type);
  const shift = l.code.constant(BigInt(kept.bits - width), int);
  const left = arithmetic(l, 'shl', a, shift, type);
  return arithmetic(l, 'shr', materialise(l, left), shift, type);
}

function arithmetic(
  l: Lowering,
  operator: 'and' | 'shl' | 'shr',
  a: Register,
  b: Register,
  type: CType,
): Value {
  const dst = l.code.register(type);
  l.code.emit({ op: 'binary', dst, operator, a, b, type: registerType(type) });
  return inRegister(dst, type);
}

/** `base + index` elements. */
export function element(l: Lowering, base: Register, index: Value, of: CType): Register {
  const dst = l.code.register(pointerTo(of));
  l.code.emit({ op: 'index', dst, base, index: materialise(l, index), element: typeText(of) });
  return dst;
}
