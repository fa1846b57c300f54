/** Members of a machine file other than its figures. */
import type { MachineProfile, TlbStructure } from '../../machine/profile';
import {
  flagOf,
  integerOf,
  itemsOf,
  kindOf,
  membersOf,
  shown,
  textOf,
  type Findings,
  type Node,
} from '../json';

const featureName = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Members of an object that is one; others are refused. */
export function partsOf(
  node: Node,
  what: string,
  known: readonly string[],
  findings: Findings,
): Map<string, { name: Node; value: Node }> {
  if (node.type !== 'object') {
    findings.at(node, `${what} is an object, not ${kindOf(node)}`);
    return new Map();
  }
  const members = membersOf(node, findings);
  for (const [key, { name }] of members)
    if (!known.includes(key)) findings.at(name, `${what} has no '${shown(key)}'; it has ${known.join(', ')}`);
  return members;
}

/** Names of features; others are refused. */
export function featuresOf(node: Node, what: string, findings: Findings): string[] {
  return itemsOf(node, what, 0, 64, findings).flatMap(item => {
    const text = textOf(item, 'a feature', 64, findings);
    if (text === null) return [];
    if (featureName.test(text)) return [text];
    findings.at(item, `a feature is named such as PTI or INVPCID, not '${shown(text)}'`);
    return [];
  });
}

export function topologyOf(
  node: Node,
  sources: readonly string[],
  findings: Findings,
): MachineProfile['topology'] | null {
  const known = ['sockets', 'coresPerSocket', 'threadsPerCore'];
  const members = partsOf(node, "'topology'", known, findings);
  const [sockets, cores, threads] = known.map((name, at) => {
    const value = members.get(name)?.value;
    if (value) return integerOf(value, `'${name}'`, 1, [64, 1024, 8][at]!, findings);
    findings.at(node, `'topology' lacks '${name}'`);
    return null;
  });
  if (sockets == null || cores == null || threads == null) return null; // eslint-disable-line eqeqeq
  return { sockets, coresPerSocket: cores, threadsPerCore: threads, sources, note: '' };
}

export function clockOf(
  node: Node,
  sources: readonly string[],
  findings: Findings,
): MachineProfile['clock'] | null {
  const known = ['assumedCoreGhz', 'tscGhz', 'baseGhz', 'observedGhz'];
  const members = partsOf(node, "'clock'", known, findings);
  const [assumedCoreGhz = null, tscGhz = null, baseGhz = null, observedGhz = null] = known.map(name => {
    const at = members.get(name)?.value;
    const value: unknown = at?.value;
    if (!at) return null;
    if (typeof value === 'number' && value >= 0.1 && value <= 20) return value;
    findings.at(at, `'${name}' is in GHz, from 0.1 to 20`);
    return null;
  });
  if (assumedCoreGhz !== null) return { assumedCoreGhz, tscGhz, baseGhz, observedGhz, sources, note: '' };
  if (!members.has('assumedCoreGhz')) findings.at(node, "'clock' lacks 'assumedCoreGhz'");
  return null;
}

export function hardwareOf(
  node: Node,
  base: MachineProfile['hardware'],
  sources: readonly string[],
  findings: Findings,
): MachineProfile['hardware'] {
  const known = ['meltdownAffected', 'smt', 'asidBits', 'invlpgbMaxPages'];
  const members = partsOf(node, "'hardware'", known, findings);
  const at = (name: string): Node | null => members.get(name)?.value ?? null;
  const count = (name: 'asidBits' | 'invlpgbMaxPages', most: number): number | null => {
    const value = at(name);
    if (!value) return base[name];
    return value.type === 'null' ? null : integerOf(value, `'${name}'`, 1, most, findings);
  };
  const flag = (name: 'meltdownAffected' | 'smt'): boolean => {
    const value = at(name);
    return value ? flagOf(value, `'${name}'`, findings) : base[name];
  };
  return {
    ...{ meltdownAffected: flag('meltdownAffected'), smt: flag('smt') },
    ...{
      asidBits: count('asidBits', 16),
      invlpgbMaxPages: count('invlpgbMaxPages', 4096),
      sources,
      note: '',
    },
  };
}

const levels = ['L1', 'L2'] as const;
const holds = ['data', 'code', 'store', 'both'] as const;
const sizes = ['4K', '2M', '1G'] as const;

function structureOf(node: Node, sources: readonly string[], findings: Findings): TlbStructure | null {
  const members = partsOf(node, 'a TLB', ['id', 'level', 'holds', 'pageSizes', 'entries', 'ways', 'sharedWith'], findings); // prettier-ignore
  const at = (name: string): Node | null => {
    const value = members.get(name)?.value ?? null;
    if (!value && name !== 'sharedWith') findings.at(node, `a TLB lacks '${name}'`);
    return value;
  };
  const oneOf = <T extends string>(name: string, known: readonly T[]): T | null => {
    const value = at(name);
    const found = known.find(one => one === value?.value) ?? null;
    if (value && !found) findings.at(value, `'${name}' is one of ${known.join(', ')}`);
    return found;
  };
  const [idNode, sizesNode, entriesNode, waysNode, shared] = ['id', 'pageSizes', 'entries', 'ways', 'sharedWith'].map(at); // prettier-ignore
  const id = idNode ? textOf(idNode, "'id' of a TLB", 40, findings) : null;
  const [level, held] = [oneOf('level', levels), oneOf('holds', holds)];
  const pageSizes = sizesNode
    ? itemsOf(sizesNode, "'pageSizes'", 1, 3, findings).flatMap(item => {
        const size = sizes.find(one => one === item.value);
        if (!size) findings.at(item, `a page size is one of ${sizes.join(', ')}`);
        return size ?? [];
      })
    : [];
  const entries = entriesNode ? integerOf(entriesNode, "'entries'", 0, 65_536, findings) : null;
  const ways = !waysNode || waysNode.type === 'null' ? null : waysNode.value === 'full' ? 'full' : integerOf(waysNode, "'ways', if not 'full',", 1, 65_536, findings); // prettier-ignore
  if (entries !== null && typeof ways === 'number' && entries % ways !== 0)
    findings.at(waysNode!, `${entries} entries cannot be shared out among ${ways} ways`);
  if (id === null || !level || !held || entries === null || !pageSizes.length) return null;
  const sharedWith = shared ? textOf(shared, "'sharedWith'", 40, findings) : null;
  return {
    ...{ id, level, holds: held, pageSizes, entries, ways, kind: 'vendor', sources, note: '' },
    ...(sharedWith === null ? {} : { sharedWith }),
  };
}

export function tlbOf(node: Node, sources: readonly string[], findings: Findings): TlbStructure[] {
  const found = itemsOf(node, "'tlb'", 1, 16, findings).flatMap(
    item => structureOf(item, sources, findings) ?? [],
  );
  for (const { sharedWith } of found)
    if (sharedWith !== undefined && !found.some(({ id }) => id === sharedWith))
      findings.at(node, `there is no TLB '${shown(sharedWith)}' to share with`);
  return found;
}
