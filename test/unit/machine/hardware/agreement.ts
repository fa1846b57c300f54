/** Runs the same operations on the machine and on the reference, and compares all that either holds. */
import { createHardware } from '../../../../src/machine/hardware/create';
import {
  cr4Pcide,
  cr4Pge,
  cr4Smep,
  entryDirty,
  entryExecutable,
  entryUser,
  entryWritable,
} from '../../../../src/machine/hardware/flags';
import type { Hardware } from '../../../../src/machine/hardware';
import type { HardwareOptions } from '../../../../src/machine/hardwareOptions';
import { findMachine } from '../../../../src/machine/registry';
import { hi, join, lo, Memory, structure } from './memory';
import { Reference } from './reference';

/** Ten 4K pages in three 2M regions of two 1G regions, far enough apart to share sets. */
const pages = [
  0x0n,
  0x1000n,
  0x4000n,
  0x8000n,
  0x1ff000n,
  0x200000n,
  0x201000n,
  0x40000000n,
  0x40001000n,
  0x40200000n,
];
const roots = 2;

function show(machine: Hardware): string[] {
  return machine.translation
    .entries(0)
    .map(e => {
      const flag = (bit: number, letter: string): string => ((e.flags & bit) === 0 ? '' : letter);
      const flags = flag(entryWritable, 'w') + flag(entryUser, 'u') + flag(entryExecutable, 'x');
      const at = join(e.lo, e.hi).toString(16);
      if (e.structure.endsWith('cache'))
        return `paging ${e.tag}:${at}/${e.level} ${e.frame.toString(16)} ${flags}`;
      return `${e.structure} ${e.global ? 'g' : e.tag}:${at}/${e.level}/${e.leafLevel} ${e.frame.toString(16)} ${flags}${flag(entryDirty, 'd')}`;
    })
    .sort();
}

export interface Variant {
  readonly amd: boolean;
  readonly pieces: boolean;
}

export class Agreement {
  private readonly memory = new Memory();
  private readonly machine: Hardware;
  private readonly start: Int32Array;
  private readonly roots: number[] = [];

  /** `broken`: options that make the machine break a rule. */
  constructor(
    private readonly variant: Variant,
    broken: HardwareOptions = {},
  ) {
    const profile = findMachine(variant.amd ? 'zen4' : 'broadwell-ep-e5-2660v4')!;
    this.machine = createHardware(profile, this.memory, {
      cpus: 1,
      tlb: [
        structure('first', 'L1', 'both', ['4K', '2M'], 4, 2),
        structure('second', 'L2', 'both', ['4K', '2M'], 12, 3),
      ],
      pagingCaches: [3, 3, 3, 1],
      fragments: variant.pieces ? 'always' : 'missing',
      ...broken,
    });
    for (let n = 0; n < roots; n++) this.roots.push(this.memory.table());
    this.machine.x86!.reset(0, this.roots[0]!, ['PGE', 'PCID', 'INVPCID']);
    this.start = this.machine.snapshot();
  }

  /** Each number is one operation. Returns what differed first, or null. */
  run(operations: readonly number[]): string | null {
    const { machine, memory } = this;
    const reference = new Reference({
      ...this.variant,
      first: [2, 2],
      second: [4, 3],
      paging: 3,
    });
    memory.tables.clear();
    machine.restore(this.start);
    for (const root of this.roots) {
      memory.tables.set(root, new Map());
      reference.memory.tables.set(root, new Map());
    }
    memory.nextTable = reference.memory.nextTable = 0x200;
    reference.root = this.roots[0]!;
    // All pages are mapped at first, one of them global, one region by a 2M page.
    pages.forEach((va, n) => {
      for (const root of this.roots)
        this.change(reference, va, (n << 7) | (n === 2 ? 8 : 0) | (n === 9 ? 0 : 32), root);
    });
    for (const [step, operation] of operations.entries()) {
      const [mine, theirs] = this.step(reference, operation);
      if (mine !== theirs) return `step ${step}: machine ${mine}, reference ${theirs}`;
      const [a, b] = [show(machine).join('\n'), reference.contents().join('\n')];
      if (a !== b) return `step ${step}: machine holds\n${a}\nreference\n${b}`;
    }
    for (const [table, entries] of memory.tables)
      for (const [index, entry] of entries)
        if (reference.memory.tables.get(table)?.get(index) !== entry)
          return `entry ${index} of table ${table} differs`;
    return null;
  }

  private step(reference: Reference, operation: number): [string, string] {
    const { machine } = this;
    const { x86, translation } = machine;
    const va = pages[(operation >>> 4) % pages.length]!;
    const pcid = (operation >>> 8) % 3;
    const more = operation >>> 10;
    const root = this.roots[(operation >>> 14) % roots]!;
    const [low, high] = [lo(va), hi(va)];
    switch (operation & 15) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: {
        const kind = more & 7;
        const result = translation.access(0, low, high, kind === 3 || kind === 7 ? 1 : kind);
        const other = reference.access(va, kind === 3 || kind === 7 ? 1 : kind);
        const mine = result === 0 ? `frame ${translation.frame}` : `error ${translation.errorCode}`;
        const theirs = other.result === 0 ? `frame ${other.frame}` : `error ${reference.error}`;
        return [`${mine} hit ${translation.hit}`, `${theirs} hit ${other.hit}`];
      }
      case 5:
      case 6:
      case 7:
        this.change(reference, va, more, root);
        return ['', ''];
      case 8:
        reference.invlpg(va);
        return [String(x86!.invlpg(0, low, high)), '0'];
      case 9: {
        const type = more & 3;
        const theirs = reference.invpcid(type, pcid, va);
        return [String(x86!.invpcid(0, type, pcid, 0, low, high)), String(theirs)];
      }
      case 10:
      case 11: {
        const keep = (more & 1) !== 0;
        const value = (BigInt(root) << 12n) | BigInt(pcid) | (keep ? 1n << 63n : 0n);
        return [String(x86!.writeCr3(0, lo(value), hi(value))), String(reference.cr3(root, pcid, keep))];
      }
      case 12: {
        // Most writes keep most bits.
        const flip = [0, cr4Pge, cr4Pcide, cr4Smep][more & 3]!;
        const value = x86!.cr4(0) ^ flip;
        const has = (bit: number): boolean => (value & bit) !== 0;
        const theirs = reference.cr4(has(cr4Pge), has(cr4Pcide), has(cr4Smep));
        return [String(x86!.writeCr4(0, value, 0)), String(theirs)];
      }
      case 13:
        return [String(translation.speculate(0, low, high, 0)), String(reference.speculate(va))];
      case 14:
        translation.evict(0, low, high);
        reference.evict(va);
        return ['', ''];
      default:
        if (!this.variant.amd) return ['', ''];
        reference.tce = (more & 1) !== 0;
        x86!.writeEfer(0, (x86!.efer(0) & ~(1 << 15)) | (reference.tce ? 1 << 15 : 0), 0);
        return ['', ''];
    }
  }

  /** Changes a page-table entry in both memories: a 4K page, a 2M page, or an upper entry's permissions. */
  private change(reference: Reference, va: bigint, how: number, root: number): void {
    const flags =
      ((how & 1) === 0 ? 1n : 0n) |
      ((how & 2) === 0 ? 2n : 0n) |
      ((how & 4) === 0 ? 4n : 0n) |
      ((how & 8) === 0 ? 0n : 0x100n) |
      ((how & 16) === 0 ? 0n : 1n << 63n);
    const level = (how >>> 5) % 4 === 0 ? 2 : 1;
    const frame = level === 2 ? ((how >>> 7) & 3) * 512 : (how >>> 7) & 15;
    const entry = (BigInt(frame) << 12n) | flags | (level === 2 ? 0x80n : 0n);
    for (const memory of [this.memory, reference.memory]) {
      const above = memory.get(root, va, 2);
      // A 4K page below a 2M page first takes its place, by a new table.
      if (level === 1 && (above & 0x80n) !== 0n) memory.set(root, va, 2, 0n);
      memory.set(root, va, level, entry);
    }
  }
}
