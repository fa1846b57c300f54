/** Programs for the VM's tests: C and assembly text, lowered by the real front ends. */
import assert from 'node:assert/strict';
import type { IrModule } from '../../../src/code/ir';
import { lowerAsm } from '../../../src/code/asm/lower';
import { lowerC } from '../../../src/code/lowerC';
import { createHardware, hardwareBytes } from '../../../src/machine/hardware/create';
import type { Bus, HardwareOptions } from '../../../src/machine/hardwareOptions';
import { defaultMachineId, findMachine } from '../../../src/machine/registry';
import type { LinkOptions } from '../../../src/vm/link';
import { link } from '../../../src/vm/link';
import {
  callHandler,
  callVector,
  preludePath,
  preludePrimitives,
  preludeText,
} from '../../../src/vm/prelude';
import { isPrimitiveName } from '../../../src/vm/primitives';
import type { VmOptions } from '../../../src/vm/vm';
import { Vm } from '../../../src/vm/vm';
import { fileUnit } from '../code/c/support';
import { plainMachine, plainMachineBytes } from './plainMachine';

export const lowered = (text: string, path = 'kernel/tq.c'): IrModule =>
  lowerC([fileUnit(path, text)], { architecture: 'x86', config: new Map() });

export const assembled = (text: string, path = 'arch/x86/entry/tq.S'): IrModule =>
  lowerAsm([fileUnit(path, text)], { architecture: 'x86', config: new Map() });

let preludeModule: IrModule | null = null;
/** The prelude, lowered once. */
export const prelude = (): IrModule => (preludeModule ??= lowered(preludeText, preludePath));

export const callHandlers: ReadonlyMap<number, string> = new Map([[callVector, callHandler]]);

export interface Setup extends Partial<Omit<VmOptions, 'program' | 'machine' | 'machineBytes'>> {
  readonly cpus?: number;
  readonly link?: Partial<LinkOptions>;
  /** Real hardware with these options, instead of the plain machine. */
  readonly hardware?: HardwareOptions;
  /** Its profile. */
  readonly profile?: string;
}

/** Hardware of the default machine around a VM; it has no page tables. */
function hardwareFor(
  cpus: number,
  options: HardwareOptions,
  id = defaultMachineId,
): Pick<VmOptions, 'machine' | 'machineBytes'> {
  const profile = findMachine(id)!;
  const all = { ...options, cpus };
  return {
    machineBytes: hardwareBytes(profile, all),
    machine: (buffer, byteOffset, memory) => {
      const bus: Bus = { lo: 0, hi: 0, readEntry: () => false, writeEntry: () => undefined, ...memory };
      return createHardware(profile, bus, { ...all, buffer, byteOffset });
    },
  };
}

export function machineFor(modules: readonly IrModule[], setup: Setup = {}): Vm {
  const cpus = setup.cpus ?? 1;
  const program = link({
    modules,
    cpus,
    primitives: { has: name => isPrimitiveName(name) || preludePrimitives.has(name) },
    ...setup.link,
  });
  return new Vm({
    tasks: [],
    features: new Set(),
    ...setup,
    program,
    ...(setup.hardware
      ? hardwareFor(cpus, setup.hardware, setup.profile)
      : {
          machine: (buffer: ArrayBuffer, at: number) => plainMachine(cpus, buffer, at),
          machineBytes: plainMachineBytes(cpus),
        }),
  });
}

/** Runs one call to its end and gives what it returned. */
export function resultOf(vm: Vm, steps = 10_000_000): bigint {
  vm.run(steps);
  const { verdict, name, why, position } = vm.ending;
  assert.equal(verdict, 'finished', `${name}: ${why} (${position.function}:${position.line})`);
  return vm.result(0);
}

/** The result of calling `name` of a C text on one CPU. */
export function call(text: string, name: string, args: readonly bigint[] = [], setup: Setup = {}): bigint {
  return resultOf(machineFor([lowered(text)], { tasks: [[{ function: name, args }]], ...setup }));
}

/** Names of the operations that CPUs ran, in order. */
export function operations(vm: Vm, cpu?: number): string[] {
  const { trace, core } = vm;
  const out: string[] = [];
  for (let seq = 0; seq < trace!.recorded; seq++) {
    const event = trace!.event(seq);
    if (event.kind === 'operation' && (cpu === undefined || event.cpu === cpu))
      out.push(core.program.operations[event.code]!);
  }
  return out;
}
