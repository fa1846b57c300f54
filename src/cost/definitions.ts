/** Function definitions at hand, layer on layer: the patch's own side, the series before it, what later patches show. */
import type { CatalogueMatch, LookupHints } from '../code/catalogue/entry';
import { lookup } from '../code/catalogue/lookup';
import type { IrFunction, IrModule } from '../code/ir';
import type { SourceUnit } from '../code/source';
import type { Definition, Program } from './program';

/** True if a line of the function's own text is changed. */
function isTouched(fn: IrFunction): boolean {
  for (let line = fn.firstLine; line <= fn.lastLine; line++) if (fn.unit.lines[line]?.changed) return true;
  return false;
}

const stubLength = 3;

/** `static inline int f(void) { return 0; }`, as headers have it for a configuration without the feature. */
const isStub = (fn: IrFunction): boolean =>
  fn.code.length <= stubLength &&
  fn.code.every(({ op }) => op === 'const' || op === 'return' || op === 'move');

/** True if a line of its body is changed, not only its head (a new name, another parameter). */
function isBodyTouched(fn: IrFunction): boolean {
  let body = fn.firstLine;
  while (body <= fn.lastLine && !fn.unit.lines[body]?.text.includes('{')) body++;
  if (fn.language === 'asm' || body > fn.lastLine) return isTouched(fn);
  // A body that begins on the line of the head cannot be told from it.
  const from = fn.unit.lines[body]!.text.trim() === '{' ? body + 1 : body;
  for (let line = from; line <= fn.lastLine; line++) if (fn.unit.lines[line]?.changed) return true;
  return false;
}

/** Functions made of C macros: a function of the same name is preferred, whatever file it stands in. */
export interface MacroModule extends IrModule {
  readonly fromMacros: true;
}

/** What some units define. */
export class Layer {
  readonly functions = new Map<string, IrFunction[]>();
  readonly touched = new Set<IrFunction>();
  readonly isTree: boolean;
  private readonly tables = new Map<string, string[]>();
  private readonly macros = new Set<IrFunction>();

  /** `units`: whose functions count; null for those of a tree that were reached. */
  constructor(modules: readonly (IrModule | MacroModule)[], units: readonly SourceUnit[] | null) {
    this.isTree = units === null;
    const own = units && new Set(units.map(unit => unit.path));
    for (const module of modules)
      for (const fn of module.functions) {
        if (own ? fn.unit.side === 'tree' || !own.has(fn.unit.path) : fn.unit.side !== 'tree') continue;
        const known = this.functions.get(fn.name);
        if (known) known.push(fn);
        else this.functions.set(fn.name, [fn]);
        if (isBodyTouched(fn)) this.touched.add(fn);
        if ('fromMacros' in module) this.macros.add(fn);
      }
    for (const unit of units ?? []) this.readTables(unit);
  }

  /** A function that only gains lines, or only loses some, is touched on both sides. */
  touchWith(other: Layer): void {
    const names = new Set([...other.touched].map(fn => `${fn.unit.path}:${fn.name}`));
    for (const all of this.functions.values())
      for (const fn of all) if (names.has(`${fn.unit.path}:${fn.name}`)) this.touched.add(fn);
  }

  /** `.member = function` in initialisers, `ops.member = function` in code. */
  private readTables(unit: SourceUnit): void {
    for (const { text } of unit.lines) {
      if (!text.includes('=') || !text.includes('.')) continue;
      const match = /\.(\w+)\s*=\s*&?([A-Za-z_]\w*)\s*[,;}]?\s*$/.exec(text.slice(0, 300));
      if (!match) continue;
      const known = this.tables.get(match[1]!);
      if (known) known.push(match[2]!);
      else this.tables.set(match[1]!, [match[2]!]);
    }
  }

  installed(member: string): readonly string[] {
    return this.tables.get(member) ?? [];
  }

  /** The definition to follow for a call from `from`: of the same file, then a changed one, then the first. */
  find(name: string, from: SourceUnit | null): IrFunction | null {
    const all = this.functions.get(name);
    if (!all) return null;
    if (all.length === 1) return all[0]!;
    const readable = all.filter(fn => fn.unreadable === null);
    // An empty stub stands for a kernel without the feature; a macro for one without the function.
    const best = [
      readable.filter(fn => !this.macros.has(fn) && !isStub(fn)),
      readable.filter(fn => !this.macros.has(fn)),
    ];
    const candidates = [...best, readable, all].find(list => list.length > 0) ?? all;
    return (
      candidates.find(fn => fn.unit === from) ??
      candidates.find(fn => fn.unit.path === from?.path) ??
      candidates.find(fn => this.touched.has(fn)) ??
      candidates[0]!
    );
  }
}

/** Where names are looked up, whatever file they stand in. */
export type PlaceHints = Omit<LookupHints, 'path'>;

/** Layers in order of preference; the first `own` of them are the patch's own. */
export class LayeredProgram implements Program {
  private readonly matches = new Map<string, CatalogueMatch | null>();

  constructor(
    private readonly layers: readonly Layer[],
    private readonly own: number,
    private readonly hints: PlaceHints,
  ) {}

  find(name: string, from: SourceUnit | null): Definition | null {
    for (const [at, layer] of this.layers.entries()) {
      const fn = layer.find(name, from);
      if (fn) return { fn, touched: at < this.own && layer.touched.has(fn) };
    }
    return null;
  }

  /** Names that patches define; the tree, which is the last layer where there is one, does not count. */
  visibleNames(): Set<string> {
    const found = new Set<string>();
    for (const layer of this.layers)
      if (!layer.isTree) for (const name of layer.functions.keys()) found.add(name);
    return found;
  }

  installed(member: string): readonly string[] {
    const first = this.layers.find(layer => layer.installed(member).length > 0);
    return first?.installed(member) ?? [];
  }

  lookup(name: string, path: string): CatalogueMatch | null {
    const key = `${path}:${name}`;
    const known = this.matches.get(key);
    if (known !== undefined) return known;
    const match = lookup(name, { ...this.hints, path });
    this.matches.set(key, match);
    return match;
  }
}
