/** Read-modify-write steps: atomics, `this_cpu_…`, exchanges, locks; and whole structs. */
import type { Core } from './core';
import { Detail, Outcome, Stop, Verdict } from './outcomes';
import { cutHigh, cutLow, Kind, Tag } from './kinds';
import { high, negatedHigh } from './pairs';
import type { Primitive } from './primitives';
import { controlWords, Cw } from './state';

/** A locked instruction: what is buffered becomes visible, and it costs what one costs. */
export function locked(core: Core, cpu: number): void {
  const { x86, clocks, stores } = core.machine;
  const before = clocks.cycles(cpu);
  if (x86) x86.fence(cpu, 'ATOMIC');
  else {
    stores.drainAll(cpu);
    clocks.charge(cpu, clocks.operation('ATOMIC'));
  }
  core.order[cpu]! += clocks.cycles(cpu) - before;
}

type Update = (oldLo: number, oldHi: number, byLo: number, byHi: number) => number;

const add: Update = (alo, ahi, blo, bhi) => {
  const low = (alo + blo) | 0;
  high[0] = ahi + bhi + (low >>> 0 < alo >>> 0 ? 1 : 0);
  return low;
};

const sub: Update = (alo, ahi, blo, bhi) => add(alo, ahi, -blo | 0, negatedHigh(blo, bhi));

const logic =
  (combine: (a: number, b: number) => number): Update =>
  (alo, ahi, blo, bhi) => {
    high[0] = combine(ahi, bhi);
    return combine(alo, blo);
  };

const updates: Readonly<Record<string, Update>> = {
  add,
  sub,
  inc: add,
  dec: sub,
  and: logic((a, b) => a & b),
  or: logic((a, b) => a | b),
  xor: logic((a, b) => a ^ b),
  andnot: logic((a, b) => a & ~b),
  set: logic((_, b) => b),
  xchg: logic((_, b) => b),
};

/** What a read-modify-write gives. */
type Gives = 'nothing' | 'old' | 'new' | 'zero' | 'negative';

interface Step {
  readonly update: Update;
  readonly gives: Gives;
  /** Operand with the address, and with the value; −1: the value is 1. */
  readonly address: number;
  readonly value: number;
  readonly locked: boolean;
}

const readModifyWrite =
  (step: Step): Primitive =>
  (core, cpu) => {
    const slot = core.argSlot(cpu, step.address);
    if (slot < 0) return Outcome.Stop;
    if (step.locked) locked(core, cpu);
    core.read(cpu, slot);
    const oldLo = core.resultLo;
    const oldHi = core.resultHi;
    const { args } = core;
    const byLo = step.value < 0 ? 1 : args[2 * step.value]!;
    const byHi = step.value < 0 ? 0 : args[2 * step.value + 1]!;
    const kind = core.tags[slot]! & Tag.KindMask;
    const rawLo = step.update(oldLo, oldHi, byLo, byHi);
    const lo = cutLow(kind, rawLo, high[0]!);
    const hi = cutHigh(kind, lo, high[0]!);
    core.write(cpu, slot, kind, lo, hi);
    if (step.locked) core.drain(cpu);
    return answer(core, step.gives, { oldLo, oldHi, lo, hi });
  };

function answer(
  core: Core,
  gives: Gives,
  { oldLo, oldHi, lo, hi }: { oldLo: number; oldHi: number; lo: number; hi: number },
): Outcome {
  switch (gives) {
    case 'old':
      return core.give(oldLo, oldHi);
    case 'new':
      return core.give(lo, hi);
    case 'zero':
      return core.give((lo | hi) === 0 ? 1 : 0, 0);
    case 'negative':
      return core.give(hi < 0 ? 1 : 0, 0);
    case 'nothing':
      return core.give(0, 0);
  }
}

/** Compares and exchanges. `tries`: operand 1 is the address of the expected value, and the result says whether. */
const compareExchange =
  (tries: boolean, isLocked: boolean): Primitive =>
  (core, cpu) => {
    const slot = core.argSlot(cpu, 0);
    if (slot < 0) return Outcome.Stop;
    const { args } = core;
    let expectedLo = args[2]!;
    let expectedHi = args[3]!;
    let expectedSlot = -1;
    if (tries) {
      expectedSlot = core.argSlot(cpu, 1);
      if (expectedSlot < 0) return Outcome.Stop;
      core.read(cpu, expectedSlot);
      expectedLo = core.resultLo;
      expectedHi = core.resultHi;
    }
    if (isLocked) locked(core, cpu);
    core.read(cpu, slot);
    const oldLo = core.resultLo;
    const oldHi = core.resultHi;
    const equal = oldLo === expectedLo && oldHi === expectedHi;
    if (equal) core.write(cpu, slot, core.tags[slot]! & Tag.KindMask, args[4]!, args[5]!);
    else if (tries) core.write(cpu, expectedSlot, core.tags[expectedSlot]! & Tag.KindMask, oldLo, oldHi);
    if (isLocked) core.drain(cpu);
    return tries ? core.give(equal ? 1 : 0, 0) : core.give(oldLo, oldHi);
  };

/** `atomic_add_unless(v, a, u)`: whether it was not `u`. `unlessZero`: u is 0 and a is 1. */
const addUnless =
  (unlessZero: boolean): Primitive =>
  (core, cpu) => {
    const slot = core.argSlot(cpu, 0);
    if (slot < 0) return Outcome.Stop;
    const { args } = core;
    locked(core, cpu);
    core.read(cpu, slot);
    const { resultLo, resultHi } = core;
    const stays = unlessZero ? (resultLo | resultHi) === 0 : resultLo === args[4] && resultHi === args[5];
    if (stays) return core.give(0, 0);
    const kind = core.tags[slot]! & Tag.KindMask;
    const lo = cutLow(
      kind,
      add(resultLo, resultHi, unlessZero ? 1 : args[2]!, unlessZero ? 0 : args[3]!),
      high[0]!,
    );
    core.write(cpu, slot, kind, lo, cutHigh(kind, lo, high[0]!));
    core.drain(cpu);
    return core.give(1, 0);
  };

const load: Primitive = (core, cpu) => {
  const slot = core.argSlot(cpu, 0);
  if (slot < 0) return Outcome.Stop;
  core.read(cpu, slot);
  return Outcome.Done;
};

const store: Primitive = (core, cpu) => {
  const slot = core.argSlot(cpu, 0, false);
  if (slot < 0) return Outcome.Stop;
  const tag = core.tags[slot]!;
  core.write(cpu, slot, tag & Tag.Declared ? tag & Tag.KindMask : Kind.Word, core.args[2]!, core.args[3]!);
  return core.give(0, 0);
};

/** A lock is its first slot: 0 free, otherwise 1 + the CPU that holds it. */
const lock =
  (tries: boolean): Primitive =>
  (core, cpu) => {
    const slot = core.argSlot(cpu, 0);
    if (slot < 0) return Outcome.Stop;
    core.drain(cpu);
    if ((core.memoryLo[slot]! | core.memoryHi[slot]!) !== 0)
      return tries ? core.give(0, 0) : core.waitForSlot(cpu, slot);
    locked(core, cpu);
    core.write(cpu, slot, Kind.Word, cpu + 1, 0);
    core.drain(cpu);
    core.control[cpu * controlWords + Cw.Preempt]!++;
    return core.give(1, 0);
  };

const unlock: Primitive = (core, cpu) => {
  const slot = core.argSlot(cpu, 0);
  if (slot < 0) return Outcome.Stop;
  core.read(cpu, slot);
  if (core.resultLo === 0) return core.stop(cpu, Verdict.Fault, Detail.Code | Stop.LockHeld);
  core.write(cpu, slot, Kind.Word, 0, 0);
  core.control[cpu * controlWords + Cw.Preempt]!--;
  return core.give(0, 0);
};

/** `struct_copy(to, from, slots)`: what is not set stays not set. */
const structCopy: Primitive = (core, cpu) => {
  const to = core.argSlot(cpu, 0, false);
  const from = core.argSlot(cpu, 1, false);
  const slots = core.args[4]!;
  if (to < 0 || from < 0) return Outcome.Stop;
  if (Math.max(to, from) + slots > core.layout.slots)
    return core.stop(cpu, Verdict.Fault, Detail.Code | Stop.BadAddress);
  for (let at = 0; at < slots; at++) {
    const tag = core.tags[from + at]!;
    if (tag & Tag.Defined) {
      core.read(cpu, from + at);
      core.write(cpu, to + at, tag & Tag.KindMask, core.resultLo, core.resultHi);
    } else core.tags[to + at]! &= ~Tag.Defined;
  }
  return core.give(0, 0);
};

/** `struct_zero(at, slots)`. */
const structZero: Primitive = (core, cpu) => zero(core, cpu, core.args[2]!);

function zero(core: Core, cpu: number, slots: number): Outcome {
  const to = core.argSlot(cpu, 0, false);
  if (to < 0) return Outcome.Stop;
  if (slots < 0 || to + slots > core.layout.slots)
    return core.stop(cpu, Verdict.Fault, Detail.Code | Stop.BadAddress);
  for (let at = to; at < to + slots; at++) core.write(cpu, at, core.tags[at]! & Tag.KindMask, 0, 0);
  return core.give(0, 0);
}

const named: Readonly<Record<string, Primitive>> = {
  struct_copy: structCopy,
  struct_zero: structZero,
  xchg: readModifyWrite({ update: updates['xchg']!, gives: 'old', address: 0, value: 1, locked: true }),
  cmpxchg: compareExchange(false, true),
  cmpxchg64: compareExchange(false, true),
  try_cmpxchg: compareExchange(true, true),
  try_cmpxchg64: compareExchange(true, true),
  atomic_read: load,
  atomic64_read: load,
  smp_cond_load: load,
  atomic_set: store,
  atomic64_set: store,
  refcount_read: load,
  refcount_set: store,
  mutex_lock: lock(false),
  mutex_unlock: unlock,
};

/** The primitive of that name, or null. Suffixes of ordering are gone already. */
export function memoryPrimitives(name: string): Primitive | null {
  if (Object.hasOwn(named, name)) return named[name]!;
  const lockName = /^(?:spin|read|write)_(lock|trylock|unlock)(_bh|_irq|_recursive)?$/.exec(name);
  if (lockName && lockName[2] !== '_irq')
    return lockName[1] === 'unlock' ? unlock : lock(lockName[1] === 'trylock');
  const perCpu = /^this_cpu_(add|sub|inc|dec|and|or|xor)(_return)?$/.exec(name);
  if (perCpu) {
    const one = perCpu[1] === 'inc' || perCpu[1] === 'dec';
    const gives = perCpu[2] ? 'new' : 'nothing';
    return readModifyWrite({
      update: updates[perCpu[1]!]!,
      gives,
      address: 0,
      value: one ? -1 : 1,
      locked: false,
    });
  }
  switch (name) {
    case 'this_cpu_xchg':
      return readModifyWrite({ update: updates['xchg']!, gives: 'old', address: 0, value: 1, locked: false });
    case 'this_cpu_cmpxchg':
      return compareExchange(false, false);
    case 'this_cpu_try_cmpxchg':
      return compareExchange(true, false);
  }
  return atomic(name);
}

function atomic(name: string): Primitive | null {
  const match = /^(?:atomic|atomic64|refcount)_(\w+)$/.exec(name);
  if (!match) return null;
  const rest = match[1]!;
  switch (rest) {
    case 'xchg':
      return readModifyWrite({ update: updates['xchg']!, gives: 'old', address: 0, value: 1, locked: true });
    case 'cmpxchg':
      return compareExchange(false, true);
    case 'try_cmpxchg':
      return compareExchange(true, true);
    case 'add_unless':
      return addUnless(false);
    case 'inc_not_zero':
      return addUnless(true);
  }
  const parts = /^(fetch_)?(add|sub|inc|dec|and|or|xor|andnot)(_return|_and_test|_negative)?$/.exec(rest);
  if (!parts) return null;
  const one = parts[2] === 'inc' || parts[2] === 'dec';
  const gives: Gives = parts[1]
    ? 'old'
    : parts[3] === '_return'
      ? 'new'
      : parts[3] === '_and_test'
        ? 'zero'
        : parts[3] === '_negative'
          ? 'negative'
          : 'nothing';
  // `atomic_add(i, v)`: the value comes first.
  return readModifyWrite({
    ...{ update: updates[parts[2]!]!, gives, address: one ? 0 : 1, value: one ? -1 : 0, locked: true },
  });
}
