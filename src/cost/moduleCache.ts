/** Remembers what the readers made of texts, so that after an edit only what changed is read again. */
import type { IrModule } from '../code/ir';
import { TextHash } from '../code/textHash';
import type { SourceUnit } from '../code/source';

const mostModules = 64;

function addUnit(hash: TextHash, unit: SourceUnit): void {
  hash.add(`${unit.path}|${unit.side}|${unit.whole}|${unit.headings.join('|')}`);
  for (const line of unit.lines)
    hash.add(`${line.changed ? '*' : ' '}${line.hunk},${line.fileLine},${line.text}`);
}

/** The module with its units replaced by equal ones that stand elsewhere in the document. */
function moved(module: IrModule, from: readonly SourceUnit[], to: readonly SourceUnit[]): IrModule {
  const by = new Map(from.map((unit, at) => [unit, to[at]!]));
  const at = (unit: SourceUnit): SourceUnit => by.get(unit) ?? unit;
  return {
    ...module,
    functions: module.functions.map(fn => ({ ...fn, unit: at(fn.unit) })),
    findings: module.findings.map(finding => ({ ...finding, unit: at(finding.unit) })),
    unread: module.unread.map(range => ({ ...range, unit: at(range.unit) })),
  };
}

/** Kept by whoever prices the same document again and again. */
export class ModuleCache {
  private readonly modules = new Map<string, { module: IrModule; units: readonly SourceUnit[] }>();

  /** What `read` makes of the units, from memory where texts and marks are the same. Places in the document may differ. */
  async get(
    kind: string,
    units: readonly SourceUnit[],
    context: readonly SourceUnit[],
    read: () => Promise<IrModule> | IrModule,
  ): Promise<IrModule> {
    const hash = new TextHash();
    hash.add(kind);
    for (const unit of units) addUnit(hash, unit);
    hash.add('context');
    for (const unit of context) addUnit(hash, unit);
    const { key } = hash;
    const all = [...units, ...context];
    const known = this.modules.get(key);
    if (known) {
      this.modules.delete(key);
      this.modules.set(key, known);
      return moved(known.module, known.units, all);
    }
    const module = await read();
    this.modules.set(key, { module, units: all });
    if (this.modules.size > mostModules) this.modules.delete(this.modules.keys().next().value!);
    return module;
  }
}
