/** What names mean: functions, types, constants and variables of the units and of their context. */
import type { Configuration } from '../configuration';
import type { SourceUnit } from '../source';
import { BoundReached } from './bounds';
import type { Declared, TypeNames } from './declarators';
import { baseType, declare, declaredName } from './declarators';
import type { MacroScope } from './expand';
import { expand } from './expand';
import { fixForGrammar } from './grammarFixes';
import { keywords, opaqueNames, templateMacros } from './kernelMacros';
import { withoutIdleParentheses } from './parentheses';
import type { PreparedUnit } from './prepare';
import { ruleFor, takesNames } from './primitives';
import type { Chunk } from './slice';
import type { DefinitionIndex, Trail } from './sources';
import { Sources } from './sources';
import type { Node, Parsed } from './syntax';
import { checkNesting, child, parseTokens } from './syntax';
import type { Token } from './tokens';
import type { CType, StructInfo } from './types';
import { atomicNames, namedInteger, unknownType, wrapperNames } from './types';
import { TypeMarkers } from './typeMarkers';

/** A variable at file level. */
export interface Variable {
  readonly name: string;
  readonly type: CType;
  readonly perCpu: boolean;
  /** Declared `extern`. */
  readonly external: boolean;
  readonly chunk: Chunk;
  /** The initialiser, in `tokens`; null without one. */
  readonly initialiser: Node | null;
  readonly tokens: readonly Token[];
}

/** The text of a function after expansion, with its tree. */
export interface ParsedChunk {
  readonly tokens: readonly Token[];
  readonly parsed: Parsed;
  readonly markers: TypeMarkers;
}

export class Program {
  private readonly sources: Sources;
  private readonly declared = new Set<Chunk>();
  private readonly typedefs = new Map<string, CType>();
  private readonly structs = new Map<string, StructInfo>();
  private readonly constants = new Map<string, bigint>();
  private readonly variables = new Map<string, Variable>();
  private readonly prototypes = new Map<string, CType & { kind: 'function' }>();
  private readonly parsed = new Map<Chunk, ParsedChunk>();
  private readonly heads = new Map<Chunk, (CType & { kind: 'function' }) | null>();
  constructor(
    units: readonly SourceUnit[],
    context: readonly SourceUnit[],
    index: DefinitionIndex | null,
    readonly configuration: Configuration,
  ) {
    this.sources = new Sources(units, context, index, configuration);
  }

  /** The units themselves, prepared. */
  get own(): readonly PreparedUnit[] {
    return this.sources.own;
  }

  isOwn(unit: PreparedUnit): boolean {
    return this.sources.isOwn(unit);
  }

  /** Chunks of the units themselves, in order. */
  ownChunks(): Chunk[] {
    return this.sources.ownChunks();
  }

  /** The definition that a call in `from` means. */
  functionChunk(name: string, from: PreparedUnit): Chunk | null {
    return this.sources.functionChunk(name, from);
  }

  /** The units and their context, without what a tree adds later. */
  get unitsAtFirst(): Sources['atFirst'] {
    return this.sources.atFirst;
  }

  /** Notes in `trail` what is looked up from now on; null ends it. */
  watch(trail: Trail | null): void {
    this.sources.trail = trail;
  }

  /** Looks for what a trail says was searched for, so that the same of a tree is at hand. */
  search(searched: readonly string[], chunk: Chunk): void {
    for (const question of searched) {
      const [kind, name = ''] = question.split(' ');
      if (kind === 'macro') this.sources.macro(name, chunk.unit, chunk.lastLine);
      else if (kind === 'function') this.functionChunk(name, chunk.unit);
      else this.declare(name, chunk.unit);
    }
  }

  /** Whether the head of a function can be read; null if nobody has asked yet. */
  knownHead(chunk: Chunk): boolean | null {
    const head = this.heads.get(chunk);
    return head === undefined ? null : head !== null;
  }

  hasHead(chunk: Chunk): boolean {
    return this.headType(chunk) !== null;
  }

  private scopeOf(chunk: Chunk): MacroScope {
    return {
      macro: name => this.sources.macro(name, chunk.unit, chunk.lastLine),
      isOpaque: name => opaqueNames.has(name) || keywords.has(name) || ruleFor(name) !== null,
      takesNames: name => takesNames(name) || templateMacros.has(name),
    };
  }

  /** The feature that a macro of one name stands for; names of features are numbers, which are not looked at. */
  featureBehind(name: string, chunk: Chunk): string {
    let found = name;
    for (let steps = 0; steps < 8 && !/^(?:X86|ARM64)_/.test(found); steps++) {
      const macro = this.sources.macro(found, chunk.unit, chunk.lastLine);
      const body = macro?.parameters ? [] : (macro?.body.filter(one => !'()'.includes(one.text)) ?? []);
      if (body.length !== 1 || body[0]!.kind !== 'name') break;
      found = body[0]!.text;
    }
    return found;
  }

  /** Expands and parses a chunk, once; a reached bound comes out as a {@link BoundReached}. */
  parse(chunk: Chunk): ParsedChunk {
    const known = this.parsed.get(chunk);
    if (known) return known;
    const shielded = chunk.tokens.slice();
    const name = shielded[chunk.nameAt];
    if (name) shielded[chunk.nameAt] = { ...name, painted: true };
    const markers = new TypeMarkers();
    const expanded = expand(shielded, this.scopeOf(chunk));
    checkNesting(expanded);
    const plain = withoutIdleParentheses(expanded, name => this.isType(name, chunk));
    const tokens = markers.mark(fixForGrammar(plain));
    const result = { tokens, parsed: parseTokens(tokens), markers };
    this.parsed.set(chunk, result);
    return result;
  }

  /** Whether a name is a type, as far as what has been read says; a variable must not make a tree be searched. */
  private isType(name: string, chunk: Chunk): boolean {
    if (namedInteger(name) || wrapperNames.has(name) || atomicNames.has(name) || name.endsWith('_t'))
      return true;
    for (const one of this.sources.knownDeclarations(name)) if (one !== chunk) this.declareChunk(one);
    return this.typedefs.has(name);
  }

  // Functions.

  /** Type of a function from its definition or a prototype. */
  functionType(name: string, from: PreparedUnit): (CType & { kind: 'function' }) | null {
    const chunk = this.functionChunk(name, from);
    if (chunk) {
      const type = this.headType(chunk);
      if (type) return type;
    }
    this.declare(name, from);
    return this.prototypes.get(name) ?? null;
  }

  isFunction(name: string, from: PreparedUnit): boolean {
    return this.functionChunk(name, from) !== null || this.functionType(name, from) !== null;
  }

  private headType(chunk: Chunk): (CType & { kind: 'function' }) | null {
    const known = this.heads.get(chunk);
    if (known !== undefined) return known;
    this.heads.set(chunk, null);
    const { parsed, markers } = this.tryParse(chunk) ?? {};
    const definition = parsed?.ok ? parsed.root.children[0] : undefined;
    const declarator = definition && child(definition, 'declarator');
    if (!markers || !declarator) return null;
    const names = this.typeNames(chunk, markers);
    const { type } = declare(baseType(definition, names), declarator, names);
    const result = type.kind === 'function' ? type : null;
    this.heads.set(chunk, result);
    return result;
  }

  private tryParse(chunk: Chunk): ParsedChunk | null {
    try {
      return this.parse(chunk);
    } catch (error) {
      if (error instanceof BoundReached) return null;
      throw error;
    }
  }

  // Declarations.

  variable(name: string, from: PreparedUnit): Variable | null {
    this.declare(name, from);
    return this.variables.get(name) ?? null;
  }

  /** All variables that the units' own declarations define with an initialiser or as per-CPU. */
  ownVariables(): Variable[] {
    for (const chunk of this.ownChunks()) if (chunk.kind === 'declaration') this.declareChunk(chunk);
    return [...this.variables.values()].filter(variable => this.isOwn(variable.chunk.unit));
  }

  allVariables(): readonly Variable[] {
    return [...this.variables.values()];
  }

  knownStructs(): readonly StructInfo[] {
    return [...this.structs.values()];
  }

  constant(name: string, from: PreparedUnit): bigint | null {
    this.declare(name, from);
    return this.constants.get(name) ?? null;
  }

  typeNames(chunk: Chunk, markers: TypeMarkers): TypeNames {
    const from = chunk.unit;
    return {
      typedef: name => {
        this.declare(name, from);
        return this.typedefs.get(name) ?? null;
      },
      struct: tag => {
        this.declare(tag, from);
        return this.structs.get(tag) ?? null;
      },
      constant: name => this.constant(name, from),
      defineStruct: info => this.structs.set(info.tag, info),
      defineConstant: (name, value) => this.constants.set(name, value),
      typeOfMarker: name => markers.typeOf(name),
      anonymousTag: node => `${chunk.unit.unit.path}:${chunk.firstLine + 1}:${node.from}`,
    };
  }

  /** Reads the declarations that may declare `name`. */
  private declare(name: string, from: PreparedUnit): void {
    for (const chunk of this.sources.declarationChunks(name, from)) this.declareChunk(chunk);
  }

  private declareChunk(chunk: Chunk): void {
    if (this.declared.has(chunk)) return;
    this.declared.add(chunk);
    const { tokens, parsed, markers } = this.tryParse(chunk) ?? {};
    if (!parsed?.ok || !tokens || !markers) return;
    const names = this.typeNames(chunk, markers);
    for (const node of parsed.root.children) this.declareNode(node, { chunk, tokens, names });
  }

  private declareNode(node: Node, at: { chunk: Chunk; tokens: readonly Token[]; names: TypeNames }): void {
    const { chunk, tokens, names } = at;
    const typedef = node.type === 'type_definition';
    const named = child(node, 'declarator');
    const tagged = typedef && named ? { ...names, anonymousTag: () => declaredName(named) } : names;
    const base = node.type === 'declaration' || typedef ? baseType(node, tagged) : null;
    if (!base) {
      if (
        node.type === 'struct_specifier' ||
        node.type === 'union_specifier' ||
        node.type === 'enum_specifier'
      )
        baseType({ ...node, children: [{ ...node, field: 'type' }] }, names);
      return;
    }
    const external = node.children.some(
      one => one.type === 'storage_class_specifier' && one.text === 'extern',
    );
    for (const declarator of node.children) {
      if (declarator.field !== 'declarator') continue;
      const { name, type }: Declared = declare(base, declarator, names);
      if (!name) continue;
      if (typedef) this.typedefs.set(declaredName(declarator), wrapped(name, type));
      else if (type.kind === 'function') this.prototypes.set(name, type);
      else {
        const known = this.variables.get(name);
        const initialiser = child(declarator, 'value') ?? null;
        const defines = initialiser !== null || (known?.external === true && !external);
        if (known && (known.initialiser || !defines)) continue;
        const perCpu = chunk.perCpu.includes(name) || (known?.perCpu ?? false);
        this.variables.set(name, { name, type, perCpu, external, chunk, initialiser, tokens });
      }
    }
  }
}

/** A typedef'd struct of one integer is handled as that integer. */
function wrapped(name: string, type: CType): CType {
  if (type.kind !== 'struct' || !type.info || !name.endsWith('_t')) return type;
  const [only, ...more] = type.info.names;
  if (only === undefined || more.length) return type;
  const member = type.info.member(only);
  return member?.type.kind === 'integer' ? member.type : type.info.union ? unknownType : type;
}
