/** Operations of the code (INVLPG, writes of CR3, fences, …) on the hardware. One entry per name of the IR. */
import { waiting as notYet } from '../machine/hardware';
import type { Core } from './core';
import { Detail, Outcome, Stop, Verdict } from './outcomes';
import { Tag } from './kinds';
import { EventKind } from './trace';

type Run = (core: Core, cpu: number, form: string) => number;

/** Done, without a hardware result code. */
const fine = 0;

const fence =
  (name: 'LFENCE' | 'MFENCE' | 'ATOMIC' | 'SERIALIZE'): Run =>
  (core, cpu) =>
    core.machine.x86 ? core.machine.x86.fence(cpu, name) : refuse(core, cpu);

const tlbi: Run = ({ machine, args }, cpu, form) =>
  machine.arm64 && form !== '' ? machine.arm64.tlbi(cpu, form, args[0]!, args[1]!) : -1;

/** INVPCID with its descriptor in memory: two slots, PCID and address. */
function invpcid(core: Core, cpu: number, type: number, descriptor: number): number {
  const { x86 } = core.machine;
  if (!x86) return refuse(core, cpu);
  const slot = core.argSlot(cpu, descriptor);
  if (slot < 0) return -1;
  core.read(cpu, slot);
  const pcidLo = core.resultLo;
  const pcidHi = core.resultHi;
  // Types 2 and 3 do not look at the address.
  core.extra = type << 12;
  if (type > 1 && (core.tags[slot + 1]! & Tag.Defined) === 0)
    return x86.invpcid(cpu, type, pcidLo, pcidHi, 0, 0);
  if (!core.isDefined(cpu, slot + 1)) return -1;
  core.read(cpu, slot + 1);
  const { resultLo, resultHi } = core;
  core.args[0] = resultLo;
  core.args[1] = resultHi;
  core.extra = (type << 12) | (pcidLo & 0xfff);
  return x86.invpcid(cpu, type, pcidLo, pcidHi, resultLo, resultHi);
}

const refuse = (core: Core, cpu: number): number => {
  core.stop(cpu, Verdict.Unknown, Detail.Code | Stop.NoSuchOperation);
  return -1;
};

const table: Readonly<Record<string, Run>> = {
  INVLPG: ({ machine, args }, cpu) => machine.x86?.invlpg(cpu, args[0]!, args[1]!) ?? -1,
  INVPCID: (core, cpu) => invpcid(core, cpu, core.args[0]!, 1),
  INVPCID_ADDR: (core, cpu) => invpcid(core, cpu, 0, 0),
  INVPCID_CTX: (core, cpu) => invpcid(core, cpu, 1, 0),
  INVPCID_ALL_GLOBAL: (core, cpu) => invpcid(core, cpu, 2, 0),
  INVPCID_ALL: (core, cpu) => invpcid(core, cpu, 3, 0),
  CR3_READ: (core, cpu) => {
    const { x86, clocks } = core.machine;
    if (!x86) return -1;
    clocks.charge(cpu, clocks.operation('CR3_READ'));
    core.give(x86.cr3Lo(cpu), x86.cr3Hi(cpu));
    return fine;
  },
  CR3_WRITE: ({ machine, args }, cpu) => machine.x86?.writeCr3(cpu, args[0]!, args[1]!) ?? -1,
  CR4_READ: (core, cpu) => {
    const { x86, clocks } = core.machine;
    if (!x86) return -1;
    clocks.charge(cpu, clocks.operation('CR4_READ'));
    core.give(x86.cr4(cpu), 0);
    return fine;
  },
  CR4_WRITE: ({ machine, args }, cpu) => machine.x86?.writeCr4(cpu, args[0]!, args[1]!) ?? -1,
  LFENCE: fence('LFENCE'),
  MFENCE: fence('MFENCE'),
  ATOMIC: fence('ATOMIC'),
  SERIALIZE: fence('SERIALIZE'),
  INVLPGB: ({ machine, args }, cpu) =>
    machine.x86?.invlpgb(cpu, args[0]!, args[1]!, args[2]!, args[4]!) ?? -1,
  TLBSYNC: ({ machine }, cpu) => machine.x86?.tlbsync(cpu, true) ?? -1,
  TLBI_VA: tlbi,
  TLBI_VA_IS: tlbi,
  TLBI_ASID: tlbi,
  TLBI_ASID_IS: tlbi,
  TLBI_ALL: tlbi,
  TLBI_ALL_IS: tlbi,
  DSB: ({ machine }, cpu, form) => (form !== '' ? machine.arm64?.dsb(cpu, form, true) : undefined) ?? -1,
  ISB: ({ machine }, cpu) => machine.arm64?.isb(cpu) ?? -1,
};

/** How the operations of a program run, by number; null for one that nothing here knows. */
export function operationRunners(names: readonly string[]): readonly (Run | null)[] {
  return names.map(name => table[name] ?? null);
}

/** Runs one; the hardware's faults end the run. */
export function runOperation(core: Core, run: Run | null, cpu: number, number: number): Outcome {
  if (run === null) {
    refuse(core, cpu);
    return Outcome.Stop;
  }
  core.resultLo = 0;
  core.resultHi = 0;
  core.extra = 0;
  const before = core.machine.clocks.cycles(cpu);
  const result = run(core, cpu, core.program.operationForms[number]!);
  if (result === notYet) return core.waitForChange(cpu);
  if (result !== fine) {
    // -1: stopped already, or an instruction of the other architecture.
    if (result < 0) refuse(core, cpu);
    else core.stop(cpu, Verdict.Fault, Detail.Code | Stop.Hardware | (result << 8));
    return Outcome.Stop;
  }
  core.order[cpu]! += core.machine.clocks.cycles(cpu) - before;
  core.changed();
  core.event(EventKind.Operation, cpu, number, core.extra, core.args[0]!, core.args[1]!);
  return Outcome.Done;
}
