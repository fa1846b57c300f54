/** Page tables as they are before the run, written straight to memory. */
import { Tag } from '../vm/kinds';
import { slotBytes } from '../vm/program';
import type { Vm } from '../vm/vm';
import type { Surroundings } from './surroundings';
import { firstFrame, firstHugeFrame, hugeFrames, pageSlots, tableUsed } from './surroundings';
import type { PageShift } from './world';
import { WorldError } from './world';

/** Present, writable, user, accessed. */
const tableFlags = 0x27;
const pageFlags = 0x25;
const writableFlags = 0x42;
/** The entry is that of a large page. */
const sizeFlag = 0x80;
const globalFlag = 0x100;

export class PageTables {
  private tables = 0;
  private frames = 0;
  private huge = 0;
  private areas = 0;

  constructor(
    private readonly vm: Vm,
    private readonly around: Surroundings,
  ) {}

  /** A pair of roots: that of the kernel, and that of user mode. Its address. */
  pair(): bigint {
    if (this.tables % 2) this.tables++;
    const first = this.table();
    this.table();
    return BigInt(first * slotBytes);
  }

  nextArea(): number {
    return this.areas++;
  }

  private word(slot: number, lo: number): void {
    this.vm.core.memoryLo[slot] = lo;
    this.vm.core.tags[slot]! |= Tag.Defined;
  }

  /** First slot of a new table. */
  private table(): number {
    const { around } = this;
    if (this.tables >= around.tableCount) throw new WorldError('the page tables of this world are too many');
    this.word(around.tableState + this.tables, tableUsed);
    return around.tables + this.tables++ * pageSlots;
  }

  /** Maps a page of memory of its own at an address. `pair`: user mode has a root of its own. */
  map(
    root: bigint,
    address: bigint,
    shift: PageShift,
    { writable, pair, global }: { writable: boolean; pair: boolean; global: boolean },
  ): void {
    const huge = shift === 21;
    const levels = huge ? [39n, 30n] : [39n, 30n, 21n];
    const slot = this.tableFor(root, address, levels, pair);
    const frame = huge ? this.hugeFrame() : this.frame();
    const at = slot + Number((address >> BigInt(shift)) & 511n);
    this.word(
      at,
      (frame << 12) |
        pageFlags |
        (writable ? writableFlags : 0) |
        (huge ? sizeFlag : 0) |
        (global ? globalFlag : 0),
    );
    // Frames lie above 4 GiB.
    this.vm.core.memoryHi[at] = frame >>> 20;
  }

  /** First slot of the table that holds the leaf of an address, below tables of these levels. */
  private tableFor(root: bigint, address: bigint, levels: readonly bigint[], pair: boolean): number {
    const { memoryLo } = this.vm.core;
    let slot = Number(root) / slotBytes;
    for (const shift of levels) {
      const at = slot + Number((address >> shift) & 511n);
      if (memoryLo[at] === 0) {
        const entry = (this.table() * slotBytes) | tableFlags;
        this.word(at, entry);
        if (shift === 39n && pair) this.word(at + pageSlots, entry);
      }
      slot = (memoryLo[at]! & ~0xfff) / slotBytes;
    }
    return slot;
  }

  private frame(): number {
    const { around } = this;
    if (this.frames >= around.frameCount) throw new WorldError('the memory of this world is used up');
    this.word(around.frames + this.frames, 1);
    return firstFrame + this.frames++;
  }

  private hugeFrame(): number {
    const { around } = this;
    if (this.huge >= around.hugeCount) throw new WorldError('the memory of this world is used up');
    this.word(around.huge + this.huge, 1);
    return firstHugeFrame + this.huge++ * hugeFrames;
  }
}
