/** One page walk over tables that the bus holds: reading and interpreting entries. It caches nothing and writes nothing. */
import type { Bus } from '../hardwareOptions';
import {
  descriptorAccessFlag,
  descriptorDirtyModifier,
  descriptorNotGlobal,
  descriptorPxn,
  descriptorReadOnly,
  descriptorTable,
  descriptorUser,
  descriptorUxn,
  descriptorValid,
  entryDirty,
  entryExecutable,
  entryKernelExecutable,
  entryLeafShift,
  entryPermissions,
  entryTypeShift,
  entryUser,
  entryWritable,
  pteDirty,
  pteGlobal,
  ptePageSize,
  ptePresent,
  pteUser,
  pteWritable,
  tableNoUser,
  tablePxn,
  tableReadOnly,
  tableUxn,
} from './flags';
import { openBits } from './keys';

export const walkDone = 0;
const walkNotPresent = 1;
/** x86: a reserved bit is set. */
export const walkReserved = 2;
export const walkNoTable = 3;

/** Index into the table of `level`. */
function indexAt(lo: number, hi: number, level: number): number {
  switch (level) {
    case 1:
      return (lo >>> 12) & 0x1ff;
    case 2:
      return (lo >>> 21) & 0x1ff;
    case 3:
      return ((lo >>> 30) | (hi << 2)) & 0x1ff;
    case 4:
      return (hi >>> 7) & 0x1ff;
    default:
      return (hi >>> 16) & 0x1ff;
  }
}

/** The course of a walk, and what it found. */
export class Walk {
  status = walkDone;
  /** Entry that ended it. */
  level = 0;
  /** First level whose entry was read. */
  top = 0;
  reads = 0;
  /** Leaf: first frame (low word), flags with the frame's high bits, whether it is global. */
  frame = 0;
  flags = 0;
  global = false;
  /** By level: table and index read, entry, and flags from the start down to it, child's frame bits included. */
  readonly tables = new Float64Array(6);
  readonly indexes = new Int32Array(6);
  readonly los = new Int32Array(6);
  readonly his = new Int32Array(6);
  readonly conjunctions = new Int32Array(6);
  readonly frames = new Int32Array(6);

  constructor(private readonly bus: Bus) {}

  /** Walks from the entry of `level` in `table`, with the permissions of what was passed already. */
  x86(cpu: number, lo: number, hi: number, level: number, table: number, permissions: number): number {
    this.begin(level);
    let allowed = permissions & entryPermissions;
    let at = table;
    for (let now = level; ; now--) {
      if (!this.read(cpu, at, now, indexAt(lo, hi, now))) return (this.status = walkNoTable);
      const { lo: low, hi: high } = this.bus;
      if ((low & ptePresent) === 0) return (this.status = walkNotPresent);
      if ((low & pteWritable) === 0) allowed &= ~entryWritable;
      if ((low & pteUser) === 0) allowed &= ~entryUser;
      if (high < 0) allowed &= ~(entryExecutable | entryKernelExecutable);
      const leaf = now === 1 || (low & ptePageSize) !== 0;
      if (leaf && now > 3) return (this.status = walkReserved);
      const frame = (low >>> 12) | (high << 20);
      const frameHigh = (high >>> 12) & 0xff;
      if (!leaf) {
        this.note(now, frame, allowed | frameHigh);
        at = (frame >>> 0) + frameHigh * 0x100000000;
        continue;
      }
      // Bit 12 of a large leaf is PAT; the frame bits below its size are reserved.
      const open = openBits(now);
      if ((frame & open & ~1) !== 0) return (this.status = walkReserved);
      const pat = now === 1 ? (low >>> 7) & 1 : (low >>> 12) & 1;
      const type = ((low >>> 3) & 3) | (pat << 2);
      const dirty = (low & pteDirty) === 0 ? 0 : entryDirty;
      this.frame = now === 1 ? frame : frame & ~open;
      this.flags = allowed | frameHigh | dirty | (type << entryTypeShift) | (now << entryLeafShift);
      this.global = (low & pteGlobal) !== 0;
      return (this.status = walkDone);
    }
  }

  /** The same for descriptors of Arm; `dirtyState`: the hardware turns read-only with DBM into writable at a write. */
  arm64(
    cpu: number,
    lo: number,
    hi: number,
    level: number,
    table: number,
    permissions: number,
    dirtyState: boolean,
  ): number {
    this.begin(level);
    let allowed = permissions & entryPermissions;
    let at = table;
    for (let now = level; ; now--) {
      if (!this.read(cpu, at, now, indexAt(lo, hi, now))) return (this.status = walkNoTable);
      const { lo: low, hi: high } = this.bus;
      const table = (low & descriptorTable) !== 0;
      const leaf = now === 1 || !table;
      const allowedHere = now === 1 ? table : leaf ? now <= 3 : true;
      if ((low & descriptorValid) === 0 || !allowedHere) return (this.status = walkNotPresent);
      const frame = (low >>> 12) | (high << 20);
      const frameHigh = (high >>> 12) & 0xf;
      if (!leaf) {
        if ((high & tableReadOnly) !== 0) allowed &= ~entryWritable;
        if ((high & tableNoUser) !== 0) allowed &= ~entryUser;
        if ((high & tableUxn) !== 0) allowed &= ~entryExecutable;
        if ((high & tablePxn) !== 0) allowed &= ~entryKernelExecutable;
        this.note(now, frame, allowed | frameHigh);
        at = (frame >>> 0) + frameHigh * 0x100000000;
        continue;
      }
      const readOnly = (low & descriptorReadOnly) !== 0;
      const clean = readOnly && dirtyState && (high & descriptorDirtyModifier) !== 0;
      if (readOnly && !clean) allowed &= ~entryWritable;
      if ((low & descriptorUser) === 0) allowed &= ~entryUser;
      if ((high & descriptorUxn) !== 0) allowed &= ~entryExecutable;
      if ((high & descriptorPxn) !== 0) allowed &= ~entryKernelExecutable;
      // What user code can write, the kernel cannot execute.
      if ((allowed & entryUser) !== 0 && (allowed & entryWritable) !== 0) allowed &= ~entryKernelExecutable;
      this.frame = frame & ~openBits(now);
      const type = (low >>> 2) & 7;
      this.flags =
        allowed | frameHigh | (clean ? 0 : entryDirty) | (type << entryTypeShift) | (now << entryLeafShift);
      this.global = (low & descriptorNotGlobal) === 0;
      return (this.status = walkDone);
    }
  }

  /** Whether the leaf has its access flag (Arm). */
  accessFlag(): boolean {
    return (this.los[this.level]! & descriptorAccessFlag) !== 0;
  }

  private begin(level: number): void {
    this.top = level;
    this.reads = 0;
    this.frame = 0;
    this.flags = 0;
    this.global = false;
  }

  private read(cpu: number, table: number, level: number, index: number): boolean {
    this.level = level;
    this.tables[level] = table;
    this.indexes[level] = index;
    this.reads += 1;
    const bus = this.bus;
    if (!bus.readEntry(cpu, table, level, index)) return false;
    this.los[level] = bus.lo;
    this.his[level] = bus.hi;
    return true;
  }

  private note(level: number, frame: number, flags: number): void {
    this.frames[level] = frame;
    this.conjunctions[level] = flags;
  }
}
