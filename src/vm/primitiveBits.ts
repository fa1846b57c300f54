/** Bits: `set_bit` and its kin, searches, and operations on whole bitmaps. A bitmap has 64 bits a slot. */
import type { Core } from './core';
import { Detail, Outcome, Stop, Verdict } from './outcomes';
import { cutHigh, cutLow, Kind, kindBits, Tag } from './kinds';
import type { Primitive } from './primitives';
import { locked } from './primitiveMemory';

/** Bitmaps longer than this are not searched. */
const bitsAtMost = 1 << 16;

/** Slot of bit `nr` of a bitmap; −1 after stopping. A field narrower than 64 bits has only its own bits. */
function slotOfBit(core: Core, cpu: number, nr: number, address: number): number {
  const first = core.argSlot(cpu, address, false);
  if (first < 0) return -1;
  const slot = first + (nr >>> 6);
  const kind = core.tags[first]! & Tag.KindMask;
  const outside =
    nr >= bitsAtMost || slot >= core.layout.slots || (kind !== Kind.Word && nr >= kindBits[kind]!);
  if (outside) {
    core.stop(cpu, Verdict.Fault, Detail.Code | Stop.BitOutside);
    return -1;
  }
  return core.isDefined(cpu, slot) ? slot : -1;
}

type Change = 'set' | 'clear' | 'change' | 'assign' | 'test';

/** `set_bit(nr, address)`; `tests`: the old bit is the result. `isLocked`: an atomic step. */
function bit(change: Change, tests: boolean, isLocked: boolean): Primitive {
  return (core, cpu) => {
    const { args } = core;
    const nr = args[1] === 0 ? args[0]! >>> 0 : bitsAtMost;
    const slot = slotOfBit(core, cpu, nr, 1);
    if (slot < 0) return Outcome.Stop;
    if (isLocked) locked(core, cpu);
    core.read(cpu, slot);
    const { resultLo, resultHi } = core;
    const inHigh = (nr & 32) !== 0;
    const mask = 1 << (nr & 31);
    const old = ((inHigh ? resultHi : resultLo) & mask) !== 0;
    const bitNow =
      change === 'assign' ? (args[4]! | args[5]!) !== 0 : change === 'change' ? !old : change === 'set';
    if (change !== 'test' && bitNow !== old) {
      const kind = core.tags[slot]! & Tag.KindMask;
      const low = cutLow(kind, inHigh ? resultLo : resultLo ^ mask, inHigh ? resultHi ^ mask : resultHi);
      core.write(cpu, slot, kind, low, cutHigh(kind, low, inHigh ? resultHi ^ mask : resultHi));
      if (isLocked) core.drain(cpu);
    }
    return core.give(tests && old ? 1 : 0, 0);
  };
}

const bitName = /^(__|___)?(?:(test)_and_)?(set|clear|change|assign|test)_bit(?:_lock|_unlock)?$/;

/** Number in operand `index`, at most `bitsAtMost`. */
const count = (core: Core, index: number): number =>
  core.args[2 * index + 1] === 0 ? Math.min(core.args[2 * index]! >>> 0, bitsAtMost) : bitsAtMost;

/** Bits of word `at` of the searched map: of one bitmap, or of two combined. Null after stopping. */
interface Search {
  readonly maps: 1 | 2;
  combine(a: number, b: number): number;
}

const searches: Readonly<Record<string, Search>> = {
  '': { maps: 1, combine: a => a },
  zero_: { maps: 1, combine: a => ~a },
  and_: { maps: 2, combine: (a, b) => a & b },
  andnot_: { maps: 2, combine: (a, b) => a & ~b },
};

/** First or last bit at or behind `from`; `size` if there is none. */
function find(which: 'first' | 'next' | 'last', search: Search): Primitive {
  return (core, cpu) => {
    const size = count(core, search.maps);
    const from = which === 'next' ? count(core, search.maps + 1) : 0;
    let found = size;
    for (let at = from; at < size; at++) {
      const a = half(core, cpu, 0, at);
      const b = search.maps === 2 ? half(core, cpu, 1, at) : 0;
      if (a === null || b === null) return Outcome.Stop;
      const bits = search.combine(a, b);
      if (bits === 0) {
        at |= 31;
        continue;
      }
      if ((bits & (1 << (at & 31))) === 0) continue;
      found = at;
      if (which !== 'last') break;
    }
    return core.give(found, 0);
  };
}

/** The 32 bits around bit `nr` of the bitmap in operand `index`. */
function half(core: Core, cpu: number, index: number, nr: number): number | null {
  const first = core.argSlot(cpu, index, false);
  if (first < 0) return null;
  const slot = first + (nr >>> 6);
  if (slot >= core.layout.slots || !core.isDefined(cpu, slot)) return null;
  core.read(cpu, slot);
  return nr & 32 ? core.resultHi : core.resultLo;
}

type Combine = (a: number, b: number) => number;

/** `bitmap_or(dst, a, b, bits)` and the like, a slot at a time. The result says whether any bit is set. */
function whole(sources: 0 | 1 | 2, combine: Combine): Primitive {
  return (core, cpu) => {
    const size = count(core, sources + 1);
    const to = core.argSlot(cpu, 0, false);
    if (to < 0) return Outcome.Stop;
    let any = 0;
    for (let nr = 0; nr < size; nr += 64) {
      const slot = to + (nr >>> 6);
      if (slot >= core.layout.slots) return core.stop(cpu, Verdict.Fault, Detail.Code | Stop.BitOutside);
      const halves: number[] = [];
      for (const part of [nr, nr + 32]) {
        const a = sources > 0 ? half(core, cpu, 1, part) : 0;
        const b = sources > 1 ? half(core, cpu, 2, part) : 0;
        if (a === null || b === null) return Outcome.Stop;
        const left = size - part;
        const mask = left >= 32 ? -1 : left <= 0 ? 0 : (1 << left) - 1;
        halves.push(combine(a, b) & mask);
      }
      any |= halves[0]! | halves[1]!;
      core.write(cpu, slot, Kind.Word, halves[0]!, halves[1]!);
    }
    return core.give(any === 0 ? 0 : 1, 0);
  };
}

const wholeBitmaps: Readonly<Record<string, Primitive>> = {
  bitmap_zero: whole(0, () => 0),
  bitmap_fill: whole(0, () => -1),
  bitmap_copy: whole(1, a => a),
  bitmap_and: whole(2, (a, b) => a & b),
  bitmap_or: whole(2, (a, b) => a | b),
};

/** The primitive of that name, or null. */
export function bitmaps(name: string): Primitive | null {
  const single = bitName.exec(name);
  if (single) {
    const change = single[3] as Change;
    const atomic = single[1] === undefined && change !== 'test';
    return bit(change, single[2] !== undefined || change === 'test', atomic);
  }
  const search = /^find_(first|next|last)_(zero_|and_|andnot_)?bit$/.exec(name);
  if (search) return find(search[1] as 'first' | 'next' | 'last', searches[search[2] ?? '']!);
  return wholeBitmaps[name] ?? null;
}
