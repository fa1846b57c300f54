/** The machine, the features and the values of symbols that a request names, as the rooms below take them. */
import type { MachineProfile } from '../machine/profile';
import { defaultMachine, findMachine } from '../machine/registry';
import type { AnalysisOptions } from '../protocol/workerMessages';

export interface Setting {
  readonly machine: MachineProfile;
  readonly features: ReadonlySet<string>;
  /** `CONFIG_X=n`, `key=y`. */
  readonly switched: ReadonlyMap<string, boolean>;
  /** The part of `switched` that is configuration. */
  readonly config: ReadonlyMap<string, boolean>;
  readonly values: { readonly n: number; readonly c: number };
  /** Address of the kernel tree in the workspace, or null. */
  readonly tree: string | null;
}

/** Entries that are no names of features are left out: a settings file may hold anything. */
export function settingOf({ machine: id, features: listed, n, c, tree = null }: AnalysisOptions): Setting {
  const machine = findMachine(id) ?? defaultMachine();
  const named = new Set<string>();
  const switched = new Map<string, boolean>();
  for (const entry of listed ?? []) {
    const [, name, value] = /^([A-Za-z_][\w.-]*)(?:=(y|n))?$/.exec(entry.trim()) ?? [];
    if (!name) continue;
    const short = name.replace(/^X86_FEATURE_/, '');
    if (value) switched.set(short, value === 'y');
    else if (short.startsWith('CONFIG_')) switched.set(short, true);
    else named.add(short);
  }
  return {
    machine,
    features: listed === null ? new Set(machine.features) : named,
    switched,
    config: new Map([...switched].filter(([name]) => name.startsWith('CONFIG_'))),
    values: { n, c },
    tree,
  };
}
