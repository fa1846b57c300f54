/** Faults as values: #GP and #UD conditions, #PF with its error code (SDM volume 2 and volume 3A, 4.7). */
import { strict as assert } from 'node:assert';
import { cr4Pae, cr4Pcide, cr4Smap, cr4Smep } from '../../../../src/machine/hardware/flags';
import { access, bench, features, G, hi, invpcid, lo, load, P, PS, US, user, XD } from './memory';

const va = 0x7000_0000_1000n;

describe('#GP and #UD', () => {
  it('setting PCIDE with CR3[11:0] ≠ 0', () => {
    const { machine, root } = bench({ features: ['PGE'] });
    const { x86 } = machine;
    x86!.writeCr3(0, (root << 12) | 0x18, 0);
    assert.equal(x86!.writeCr4(0, x86!.cr4(0) | cr4Pcide, 0), 13);
    assert.equal(x86!.cr4(0) & cr4Pcide, 0);
    x86!.writeCr3(0, root << 12, 0);
    assert.equal(x86!.writeCr4(0, x86!.cr4(0) | cr4Pcide, 0), 0);
  });

  it('CR3 with bit 63 while PCIDE is clear, or with a reserved bit', () => {
    const { machine, root } = bench({ features: ['PGE'] });
    assert.equal(machine.x86!.writeCr3(0, root << 12, 1 << 31), 13);
    assert.equal(machine.x86!.writeCr3(0, root << 12, 1 << 25), 13);
    assert.equal(machine.x86!.root(0), root);
  });

  it('INVPCID types 0 and 1 of another PCID than 0 while PCIDE is clear', () => {
    const { machine } = bench({ features: ['PGE'] });
    for (const type of [0, 1]) {
      assert.equal(invpcid(machine, 0, type, 1), 13);
      assert.equal(invpcid(machine, 0, type, 0), 0);
    }
    for (const type of [2, 3]) assert.equal(invpcid(machine, 0, type, 1), 0);
  });

  it('INVPCID of a reserved type, with reserved descriptor bits, or type 0 of a non-canonical address', () => {
    const { machine } = bench();
    const { x86 } = machine;
    assert.equal(invpcid(machine, 0, 4, 0), 13);
    assert.equal(x86!.invpcid(0, 1, 0x1000, 0, 0, 0), 13);
    assert.equal(x86!.invpcid(0, 1, 0, 1, 0, 0), 13);
    assert.equal(invpcid(machine, 0, 0, 1, 0x0000_8000_0000_0000n), 13);
    assert.equal(invpcid(machine, 0, 1, 1, 0x0000_8000_0000_0000n), 0, 'the address is not looked at');
  });

  it('INVPCID on a machine without it, PCIDE on one without PCID', () => {
    const ivy = bench({ profile: 'ivy-bridge-i5-3550', features: ['PGE', 'PCID'] }).machine;
    assert.equal(invpcid(ivy, 0, 2, 0), 6);
    const zen2 = bench({ profile: 'zen2', features: ['PGE'] }).machine;
    assert.equal(zen2.x86!.writeCr4(0, zen2.x86!.cr4(0) | cr4Pcide, 0), 13);
  });

  it('clearing PAE in long mode, PG while PCIDE is set, PG without PE, bits above 31', () => {
    const { x86 } = bench().machine;
    assert.equal(x86!.writeCr4(0, x86!.cr4(0) & ~cr4Pae, 0), 13);
    assert.equal(x86!.writeCr0(0, 1, 0), 13);
    assert.equal(x86!.writeCr0(0, 1 << 31, 0), 13);
    assert.equal(x86!.writeCr4(0, x86!.cr4(0), 1), 13);
    assert.equal(x86!.writeCr0(0, x86!.cr0(0), 1), 13);
  });

  it('an access to a non-canonical address', () => {
    const { machine } = bench();
    assert.equal(access(machine, 0, 0x0000_8000_0000_0000n), 13);
    assert.equal(access(machine, 0, 0xffff_7fff_ffff_f000n), 13);
  });

  it('a fault changes nothing', () => {
    const { machine } = bench({ features: ['PGE'] });
    const before = machine.snapshot();
    invpcid(machine, 0, 0, 1);
    machine.x86!.writeCr3(0, 0, 1 << 31);
    machine.x86!.writeCr4(0, 0, 1);
    assert.ok(machine.equals(before));
  });
});

describe('#PF', () => {
  const fault = (entry: bigint, kind: number, more: readonly string[] = []): number => {
    const { memory, machine, root } = bench({ features: [...features, ...more] });
    memory.set(root, va, 1, entry);
    assert.equal(access(machine, 0, va, kind), 14);
    return machine.translation.errorCode;
  };
  const frame = 0x11n << 12n;

  it('has bit 0 for a protection violation, 1 a write, 2 user mode, 3 a reserved bit, 4 a fetch', () => {
    assert.equal(fault(0n, 0), 0b00000);
    assert.equal(fault(0n, 1 | 4), 0b00110);
    assert.equal(fault(frame | P | US, 1 | 4), 0b00111);
    assert.equal(fault(frame | P, 4), 0b00101);
    assert.equal(fault(frame | P | US | XD, 2 | 4), 0b10101);
    assert.equal(fault(frame | user, 2, ['SMEP']), 0b10001);
    assert.equal(fault(frame | user, 0, ['SMAP']), 0b00001);
  });

  it('a reserved bit: PS in a PML4E, low frame bits of a large page', () => {
    const { memory, machine, root } = bench();
    memory.set(root, va, 4, frame | user | PS);
    assert.equal(access(machine, 0, va), 14);
    assert.equal(machine.translation.errorCode, 0b01001);
    memory.set(root, 0x80000000n, 2, (0x202n << 12n) | user | PS);
    assert.equal(access(machine, 0, 0x80000000n), 14);
    assert.equal(machine.translation.errorCode, 0b01001);
  });

  it('WP, SMEP and SMAP decide for the kernel; AC lifts SMAP', () => {
    const { memory, machine, root } = bench();
    const { x86 } = machine;
    memory.map(root, va, 0x11, P | US);
    assert.equal(access(machine, 0, va, 1), 14);
    assert.equal(x86!.writeCr0(0, x86!.cr0(0) & ~(1 << 16), 0), 0);
    assert.equal(access(machine, 0, va, 1), 0);
    assert.equal(access(machine, 0, va, 2), 0);
    x86!.writeCr4(0, x86!.cr4(0) | cr4Smep | cr4Smap, 0);
    assert.equal(access(machine, 0, va, 2), 14);
    assert.equal(access(machine, 0, va, 0), 14);
    assert.equal(access(machine, 0, va, 8), 0);
  });

  it('drops a stale global entry of the page too: else the fault would recur', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11, P | US | G);
    load(machine, 0, root, 3);
    access(machine, 0, va);
    memory.map(root, va, 0x11, user | G);
    assert.equal(access(machine, 0, va, 1 | 4), 14);
    assert.equal(access(machine, 0, va, 1 | 4), 0);
  });

  it('names the entry that ended the walk', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    memory.set(root, va + 0x200000n, 2, 0n);
    access(machine, 0, va + 0x200000n);
    const { table, level, index } = machine.translation;
    const [expected] = memory.place(root, va + 0x200000n, 2);
    assert.deepEqual([table, level, index], [expected, 2, 1]);
    assert.equal(machine.translation.peek(0, lo(va), hi(va), 0), 0);
  });
});
