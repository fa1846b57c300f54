/** Store buffers and fences (1.5): x86-TSO, and Arm's weaker order. */
import { strict as assert } from 'node:assert';
import type { Hardware } from '../../../../src/machine/hardware';
import { access, bench, hi, lo } from './memory';

const tso = (depth = 4): ReturnType<typeof bench> => bench({ storeBuffer: depth });
const arm = (): ReturnType<typeof bench> => bench({ storeBuffer: 8, profile: 'neoverse-n1' });

describe('store buffers (1.5)', () => {
  it('without the option, a store is visible at once', () => {
    const { memory, machine } = bench();
    machine.stores.store(0, 100, 1, 0);
    assert.deepEqual(memory.written, [[0, 100, 1n]]);
    assert.equal(machine.stores.find(0, 100), false);
  });

  it('a store waits; its own CPU sees the youngest to the address, others do not', () => {
    const { memory, machine } = tso();
    const { stores } = machine;
    stores.store(0, 100, 1, 0);
    stores.store(0, 100, 2, -1);
    assert.deepEqual(memory.written, []);
    assert.equal(stores.find(0, 100), true);
    assert.deepEqual([stores.lo, stores.hi], [2, -1]);
    assert.equal(stores.find(1, 100), false);
    assert.equal(stores.find(0, 101), false);
  });

  it('stores leave in order (FIFO)', () => {
    const { memory, machine } = tso();
    const { stores } = machine;
    stores.store(0, 100, 1, 0);
    stores.store(0, 101, 2, 0);
    assert.equal(stores.mayDrain(0, 1), false);
    assert.equal(stores.drain(0, 1), false);
    assert.equal(stores.drain(0), true);
    assert.equal(stores.drain(0), true);
    assert.equal(stores.drain(0), false);
    assert.deepEqual(memory.written, [
      [0, 100, 1n],
      [0, 101, 2n],
    ]);
  });

  it('a full buffer writes its oldest entry', () => {
    const { memory, machine } = tso(2);
    for (let n = 0; n < 3; n++) machine.stores.store(0, n, n, 0);
    assert.deepEqual(memory.written, [[0, 0, 0n]]);
    assert.equal(machine.stores.size(0), 2);
  });

  const drains: [string, (machine: Hardware) => unknown][] = [
    ['MFENCE', m => m.x86!.fence(0, 'MFENCE')],
    ['a locked instruction', m => m.x86!.fence(0, 'ATOMIC')],
    ['a serialising instruction', m => m.x86!.fence(0, 'SERIALIZE')],
    ['INVLPG', m => m.x86!.invlpg(0, 0, 0)],
    ['INVPCID', m => m.x86!.invpcid(0, 2, 0, 0, 0, 0)],
    ['MOV CR3', m => m.x86!.writeCr3(0, 0x1000, 1 << 31)],
    ['MOV CR4', m => m.x86!.writeCr4(0, m.x86!.cr4(0), 0)],
    ['MOV CR0', m => m.x86!.writeCr0(0, m.x86!.cr0(0), 0)],
    ['WRMSR (EFER)', m => m.x86!.writeEfer(0, m.x86!.efer(0), 0)],
    ['IRET', m => m.interrupts.returnFromInterrupt(0)],
  ];
  for (const [name, run] of drains)
    it(`${name} drains the buffer of its CPU`, () => {
      const { memory, machine } = tso();
      machine.stores.store(0, 100, 1, 0);
      machine.stores.store(1, 101, 1, 0);
      run(machine);
      assert.deepEqual(memory.written, [[0, 100, 1n]]);
    });

  const keeps: [string, (machine: Hardware) => unknown][] = [
    ['LFENCE', m => m.x86!.fence(0, 'LFENCE')],
    ['a look-up', m => access(m, 0, 0x1000n)],
    ['a message', m => m.mailboxes.post(0, 1)],
    ['an IPI', m => m.interrupts.send(0, 1, 1)],
  ];
  for (const [name, run] of keeps)
    it(`${name} does not`, () => {
      const { memory, machine } = tso();
      machine.stores.store(0, 100, 1, 0);
      run(machine);
      assert.deepEqual(memory.written, []);
    });

  it('store → load reordering is visible: both CPUs may miss the other’s store', () => {
    const { memory, machine } = tso();
    const { stores } = machine;
    const load = (cpu: number, address: number): number =>
      stores.find(cpu, address) ? stores.lo : Number(memory.values.get(address) ?? 0n);
    stores.store(0, 1, 1, 0);
    stores.store(1, 2, 1, 0);
    assert.deepEqual([load(0, 2), load(1, 1)], [0, 0]);
    machine.x86!.fence(0, 'MFENCE');
    assert.equal(load(1, 1), 1);
  });
});

describe('store buffers of Arm', () => {
  it('stores to different addresses leave in any order, to one address in order', () => {
    const { memory, machine } = arm();
    const { stores } = machine;
    stores.store(0, 100, 1, 0);
    stores.store(0, 101, 2, 0);
    stores.store(0, 100, 3, 0);
    assert.deepEqual(
      [0, 1, 2].map(n => stores.mayDrain(0, n)),
      [true, true, false],
    );
    assert.equal(stores.drain(0, 1), true);
    assert.deepEqual(memory.written, [[0, 101, 2n]]);
  });

  it('a barrier (DMB ISHST) keeps later stores behind earlier ones', () => {
    const { machine } = arm();
    const { stores } = machine;
    stores.store(0, 100, 1, 0);
    machine.arm64!.dmb(0, 'ishst');
    stores.store(0, 101, 2, 0);
    assert.equal(stores.mayDrain(0, 2), false);
    stores.drain(0, 0);
    assert.equal(stores.size(0), 1, 'the barrier is gone');
    assert.equal(stores.mayDrain(0, 0), true);
  });

  it('DSB ISHST makes earlier stores visible; DSB ISHLD does not, nor does TLBI', () => {
    const { memory, machine } = arm();
    machine.stores.store(0, 100, 1, 0);
    machine.arm64!.dsb(0, 'ishld');
    machine.arm64!.tlbi(0, 'vmalle1is', lo(0n), hi(0n));
    assert.deepEqual(memory.written, []);
    machine.arm64!.dsb(0, 'ishst');
    assert.deepEqual(memory.written, [[0, 100, 1n]]);
  });
});
