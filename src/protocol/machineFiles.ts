/** Machine files of the workspace: the worker checks them, and is told which machines there are. */
import type { MachineProfile } from '../machine/profile';
import type { ScenarioDiagnostic } from '../scenario/model';
import { isCount, isNumber, isOneOf, isText, listOf, mapOf, orNull, shape, type Check } from './check';

/** A file by a key of the host's, and what it gives. */
export interface ReadMachineFile {
  readonly key: string;
  readonly profile: MachineProfile | null;
  readonly diagnostics: readonly ScenarioDiagnostic[];
}

export type MachineFilesHostMessage =
  | {
      readonly type: 'readMachines';
      readonly id: number;
      readonly files: readonly { readonly key: string; readonly text: string }[];
    }
  /** From now on these are the user's machines. No answer. */
  | { readonly type: 'useMachines'; readonly machines: readonly MachineProfile[] };

export interface MachineFilesWorkerMessage {
  readonly type: 'machinesRead';
  readonly id: number;
  readonly files: readonly ReadMachineFile[];
}

const figure = shape({
  value: orNull(isNumber),
  low: orNull(isNumber),
  high: orNull(isNumber),
  unit: isText,
  kind: isText,
  sources: listOf(isText),
  note: isText,
});

/** What makes a machine; texts beside that are only shown. */
const profile = shape({
  id: isText,
  name: isText,
  shortName: isText,
  architecture: isOneOf('x86', 'arm64'),
  topology: shape({ sockets: isCount, coresPerSocket: isCount, threadsPerCore: isCount }),
  clock: shape({ assumedCoreGhz: isNumber }),
  features: listOf(isText),
  lacks: listOf(isText),
  tlb: listOf(shape({ id: isText, level: isText, entries: isCount })),
  figures: mapOf(figure),
});

const diagnostic = shape({
  line: isCount,
  column: isCount,
  offset: isCount,
  length: isCount,
  message: isText,
});

export const machineFilesHostMessages: Readonly<Record<MachineFilesHostMessage['type'], Check>> = {
  readMachines: shape({ id: isCount, files: listOf(shape({ key: isText, text: isText })) }),
  useMachines: shape({ machines: listOf(profile) }),
};

export const machineFilesWorkerMessages: Readonly<Record<MachineFilesWorkerMessage['type'], Check>> = {
  machinesRead: shape({
    id: isCount,
    files: listOf(shape({ key: isText, profile: orNull(profile), diagnostics: listOf(diagnostic) })),
  }),
};
