/** Copies of the whole state that leave out blocks of zeros, and hashes of it. */
import type { Core } from './core';
import { Tag } from './kinds';
import { controlWords, Cw, Fw, frameWords, Gw, WaitKind } from './state';

const blockWords = 64;

/** A copy of `words`: number of words, number of blocks kept, their indexes, their contents. */
export function pack(words: Int32Array): Int32Array {
  const blocks = Math.ceil(words.length / blockWords);
  const kept: number[] = [];
  for (let block = 0; block < blocks; block++) {
    const end = Math.min(words.length, (block + 1) * blockWords);
    let any = 0;
    for (let at = block * blockWords; at < end; at++) any |= words[at]!;
    if (any !== 0) kept.push(block);
  }
  const packed = new Int32Array(2 + kept.length + kept.length * blockWords);
  packed[0] = words.length;
  packed[1] = kept.length;
  packed.set(kept, 2);
  let to = 2 + kept.length;
  for (const block of kept) {
    packed.set(words.subarray(block * blockWords, Math.min(words.length, (block + 1) * blockWords)), to);
    to += blockWords;
  }
  return packed;
}

export function unpack(packed: Int32Array, into: Int32Array): void {
  into.fill(0);
  const kept = packed[1]!;
  let from = 2 + kept;
  for (let at = 0; at < kept; at++) {
    const start = packed[2 + at]! * blockWords;
    into.set(packed.subarray(from, from + Math.min(blockWords, into.length - start)), start);
    from += blockWords;
  }
}

/** 64 bits as two lanes. */
class Hasher {
  a = 0x243f_6a88;
  b = 0x1319_8a2e | 0;

  add(word: number): void {
    this.a = Math.imul(this.a ^ word, 0x9e37_79b1);
    this.a ^= this.a >>> 15;
    this.b = Math.imul(this.b ^ word, 0x85eb_ca77) + this.a;
    this.b ^= this.b >>> 13;
  }

  get text(): string {
    return (this.a >>> 0).toString(16).padStart(8, '0') + (this.b >>> 0).toString(16).padStart(8, '0');
  }
}

/** Hash of every word. */
export function hashAll(words: Int32Array): string {
  const hasher = new Hasher();
  for (const word of words) hasher.add(word);
  return hasher.text;
}

/** Control words that decide what a CPU does next; clocks, counts and traces of spinning are none. */
const deciding = [...[Cw.Pc, Cw.Depth, Cw.Status, Cw.Preempt, Cw.Interrupts, Cw.Nmis, Cw.Call, Cw.Repeat]];

/**
 * Hash of what decides the future: frames with their live registers, memory that holds something, the hardware without
 * its clocks. Situations that differ only in dead registers, popped frames or counts are equal.
 */
export function hashSituation(core: Core): string {
  const hasher = new Hasher();
  const { control, layout, global } = core;
  hasher.add(global[Gw.Verdict]!);
  for (let cpu = 0; cpu < layout.cpus; cpu++) {
    const base = cpu * controlWords;
    for (const at of deciding) hasher.add(control[base + at]!);
    hasher.add(mayGoOn(core, cpu) ? 1 : 0);
    hashFrames(core, cpu, hasher);
  }
  for (let slot = 0; slot < layout.stackSlot; slot++) hashSlot(core, slot, hasher);
  for (let at = 0; at < core.machineRegisters.length; at++) hasher.add(core.machineRegisters[at]!);
  const out = new Int32Array(2);
  core.machine.hash(out, 'architecture');
  hasher.add(out[0]!);
  hasher.add(out[1]!);
  return hasher.text;
}

/** Whether what a CPU waits for may have happened. */
function mayGoOn(core: Core, cpu: number): boolean {
  if (!core.isWaiting(cpu)) return true;
  const base = cpu * controlWords;
  const { control } = core;
  const on = control[base + Cw.WaitOn]!;
  const kind = control[base + Cw.WaitKind]! as WaitKind;
  if (kind === WaitKind.Change) return core.global[Gw.Changes] !== on;
  const { memoryLo, memoryHi } = core;
  return (
    kind === WaitKind.Slot &&
    (memoryLo[on] !== control[base + Cw.WaitLo] || memoryHi[on] !== control[base + Cw.WaitHi])
  );
}

function hashSlot(core: Core, slot: number, hasher: Hasher): void {
  if ((core.tags[slot]! & Tag.Defined) === 0) return;
  hasher.add(slot);
  hasher.add(core.memoryLo[slot]!);
  hasher.add(core.memoryHi[slot]!);
}

function hashFrames(core: Core, cpu: number, hasher: Hasher): void {
  const { control, frames, layout, program } = core;
  const base = cpu * controlWords;
  let pc = control[base + Cw.Pc]!;
  let fp = control[base + Cw.Fp]!;
  let mp = control[base + Cw.Mp]!;
  let result = -1;
  for (let depth = control[base + Cw.Depth]!; depth >= 0 && pc >= 0; depth--) {
    const fn = program.positions[2 * pc]!;
    hasher.add(pc);
    hasher.add(fp);
    const registers = core.functionTable[fn * 6 + 1]!;
    let live = program.live[pc]!;
    // What a call will overwrite is dead while it runs.
    if (result >= 0 && result < 32) live &= ~(1 << result);
    for (let register = 0; register < registers; register++) {
      if (registers <= 32 && (live & (1 << register)) === 0) continue;
      hasher.add(core.lo[fp + register]!);
      hasher.add(core.hi[fp + register]!);
    }
    for (let slot = mp; slot < mp + core.functionTable[fn * 6 + 3]!; slot++) hashSlot(core, slot, hasher);
    if (depth === 0) break;
    const frame = (cpu * layout.depth + depth - 1) * frameWords;
    pc = frames[frame + Fw.Pc]!;
    fp = frames[frame + Fw.Fp]!;
    mp = frames[frame + Fw.Mp]!;
    result = frames[frame + Fw.Dst]!;
    hasher.add(frames[frame + Fw.Flags]!);
  }
}
