/**
 * The CPUs speculate: each fills its TLB with the user pages of its root whenever it may, after everything that drops
 * entries and before every locked step; and stale entries that only kernel code could use, by speculation, are noted.
 */
import type { Hardware } from '../machine/hardware';
import { accessUser } from '../machine/hardware';
import { entryUser } from '../machine/hardware/flags';
import type { Core } from '../vm/core';
import type { LinkedProgram } from '../vm/link';
import { mayBeStale, noteStale } from './staleUses';
import type { Surroundings } from './surroundings';

/** More pages than these are not filled speculatively. */
export const speculatedPagesAtMost = 256;

export class Speculation {
  private core: Core | null = null;

  /** `pages`: first addresses of the pages that are filled. */
  constructor(
    private readonly hardware: Hardware,
    private readonly around: Surroundings,
    private readonly program: LinkedProgram,
    private readonly pages: readonly (readonly [number, number])[],
  ) {
    const x86 = hardware.x86!;
    const invlpg = x86.invlpg.bind(x86);
    const invpcid = x86.invpcid.bind(x86);
    const writeCr3 = x86.writeCr3.bind(x86);
    const writeCr4 = x86.writeCr4.bind(x86);
    const fence = x86.fence.bind(x86);
    const after = (cpu: number, result: number): number => {
      this.speculate(cpu);
      return result;
    };
    x86.invlpg = (cpu, lo, hi) => after(cpu, invlpg(cpu, lo, hi));
    x86.invpcid = (cpu, type, a, b, c, d) => after(cpu, invpcid(cpu, type, a, b, c, d));
    x86.writeCr3 = (cpu, lo, hi) => after(cpu, writeCr3(cpu, lo, hi));
    x86.writeCr4 = (cpu, lo, hi) => after(cpu, writeCr4(cpu, lo, hi));
    x86.fence = (cpu, operation) => after(cpu, fence(cpu, operation));
    around.freed = () => {
      for (let cpu = 0; cpu < hardware.cpus; cpu++) this.look(cpu);
    };
  }

  /** It begins, in this memory. */
  start(core: Core): void {
    this.core = core;
    for (let cpu = 0; cpu < this.hardware.cpus; cpu++) this.speculate(cpu);
  }

  private speculate(cpu: number): void {
    const { core, around } = this;
    if (!core) return;
    this.look(cpu);
    const { translation } = this.hardware;
    for (const [lo, hi] of this.pages) {
      if (translation.cached(cpu, lo, hi) > 0) continue;
      translation.speculate(cpu, lo, hi, accessUser);
      if (around.takeWalkedDead()) noteStale(core, cpu, around, 'stale-walk', lo, hi);
    }
  }

  /** Stale entries of user pages that kernel code has under its PCID. User code that has some will use them. */
  private look(cpu: number): void {
    const { core, around } = this;
    if (!core || core.memoryLo[around.userModeSlot(core, cpu)] !== 0) return;
    const { translation, x86 } = this.hardware;
    const pcid = x86!.pcid(cpu);
    const was = around.walkedDead;
    for (const entry of translation.entries(cpu)) {
      const concerns =
        !entry.paging && (entry.global || entry.tag === pcid) && (entry.flags & entryUser) !== 0;
      if (!concerns) continue;
      const freed = core.memoryLo[around.usersSlot(entry.frame)] === 0;
      if (!freed && mayBeStale(core, cpu, around, this.program)) continue;
      const state = freed ? 'frame' : translation.compare(cpu, entry, -1);
      if (state === 'frame' || state === 'absent' || state === 'permission')
        noteStale(core, cpu, around, 'spec-only', entry.lo, entry.hi);
    }
    around.walkedDead = was;
  }
}
