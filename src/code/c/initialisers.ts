/** Initialisers of local variables: scalars, and brace lists with designators. */
import type { Lowering } from './context';
import { lowerValue } from './expressions';
import type { Node } from './syntax';
import { child } from './syntax';
import type { CType } from './types';
import { pointerTo, unknownType, unsignedLong } from './types';
import type { Place, Value } from './values';
import { constant, element, materialise, memory, store, unknown } from './values';

/** Stores what `value` says; members and elements that a brace list leaves out become 0. */
export function initialise(l: Lowering, place: Place, value: Node): void {
  if (value.type !== 'initializer_list') {
    const from = l.code.checkpoint().length;
    const result = lowerValue(l, value);
    l.at(value);
    const text = value.type === 'string_literal' || value.type === 'concatenated_string';
    if (place.kind === 'memory' && place.type.kind === 'array' && text) copyText(l, place.address, result);
    else store(l, place, result, from);
    return;
  }
  if (place.kind === 'register') {
    const only = value.children[0];
    const inner = only?.type === 'initializer_pair' ? child(only, 'value') : only;
    if (inner) initialise(l, place, inner);
    else store(l, place, constant(0n));
    return;
  }
  l.at(value);
  l.code.emit({ op: 'primitive', name: 'struct_zero', dst: null, args: [place.address] });
  fill(l, place, value);
}

/** `char text[] = "…"`. */
function copyText(l: Lowering, address: number, text: Value): void {
  l.code.emit({ op: 'primitive', name: 'struct_copy', dst: null, args: [address, materialise(l, text)] });
}

/** Stores the elements of a brace list into memory that is zero already. */
function fill(l: Lowering, place: Place & { kind: 'memory' }, list: Node): void {
  let position = 0;
  for (const item of list.children) {
    if (item.type === 'comment') continue;
    if (item.type === 'initializer_pair') {
      const value = child(item, 'value');
      let target: Place & { kind: 'memory' } = place;
      for (const designator of item.children.filter(one => one.field === 'designator')) {
        if (designator.type === 'subscript_range_designator') {
          unknown(l, '', `the initialiser '${l.text(item).slice(0, 80)}' of a range`);
          continue;
        }
        const next = designated(l, target, designator);
        position = next.position + 1;
        target = next.place;
      }
      if (value) into(l, target, value);
      continue;
    }
    into(l, at(l, place, position, item), item);
    position++;
  }
}

function into(l: Lowering, target: Place & { kind: 'memory' }, value: Node): void {
  if (value.type === 'initializer_list') fill(l, target, value);
  else {
    const result = lowerValue(l, value);
    l.at(value);
    store(l, target, result);
  }
}

/** The place of `.member` or `[index]`, and its position for the items that follow. */
function designated(
  l: Lowering,
  place: Place & { kind: 'memory' },
  designator: Node,
): { place: Place & { kind: 'memory' }; position: number } {
  l.at(designator);
  const inner = designator.children[0];
  if (designator.type === 'subscript_designator' && inner) {
    const of = place.type.kind === 'array' ? place.type.of : unknownType;
    const index = lowerValue(l, inner);
    const position = index.kind === 'constant' ? Number(index.value) : 0;
    return { place: memoryAt(element(l, place.address, index, of), of), position };
  }
  const name = inner?.text ?? '';
  const info = place.type.kind === 'struct' ? place.type.info : null;
  return { place: member(l, place, name), position: info ? info.names.indexOf(name) : 0 };
}

const memoryAt = (address: number, type: CType): Place & { kind: 'memory' } =>
  memory(address, type) as Place & { kind: 'memory' };

function member(l: Lowering, place: Place & { kind: 'memory' }, name: string): Place & { kind: 'memory' } {
  const { type } = place;
  if (type.kind === 'integer') return place;
  const known = type.kind === 'struct' ? (type.info?.member(name) ?? null) : null;
  const tag = type.kind === 'struct' ? type.tag : null;
  const memberType = known?.type ?? unknownType;
  const dst = l.code.register(pointerTo(memberType));
  const bits = known?.bits ? { width: known.bits } : null;
  l.code.emit({ op: 'field', dst, base: place.address, struct: tag, member: name, bits });
  return { kind: 'memory', address: dst, type: memberType, bits: known?.bits ?? null, named: true };
}

/** The place of the item at `position` of a list without designators. */
function at(
  l: Lowering,
  place: Place & { kind: 'memory' },
  position: number,
  item: Node,
): Place & { kind: 'memory' } {
  const { type } = place;
  l.at(item);
  if (type.kind === 'struct') {
    const name = type.info?.names[position];
    // Without the definition the order of members is not known; the position itself is the name.
    return member(l, place, name ?? `#${position}`);
  }
  if (type.kind === 'integer' || type.kind === 'pointer') return place;
  const of = type.kind === 'array' ? type.of : unknownType;
  return memoryAt(element(l, place.address, constant(BigInt(position), unsignedLong), of), of);
}
