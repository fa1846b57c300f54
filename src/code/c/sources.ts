/** The texts that a lowering looks into: the units, their context and a tree; which chunks and macros define a name. */
import type { Configuration } from '../configuration';
import type { SourceUnit } from '../source';
import type { Macro } from './conditionals';
import { readDefine } from './conditionals';
import { declarationNames } from './declarationNames';
import { fallbackMacros } from './fallbackMacros';
import { prelude } from './kernelMacros';
import type { PreparedUnit } from './prepare';
import { macroAt, prepare } from './prepare';
import type { Chunk } from './slice';
import { sliceUnit } from './slice';
import { tokensOf } from './tokens';

/** `function`: a definition with a body; `symbol`: a type, a variable, a constant, a prototype. */
export type DefinitionKind = 'macro' | 'function' | 'symbol';

/** Where definitions are looked up that the units do not have. */
export interface DefinitionIndex {
  /** Units that may define `name`, best first. `from`: the path of the file that uses it. */
  unitsDefining(name: string, kind: DefinitionKind, from: string): readonly SourceUnit[];
}

/** What is noted while a function is lowered: names whose functions it looked up, and what a tree was searched for. */
export interface Trail {
  readonly looked: Set<string>;
  /** `macro NAME`, `function NAME`, `symbol NAME`. */
  readonly searched: Set<string>;
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

/** Files of trees and of the context as read before. */
const readBefore = new WeakMap<SourceUnit, ReadUnit>();

export class Sources {
  readonly own: PreparedUnit[] = [];
  private readonly ownUnits = new Set<PreparedUnit>();
  private readonly prepared = new Map<SourceUnit, { unit: PreparedUnit; chunks: readonly Chunk[] }>();
  private readonly functions = new Map<string, Chunk[]>();
  private readonly declarations = new Map<string, Chunk[]>();
  private readonly asked = new Set<string>();
  /** The last definition of each macro in any unit read so far; weak ones give way. */
  private readonly macros = new Map<string, Macro>();
  private readonly outerMacros = new Map<string, Macro | null>();
  private preparing = 0;
  trail: Trail | null = null;
  /** The units and their context, without what a tree adds later. */
  readonly atFirst: readonly { readonly unit: PreparedUnit; readonly chunks: readonly Chunk[] }[];
  /** The units themselves have been read; what is read from now on is context. */
  private ownRead = false;

  constructor(
    units: readonly SourceUnit[],
    context: readonly SourceUnit[],
    private readonly index: DefinitionIndex | null,
    private readonly configuration: Configuration,
  ) {
    for (const unit of units) {
      const made = this.add(unit);
      this.own.push(made);
      this.ownUnits.add(made);
    }
    this.ownRead = true;
    for (const unit of context) this.add(unit);
    this.atFirst = [...this.prepared.values()];
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

  /**
   * Reads a unit into chunks. Files of a tree, and others of the context whose conditionals ask no other file, are read
   * once for all programs with the same configuration.
   */
  private read(unit: SourceUnit): ReadUnit {
    const shared = this.ownRead;
    const signature = shared ? this.configuration.signature : '';
    const known = shared ? readBefore.get(unit) : undefined;
    if (known?.signature === signature) return known;
    this.preparing++;
    const recorded = this.preparing === 1 && !this.ownRead;
    const asked = new Set<string>();
    const made = prepare(unit, {
      configuration: recorded ? this.configuration : this.configuration.unrecorded,
      outerMacro: name => {
        asked.add(name);
        return this.preparing > 8 ? null : this.outerMacro(name, unit);
      },
    });
    this.preparing--;
    const result = { unit: made, chunks: sliceUnit(made), signature };
    if (shared && (!asked.size || (this.index !== null && unit.side === 'tree')))
      readBefore.set(unit, result);
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
    if (this.index) this.trail?.searched.add(`macro ${name}`);
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

  // Definitions.

  /** The definition that a call in `from` means: of the same file first, never a weak one before a firm one. */
  functionChunk(name: string, from: PreparedUnit): Chunk | null {
    this.trail?.looked.add(name);
    const list = this.functions.get(name);
    const found = list && best(list, from);
    if (found) return found;
    this.ask(name, from, 'function');
    const later = this.functions.get(name);
    return later ? best(later, from) : null;
  }

  /** Those of them that have been read already. */
  knownDeclarations(name: string): readonly Chunk[] {
    return this.declarations.get(name) ?? [];
  }

  /** Declarations at file level that may declare `name`. */
  declarationChunks(name: string, from: PreparedUnit): readonly Chunk[] {
    this.ask(name, from, 'symbol');
    return this.declarations.get(name) ?? [];
  }

  /** Loads units of the index until one of them defines `name`; asked once for each name. */
  private ask(name: string, from: PreparedUnit, kind: 'function' | 'symbol'): void {
    const known = kind === 'function' ? this.functions : this.declarations;
    const question = `${kind} ${name}`;
    if (this.index) this.trail?.searched.add(question);
    if (!this.index || known.has(name) || this.asked.has(question)) return;
    this.asked.add(question);
    for (const unit of this.index.unitsDefining(name, kind, from.unit.path)) {
      this.add(unit);
      if (known.has(name)) return;
    }
  }
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
