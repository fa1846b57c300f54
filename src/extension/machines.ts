/** The machine profiles as the texts need them. */
import type { ShownMachine } from './present/machine';
import type { Settings } from './settings';

const stub: ShownMachine = {
  id: 'broadwell-ep-e5-2660v4',
  name: 'Broadwell-EP, 2 x Xeon E5-2660 v4',
  shortName: 'Broadwell-EP',
  features: ['PTI', 'PCID', 'INVPCID'],
  figure: () => null,
  source: id => id,
};

export class Machines {
  constructor(private readonly settings: Settings) {}

  current(): ShownMachine {
    return stub;
  }

  features(): readonly string[] {
    return this.settings.features ?? this.current().features;
  }

  all(): readonly ShownMachine[] {
    return [stub];
  }

  has(id: string): boolean {
    return this.all().some(machine => machine.id === id);
  }
}
