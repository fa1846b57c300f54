/** Figures of a machine file. One that makes no sense stays, marked: what it prices is then unknown, and says why. */
import type { FigureKind, PublishedFigure } from '../../machine/profile';
import { figureTitles } from '../../machine/registry';
import { kindOf, membersOf, shown, textOf, type Findings, type Node } from '../json';

const units = ['cycles', 'ns', 'us'] as const;
const kinds: readonly FigureKind[] = ['measured', 'vendor', 'derived', 'estimated'];
const members = ['value', 'low', 'high', 'unit', 'kind', 'source', 'note', 'clock'];
/** No operation takes longer: 10 seconds of nanoseconds. */
const most = 1e10;
const mostText = 1000;

const numberAt = (node: Node | undefined): number | null => {
  const value: unknown = node?.value;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};

/** A figure that cannot be used. */
const broken = (wrong: string): PublishedFigure => ({
  ...{ value: null, low: null, high: null, unit: 'cycles', kind: 'estimated', sources: [], holdout: false },
  ...{ read: null, clock: null, note: '', wrong },
});

function readFigure(node: Node, id: string, findings: Findings): PublishedFigure {
  const wrong = (at: Node, message: string): PublishedFigure => {
    findings.at(at, `${id}: ${message}`);
    return broken(`line ${findings.lineOf(at.offset)}: ${message}`);
  };
  if (node.type !== 'object') return wrong(node, `a figure is an object or null, not ${kindOf(node)}`);
  const of = membersOf(node, findings);
  for (const [name, { name: at }] of of)
    if (!members.includes(name))
      findings.at(at, `a figure has no '${shown(name)}'; it has ${members.join(', ')}`);
  const node_ = (name: string): Node | undefined => of.get(name)?.value;
  const missing = ['value', 'unit', 'kind', 'source'].find(name => !of.has(name));
  if (missing) return wrong(node, `'${missing}' is missing`);
  const value = numberAt(node_('value'));
  const low = of.has('low') ? numberAt(node_('low')) : value;
  const high = of.has('high') ? numberAt(node_('high')) : value;
  for (const [name, number] of Object.entries({ value, low, high })) {
    if (number === null) return wrong(node_(name) ?? node, `'${name}' is a number`);
    if (number <= 0 || number > most) return wrong(node_(name) ?? node, `'${name}' is above 0 and at most 1e10, not ${number}`); // prettier-ignore
  }
  const unit = units.find(one => one === node_('unit')!.value);
  if (!unit) return wrong(node_('unit')!, `'unit' is one of ${units.join(', ')}`);
  const kind = kinds.find(one => one === node_('kind')!.value);
  if (!kind) return wrong(node_('kind')!, `'kind' is one of ${kinds.join(', ')}`);
  if (low! > value! || value! > high!)
    return wrong(
      node_('low') ?? node_('high') ?? node,
      `the value ${value} is not between low ${low} and high ${high}`,
    );
  if (kind === 'estimated' && low === high)
    return wrong(node_('kind')!, "an estimate has a range: 'low' and 'high' differ");
  const source = textOf(node_('source')!, `'source' of ${id}`, mostText, findings);
  if (source === null) return broken(`line ${findings.lineOf(node.offset)}: its source is no text`);
  const text = (name: string): string | null => {
    const at = node_(name);
    return at ? textOf(at, `'${name}' of ${id}`, mostText, findings) : null;
  };
  return {
    ...{ value, low, high, unit, kind, sources: [source], holdout: false, read: true },
    ...{ clock: text('clock'), note: text('note') ?? '' },
  };
}

/** The figures of a file over those of the machine that it extends; null takes one away. */
export function readFigures(
  node: Node | null,
  base: Readonly<Record<string, PublishedFigure>>,
  findings: Findings,
): Record<string, PublishedFigure> {
  const figures = new Map(Object.entries(base));
  if (node && node.type !== 'object') findings.at(node, `'figures' is an object, not ${kindOf(node)}`);
  else if (node)
    for (const [id, { name, value }] of membersOf(node, findings)) {
      if (!Object.hasOwn(figureTitles, id))
        findings.at(name, `there is no figure '${shown(id)}'; the schema of this file lists them all`);
      else if (value.type === 'null') figures.delete(id);
      else figures.set(id, readFigure(value, id, findings));
    }
  return Object.fromEntries(figures);
}
