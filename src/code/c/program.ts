/** Everything that is known about names: macros, functions, types and variables of the units and of their context. */
import type { Configuration } from '../configuration';
import type { SourceUnit } from '../source';
import { BoundReached } from './bounds';
import type { Macro } from './conditionals';
import { readDefine } from './conditionals';
import { declarationNames } from './declarationNames';
import type { Declared, TypeNames } from './declarators';
import { baseType, declare, declaredName } from './declarators';
import type { MacroScope } from './expand';
import { expand } from './expand';
import { fallbackMacros } from './fallbackMacros';
import { fixForGrammar } from './grammarFixes';
import { keywords, opaqueNames, prelude, templateMacros } from './kernelMacros';
import type { PreparedUnit } from './prepare';
import { macroAt, prepare } from './prepare';
import { ruleFor, takesNames } from './primitives';
import type { Chunk } from './slice';
import { sliceUnit } from './slice';
import type { Node, Parsed } from './syntax';
import { checkNesting, child, parseTokens } from './syntax';
import type { Token } from './tokens';
import { tokensOf } from './tokens';
import type { CType, StructInfo } from './types';
import { unknownType } from './types';
import { TypeMarkers } from './typeMarkers';

/** `function`: a definition with a body; `symbol`: a type, a variable, a constant, a prototype. */
export type DefinitionKind = 'macro' | 'function' | 'symbol';

/** Where definitions are looked up that the units do not have. */
export interface DefinitionIndex {
  /** Units that may define `name`, best first. `from`: the path of the file that uses it. */
  unitsDefining(name: string, kind: DefinitionKind, from: string): readonly SourceUnit[];
}

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

const readTable = (texts: readonly string[]): ReadonlyMap<string, Macro> => {
  const table = new Map<string, Macro>();
  for (const text of texts) {
    const directive = { name: 'define', tokens: tokensOf(text), line: 0, lastLine: 0, at: 0, cut: false };
    const macro = readDefine(directive, false);
    if (macro) table.set(macro.name, macro);
  }
  return table;
};
const preludeMacros = readTable(prelude);
const fallbacks = readTable(fallbackMacros);

interface ReadUnit {
  readonly unit: PreparedUnit;
  readonly chunks: readonly Chunk[];
  readonly signature: string;
}

/** Files of trees as read before. */
const readBefore = new WeakMap<SourceUnit, ReadUnit>();

export class Program {
  readonly own: PreparedUnit[] = [];
  private readonly ownUnits = new Set<PreparedUnit>();
  private readonly prepared = new Map<SourceUnit, { unit: PreparedUnit; chunks: readonly Chunk[] }>();
  private readonly functions = new Map<string, Chunk[]>();
  private readonly declarations = new Map<string, Chunk[]>();
  private readonly declared = new Set<Chunk>();
  private readonly typedefs = new Map<string, CType>();
  private readonly structs = new Map<string, StructInfo>();
  private readonly constants = new Map<string, bigint>();
  private readonly variables = new Map<string, Variable>();
  private readonly prototypes = new Map<string, CType & { kind: 'function' }>();
  private readonly parsed = new Map<Chunk, ParsedChunk>();
  private readonly heads = new Map<Chunk, (CType & { kind: 'function' }) | null>();
  private readonly asked = new Set<string>();
  /** The last definition of each macro in any unit read so far; weak ones give way. */
  private readonly macros = new Map<string, Macro>();
  private readonly outerMacros = new Map<string, Macro | null>();
  private preparing = 0;
  /** The units themselves have been read; what is read from now on is context. */
  private ownRead = false;

  constructor(
    units: readonly SourceUnit[],
    context: readonly SourceUnit[],
    private readonly index: DefinitionIndex | null,
    readonly configuration: Configuration,
  ) {
    for (const unit of units) {
      const made = this.add(unit);
      this.own.push(made);
      this.ownUnits.add(made);
    }
    this.ownRead = true;
    for (const unit of context) this.add(unit);
  }

  isOwn(unit: PreparedUnit): boolean {
    return this.ownUnits.has(unit);
  }

  /** Chunks of the units themselves, in order. */
  ownChunks(): Chunk[] {
    return this.own.flatMap(unit => this.prepared.get(unit.unit)?.chunks ?? []);
  }

  private add(unit: SourceUnit): PreparedUnit {
    const known = this.prepared.get(unit);
    if (known) return known.unit;
    const { unit: made, chunks } = this.read(unit);
    this.prepared.set(unit, { unit: made, chunks });
    for (const [name, events] of made.events) {
      const macro = events.findLast(event => event.macro)?.macro;
      if (macro && this.macros.get(name)?.weak !== false) this.macros.set(name, macro);
    }
    for (const chunk of chunks) {
      if (chunk.kind === 'function') append(this.functions, chunk.name, chunk);
      else for (const name of declarationNames(chunk)) append(this.declarations, name, chunk);
    }
    return made;
  }

  /** Reads a unit into chunks; files of a tree are read once for all programs with the same configuration. */
  private read(unit: SourceUnit): ReadUnit {
    const shared = this.ownRead && this.index !== null && unit.side === 'tree';
    const signature = shared ? this.configuration.signature : '';
    const known = shared ? readBefore.get(unit) : undefined;
    if (known?.signature === signature) return known;
    this.preparing++;
    const recorded = this.preparing === 1 && !this.ownRead;
    const made = prepare(unit, {
      configuration: recorded ? this.configuration : this.configuration.unrecorded,
      outerMacro: name => (this.preparing > 8 ? null : this.outerMacro(name, unit)),
    });
    this.preparing--;
    const result = { unit: made, chunks: sliceUnit(made), signature };
    if (shared) readBefore.set(unit, result);
    return result;
  }

  // Macros.

  /** The macro that `name` stands for at `line` of `unit`. */
  macro(name: string, unit: PreparedUnit, line: number): Macro | null {
    if (preludeMacros.has(name)) return preludeMacros.get(name)!;
    const own = macroAt(unit, name, line);
    if (own !== undefined && !(own?.weak === true && this.functions.has(name))) return own;
    return this.outerMacro(name, unit.unit) ?? (this.isDeclared(name) ? null : (fallbacks.get(name) ?? null));
  }

  private isDeclared(name: string): boolean {
    return this.functions.has(name) || this.declarations.has(name);
  }

  /** A macro of another file. */
  private outerMacro(name: string, from: SourceUnit): Macro | null {
    const known = this.outerMacros.get(name);
    if (known !== undefined) return known;
    const found = this.findOuterMacro(name, from);
    // While units are still being read the answer may change.
    if (found !== null || this.preparing === 0) this.outerMacros.set(name, found);
    return found;
  }

  private findOuterMacro(name: string, from: SourceUnit): Macro | null {
    const known = this.macros.get(name);
    if (known) return known.weak && this.functions.has(name) ? null : known;
    for (const unit of this.index?.unitsDefining(name, 'macro', from.path) ?? []) {
      if (unit.path === from.path || this.preparing > 8) continue;
      const macro = this.add(unit)
        .events.get(name)
        ?.findLast(event => event.macro)?.macro;
      if (macro) return macro;
    }
    return null;
  }

  scopeOf(chunk: Chunk): MacroScope {
    return {
      macro: name => this.macro(name, chunk.unit, chunk.lastLine),
      isOpaque: name => opaqueNames.has(name) || keywords.has(name) || ruleFor(name) !== null,
      takesNames: name => takesNames(name) || templateMacros.has(name),
    };
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
    const tokens = markers.mark(fixForGrammar(expanded));
    const result = { tokens, parsed: parseTokens(tokens), markers };
    this.parsed.set(chunk, result);
    return result;
  }

  // Functions.

  /** The definition that a call in `from` means: of the same file first, never a weak one before a firm one. */
  functionChunk(name: string, from: PreparedUnit): Chunk | null {
    const list = this.functions.get(name);
    const found = list && best(list, from);
    if (found) return found;
    this.ask(name, from, 'function');
    const later = this.functions.get(name);
    return later ? best(later, from) : null;
  }

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
    this.ask(name, from, 'symbol');
    for (const chunk of this.declarations.get(name) ?? []) this.declareChunk(chunk);
  }

  /** Loads units of the index until one of them defines `name`; asked once for each name. */
  private ask(name: string, from: PreparedUnit, kind: 'function' | 'symbol'): void {
    const known = kind === 'function' ? this.functions : this.declarations;
    const question = `${kind} ${name}`;
    if (!this.index || known.has(name) || this.asked.has(question)) return;
    this.asked.add(question);
    for (const unit of this.index.unitsDefining(name, kind, from.unit.path)) {
      this.add(unit);
      if (known.has(name)) return;
    }
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

/** Definitions of one name that are kept. */
const sameNameAtMost = 64;

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (!list) map.set(key, [value]);
  else if (list.length < sameNameAtMost) list.push(value);
}

function best(list: readonly Chunk[], from: PreparedUnit): Chunk | null {
  const firm = list.filter(chunk => !chunk.weak);
  const candidates = firm.length ? firm : list;
  return candidates.find(chunk => chunk.unit === from) ?? candidates[0] ?? null;
}
