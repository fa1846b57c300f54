/** The machine profiles as the texts need them, and the one that is chosen. */
import { figureOf } from '../machine/price';
import type { Figure, MachineProfile } from '../machine/profile';
import { allMachines, defaultMachine, findMachine, sourceLine } from '../machine/registry';
import type { ShownMachine } from './present/machine';
import type { Settings } from './settings';

/** Figures are made of the published ones once for each operation. */
function shown(profile: MachineProfile): ShownMachine {
  const figures = new Map<string, Figure>();
  return {
    id: profile.id,
    name: profile.name,
    shortName: profile.shortName,
    features: profile.features,
    figure(operation) {
      const known = figures.get(operation);
      if (known) return known;
      const figure = figureOf(profile, operation);
      figures.set(operation, figure);
      return figure;
    },
    source: sourceLine,
  };
}

export class Machines {
  private machine: ShownMachine | undefined;

  constructor(private readonly settings: Settings) {}

  /** The one that the setting names; the default one if it names none that is known. */
  current(): ShownMachine {
    const profile = findMachine(this.settings.machine) ?? defaultMachine();
    if (this.machine?.id !== profile.id) this.machine = shown(profile);
    return this.machine;
  }

  /** Every machine that can be chosen, the default first. */
  all(): readonly { readonly id: string; readonly name: string }[] {
    return allMachines();
  }

  /** Machines of the user's have been read anew. */
  changed(): void {
    this.machine = undefined;
  }

  has(id: string): boolean {
    return findMachine(id) !== null;
  }
}
