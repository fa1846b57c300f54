/** What a CPU may do by itself (1.2): only when told, never otherwise. */
import { strict as assert } from 'node:assert';
import { A, access, bench, cached, D, frameOf, hi, invlpg, lo, load, paging, PS, user } from './memory';

const va = 0x7000_0000_1000n;
const next = 0x7000_0000_2000n;

describe('speculative fills (1.2)', () => {
  it('may cache any address of the current root under the current PCID; they set A and not D', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    load(machine, 0, root, 3);
    assert.equal(machine.translation.speculate(0, lo(va), hi(va), 0), true);
    assert.ok(cached(machine, 0, va));
    assert.notEqual(memory.get(root, va, 1) & A, 0n);
    assert.equal(memory.get(root, va, 1) & D, 0n);
    load(machine, 0, root, 5);
    assert.equal(cached(machine, 0, va), false, 'no PCID that is not current');
  });

  it('raise no fault, cache nothing that is absent and count no miss', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11, 0n);
    const before = machine.snapshot();
    assert.equal(machine.translation.speculate(0, lo(va), hi(va), 0), false);
    assert.ok(machine.equals(before));
  });

  it('may start from a stale paging-structure entry: the walk reads what the freed page holds now', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va);
    const [freed] = memory.place(root, va, 1);
    memory.set(root, va, 2, 0n);
    // The page table was freed and its page reused.
    memory.tables.get(freed)!.set(memory.index(next, 1), (0xbadn << 12n) | user);
    assert.equal(machine.translation.speculate(0, lo(next), hi(next), 0, 0), false, 'from the root');
    assert.equal(machine.translation.speculate(0, lo(next), hi(next), 0, 2), true, 'from the stale PDE');
    assert.equal(machine.translation.startLevel, 2);
    assert.equal(frameOf(machine, 0, next), 0xbad);
    // Clearing the leaf's page alone is not enough in another PCID; INVLPG of any page in this one is.
    invlpg(machine, 0, 0n);
    assert.equal(machine.translation.speculate(0, lo(next), hi(next), 0, 2), false);
  });

  it('may reach a bogus physical address', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va);
    const [freed] = memory.place(root, va, 1);
    memory.tables.delete(freed);
    assert.equal(access(machine, 0, next), 64);
    assert.equal(machine.translation.table, freed);
  });

  it('an access itself uses the deepest cached entry', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    memory.map(root, next, 0x12);
    access(machine, 0, va);
    access(machine, 0, next);
    assert.deepEqual([machine.translation.startLevel, machine.translation.reads], [2, 1]);
    access(machine, 0, va + 0x40000000n);
    assert.deepEqual([machine.translation.startLevel, machine.translation.reads], [4, 1]);
  });

  it('may cache an upper-level entry alone', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11, 0n);
    assert.equal(machine.translation.speculatePaging(0, lo(va), hi(va), 3), true);
    assert.deepEqual(paging(machine, 0), ['0:700000000000/3', '0:700000000000/4']);
    memory.map(root, 0x80000000n, 0x200, user, 2);
    assert.equal(machine.translation.speculatePaging(0, lo(0x80000000n), 0, 2), false, 'a leaf is no table');
    assert.equal(memory.get(root, 0x80000000n, 2) & PS, PS);
  });

  it('may vanish again', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va);
    machine.translation.evict(0, lo(va), hi(va));
    assert.equal(cached(machine, 0, va), false);
    assert.equal(paging(machine, 0).length, 3);
  });

  it('an invalidation removes the result of an earlier fill', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    machine.translation.speculate(0, lo(va), hi(va), 0);
    invlpg(machine, 0, va);
    assert.equal(cached(machine, 0, va), false);
  });
});
