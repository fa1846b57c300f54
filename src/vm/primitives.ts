/**
 * What the kernel's primitives do, by the names that the front ends give them. One entry is one line; `src/kernel`
 * adds its own. A primitive is one indivisible step. It never calls code: whatever takes a callback is a prelude in C.
 */
import type { Core } from './core';
import { Detail, Outcome, Stop, Verdict } from './outcomes';
import type { Kind } from './kinds';
import { bitmaps } from './primitiveBits';
import { bytePrimitives } from './primitiveBytes';
import { memoryPrimitives } from './primitiveMemory';
import { controlWords, Cw, Gw, WaitKind } from './state';
import { EventKind } from './trace';

/** Operands are in `core.args`; the result goes to `core.give`. `kind`: that of the result's C type. */
export type Primitive = (core: Core, cpu: number, kind: Kind) => Outcome;

/** Bit of the saved flags that says interrupts were enabled (EFLAGS.IF). */
const interruptFlag = 0x200;

const nothing: Primitive = () => Outcome.Done;

const word = (core: Core, cpu: number, at: Cw): number => core.control[cpu * controlWords + at]!;

/** Adds to the preemption counter. */
const preempt =
  (by: number): Primitive =>
  (core, cpu) => {
    core.control[cpu * controlWords + Cw.Preempt]! += by;
    return Outcome.Done;
  };

function setInterrupts(core: Core, cpu: number, on: boolean): Outcome {
  const { interrupts } = core.machine;
  if (interrupts.enabled(cpu) !== on) {
    interrupts.setEnabled(cpu, on);
    core.changed();
  }
  if (on && interrupts.pending(cpu) !== 0) core.poke(cpu);
  return Outcome.Done;
}

/** 0 or 1. */
const test =
  (condition: (core: Core, cpu: number) => boolean): Primitive =>
  (core, cpu) =>
    core.give(condition(core, cpu) ? 1 : 0, 0);

const enabled = (core: Core, cpu: number): boolean => core.machine.interrupts.enabled(cpu);

const flags = (core: Core, cpu: number): Outcome => core.give(enabled(core, cpu) ? interruptFlag : 0, 0);

const fence =
  (name: 'LFENCE' | 'MFENCE' | 'ATOMIC'): Primitive =>
  (core, cpu) => {
    const { x86, stores, clocks } = core.machine;
    if (x86) x86.fence(cpu, name);
    else {
      stores.drainAll(cpu);
      clocks.charge(cpu, clocks.operation(name));
    }
    core.changed();
    return Outcome.Done;
  };

/** A hash of the running frame, to see whether a spin does the same again. */
function frameHash(core: Core, cpu: number): number {
  const fn = core.functionOf(cpu);
  const fp = word(core, cpu, Cw.Fp);
  let hash = fp;
  for (let at = fp; at < fp + core.functionTable[fn * 6 + 1]!; at++)
    hash = Math.imul(hash ^ core.lo[at]! ^ Math.imul(core.hi[at]!, 0x85eb_ca6b), 0x9e37_79b1) ^ (hash >>> 15);
  return hash;
}

/** In a loop that changes nothing the CPU waits for others; nobody left to change anything is a deadlock. */
const relax: Primitive = (core, cpu) => {
  const base = cpu * controlWords;
  const { control, global } = core;
  const pc = control[base + Cw.Pc]!;
  const hash = frameHash(core, cpu);
  const stamp = global[Gw.Changes]!;
  const same =
    control[base + Cw.SpinPc] === pc &&
    control[base + Cw.SpinHash] === hash &&
    control[base + Cw.SpinStamp] === stamp;
  if (same) return core.waitForChange(cpu);
  control[base + Cw.SpinPc] = pc;
  control[base + Cw.SpinHash] = hash;
  control[base + Cw.SpinStamp] = stamp;
  return Outcome.Done;
};

const halt: Primitive = (core, cpu) => {
  const base = cpu * controlWords;
  const pc = core.control[base + Cw.Pc]!;
  // Run again after an interrupt: it goes on.
  if (core.control[base + Cw.SpinPc] === pc && !core.machine.interrupts.halted(cpu)) {
    core.control[base + Cw.SpinPc] = -1;
    return Outcome.Done;
  }
  core.control[base + Cw.SpinPc] = pc;
  core.machine.interrupts.setHalted(cpu, true);
  return core.wait(cpu, WaitKind.None, 0);
};

const warn: Primitive = (core, cpu) => {
  if (core.argCount > 0 && (core.args[0]! | core.args[1]!) === 0) return Outcome.Done;
  core.control[cpu * controlWords + Cw.Warnings]!++;
  core.event(EventKind.Primitive, cpu, 0, 0, core.args[0]!, core.args[1]!);
  return Outcome.Done;
};

const bug: Primitive = (core, cpu) => {
  if (core.argCount > 0 && (core.args[0]! | core.args[1]!) === 0) return Outcome.Done;
  return core.stop(cpu, Verdict.Fault, Detail.Code | Stop.Bug);
};

/** The pointer as the number that it is: roots of page tables are physical numbers, objects lie at their address. */
const same: Primitive = core => core.give(core.args[0]!, core.args[1]!);

/** Sign of b − a, as `time_after(a, b)`. */
const later = (core: Core, from: number, to: number, orEqual: boolean): Outcome => {
  const { args } = core;
  const borrow = args[2 * from]! >>> 0 < args[2 * to]! >>> 0 ? 1 : 0;
  const low = (args[2 * from]! - args[2 * to]!) | 0;
  const high = (args[2 * from + 1]! - args[2 * to + 1]! - borrow) | 0;
  // a after b: b − a is negative.
  return core.give(high < 0 || (orEqual && (low | high) === 0) ? 1 : 0, 0);
};

/** The running task, which x86 keeps in a per-CPU variable. */
const current: Primitive = (core, cpu) => {
  const object = core.program.objects.find(one => one.name === 'current_task' && one.perCpu);
  if (!object) return core.stop(cpu, Verdict.Unknown, Detail.Code | Stop.NoCurrent);
  const slot = core.layout.perCpuSlot + cpu * core.layout.perCpuStride + object.slot;
  if (!core.isDefined(cpu, slot)) return Outcome.Stop;
  core.read(cpu, slot);
  return Outcome.Done;
};

/** `iretq` takes five slots off the stack. */
const iret: Primitive = (core, cpu) => {
  const rsp = core.program.machineRegisters.indexOf('rsp');
  if (rsp >= 0) core.machineRegisters[(cpu * core.layout.machineRegisters + rsp) * 2]! += 40;
  return Outcome.Done;
};

const perCpuPointer = (core: Core, cpu: number, of: number): Outcome => {
  if (of < 0 || of >= core.layout.cpus) return core.stop(cpu, Verdict.Fault, Detail.Code | Stop.NoCpu);
  const address = core.perCpuAddress(of, core.args[0]!, core.args[1]!);
  if (address === 0) return core.stop(cpu, Verdict.Fault, Detail.Code | Stop.BadAddress);
  return core.give(address, 0);
};

const named: Readonly<Record<string, Primitive>> = {
  smp_processor_id: (core, cpu) => core.give(cpu, 0),
  get_cpu: (core, cpu) => {
    core.control[cpu * controlWords + Cw.Preempt]!++;
    return core.give(cpu, 0);
  },
  put_cpu: preempt(-1),
  preempt_disable: preempt(1),
  preempt_enable: preempt(-1),
  current,
  local_irq_disable: (core, cpu) => setInterrupts(core, cpu, false),
  local_irq_enable: (core, cpu) => setInterrupts(core, cpu, true),
  local_save_flags: flags,
  save_flags: flags,
  local_irq_save: (core, cpu) => {
    const was = enabled(core, cpu);
    setInterrupts(core, cpu, false);
    return core.give(was ? interruptFlag : 0, 0);
  },
  local_irq_restore: (core, cpu) => setInterrupts(core, cpu, (core.args[0]! & interruptFlag) !== 0),
  restore_flags: (core, cpu) => setInterrupts(core, cpu, (core.args[0]! & interruptFlag) !== 0),
  irqs_disabled: test((core, cpu) => !enabled(core, cpu)),
  irqs_disabled_flags: core => core.give(core.args[0]! & interruptFlag ? 0 : 1, 0),
  local_irq_is_enabled: test(enabled),
  preemptible: test((core, cpu) => word(core, cpu, Cw.Preempt) === 0 && enabled(core, cpu)),
  in_interrupt: test((core, cpu) => word(core, cpu, Cw.Interrupts) > 0),
  in_irq: test((core, cpu) => word(core, cpu, Cw.Interrupts) > word(core, cpu, Cw.Nmis)),
  in_nmi: test((core, cpu) => word(core, cpu, Cw.Nmis) > 0),
  in_task: test((core, cpu) => word(core, cpu, Cw.Interrupts) === 0),
  in_atomic: test((core, cpu) => word(core, cpu, Cw.Preempt) > 0 || word(core, cpu, Cw.Interrupts) > 0),
  this_cpu_ptr: (core, cpu) => perCpuPointer(core, cpu, cpu),
  per_cpu_ptr: (core, cpu) => perCpuPointer(core, cpu, core.args[3] === 0 ? core.args[2]! : -1),
  smp_mb: fence('ATOMIC'),
  mb: fence('MFENCE'),
  rmb: fence('LFENCE'),
  dma_mb: fence('MFENCE'),
  virt_mb: fence('ATOMIC'),
  smp_mb__after_spinlock: nothing,
  cpu_relax: relax,
  cpu_relax_yield: relax,
  pause: relax,
  halt,
  hlt: halt,
  WARN: warn,
  BUG: bug,
  time_after: core => later(core, 1, 0, false),
  time_before: core => later(core, 0, 1, false),
  time_after_eq: core => later(core, 1, 0, true),
  time_before_eq: core => later(core, 0, 1, true),
  iret,
  iretq: iret,
  rdtsc: (core, cpu) => {
    const cycles = Math.floor(core.machine.clocks.cycles(cpu));
    return core.give((cycles % 4_294_967_296) | 0, Math.floor(cycles / 4_294_967_296));
  },
};

/** Names that change nothing that is modelled: compiler barriers, counters, segments, speculation controls. */
const silent = new Set(
  `barrier smp_rmb smp_wmb wmb dma_rmb dma_wmb virt_rmb virt_wmb smp_acquire__after_ctrl_dep barrier_nospec dmb
  rcu_read_lock rcu_read_unlock rcu_read_lock_sched rcu_read_unlock_sched rcu_read_lock_bh rcu_read_unlock_bh
  srcu_read_lock srcu_read_unlock preempt_enable_no_resched migrate_disable migrate_enable pagefault_disable
  pagefault_enable swapgs stac clac clgi stgi verw sfence sysret sysretq sysretl sysexit wrmsr loadsegment set_debugreg
  prefetch prefetchw barrier_data prefetcht0 prefetchnta clts sev yield`.split(/\s+/),
);

/** Some names exist with a suffix that says how they are ordered or instrumented. */
const plainName = (name: string): string =>
  name
    .replace(/^(?:arch_|raw_|sync_)+/, '')
    .replace(/_(?:relaxed|acquire|release|local|notrace)$/, '')
    .replace(/^__(?=this_cpu_|raw_cpu_)/, '')
    .replace(/^raw_cpu_/, 'this_cpu_')
    .replace(/^atomic_long_/, 'atomic64_');

/** The primitive of a name; null where none is known. `more`: those of the rooms above, which come first. */
export function primitiveFor(name: string, more: ReadonlyMap<string, Primitive>): Primitive | null {
  const own = more.get(name) ?? bytePrimitives(name);
  if (own) return own;
  const plain = plainName(name);
  for (const key of [name, plain]) {
    if (Object.hasOwn(named, key)) return named[key]!;
    if (silent.has(key) || /^smp_mb__(?:before|after)_/.test(key)) return nothing;
    const found = bitmaps(key) ?? memoryPrimitives(key);
    if (found) return found;
  }
  if (/^__pa(?:_nodebug|_symbol)?$|^__phys_addr$|^__sme_pa(?:_nodebug)?$|^__va$|^__sme_set$/.test(name))
    return same;
  return null;
}

/** Whether a name that code calls and nothing defines is a primitive of this room. */
export const isPrimitiveName = (name: string): boolean => primitiveFor(name, noMore) !== null;
const noMore: ReadonlyMap<string, Primitive> = new Map();

/** Stands for a primitive that nothing here knows. */
export const unknownPrimitive = (number: number): Primitive => {
  return (core, cpu) => core.stop(cpu, Verdict.Unknown, Detail.Primitive | number);
};
