/** Verdicts in words: what stopped a run, why, and at which line. */
import type { Core } from './core';
import { Detail, Stop, Verdict } from './outcomes';
import type { Position } from './program';
import { positionOf } from './program';
import { Gw } from './state';

export interface Ending {
  readonly verdict: 'running' | 'finished' | 'unknown' | 'deadlock' | 'unbounded' | 'fault';
  readonly cpu: number;
  /** What it is about: a name of the code, or ''. */
  readonly name: string;
  readonly why: string;
  readonly position: Position;
}

const verdicts = ['running', 'finished', 'unknown', 'deadlock', 'unbounded', 'fault'] as const;

const reasons: Readonly<Record<number, string>> = {
  [Stop.NullPointer]: 'it uses a null pointer',
  [Stop.BadAddress]: 'it uses an address where nothing lies',
  [Stop.Unaligned]: 'it accesses a part of a field, which is kept whole here',
  [Stop.DivideByZero]: 'it divides by zero',
  [Stop.NotAFunction]: 'it calls a pointer that is no function',
  [Stop.TooManyArguments]: 'assembly calls a function that takes arguments on the stack',
  [Stop.TooFewArguments]: 'it calls a function with fewer arguments than it takes',
  [Stop.StackOverflow]: 'the stack is used up',
  [Stop.RegistersUsedUp]: 'the registers for calls in calls are used up',
  [Stop.TooDeep]: 'too many calls in calls',
  [Stop.Budget]: 'the budget of instructions of this task is used up',
  [Stop.Hardware]: 'the hardware refuses the instruction',
  [Stop.NoHandler]: 'nothing handles this interrupt',
  [Stop.Bug]: 'BUG() is reached',
  [Stop.BitOutside]: 'it uses a bit outside of the field',
  [Stop.Memory]: 'the memory given to this run is used up',
  [Stop.NoCpu]: 'there is no such CPU',
  [Stop.NoSuchOperation]: 'this machine does not have the instruction',
  [Stop.NoCurrent]: 'no per-CPU variable current_task says which task runs',
  [Stop.PartOfSlot]: 'it treats memory as bytes, and nothing says which fields they make up',
  [Stop.LockHeld]: 'it unlocks a lock that nobody holds',
};

/** Names of the hardware's result codes. */
const faults: Readonly<Record<number, string>> = { 6: '#UD', 13: '#GP', 14: '#PF', 64: 'no such page table' };

export function endingOf(core: Core): Ending {
  const { global, program } = core;
  const verdict = verdicts[global[Gw.Verdict]!]!;
  const cpu = global[Gw.VerdictCpu]!;
  const position = positionOf(program, global[Gw.VerdictPc]!);
  const said = describe(core, global[Gw.Verdict]!, global[Gw.VerdictDetail]!);
  return { verdict, cpu, position, ...said };
}

function describe(core: Core, verdict: Verdict, detail: number): { name: string; why: string } {
  if (verdict === Verdict.None || verdict === Verdict.Finished) return { name: '', why: '' };
  if (verdict === Verdict.Deadlock)
    return { name: '', why: 'every CPU waits for something that cannot happen any more' };
  const value = detail & Detail.ValueMask;
  const { program } = core;
  switch (detail & Detail.KindMask) {
    case Detail.Trap: {
      const trap = program.traps[value]!;
      return { name: trap.name, why: trap.why };
    }
    case Detail.Uninitialised:
      return { name: nameOfSlot(core, value), why: `it is read, and ${whyUnset(core, value)}` };
    case Detail.Feature: {
      const { name, kind } = program.features[value]!;
      return {
        name,
        why:
          kind === 'key'
            ? 'whether this static key is on is not said'
            : 'whether the machine has this feature is not said',
      };
    }
    case Detail.Primitive:
      return { name: program.primitives[value] ?? '', why: 'what this primitive does is not known' };
    default: {
      const code = value & 0xff;
      const more = value >> 8;
      const text = reasons[code] ?? 'it cannot go on';
      if (code === Stop.Hardware)
        return { name: faults[more] ?? '', why: `${text} (${faults[more] ?? more})` };
      if (code === Stop.NoHandler) return { name: more === 0 ? '' : `vector ${more}`, why: text };
      return { name: '', why: text };
    }
  }
}

/** The object that a slot belongs to. */
export function nameOfSlot(core: Core, slot: number): string {
  const { layout, program } = core;
  if (slot >= layout.stackSlot) {
    const cpu = Math.floor((slot - layout.stackSlot) / layout.stack);
    return `a local variable (stack of CPU ${cpu})`;
  }
  const perCpu = slot >= layout.perCpuSlot;
  const at = perCpu ? (slot - layout.perCpuSlot) % layout.perCpuStride : slot;
  const object = program.objects.find(
    one => one.perCpu === perCpu && at >= one.slot && at < one.slot + one.slots,
  );
  if (!object) return `slot ${slot}`;
  const cpu = perCpu ? ` of CPU ${Math.floor((slot - layout.perCpuSlot) / layout.perCpuStride)}` : '';
  return object.name + cpu;
}

function whyUnset(core: Core, slot: number): string {
  const { layout, program } = core;
  if (slot >= layout.stackSlot) return 'nothing has set it';
  const perCpu = slot >= layout.perCpuSlot;
  const at = perCpu ? (slot - layout.perCpuSlot) % layout.perCpuStride : slot;
  const object = program.objects.find(
    one => one.perCpu === perCpu && at >= one.slot && at < one.slot + one.slots,
  );
  return object?.unknown ?? 'nothing has set it';
}
