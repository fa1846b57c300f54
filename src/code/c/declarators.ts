/** Types and names from declaration nodes of the syntax tree. */
import { append } from './lists';
import { numberValue } from './conditionExpression';
import type { Node } from './syntax';
import { child } from './syntax';
import type { CType, Member, StructInfo } from './types';
import {
  atomicNames,
  decayed,
  int,
  integer,
  long,
  namedInteger,
  pointerTo,
  unknownType,
  unsignedInt,
  unsignedLong,
  voidType,
  wrapperNames,
} from './types';

/** What reading a type asks about names. */
export interface TypeNames {
  typedef(name: string): CType | null;
  struct(tag: string): StructInfo | null;
  constant(name: string): bigint | null;
  /** A struct or union body met while reading; `tag` is made up for anonymous ones. */
  defineStruct(info: StructInfo): void;
  defineConstant(name: string, value: bigint): void;
  /** Type of an expression, for `typeof`; null outside functions. */
  typeOfMarker(name: string): CType | null;
  /** A tag for an anonymous struct at a node. */
  anonymousTag(node: Node): string;
}

export interface Declared {
  readonly name: string;
  readonly type: CType;
}

const declaratorTypes = /declarator$/;

/** The type before the declarators of a declaration, a parameter or a type name. */
export function baseType(node: Node, names: TypeNames): CType {
  const type = child(node, 'type');
  return type ? specifiedType(type, names) : int;
}

function specifiedType(type: Node, names: TypeNames): CType {
  switch (type.type) {
    case 'primitive_type':
      if (type.text === 'void') return voidType;
      return namedInteger(type.text) ?? (type.text === 'int' ? int : unknownType);
    case 'sized_type_specifier':
      return sizedType(type);
    case 'type_identifier':
      return namedType(type.text, names);
    case 'struct_specifier':
    case 'union_specifier':
      return structType(type, names);
    case 'enum_specifier':
      readEnum(type, names);
      return unsignedInt;
    default:
      return unknownType;
  }
}

/** The type that a name stands for, as a typedef or a well-known integer. */
export function namedType(name: string, names: TypeNames): CType {
  const marker = names.typeOfMarker(name);
  if (marker) return marker;
  const known = namedInteger(name) ?? atomicNames.get(name);
  if (known) return known;
  if (wrapperNames.has(name)) return unsignedLong;
  return names.typedef(name) ?? { kind: 'unknown', name };
}

function sizedType(type: Node): CType {
  // `unsigned long int`: the words stand in any order; the grammar keeps them as unnamed nodes, so the text decides.
  const words = type.words ?? [];
  const signed = !words.includes('unsigned');
  if (words.includes('char')) return integer(8, signed);
  if (words.includes('short')) return integer(16, signed);
  if (words.includes('long')) return signed ? long : unsignedLong;
  return signed ? int : unsignedInt;
}

function structType(node: Node, names: TypeNames): CType {
  const name = child(node, 'name')?.text;
  const body = child(node, 'body');
  const tag = name ?? names.anonymousTag(node);
  if (!body) return { kind: 'struct', tag, info: names.struct(tag) };
  const info = new LazyStruct(tag, node.type === 'union_specifier', body, names);
  names.defineStruct(info);
  return { kind: 'struct', tag, info };
}

/** A struct whose member types are read when asked for. */
class LazyStruct implements StructInfo {
  readonly names: readonly string[];
  private readonly nodes = new Map<string, { field: Node; declarator: Node | null; bits: Node | null }>();
  private readonly members = new Map<string, Member>();
  private readonly inner: StructInfo[] = [];

  constructor(
    readonly tag: string,
    readonly union: boolean,
    body: Node,
    private readonly known: TypeNames,
  ) {
    const order: string[] = [];
    for (const field of body.children) if (field.type === 'field_declaration') this.addField(field, order);
    this.names = order;
  }

  private addField(field: Node, order: string[]): void {
    const declarators = field.children.filter(one => one.field === 'declarator');
    if (!declarators.length) {
      const type = child(field, 'type');
      const anonymous = type && (type.type === 'struct_specifier' || type.type === 'union_specifier');
      if (!anonymous) return;
      const inner = structType(type, this.known);
      if (inner.kind !== 'struct' || !inner.info) return;
      this.inner.push(inner.info);
      append(order, inner.info.names);
      return;
    }
    for (const declarator of declarators) {
      const name = declaredName(declarator);
      if (!name) continue;
      const next = field.children[field.children.indexOf(declarator) + 1];
      const bits = next?.type === 'bitfield_clause' ? (next.children[0] ?? null) : null;
      this.nodes.set(name, { field, declarator, bits });
      order.push(name);
    }
  }

  member(name: string): Member | null {
    const known = this.members.get(name);
    if (known) return known;
    const found = this.nodes.get(name);
    if (!found) {
      for (const inner of this.inner) {
        const member = inner.member(name);
        if (member) return member;
      }
      return null;
    }
    const names = { ...this.known, anonymousTag: () => `${this.tag}.${name}` };
    const base = baseType(found.field, names);
    const type = found.declarator ? declare(base, found.declarator, names).type : base;
    const bits = found.bits ? Number(constantOf(found.bits, this.known) ?? 0n) || null : null;
    const member = { name, type, bits };
    this.members.set(name, member);
    return member;
  }
}

function readEnum(node: Node, names: TypeNames): void {
  let next: bigint | null = 0n;
  for (const one of child(node, 'body')?.children ?? []) {
    if (one.type !== 'enumerator') continue;
    const value = child(one, 'value');
    if (value) next = constantOf(value, names);
    const name = child(one, 'name')?.text;
    if (name !== undefined && next !== null) names.defineConstant(name, next);
    if (next !== null) next++;
  }
}

/** The name inside a declarator, or ''. */
export function declaredName(declarator: Node): string {
  let node: Node | undefined = declarator;
  for (let depth = 0; node && depth < 100; depth++) {
    if (/^(?:identifier|field_identifier|type_identifier|primitive_type)$/.test(node.type)) return node.text;
    node =
      child(node, 'declarator') ??
      node.children.find(one => declaratorTypes.test(one.type) || /identifier$/.test(one.type));
  }
  return '';
}

/** Name and type of one declarator after `base`. */
export function declare(base: CType, declarator: Node, names: TypeNames): Declared {
  let type = base;
  let node: Node | undefined = declarator;
  for (let depth = 0; node && depth < 100; depth++) {
    switch (node.type) {
      case 'pointer_declarator':
      case 'abstract_pointer_declarator':
        type = pointerTo(type);
        break;
      case 'array_declarator':
      case 'abstract_array_declarator':
        type = arrayType(type, node, names);
        break;
      case 'function_declarator':
      case 'abstract_function_declarator':
        type = { kind: 'function', returns: type, parameters: parameterTypes(node, names) };
        break;
      case 'init_declarator':
      case 'parenthesized_declarator':
      case 'abstract_parenthesized_declarator':
      case 'attributed_declarator':
        break;
      default:
        return { name: node.text, type };
    }
    node =
      child(node, 'declarator') ??
      node.children.find(one => declaratorTypes.test(one.type) || /identifier$/.test(one.type));
  }
  return { name: '', type };
}

/** Of `a[2][3]` the outermost declarator holds the last bound, so the element type is built inside out. */
function arrayType(of: CType, node: Node, names: TypeNames): CType {
  const size = child(node, 'size');
  const length = size ? constantOf(size, names) : null;
  const known = length !== null && length >= 0n && length < 1n << 32n ? Number(length) : null;
  return { kind: 'array', of, length: known };
}

function parameterTypes(node: Node, names: TypeNames): CType[] | null {
  const list = child(node, 'parameters');
  if (!list || list.children.some(one => one.type === 'variadic_parameter')) return null;
  return parameters(list, names).map(one => one.type);
}

/** Parameters of a parameter list; `(void)` has none. Arrays and functions decay to pointers. */
export function parameters(list: Node, names: TypeNames): Declared[] {
  const result: Declared[] = [];
  for (const one of list.children) {
    if (one.type !== 'parameter_declaration') continue;
    const base = baseType(one, names);
    const declarator = child(one, 'declarator');
    const declared = declarator ? declare(base, declarator, names) : { name: '', type: base };
    if (!declarator && base.kind === 'void') continue;
    result.push({ name: declared.name, type: decayed(declared.type) });
  }
  return result;
}

/** The type of a `type_descriptor` (casts, `sizeof`). */
export function describedType(node: Node, names: TypeNames): CType {
  const base = baseType(node, names);
  const declarator = child(node, 'declarator');
  return declarator ? declare(base, declarator, names).type : base;
}

/** Value of a constant expression of declarations, or null. */
export function constantOf(node: Node, names: TypeNames): bigint | null {
  switch (node.type) {
    case 'number_literal':
      return numberValue(node.text);
    case 'char_literal':
      return BigInt(node.text.charCodeAt(1));
    case 'identifier':
      return names.constant(node.text);
    case 'parenthesized_expression':
      return node.children[0] ? constantOf(node.children[0], names) : null;
    case 'cast_expression': {
      const value = child(node, 'value');
      return value ? constantOf(value, names) : null;
    }
    case 'unary_expression': {
      const value = constantOf(child(node, 'argument')!, names);
      const operator = child(node, 'operator')?.type;
      if (value === null) return null;
      return operator === '-'
        ? -value
        : operator === '~'
          ? ~value
          : operator === '!'
            ? value
              ? 0n
              : 1n
            : value;
    }
    case 'binary_expression':
      return binaryConstant(node, names);
    default:
      return null;
  }
}

function binaryConstant(node: Node, names: TypeNames): bigint | null {
  const a = constantOf(child(node, 'left')!, names);
  const b = constantOf(child(node, 'right')!, names);
  if (a === null || b === null) return null;
  switch (child(node, 'operator')?.type) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0n ? null : a / b;
    case '%':
      return b === 0n ? null : a % b;
    case '<<':
      return b >= 0n && b < 64n ? a << b : null;
    case '>>':
      return b >= 0n && b < 64n ? a >> b : null;
    case '|':
      return a | b;
    case '&':
      return a & b;
    case '^':
      return a ^ b;
    default:
      return null;
  }
}
