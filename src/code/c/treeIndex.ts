/**
 * Finds, by name, which files of a kernel tree define a macro, a function or another symbol, so that a whole file can be
 * read without following every include. Files are looked at when first needed: those that the using file includes, and,
 * for functions, then every C file of the tree.
 */
import type { Architecture } from '../configuration';
import { architectureOfPath } from '../configuration';
import { includePlaces } from './includePlaces';
import type { SourceUnit } from '../source';
import type { DefinitionIndex, DefinitionKind } from './sources';
import { scanDefinitions } from './scanDefinitions';
import type { FileDefinitions } from './scanDefinitions';

/** Names → paths, for a set of files. */
type Table = Map<string, string[]>;

interface Tables {
  readonly macro: Table;
  readonly function: Table;
  readonly symbol: Table;
}

/** At most so many files are offered for one name. */
const candidates = 6;

/**
 * An index of `files` (path in the tree → text). The texts are kept; nothing is read before a name is asked for.
 */
export function indexTree(files: ReadonlyMap<string, string>, architecture: Architecture): TreeIndex {
  return new TreeIndex(files, architecture);
}

export class TreeIndex implements DefinitionIndex {
  private readonly scanned = new Map<string, FileDefinitions>();
  private readonly units = new Map<string, SourceUnit>();
  private readonly included = new Map<string, Tables>();
  private everyCFile: Tables | null = null;
  private bySuffix: Map<string, string[]> | null = null;

  constructor(
    private readonly files: ReadonlyMap<string, string>,
    private readonly architecture: Architecture,
  ) {}

  /** The file at `path` as a unit, or null. */
  unit(path: string): SourceUnit | null {
    const known = this.units.get(path);
    if (known) return known;
    const text = this.files.get(path);
    if (text === undefined) return null;
    const lines = text.split('\n').map((line, index) => ({
      text: line.endsWith('\r') ? line.slice(0, -1) : line,
      fileLine: index + 1,
      documentLine: 0,
      changed: false,
      hunk: -1,
    }));
    if (lines.at(-1)?.text === '') lines.pop();
    const unit: SourceUnit = { path, side: 'tree', lines, whole: true, headings: [] };
    this.units.set(path, unit);
    return unit;
  }

  unitsDefining(name: string, kind: DefinitionKind, from: string): readonly SourceUnit[] {
    const near = this.tablesFor(from)[kind].get(name) ?? [];
    // A prototype in a header does not hide the definition in a C file. A type or a variable must be declared by what
    // the file includes: one of the same name elsewhere is another one.
    const more = kind === 'function' ? (this.cTables().function.get(name) ?? []) : [];
    const paths = [...new Set([...near, ...more])].slice(0, candidates);
    return paths.flatMap(path => this.unit(path) ?? []);
  }

  private scan(path: string): FileDefinitions {
    let found = this.scanned.get(path);
    if (!found) this.scanned.set(path, (found = scanDefinitions(this.files.get(path) ?? '')));
    return found;
  }

  /** Tables of the files that `path` includes, directly or not, nearest first. */
  private tablesFor(path: string): Tables {
    const known = this.included.get(path);
    if (known) return known;
    const tables = this.tablesOf(this.closure(path));
    this.included.set(path, tables);
    return tables;
  }

  private cTables(): Tables {
    if (this.everyCFile) return this.everyCFile;
    const own = [...this.files.keys()].filter(path => {
      const of = architectureOfPath(path);
      return path.endsWith('.c') && (of === null || of === this.architecture);
    });
    return (this.everyCFile = this.tablesOf(own));
  }

  private tablesOf(paths: readonly string[]): Tables {
    const tables: Tables = { macro: new Map(), function: new Map(), symbol: new Map() };
    for (const path of paths) {
      const found = this.scan(path);
      add(tables.macro, found.macros, path);
      add(tables.function, found.functions, path);
      add(tables.symbol, found.symbols, path);
    }
    return tables;
  }

  private closure(path: string): string[] {
    const seen = new Set<string>([path]);
    const order = [path];
    for (let at = 0; at < order.length; at++) {
      const here = order[at]!;
      for (const include of this.scan(here).includes) {
        const target = this.resolve(include, here);
        if (target !== null && !seen.has(target)) {
          seen.add(target);
          order.push(target);
        }
      }
    }
    return order;
  }

  /** Path of an included file, or null where the tree does not hold it. */
  private resolve(include: string, from: string): string | null {
    const places = includePlaces(include, from, this.architecture);
    const found = places.find(place => this.files.has(place));
    if (found !== undefined || include.startsWith('../')) return found ?? null;
    // Trees that are rooted elsewhere.
    this.bySuffix ??= suffixes(this.files);
    return this.bySuffix.get(include)?.[0] ?? null;
  }
}

/** Last two parts of each path → paths, for trees whose root is not the kernel's. */
function suffixes(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const table = new Map<string, string[]>();
  for (const path of files.keys()) {
    if (/^(?:arch|include|kernel|mm|lib|drivers|fs|net|xen)\//.test(path)) continue;
    const suffix = path.split('/').slice(-2).join('/');
    add(table, [suffix], path);
  }
  return table;
}

function add(table: Table, names: Iterable<string>, path: string): void {
  for (const name of names) {
    const list = table.get(name);
    if (list) list.push(path);
    else table.set(name, [path]);
  }
}
