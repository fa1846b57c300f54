/** A memory with page tables for tests, and short ways to drive a machine. Addresses are bigints. */
import { createHardware } from '../../../../src/machine/hardware/create';
import type { Hardware } from '../../../../src/machine/hardware';
import type { Bus, HardwareOptions } from '../../../../src/machine/hardwareOptions';
import type { TlbStructure } from '../../../../src/machine/profile';
import { findMachine } from '../../../../src/machine/registry';

export const lo = (value: bigint): number => Number(BigInt.asIntN(32, value));
export const hi = (value: bigint): number => Number(BigInt.asIntN(32, value >> 32n));
export const join = (low: number, high: number): bigint =>
  BigInt.asUintN(64, (BigInt(high) << 32n) | BigInt(low >>> 0));

/** Bits of an x86 entry. */
export const P = 1n;
export const RW = 2n;
export const US = 4n;
export const A = 0x20n;
export const D = 0x40n;
export const PS = 0x80n;
export const G = 0x100n;
export const XD = 1n << 63n;
export const user = P | RW | US;

export const pages = (level: number): bigint => 1n << BigInt(9 * (level - 1));

export class Memory implements Bus {
  lo = 0;
  hi = 0;
  readonly tables = new Map<number, Map<number, bigint>>();
  /** Stores that reached memory, in order: cpu, address, value. */
  readonly written: [number, number, bigint][] = [];
  readonly values = new Map<number, bigint>();
  /** The frame of the next new table. */
  nextTable = 0x100;

  readEntry(_cpu: number, table: number, _level: number, index: number): boolean {
    const found = this.tables.get(table);
    if (!found) return false;
    const entry = found.get(index) ?? 0n;
    this.lo = lo(entry);
    this.hi = hi(entry);
    return true;
  }

  writeEntry(_cpu: number, table: number, _level: number, index: number, low: number, high: number): void {
    this.tables.get(table)!.set(index, join(low, high));
  }

  write(cpu: number, address: number, low: number, high: number): void {
    this.written.push([cpu, address, join(low, high)]);
    this.values.set(address, join(low, high));
  }

  /** A new empty table. */
  table(): number {
    this.tables.set(this.nextTable, new Map());
    return this.nextTable++;
  }

  /** Table and index of the entry of `level` for the address, tables made where there are none. */
  place(root: number, va: bigint, level: number, top = 4, upper = user): [number, number] {
    let table = root;
    for (let now = top; now > level; now--) {
      const index = this.index(va, now);
      let entry = this.tables.get(table)!.get(index) ?? 0n;
      if ((entry & P) === 0n) {
        entry = (BigInt(this.table()) << 12n) | upper;
        this.tables.get(table)!.set(index, entry);
      }
      table = Number((entry >> 12n) & 0xffffffffffn);
    }
    return [table, this.index(va, level)];
  }

  /** Writes a raw entry. */
  set(root: number, va: bigint, level: number, entry: bigint, top = 4, upper = user): void {
    const [table, index] = this.place(root, va, level, top, upper);
    this.tables.get(table)!.set(index, entry);
  }

  get(root: number, va: bigint, level: number, top = 4): bigint {
    const [table, index] = this.place(root, va, level, top);
    return this.tables.get(table)!.get(index) ?? 0n;
  }

  /** Maps a page of x86: 4K, or larger with `level` 2 or 3. */
  map(root: number, va: bigint, frame: number, flags = user, level = 1): void {
    this.set(root, va, level, (BigInt(frame) << 12n) | flags | (level > 1 ? PS : 0n));
  }

  index(va: bigint, level: number): number {
    return Number((va >> BigInt(12 + 9 * (level - 1))) & 0x1ffn);
  }
}

/** A machine with one memory and one root that all CPUs have loaded. */
export interface Bench {
  readonly memory: Memory;
  readonly machine: Hardware;
  readonly root: number;
}

export const features = ['PGE', 'PCID', 'INVPCID'];

/** By default a Broadwell of 4 CPUs with PGE and PCIDE set and PCID 0 loaded. */
export function bench(
  options: HardwareOptions & { profile?: string; features?: readonly string[] } = {},
): Bench {
  const memory = new Memory();
  const { profile = 'broadwell-ep-e5-2660v4', features: wanted = features, ...rest } = options;
  const machine = createHardware(findMachine(profile)!, memory, {
    cpus: 4,
    pagingCaches: [32, 16, 16, 4],
    ...rest,
  });
  const root = memory.table();
  for (let cpu = 0; cpu < machine.cpus; cpu++) {
    machine.x86?.reset(cpu, root, wanted);
    machine.arm64?.reset(cpu, root, root, 1);
  }
  return { memory, machine, root };
}

/** Loads a root with a PCID without flushing. */
export function load(machine: Hardware, cpu: number, root: number, pcid: number): void {
  const value = (BigInt(root) << 12n) | BigInt(pcid) | (1n << 63n);
  if (machine.x86!.writeCr3(cpu, lo(value), hi(value)) !== 0) throw new Error('CR3');
}

export const access = (machine: Hardware, cpu: number, va: bigint, kind = 0): number =>
  machine.translation.access(cpu, lo(va), hi(va), kind);

/** The frame of an access that must succeed. */
export function frameOf(machine: Hardware, cpu: number, va: bigint, kind = 0): number {
  const result = access(machine, cpu, va, kind);
  if (result !== 0) throw new Error(`access of ${va.toString(16)}: ${result}`);
  return machine.translation.frame;
}

/** Whether an access by the current PCID would hit. */
export const cached = (machine: Hardware, cpu: number, va: bigint): boolean =>
  machine.translation.cached(cpu, lo(va), hi(va)) > 0;

/** Cached translations as `tag:address/level`, `g` for global ones; those of the second level only, sorted. */
export function translations(machine: Hardware, cpu: number): string[] {
  return machine.translation
    .entries(cpu)
    .filter(entry => entry.structure.startsWith('stlb') || entry.structure === 'test2')
    .map(e => `${e.global ? 'g' : e.tag}:${join(e.lo, e.hi).toString(16)}/${e.level}`)
    .sort();
}

/** Cached paging-structure entries as `tag:address/level`, sorted. */
export function paging(machine: Hardware, cpu: number): string[] {
  return machine.translation
    .entries(cpu)
    .filter(entry => entry.structure.endsWith('cache'))
    .map(e => `${e.tag}:${join(e.lo, e.hi).toString(16)}/${e.level}`)
    .sort();
}

export const invlpg = (machine: Hardware, cpu: number, va: bigint): number =>
  machine.x86!.invlpg(cpu, lo(va), hi(va));

export const invpcid = (machine: Hardware, cpu: number, type: number, pcid: number, va = 0n): number =>
  machine.x86!.invpcid(cpu, type, pcid, 0, lo(va), hi(va));

export const structure = (
  id: string,
  level: 'L1' | 'L2',
  holds: TlbStructure['holds'],
  pageSizes: TlbStructure['pageSizes'],
  entries: number,
  ways: TlbStructure['ways'],
): TlbStructure => ({
  ...{ id, level, holds, pageSizes, entries, ways, kind: 'estimated', sources: ['OWN'], note: '' },
});
