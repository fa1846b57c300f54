/** Page tables as they are before the run, written straight to memory. */
import { Tag } from '../vm/kinds';
import { slotBytes } from '../vm/program';
import type { Vm } from '../vm/vm';
import type { Surroundings } from './surroundings';
import { firstFrame, pageSlots, tableUsed } from './surroundings';
import { WorldError } from './world';

/** Present, writable, user, accessed. */
const tableFlags = 0x27;
const pageFlags = 0x25;
const writableFlags = 0x42;

export class PageTables {
  private tables = 0;
  private frames = 0;
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
  map(root: bigint, address: bigint, writable: boolean, pair: boolean): void {
    const { memoryLo } = this.vm.core;
    const { around } = this;
    let slot = Number(root) / slotBytes;
    for (const shift of [39n, 30n, 21n]) {
      const at = slot + Number((address >> shift) & 511n);
      if (memoryLo[at] === 0) {
        const entry = (this.table() * slotBytes) | tableFlags;
        this.word(at, entry);
        if (shift === 39n && pair) this.word(at + pageSlots, entry);
      }
      slot = (memoryLo[at]! & ~0xfff) / slotBytes;
    }
    if (this.frames >= around.frameCount) throw new WorldError('the memory of this world is used up');
    this.word(around.frames + this.frames, 1);
    const frame = firstFrame + this.frames++;
    const at = slot + Number((address >> 12n) & 511n);
    this.word(at, (frame << 12) | pageFlags | (writable ? writableFlags : 0) | 0);
    // Frames lie above 4 GiB.
    this.vm.core.memoryHi[at] = frame >>> 20;
  }
}
