/** The machines that are known, and the sources of their figures. A new machine is a new file and one line here. */
import broadwellEp from './profiles/broadwell-ep-e5-2660v4.json';
import cortexA72 from './profiles/cortex-a72.json';
import haswell from './profiles/haswell.json';
import iceLakeSp from './profiles/ice-lake-sp.json';
import ivyBridge from './profiles/ivy-bridge-i5-3550.json';
import neoverseN1 from './profiles/neoverse-n1.json';
import sapphireRapids from './profiles/sapphire-rapids.json';
import pvmGuest from './profiles/pvm-guest.json';
import skylakeClient from './profiles/skylake-client.json';
import skylakeSp from './profiles/skylake-sp-8160.json';
import zen2 from './profiles/zen2.json';
import zen3 from './profiles/zen3.json';
import zen4 from './profiles/zen4.json';
import zen5 from './profiles/zen5.json';
import constantsData from './constants.json';
import figureTitlesData from './figureTitles.json';
import sourcesData from './sources.json';
import type { FigureKind, MachineProfile, Source } from './profile';

/** The machine that is used when none is named. */
export const defaultMachineId = 'broadwell-ep-e5-2660v4';

/** Every bundled machine, the default first, then by vendor and age, then guests and arm64. */
export const machineProfiles = [
  broadwellEp,
  ivyBridge,
  haswell,
  skylakeClient,
  skylakeSp,
  iceLakeSp,
  sapphireRapids,
  zen2,
  zen3,
  zen4,
  zen5,
  pvmGuest,
  cortexA72,
  neoverseN1,
] as unknown as readonly MachineProfile[];

let userMachines: readonly MachineProfile[] = [];

/** Machines of files of the user's, beside the bundled ones; those of an earlier call go. */
export function setUserMachines(profiles: readonly MachineProfile[]): void {
  userMachines = profiles.filter(({ id }) => !machineProfiles.some(bundled => bundled.id === id));
}

/** The bundled machines, then the user's. */
export const allMachines = (): readonly MachineProfile[] => [...machineProfiles, ...userMachines];

/** The machine with that id, or null. */
export function findMachine(id: string): MachineProfile | null {
  return allMachines().find(profile => profile.id === id) ?? null;
}

/** The default machine. */
export function defaultMachine(): MachineProfile {
  return machineProfiles[0]!;
}

/** Sources of figures by id. */
export const sources: Readonly<Record<string, Source>> = sourcesData;

/** One line about a source, for hovers and tables; the id itself where it is not known. */
export function sourceLine(id: string): string {
  const source = sources[id];
  if (!source) return id;
  const recalled = source.read ? '' : ' (quoted from memory)';
  return `${source.who}: ${source.title}, ${source.date}. ${source.reference}${recalled}`;
}

/** Titles of the published figures by id. */
export const figureTitles: Readonly<Record<string, string>> = figureTitlesData;

/** A constant of the kernel side, with its source. */
export interface KernelConstant {
  readonly value: number;
  readonly unit: string;
  readonly kind: FigureKind;
  readonly sources: readonly string[];
  readonly note: string;
}

/** Constants of the kernel that decide how many operations there are, the full-flush ceiling first. */
export const kernelConstants = constantsData as Readonly<Record<keyof typeof constantsData, KernelConstant>>;
