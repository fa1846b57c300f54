/**
 * Machine files (`*.tlbscope-machine.json` or `.jsonc`): a profile of the user's own, or a bundled one with other figures.
 * What is wrong is a diagnostic at its place. Wrong figures leave a profile, in which they are unknown; anything else does
 * not.
 */
import type { MachineProfile } from '../../machine/profile';
import { machineProfiles } from '../../machine/registry';
import { Findings, readTree, shown, textOf, type Node } from '../json';
import type { ScenarioDiagnostic } from '../model';
import { readFigures } from './figures';
import { clockOf, featuresOf, hardwareOf, partsOf, tlbOf, topologyOf } from './parts';

export interface CheckedMachine {
  /** null where the file says too little to be a machine. */
  readonly profile: MachineProfile | null;
  readonly diagnostics: readonly ScenarioDiagnostic[];
}

const members = [
  ...[
    '$schema',
    'extends',
    'id',
    'name',
    'shortName',
    'vendor',
    'architecture',
    'microarchitecture',
    'about',
  ],
  ...['topology', 'clock', 'features', 'lacks', 'hardware', 'tlb', 'figures'],
];
const idPattern = /^[a-z0-9][a-z0-9.-]{0,63}$/;
const needed = ['architecture', 'topology', 'clock', 'features', 'tlb', 'figures'];

class MachineFile {
  private readonly at: (name: string) => Node | null;

  constructor(
    private readonly root: Node,
    private readonly findings: Findings,
  ) {
    const found = partsOf(root, 'a machine', members, findings);
    this.at = name => found.get(name)?.value ?? null;
  }

  read(): MachineProfile | null {
    const { findings } = this;
    const base = this.base();
    const id = this.id();
    if (base === undefined || id === null) return null;
    if (!base)
      for (const name of needed)
        if (!this.at(name))
          findings.at(
            this.root,
            `'${name}' is missing; only a machine that extends another can leave it out`,
          );
    const sources = [`the machine file of ${id}`];
    const part = <T>(name: string, make: (node: Node) => T | null, otherwise: T | undefined): T | null => {
      const node = this.at(name);
      return node ? make(node) : (otherwise ?? null);
    };
    const architecture = part('architecture', node => this.architecture(node, base), base?.architecture);
    const topology = part('topology', node => topologyOf(node, sources, findings), base?.topology);
    const clock = part('clock', node => clockOf(node, sources, findings), base?.clock);
    const features = part('features', node => featuresOf(node, "'features'", findings), base?.features);
    const lacks = part('lacks', node => featuresOf(node, "'lacks'", findings), base?.lacks ?? []);
    const tlb = part('tlb', node => tlbOf(node, sources, findings), base?.tlb);
    const plain = base?.hardware ?? { meltdownAffected: false, smt: false, asidBits: null, invlpgbMaxPages: null, sources, note: '' }; // prettier-ignore
    const hardware = part('hardware', node => hardwareOf(node, plain, sources, findings), plain);
    const both = features?.find(name => lacks?.includes(name));
    if (both !== undefined)
      findings.at(this.at('lacks') ?? this.at('features') ?? this.root, `${both} is a feature that is on, and one that the machine lacks`); // prettier-ignore
    const figures = readFigures(this.at('figures'), base?.figures ?? {}, findings);
    if (!architecture || !topology || !clock || !features || !lacks || !tlb?.length || !hardware) return null;
    const name = this.text('name', 200) ?? (base ? `${id}, after ${base.name}` : id);
    return {
      ...{ id, name, shortName: this.text('shortName', 40) ?? id, identification: null, architecture },
      vendor: this.text('vendor', 40) ?? base?.vendor ?? '',
      microarchitecture: this.text('microarchitecture', 80) ?? base?.microarchitecture ?? '',
      about: this.text('about', 1000) ?? (base ? `As ${base.name}, with figures of its own.` : ''),
      ...{ topology, clock, features, lacks, hardware, tlb, figures },
      pageWalkers: base?.pageWalkers ?? null,
      pageWalkCache: base?.pageWalkCache ?? 'Not known.',
    };
  }

  /** null: none is named; undefined: one is that there is not. */
  private base(): MachineProfile | null | undefined {
    const node = this.at('extends');
    if (!node) return null;
    const text = textOf(node, "'extends'", 64, this.findings);
    const found = machineProfiles.find(({ id }) => id === text);
    if (!found && text !== null)
      this.findings.at(node, `no machine '${shown(text)}'; there are ${machineProfiles.map(({ id }) => id).join(', ')}`); // prettier-ignore
    return found;
  }

  private id(): string | null {
    const node = this.at('id');
    if (!node) {
      this.findings.at(this.root, "'id' is missing");
      return null;
    }
    const text = textOf(node, "'id'", 64, this.findings);
    if (text === null) return null;
    if (!idPattern.test(text))
      this.findings.at(node, `'id' is made of a-z, 0-9, '-' and '.', not '${shown(text)}'`);
    else if (machineProfiles.some(({ id }) => id === text))
      this.findings.at(node, `'${text}' is a machine that comes with TLBScope; extend it under another id`);
    else return text;
    return null;
  }

  private architecture(node: Node, base: MachineProfile | null): 'x86' | 'arm64' | null {
    const value: unknown = node.value;
    if (value !== 'x86' && value !== 'arm64') this.findings.at(node, "'architecture' is one of x86, arm64");
    else if (base && base.architecture !== value)
      this.findings.at(node, `${base.id} is ${base.architecture}: a machine of ${value} cannot extend it`);
    else return value;
    return null;
  }

  private text(name: string, most: number): string | null {
    const node = this.at(name);
    return node ? textOf(node, `'${name}'`, most, this.findings) : null;
  }
}

/** Reads and checks a machine file. Never throws, whatever the text. */
export function checkMachineFile(text: string): CheckedMachine {
  const findings = new Findings(text);
  const root = readTree(text, findings, 'a machine file');
  const profile = root && new MachineFile(root, findings).read();
  return { profile, diagnostics: findings.list };
}
