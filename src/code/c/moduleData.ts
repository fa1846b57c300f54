/** What a module says beside its code: variables with their initialisers, and the structs that the code uses. */
import type { IrFunction, IrInitialiser, IrStruct, IrType, IrVariable } from '../ir';
import type { StaticLocal } from './context';
import type { TypeNames } from './declarators';
import { constantOf } from './declarators';
import { spell } from './expand';
import { stringText } from './literals';
import type { Program, Variable } from './program';
import type { Chunk } from './slice';
import type { Node } from './syntax';
import { child } from './syntax';
import type { Token } from './tokens';
import { TypeMarkers } from './typeMarkers';
import type { CType, StructInfo } from './types';
import { typeText } from './types';

/** At most so many initialisers of one variable are read. */
const initialisersAtMost = 4_096;

export function irType(type: CType): IrType {
  switch (type.kind) {
    case 'integer':
      return { kind: 'integer', bits: type.bits, signed: type.signed };
    case 'pointer':
      return { kind: 'pointer', to: typeText(type.to) };
    case 'struct':
      return { kind: 'struct', tag: type.tag };
    case 'array':
      return { kind: 'array', of: irType(type.of), length: type.length };
    case 'function':
    case 'void':
      return { kind: 'unknown', name: typeText(type) };
    case 'unknown':
      return type;
  }
}

/** Variables of the units, those that `functions` name, and static variables of functions. */
export function moduleVariables(
  program: Program,
  functions: readonly IrFunction[],
  statics: readonly { readonly chunk: Chunk; readonly local: StaticLocal }[],
): IrVariable[] {
  const own = program.ownVariables();
  const wanted = new Set<string>();
  for (const { code } of functions)
    for (const one of code)
      if (one.op === 'address' && (one.kind === 'global' || one.kind === 'per-cpu')) wanted.add(one.name);
  const known = new Set(own);
  const more = program.allVariables().filter(one => wanted.has(one.name) && !known.has(one));
  return [
    ...[...own, ...more].map(variable => irVariable(program, variable)),
    ...statics.map(({ chunk, local }) => staticVariable(program, chunk, local)),
  ];
}

function irVariable(program: Program, variable: Variable): IrVariable {
  const { name, type, perCpu, external, chunk, initialiser, tokens } = variable;
  const reader = new InitialiserReader(program, chunk, tokens);
  if (initialiser) reader.read(initialiser, type, []);
  return {
    name,
    unit: chunk.unit.unit,
    line: chunk.firstLine,
    type: irType(type),
    perCpu,
    ...(external && !initialiser ? { external } : {}),
    partial: chunk.partial,
    initialisers: reader.found,
  };
}

function staticVariable(program: Program, chunk: Chunk, local: StaticLocal): IrVariable {
  const reader = new InitialiserReader(program, chunk, local.tokens);
  if (local.initialiser) reader.read(local.initialiser, local.type, []);
  return {
    name: local.name,
    unit: chunk.unit.unit,
    line: local.line,
    type: irType(local.type),
    perCpu: false,
    partial: false,
    initialisers: reader.found,
  };
}

type Path = readonly (string | number)[];

class InitialiserReader {
  readonly found: IrInitialiser[] = [];
  private readonly names: TypeNames;

  constructor(
    private readonly program: Program,
    private readonly chunk: Chunk,
    private readonly tokens: readonly Token[],
  ) {
    this.names = program.typeNames(chunk, new TypeMarkers());
  }

  read(node: Node, type: CType, path: Path): void {
    if (this.found.length >= initialisersAtMost) return;
    if (node.type === 'initializer_list') return this.list(node, type, path);
    if (node.type === 'compound_literal_expression') {
      const value = child(node, 'value');
      if (value) return this.read(value, type, path);
    }
    const line = this.tokens[node.from]?.line ?? 0;
    this.found.push({ path, value: this.value(node), line });
  }

  private list(node: Node, type: CType, path: Path): void {
    // A list around a scalar, or around a struct that is handled as its one member.
    const scalar = type.kind === 'integer' || type.kind === 'pointer';
    let position = 0;
    for (const item of node.children) {
      if (item.type === 'comment') continue;
      let target: CType = type;
      let at: Path = path;
      let value: Node | undefined = item;
      const range = item.children.find(one => one.type === 'subscript_range_designator');
      if (range) {
        position = this.range(item, range, type, path);
        continue;
      }
      if (item.type === 'initializer_pair') {
        for (const designator of item.children.filter(one => one.field === 'designator')) {
          const step = this.step(designator, target);
          if (!scalar) at = [...at, step.key];
          position = step.position + 1;
          target = step.type;
        }
        value = child(item, 'value');
      } else {
        const step = positional(target, position++);
        if (!scalar) at = [...at, step.key];
        target = step.type;
      }
      if (value) this.read(value, scalar ? type : target, at);
    }
  }

  /** `[low ... high] = value`; returns the position behind it. */
  private range(item: Node, range: Node, type: CType, path: Path): number {
    const [first, last] = range.children.map(one => Number(constantOf(one, this.names) ?? 0n));
    const value = child(item, 'value');
    const of = type.kind === 'array' ? type.of : unknownMember;
    const end = Math.min(last ?? 0, (first ?? 0) + initialisersAtMost);
    for (let index = first ?? 0; value && index <= end; index++) this.read(value, of, [...path, index]);
    return end + 1;
  }

  private step(designator: Node, type: CType): { key: string | number; type: CType; position: number } {
    const inner = designator.children[0];
    if (designator.type === 'subscript_designator' && inner) {
      const index = Number(constantOf(inner, this.names) ?? 0n);
      return { key: index, type: type.kind === 'array' ? type.of : unknownMember, position: index };
    }
    const name = inner?.text ?? '';
    const info = type.kind === 'struct' ? type.info : null;
    const member = info?.member(name) ?? null;
    return { key: name, type: member?.type ?? unknownMember, position: info?.names.indexOf(name) ?? 0 };
  }

  private value(node: Node): IrInitialiser['value'] {
    const constant = constantOf(node, this.names);
    if (constant !== null) return { kind: 'constant', value: BigInt.asUintN(64, constant) };
    switch (node.type) {
      case 'true':
        return { kind: 'constant', value: 1n };
      case 'false':
      case 'null':
        return { kind: 'constant', value: 0n };
      case 'parenthesized_expression':
        if (node.children[0]) return this.value(node.children[0]);
        break;
      case 'cast_expression': {
        const inner = child(node, 'value');
        if (inner) return this.value(inner);
        break;
      }
      case 'pointer_expression': {
        const argument = child(node, 'argument');
        if (argument?.type === 'identifier') return this.named(argument.text);
        break;
      }
      case 'identifier':
        return this.named(node.text);
      default:
    }
    return { kind: 'unknown', text: this.text(node) };
  }

  private named(name: string): IrInitialiser['value'] {
    const variable = this.program.variable(name, this.chunk.unit);
    // A table of operations names functions that a fragment need not declare.
    return { kind: 'address', of: variable ? 'global' : 'function', name };
  }

  private text(node: Node): string {
    const tokens = this.tokens.slice(node.from, node.to);
    if (tokens.every(token => token.kind === 'string')) return stringText(tokens.map(token => token.text));
    return spell(tokens).slice(0, 200);
  }
}

const unknownMember: CType = { kind: 'unknown', name: '' };

function positional(type: CType, position: number): { key: string | number; type: CType } {
  if (type.kind !== 'struct') return { key: position, type: type.kind === 'array' ? type.of : unknownMember };
  const name = type.info?.names[position];
  if (name === undefined) return { key: position, type: unknownMember };
  return { key: name, type: type.info?.member(name)?.type ?? unknownMember };
}

/** Structs whose members the code or an initialiser names. */
export function moduleStructs(
  program: Program,
  functions: readonly IrFunction[],
  variables: readonly IrVariable[],
): IrStruct[] {
  const used = new Map<string, Set<string>>();
  const use = (tag: string, member: string): void => {
    const set = used.get(tag);
    if (set) set.add(member);
    else used.set(tag, new Set([member]));
  };
  for (const { code } of functions)
    for (const one of code) if (one.op === 'field' && one.struct !== null) use(one.struct, one.member);
  const infos = new Map(program.knownStructs().map(info => [info.tag, info]));
  for (const variable of variables) {
    for (const { path } of variable.initialisers) {
      let type: CType | null = structType(variable.type, infos);
      for (const key of path) {
        if (typeof key === 'number') type = type?.kind === 'array' ? type.of : type;
        else if (type?.kind === 'struct') {
          use(type.tag, key);
          type = type.info?.member(key)?.type ?? null;
        }
      }
    }
  }
  const result: IrStruct[] = [];
  for (const [tag, members] of used) {
    const info = infos.get(tag);
    if (!info) continue;
    const listed = info.names.filter(name => members.has(name)).flatMap(name => info.member(name) ?? []);
    result.push({
      tag,
      union: info.union,
      members: listed.map(({ name, type, bits }) => ({ name, type: irType(type), bits })),
    });
  }
  return result;
}

function structType(type: IrType, infos: ReadonlyMap<string, StructInfo>): CType | null {
  if (type.kind === 'array') return structType(type.of, infos);
  return type.kind === 'struct' ? { kind: 'struct', tag: type.tag, info: infos.get(type.tag) ?? null } : null;
}
