/**
 * Counts what flushes drop needlessly: translations of the address space at hand that the page tables still hold as they
 * were cached. Only what is certain is counted: entries of the PCID in effect (and of the one that a CR3 write loads),
 * and with everything flushed those of the pair of PCIDs that PTI gives an address space.
 */
import type { Hardware } from '../machine/hardware';
import { accessUser, done } from '../machine/hardware';
import { entryPermissions } from '../machine/hardware/flags';
import { Tag } from '../vm/kinds';
import type { Core } from '../vm/core';
import { controlWords, Cw } from '../vm/state';
import { overflushLines, type Surroundings } from './surroundings';

/** The bit by which the PCIDs of kernel and user mode differ. */
const userPcidBit = 0x800;
const invpcidAddress = 0;
const invpcidContext = 1;
const invpcidAllGlobal = 2;
/** Bit 47 of an address, in its high half: the kernel's. */
const kernelHalf = 0x8000;

export class Overflush {
  private core: Core | null = null;

  constructor(
    private readonly hardware: Hardware,
    private readonly around: Surroundings,
  ) {
    const x86 = hardware.x86!;
    const { invlpg, invpcid, writeCr3, writeCr4 } = {
      invlpg: x86.invlpg.bind(x86),
      invpcid: x86.invpcid.bind(x86),
      writeCr3: x86.writeCr3.bind(x86),
      writeCr4: x86.writeCr4.bind(x86),
    };
    x86.invlpg = (cpu, lo, hi) => {
      this.page(cpu, lo, hi);
      return invlpg(cpu, lo, hi);
    };
    x86.invpcid = (cpu, type, descLo, descHi, addressLo, addressHi) => {
      const own = x86.pcid(cpu);
      if (type === invpcidContext) {
        if ((descLo | userPcidBit) === (own | userPcidBit)) this.contexts(cpu, [descLo], -1);
      } else if (type !== invpcidAddress)
        this.contexts(cpu, [own, own ^ userPcidBit], -1, type === invpcidAllGlobal);
      return invpcid(cpu, type, descLo, descHi, addressLo, addressHi);
    };
    x86.writeCr3 = (cpu, lo, hi) => {
      const pcid = this.loaded(cpu, lo);
      if (hi >= 0) this.contexts(cpu, [pcid], (lo >>> 12) + (hi & 0xfffff) * 0x10_0000);
      return writeCr3(cpu, lo, hi);
    };
    x86.writeCr4 = (cpu, lo, hi) => {
      const own = x86.pcid(cpu);
      // Bit 7 is PGE: the second of the two writes finds nothing any more.
      if (((x86.cr4(cpu) ^ lo) & 0x80) !== 0) this.contexts(cpu, [own, own ^ userPcidBit], -1, true);
      return writeCr4(cpu, lo, hi);
    };
  }

  /** Counting begins, in this memory. */
  start(core: Core): void {
    this.core = core;
  }

  /** The PCID that a CR3 value names: bit 17 of CR4 is PCIDE. */
  private loaded(cpu: number, lo: number): number {
    return (this.hardware.x86!.cr4(cpu) & 0x2_0000) !== 0 ? lo & 0xfff : 0;
  }

  private add(cpu: number, count: number): void {
    const { core } = this;
    if (!core || count === 0) return;
    const slot = this.around.overflushSlot(core, cpu);
    core.memoryLo[slot]! += count;
    core.tags[slot]! |= Tag.Defined;
    // A row is the count and, in the high half, the instruction + 1.
    const at = core.control[cpu * controlWords + Cw.Pc]! + 1;
    let row = slot + 1;
    while (row < slot + overflushLines && core.memoryHi[row] !== 0 && core.memoryHi[row] !== at) row += 1;
    if (core.memoryHi[row] === 0) core.memoryHi[row] = at;
    core.memoryLo[row]! += count;
    core.tags[row]! |= Tag.Defined;
  }

  /** A page of the PCID in effect. */
  private page(cpu: number, lo: number, hi: number): void {
    if (!this.core) return;
    const { translation } = this.hardware;
    if (translation.cached(cpu, lo, hi) === 0) return;
    const { frame, flags } = translation;
    const was = this.around.walkedDead;
    const now = translation.peek(cpu, lo, hi, accessUser);
    if (now === done && translation.frame === frame && (flags & ~translation.flags & entryPermissions) === 0)
      this.add(cpu, 1);
    this.around.walkedDead = was;
  }

  /**
   * User pages of these PCIDs, against the tables under a root (−1: the one in effect). `globals`: global ones too, such as
   * Xen makes of a guest's.
   */
  private contexts(cpu: number, pcids: readonly number[], root: number, globals = false): void {
    const goes = (tag: number, global: boolean): boolean => (global ? globals : pcids.includes(tag));
    if (!this.core) return;
    const { translation } = this.hardware;
    const any = translation
      .occupancy(cpu)
      .some(({ tag, global, translations }) => translations > 0 && goes(tag, global));
    if (!any) return;
    const was = this.around.walkedDead;
    const seen = new Set<string>();
    for (const entry of translation.entries(cpu)) {
      if (entry.paging || (entry.hi & kernelHalf) !== 0 || !goes(entry.tag, entry.global)) continue;
      const key = `${entry.tag} ${entry.hi} ${entry.lo}`;
      if (seen.has(key)) continue;
      const state = translation.compare(cpu, entry, root);
      if (state === 'fresh' || state === 'narrower') seen.add(key);
    }
    this.add(cpu, seen.size);
    this.around.walkedDead = was;
  }
}
