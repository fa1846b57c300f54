/**
 * `memcpy`, `memmove`, `memset`, `memcmp` on slots. A number of bytes means something only together with how many of them
 * a slot stands for: the translation says that as a last operand (`unit`), from `sizeof` or from the type pointed to.
 * Where the bytes do not make whole slots of that width, the run stops: nothing is copied by half.
 */
import type { Core } from './core';
import { Kind, kindBits, Tag } from './kinds';
import { Detail, Outcome, Stop, Verdict } from './outcomes';
import type { Primitive } from './primitives';

/** Units of the last operand. */
export const unitSlots = 0;
/** Nothing says to what the bytes belong. */
export const unitUnknown = -1;

/** C's name → what is done; a call takes (to, from or byte, size) and the unit. */
const names = /^(?:__builtin_|__)?(memcpy|memmove|memset|memcmp)$/;

export const isMemoryCall = (name: string): boolean => names.test(name);

const refuse = (core: Core, cpu: number): Outcome =>
  core.stop(cpu, Verdict.Unknown, Detail.Code | Stop.PartOfSlot);

/** Bytes of a slot, by its kind. */
const bytesOf = (kind: number): number => Math.max(1, kindBits[kind]! >> 3);

/** Slots that the operands name; −1 after stopping. */
function slotsOf(core: Core, cpu: number): number {
  const { args } = core;
  const unit = args[6]!;
  const size = args[4]!;
  const bytes = unit === unitSlots ? 8 : unit;
  if (unit === unitUnknown || args[5] !== 0 || size < 0 || size % bytes !== 0) {
    refuse(core, cpu);
    return -1;
  }
  return size / bytes;
}

/** First slot of an operand, all of whose slots exist and have the width of the unit; −1 after stopping. */
function range(core: Core, cpu: number, operand: number, count: number): number {
  const first = core.argSlot(cpu, operand, false);
  if (first < 0) return -1;
  if (first + count > core.layout.slots) {
    core.stop(cpu, Verdict.Fault, Detail.Code | Stop.BadAddress);
    return -1;
  }
  const unit = core.args[6]!;
  if (unit === unitSlots) return first;
  for (let at = first; at < first + count; at++) {
    const tag = core.tags[at]!;
    // A slot without a declaration has the width of what was stored first.
    if ((tag & (Tag.Declared | Tag.Defined)) === 0 || bytesOf(tag & Tag.KindMask) === unit) continue;
    refuse(core, cpu);
    return -1;
  }
  return first;
}

const copy: Primitive = (core, cpu) => {
  const count = slotsOf(core, cpu);
  if (count < 0) return Outcome.Stop;
  const [toLo, toHi] = [core.args[0]!, core.args[1]!];
  if (count === 0) return core.give(toLo, toHi);
  const to = range(core, cpu, 0, count);
  const from = to < 0 ? -1 : range(core, cpu, 1, count);
  if (from < 0) return Outcome.Stop;
  const backwards = to > from;
  for (let done = 0; done < count; done++) {
    const at = backwards ? count - 1 - done : done;
    const tag = core.tags[from + at]!;
    if (tag & Tag.Defined) {
      core.read(cpu, from + at);
      core.write(cpu, to + at, tag & Tag.KindMask, core.resultLo, core.resultHi);
    } else core.tags[to + at]! &= ~Tag.Defined;
  }
  return core.give(toLo, toHi);
};

/** A byte over all bytes of a slot; null: a truth value has no such value. */
function filled(kind: Kind, byte: number): readonly [number, number] | null {
  if (byte === 0) return [0, 0];
  if (kind === Kind.Bool) return byte === 1 ? [1, 0] : null;
  const low = Math.imul(byte, 0x0101_0101);
  switch (kind) {
    case Kind.U8:
      return [byte, 0];
    case Kind.U16:
      return [low & 0xffff, 0];
    case Kind.U32:
      return [low, 0];
    case Kind.S8:
      return [(low << 24) >> 24, low >> 31];
    case Kind.S16:
      return [(low << 16) >> 16, low >> 31];
    case Kind.S32:
      return [low, low >> 31];
    case Kind.Word:
      return [low, low];
  }
}

const fill: Primitive = (core, cpu) => {
  const count = slotsOf(core, cpu);
  if (count < 0) return Outcome.Stop;
  const [toLo, toHi] = [core.args[0]!, core.args[1]!];
  const byte = core.args[2]! & 0xff;
  if (count === 0) return core.give(toLo, toHi);
  const to = range(core, cpu, 0, count);
  if (to < 0) return Outcome.Stop;
  const unit = core.args[6]!;
  for (let at = to; at < to + count; at++) {
    const tag = core.tags[at]!;
    const known = (tag & (Tag.Declared | Tag.Defined)) !== 0;
    const kind: Kind = known ? tag & Tag.KindMask : kindOfUnit(unit);
    const value = filled(kind, byte);
    if (!value) return refuse(core, cpu);
    core.write(cpu, at, kind, value[0], value[1]);
  }
  return core.give(toLo, toHi);
};

const kindOfUnit = (unit: number): Kind =>
  unit === 1 ? Kind.U8 : unit === 2 ? Kind.U16 : unit === 4 ? Kind.U32 : Kind.Word;

/** Below 0, 0 or above 0, by the first byte that differs: the lowest of a slot comes first. */
const compare: Primitive = (core, cpu) => {
  const count = slotsOf(core, cpu);
  if (count < 0) return Outcome.Stop;
  if (count === 0) return core.give(0, 0);
  const a = range(core, cpu, 0, count);
  const b = a < 0 ? -1 : range(core, cpu, 1, count);
  if (b < 0) return Outcome.Stop;
  for (let at = 0; at < count; at++) {
    if (!core.isDefined(cpu, a + at) || !core.isDefined(cpu, b + at)) return Outcome.Stop;
    core.read(cpu, a + at);
    const { resultLo, resultHi } = core;
    core.read(cpu, b + at);
    const differs =
      resultLo === core.resultLo ? byteOrder(resultHi, core.resultHi) : byteOrder(resultLo, core.resultLo);
    if (differs !== 0) return core.give(differs, differs >> 31);
  }
  return core.give(0, 0);
};

/** Sign of the difference of the lowest bytes that differ. */
function byteOrder(a: number, b: number): number {
  for (let shift = 0; shift < 32; shift += 8) {
    const left = (a >>> shift) & 0xff;
    const right = (b >>> shift) & 0xff;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** The primitive of that name, or null. */
export function bytePrimitives(name: string): Primitive | null {
  switch (names.exec(name)?.[1]) {
    case 'memcpy':
    case 'memmove':
      return copy;
    case 'memset':
      return fill;
    case 'memcmp':
      return compare;
    default:
      return null;
  }
}
