/**
 * What each operation of x86 must invalidate, one test a row: SDM volume 3A, 4.10.4.1. Two PCIDs (3 and 5) have the
 * same two pages cached, from one table page each; a third page is global.
 */
import { strict as assert } from 'node:assert';
import type { Hardware } from '../../../../src/machine/hardware';
import { cr4Pae, cr4Pcide, cr4Pge, cr4Smep } from '../../../../src/machine/hardware/flags';
import type { HardwareOptions } from '../../../../src/machine/hardwareOptions';
import {
  access,
  bench,
  D,
  features,
  frameOf,
  G,
  hi,
  invlpg,
  invpcid,
  lo,
  load,
  type Memory,
  paging,
  translations,
  user,
} from './memory';

const page = 0x7000_0000_1000n;
const next = 0x7000_0000_2000n;
const far = 0x7040_0000_1000n;
const kernel = 0xffff_8000_0000_3000n;

interface Filled {
  memory: Memory;
  machine: Hardware;
  root: number;
}

function filled(options: HardwareOptions & { features?: readonly string[] } = {}): Filled {
  const { memory, machine, root } = bench(options);
  memory.map(root, page, 0x11);
  memory.map(root, next, 0x12);
  memory.map(root, far, 0x13);
  memory.map(root, kernel, 0x14, user | G);
  for (const pcid of [3, 5]) {
    load(machine, 0, root, pcid);
    for (const va of [page, next, far, kernel]) access(machine, 0, va);
  }
  load(machine, 0, root, 3);
  return { memory, machine, root };
}

const own = (pcid: number): string[] => [
  `${pcid}:700000001000/1`,
  `${pcid}:700000002000/1`,
  `${pcid}:704000001000/1`,
];
const global = 'g:ffff800000003000/1';
const all = [...own(3), ...own(5), global];
const pagingOf = (pcid: number): string[] =>
  ['700000000000/2', '700000000000/3', '700000000000/4', '704000000000/2', '704000000000/3'].map(
    entry => `${pcid}:${entry}`,
  );
/** PCID 3 walked the kernel page; PCID 5 hit the global entry. */
const kernelPaging = ['3:ffff800000000000/2', '3:ffff800000000000/3', '3:ffff800000000000/4'];
const allPaging = [...pagingOf(3), ...kernelPaging, ...pagingOf(5)].sort();

const without = (list: readonly string[], ...gone: string[]): string[] =>
  list.filter(entry => !gone.includes(entry));

function expect(machine: Hardware, tlb: readonly string[], ps: readonly string[]): void {
  assert.deepEqual(translations(machine, 0), [...tlb].sort());
  assert.deepEqual(paging(machine, 0), [...ps].sort());
}

const cr3 = (machine: Hardware, root: number, pcid: number, bit63 = 0n): number => {
  const value = (BigInt(root) << 12n) | BigInt(pcid) | (bit63 << 63n);
  return machine.x86!.writeCr3(0, lo(value), hi(value));
};

describe('what an operation of x86 invalidates (1.4)', () => {
  it('starts from what the accesses cached', () => {
    expect(filled().machine, all, allPaging);
  });

  it('INVLPG: the page in the current PCID, and all paging-structure entries of the current PCID only', () => {
    const { machine } = filled();
    invlpg(machine, 0, page);
    expect(machine, without(all, '3:700000001000/1'), pagingOf(5));
  });

  it('INVLPG: a global entry for the page, whatever the PCID', () => {
    const { machine } = filled();
    invlpg(machine, 0, kernel);
    expect(machine, without(all, global), pagingOf(5));
  });

  it('INVLPG: every page size', () => {
    const { machine, memory, root } = bench();
    memory.map(root, 0x40000000n, 0x40000, user, 3);
    memory.map(root, 0x80000000n, 0x200, user, 2);
    access(machine, 0, 0x40123456n);
    access(machine, 0, 0x80012345n);
    assert.deepEqual(translations(machine, 0), ['0:40000000/3', '0:80000000/2']);
    invlpg(machine, 0, 0x7ffff000n);
    assert.deepEqual(translations(machine, 0), ['0:80000000/2']);
    invlpg(machine, 0, 0x801ff000n);
    assert.deepEqual(translations(machine, 0), []);
  });

  it('INVLPG of a non-canonical address does nothing', () => {
    const { machine } = filled();
    assert.equal(invlpg(machine, 0, 0x0000_8000_0000_0000n), 0);
    expect(machine, all, allPaging);
  });

  it('INVPCID 0: the page in that PCID without globals, and the paging-structure entries used for it', () => {
    const { machine } = filled();
    assert.equal(invpcid(machine, 0, 0, 5, page), 0);
    expect(
      machine,
      without(all, '5:700000001000/1'),
      without(allPaging, '5:700000000000/2', '5:700000000000/3', '5:700000000000/4'),
    );
    invpcid(machine, 0, 0, 5, kernel);
    assert.ok(translations(machine, 0).includes(global));
  });

  it('INVPCID 1: the PCID without globals', () => {
    const { machine } = filled();
    invpcid(machine, 0, 1, 5);
    expect(machine, [...own(3), global], [...pagingOf(3), ...kernelPaging]);
  });

  it('INVPCID 2: everything', () => {
    const { machine } = filled();
    invpcid(machine, 0, 2, 0);
    expect(machine, [], []);
  });

  it('INVPCID 3: everything but globals', () => {
    const { machine } = filled();
    invpcid(machine, 0, 3, 0);
    expect(machine, [global], []);
  });

  it('MOV CR3 with PCIDE clear: all but globals', () => {
    const { machine, memory, root } = bench({ features: ['PGE'] });
    memory.map(root, page, 0x11);
    memory.map(root, kernel, 0x14, user | G);
    access(machine, 0, page);
    access(machine, 0, kernel);
    cr3(machine, root, 0);
    expect(machine, [global], []);
  });

  it('MOV CR3 with PCIDE set and bit 63 clear: the PCID loaded, not the one left', () => {
    const { machine, root } = filled();
    cr3(machine, root, 5);
    expect(machine, [...own(3), global], [...pagingOf(3), ...kernelPaging]);
  });

  it('MOV CR3 with PCIDE set and bit 63 set: nothing', () => {
    const { machine, root } = filled();
    cr3(machine, root, 5, 1n);
    expect(machine, all, allPaging);
    assert.equal(machine.x86!.cr3Hi(0), 0, 'bit 63 is not stored');
  });

  it('MOV CR4 that changes PGE, either way: everything', () => {
    const { machine } = filled();
    const { x86 } = machine;
    assert.equal(x86!.writeCr4(0, x86!.cr4(0) & ~cr4Pge, 0), 0);
    expect(machine, [], []);
    access(machine, 0, page);
    assert.equal(x86!.writeCr4(0, x86!.cr4(0) | cr4Pge, 0), 0);
    expect(machine, [], []);
  });

  it('MOV CR4 that clears PCIDE: everything', () => {
    const { machine } = filled();
    const { x86 } = machine;
    assert.equal(x86!.writeCr4(0, x86!.cr4(0) & ~cr4Pcide, 0), 0);
    expect(machine, [], []);
    assert.equal(x86!.pcid(0), 0);
  });

  it('MOV CR4 that sets PCIDE: nothing', () => {
    const { machine, memory, root } = bench({ features: ['PGE'] });
    memory.map(root, page, 0x11);
    access(machine, 0, page);
    const { x86 } = machine;
    assert.equal(x86!.writeCr4(0, x86!.cr4(0) | cr4Pcide, 0), 0);
    expect(machine, ['0:700000001000/1'], pagingOf(0).slice(0, 3));
  });

  it('MOV CR4 that sets SMEP: the current PCID', () => {
    const { machine } = filled();
    const { x86 } = machine;
    assert.equal(x86!.writeCr4(0, x86!.cr4(0) | cr4Smep, 0), 0);
    expect(machine, [...own(5), global], pagingOf(5));
  });

  it('MOV CR4 that clears SMEP: nothing', () => {
    const { machine } = filled({ features: [...features, 'SMEP'] });
    const { x86 } = machine;
    assert.equal(x86!.writeCr4(0, x86!.cr4(0) & ~cr4Smep, 0), 0);
    expect(machine, all, allPaging);
  });

  it('MOV CR4 that changes PAE (outside long mode): the current PCID', () => {
    const { machine } = filled();
    const { x86 } = machine;
    x86!.writeEfer(0, 0, 0);
    assert.equal(x86!.writeCr4(0, x86!.cr4(0) & ~cr4Pae, 0), 0);
    expect(machine, [...own(5), global], pagingOf(5));
  });

  it('MOV CR4 of the same value: nothing', () => {
    const { machine } = filled();
    assert.equal(machine.x86!.writeCr4(0, machine.x86!.cr4(0), 0), 0);
    expect(machine, all, allPaging);
  });

  it('MOV CR4 that changes neither PGE, PAE, SMEP nor clears PCIDE: nothing, whatever else it changes', () => {
    const flushing = cr4Pge | cr4Pae | cr4Smep | cr4Pcide;
    for (let bit = 0; bit < 32; bit++) {
      // LA57 cannot change in long mode.
      if (((flushing >>> bit) & 1) !== 0 || bit === 12) continue;
      const { machine } = filled();
      const { x86 } = machine;
      assert.equal(x86!.writeCr4(0, x86!.cr4(0) ^ (1 << bit), 0), 0);
      expect(machine, all, allPaging);
    }
  });

  it('INVLPG: needs no mapping, reads no table and cannot fault', () => {
    const { machine, memory } = filled();
    let reads = 0;
    const read = memory.readEntry.bind(memory);
    memory.readEntry = (...args) => {
      reads += 1;
      return read(...args);
    };
    assert.equal(invlpg(machine, 0, 0x1234_5000n), 0);
    assert.equal(reads, 0);
    expect(machine, all, pagingOf(5));
  });

  it('MOV CR0 that clears PG: everything', () => {
    const { machine, memory, root } = bench({ features: ['PGE'] });
    memory.map(root, page, 0x11);
    memory.map(root, kernel, 0x14, user | G);
    access(machine, 0, page);
    access(machine, 0, kernel);
    assert.equal(machine.x86!.writeCr0(0, 1, 0), 0);
    expect(machine, [], []);
    assert.equal(frameOf(machine, 0, 0x5123n), 5, 'untranslated');
  });

  it('a page fault: the page in the current PCID, and the paging-structure entries used for it', () => {
    const { machine } = filled();
    // XD is clear and RW set everywhere: a fault by permission needs a supervisor page.
    const other = bench();
    other.memory.map(other.root, page, 0x11, 1n);
    other.memory.map(other.root, next, 0x12);
    other.memory.map(other.root, far, 0x13);
    for (const va of [page, next, far]) access(other.machine, 0, va);
    assert.equal(access(other.machine, 0, page, 4), 14);
    expect(other.machine, ['0:700000002000/1', '0:704000001000/1'], ['0:704000000000/2', '0:704000000000/3']);
    assert.equal(translations(machine, 0).length, 7);
  });

  it('a page fault leaves other PCIDs alone', () => {
    const { machine, memory, root } = filled();
    memory.map(root, page, 0x11, 0n);
    load(machine, 0, root, 7);
    assert.equal(access(machine, 0, page), 14);
    expect(machine, all, allPaging);
  });

  it('a task switch that changes CR3: as MOV CR3 with PCIDE clear; one that does not: nothing', () => {
    const { machine, memory, root } = bench({ features: ['PGE'] });
    memory.map(root, page, 0x11);
    memory.map(root, kernel, 0x14, user | G);
    access(machine, 0, page);
    access(machine, 0, kernel);
    machine.x86!.taskSwitch(0, root << 12, 0);
    assert.equal(translations(machine, 0).length, 2);
    machine.x86!.taskSwitch(0, memory.table() << 12, 0);
    expect(machine, [global], []);
  });

  it('interrupts, IRET, fences and locked instructions: nothing', () => {
    const { machine } = filled();
    const { interrupts, x86 } = machine;
    interrupts.setEnabled(0, true);
    interrupts.raise(0, 1);
    interrupts.accept(0, 1);
    interrupts.returnFromInterrupt(0);
    interrupts.raiseNmi(0);
    interrupts.accept(0, 32);
    for (const operation of ['LFENCE', 'MFENCE', 'ATOMIC', 'SERIALIZE'] as const) x86!.fence(0, operation);
    expect(machine, all, allPaging);
  });

  it('nothing that a CPU does removes an entry of another', () => {
    const { machine, root } = filled();
    invpcid(machine, 1, 2, 0);
    invlpg(machine, 2, page);
    cr3(machine, root, 3, 1n);
    expect(machine, all, allPaging);
  });

  it('the option that a CPU drops more than it must', () => {
    const { machine } = filled({ alsoDrops: 'paging-structures' });
    invpcid(machine, 0, 0, 5, page);
    expect(machine, without(all, '5:700000001000/1'), []);
    const most = filled({ alsoDrops: 'everything' }).machine;
    invpcid(most, 0, 0, 5, page);
    expect(most, [], []);
  });

  it('the erratum of Alder Lake: INVLPG keeps a global entry while PCIDE is set', () => {
    const { machine, root } = filled({ invlpgKeepsGlobalsWhenPcide: true });
    invlpg(machine, 0, kernel);
    assert.ok(translations(machine, 0).includes(global));
    invlpg(machine, 0, page);
    assert.ok(!translations(machine, 0).includes('3:700000001000/1'));
    const plain = bench({ invlpgKeepsGlobalsWhenPcide: true, features: ['PGE'] });
    plain.memory.map(plain.root, kernel, 0x14, user | G | D);
    access(plain.machine, 0, kernel);
    invlpg(plain.machine, 0, kernel);
    assert.deepEqual(translations(plain.machine, 0), []);
    assert.notEqual(root, 0);
  });

  it('without the erratum INVLPG drops the global entry with PCIDE set too', () => {
    const { machine } = filled({ invlpgKeepsGlobalsWhenPcide: false });
    invlpg(machine, 0, kernel);
    assert.ok(!translations(machine, 0).includes(global));
  });
});
