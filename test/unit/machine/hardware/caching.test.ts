/** What is cached and under which tag (SDM volume 3A, 4.10.2 and 4.10.3), and when a stale entry may be used. */
import { strict as assert } from 'node:assert';
import { cr4Pge } from '../../../../src/machine/hardware/flags';
import {
  A,
  access,
  bench,
  cached,
  D,
  frameOf,
  G,
  hi,
  invlpg,
  invpcid,
  lo,
  load,
  P,
  paging,
  PS,
  RW,
  structure,
  translations,
  US,
  user,
  XD,
} from './memory';

const va = 0x7000_0000_1000n;
const write = 1;
const execute = 2;
const byUser = 4;

describe('what is cached, under which tag (1.1)', () => {
  it('an entry that is not global serves its PCID only', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    load(machine, 0, root, 3);
    access(machine, 0, va);
    load(machine, 0, root, 5);
    assert.equal(cached(machine, 0, va), false);
    load(machine, 0, root, 3);
    assert.equal(frameOf(machine, 0, va), 0x11);
    assert.equal(machine.translation.hit, 1);
  });

  it('a global entry serves every PCID', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11, user | G);
    load(machine, 0, root, 3);
    access(machine, 0, va);
    load(machine, 0, memory.table(), 5);
    assert.equal(frameOf(machine, 0, va), 0x11);
  });

  it('a leaf with G cached while PGE is clear is not global', () => {
    const { memory, machine, root } = bench({ features: ['PCID', 'INVPCID'] });
    memory.map(root, va, 0x11, user | G);
    access(machine, 0, va);
    assert.deepEqual(translations(machine, 0), ['0:700000001000/1']);
    assert.equal(machine.x86!.cr4(0) & cr4Pge, 0);
  });

  it('with PCIDE clear the PCID is 000H, whatever CR3 holds', () => {
    const { memory, machine, root } = bench({ features: ['PGE'] });
    memory.map(root, va, 0x11);
    assert.equal(machine.x86!.writeCr3(0, (root << 12) | 0x18, 0), 0);
    access(machine, 0, va);
    assert.deepEqual(translations(machine, 0), ['0:700000001000/1']);
  });

  it('paging-structure entries are tagged with the PCID, also those above a global page', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11, user | G);
    load(machine, 0, root, 3);
    access(machine, 0, va);
    assert.deepEqual(paging(machine, 0), ['3:700000000000/2', '3:700000000000/3', '3:700000000000/4']);
  });

  it('a 2M page leaves no PDE entry, a 1G page no PDPTE entry: they point to no table', () => {
    const { memory, machine, root } = bench();
    memory.map(root, 0x40000000n, 0x40000, user, 3);
    memory.map(root, 0x80000000n, 0x200, user, 2);
    access(machine, 0, 0x40000000n);
    assert.deepEqual(paging(machine, 0), ['0:0/4']);
    access(machine, 0, 0x80000000n);
    assert.deepEqual(paging(machine, 0), ['0:0/4', '0:80000000/3']);
    assert.equal(frameOf(machine, 0, 0x40005fffn), 0x40005);
    assert.equal(frameOf(machine, 0, 0x801ff000n), 0x3ff);
  });

  it('entries are made of present and accessed ones only: the walk sets A first, and D at a write', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va);
    for (const level of [4, 3, 2, 1]) assert.notEqual(memory.get(root, va, level) & A, 0n, `level ${level}`);
    assert.equal(memory.get(root, va, 1) & D, 0n);
    assert.equal(access(machine, 0, va, write), 0);
    assert.equal(machine.translation.hit, 0, 'a write through a clean entry walks');
    assert.notEqual(memory.get(root, va, 1) & D, 0n);
    access(machine, 0, va, write);
    assert.equal(machine.translation.hit, 1);
    memory.map(root, va + 0x1000n, 0x12, 0n);
    assert.equal(access(machine, 0, va + 0x1000n), 14);
    assert.equal(cached(machine, 0, va + 0x1000n), false);
  });

  it('P 0→1 needs no invalidation', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0, 0n);
    assert.equal(access(machine, 0, va), 14);
    memory.map(root, va, 0x11);
    assert.equal(frameOf(machine, 0, va), 0x11);
  });

  it('permissions are a conjunction along the walk; a stale upper entry gives stale permissions and targets', () => {
    const { memory, machine, root } = bench();
    memory.set(root, va, 1, 0x11000n | user, 4, P | RW | US | XD);
    assert.equal(access(machine, 0, va, execute | byUser), 14);
    const other = bench();
    const second = va + 0x1000n;
    other.memory.map(other.root, va, 0x11);
    other.memory.map(other.root, second, 0x12);
    access(other.machine, 0, va, byUser);
    const pde = other.memory.get(other.root, va, 2);
    other.memory.set(other.root, va, 2, pde & ~RW & ~US);
    assert.equal(access(other.machine, 0, second, write | byUser), 0, 'by the cached PDE');
    invlpg(other.machine, 0, 0n);
    assert.equal(access(other.machine, 0, second + 0x1000n, byUser), 14);
    other.memory.map(other.root, second, 0x13);
    assert.equal(access(other.machine, 0, second, byUser), 0, 'its own entry is still there');
    invlpg(other.machine, 0, second);
    assert.equal(access(other.machine, 0, second, byUser), 14);
  });

  it('a 2M page cached in 4K pieces: INVLPG, INVPCID 0 and a page fault drop all pieces', () => {
    const make = (): ReturnType<typeof bench> => {
      const one = bench({ fragments: 'always' });
      one.memory.map(one.root, 0x80000000n, 0x200, P | RW, 2);
      for (const at of [0x80000000n, 0x80005000n, 0x801ff000n]) access(one.machine, 0, at);
      assert.deepEqual(translations(one.machine, 0), ['0:80000000/1', '0:801ff000/1', '0:80005000/1'].sort());
      assert.equal(frameOf(one.machine, 0, 0x80005123n), 0x205);
      return one;
    };
    const { machine } = make();
    invlpg(machine, 0, 0x80100000n);
    assert.deepEqual(translations(machine, 0), []);
    const second = make().machine;
    invpcid(second, 0, 0, 0, 0x80100000n);
    assert.deepEqual(translations(second, 0), []);
    const third = make().machine;
    assert.equal(access(third, 0, 0x80005000n, byUser), 14);
    assert.deepEqual(translations(third, 0), []);
  });

  it('pieces are used where no cache of a level holds the size', () => {
    const tlb = [
      structure('first', 'L1', 'both', ['4K'], 16, 4),
      structure('test2', 'L2', 'both', ['4K', '2M'], 16, 4),
    ];
    const { memory, machine, root } = bench({ tlb });
    memory.map(root, 0x40000000n, 0x40000, user, 3);
    access(machine, 0, 0x40212345n);
    const found = machine.translation.entries(0).filter(({ structure: id }) => !id.endsWith('cache'));
    assert.deepEqual(
      found.map(({ structure: id, level, leafLevel, frame }) => [id, level, leafLevel, frame]),
      [
        ['first', 1, 3, 0x40212],
        ['test2', 2, 3, 0x40200],
      ],
    );
  });

  it('after a change of the page size, entries of the old size live beside new ones until invalidated', () => {
    const { memory, machine, root } = bench();
    memory.map(root, 0x80001000n, 0x11);
    memory.map(root, 0x80002000n, 0x12);
    access(machine, 0, 0x80001000n);
    memory.set(root, 0x80000000n, 2, (0x200n << 12n) | user | PS);
    invpcid(machine, 0, 0, 0, 0x80002000n);
    assert.equal(frameOf(machine, 0, 0x80002000n), 0x202);
    assert.equal(machine.translation.conflict, false);
    assert.equal(
      machine.translation.cached(0, lo(0x80001000n), hi(0x80001000n)),
      4,
      'both sizes, two levels',
    );
    assert.equal(frameOf(machine, 0, 0x80001000n), 0x11);
    invlpg(machine, 0, 0x80001000n);
    assert.equal(frameOf(machine, 0, 0x80001000n), 0x201);
  });

  it('a fill beside an entry of another size is told', () => {
    const { memory, machine, root } = bench();
    memory.map(root, 0x80001000n, 0x11);
    access(machine, 0, 0x80001000n);
    memory.set(root, 0x80000000n, 2, (0x200n << 12n) | user | PS);
    machine.translation.speculate(0, lo(0x80001000n), 0, 0, 0);
    assert.equal(machine.translation.conflict, true);
  });

  it('sets and ways: the least recently used entry of a set leaves', () => {
    const tlb = [structure('test2', 'L1', 'both', ['4K'], 4, 2)];
    const { memory, machine, root } = bench({ tlb });
    const at = (page: number): bigint => BigInt(page) << 12n;
    for (const page of [0, 2, 4, 1]) memory.map(root, at(page), 0x10 + page);
    access(machine, 0, at(0));
    access(machine, 0, at(2));
    access(machine, 0, at(1));
    access(machine, 0, at(0));
    access(machine, 0, at(4));
    assert.deepEqual(translations(machine, 0), ['0:0/1', '0:1000/1', '0:4000/1']);
  });

  it('sets and ways are those of the profile', () => {
    const { memory, machine, root } = bench();
    // STLB of Broadwell-EP: 1,536 entries, 6 ways, so 256 sets; L1D: 64 entries, 4 ways.
    for (let n = 0; n < 8; n++) {
      const at = BigInt(n) << 20n;
      memory.map(root, at, 0x100 + n);
      access(machine, 0, at);
    }
    const structures = machine.translation.entries(0).map(({ structure: id }) => id);
    assert.equal(structures.filter(id => id === 'stlb_4k_2m').length, 6);
    assert.equal(structures.filter(id => id === 'l1d_4k').length, 4);
  });

  it('code and data have first levels of their own, the second is shared', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va);
    access(machine, 0, va, execute);
    assert.equal(machine.translation.hit, 2);
    access(machine, 0, va, execute);
    assert.equal(machine.translation.hit, 1);
  });

  it('57-bit addresses: five levels while LA57 is set', () => {
    const { memory, machine } = bench({ features: ['PGE', 'PCID', 'LA57'] });
    const root = memory.table();
    const high = 0x00ab_0000_0000_1000n;
    memory.set(root, high, 1, (0x11n << 12n) | user, 5);
    load(machine, 0, root, 0);
    assert.equal(frameOf(machine, 0, high), 0x11);
    assert.deepEqual(
      paging(machine, 0).map(entry => entry.slice(-2)),
      ['/2', '/3', '/4', '/5'],
    );
    assert.equal(access(bench().machine, 0, high), 13, 'not canonical with four levels');
  });

  it('tags are of one logical processor', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va);
    assert.equal(cached(machine, 1, va), false);
  });
});

describe('when a stale translation may be used (1.3)', () => {
  it('until its invalidation, the old or the new, and after it only the new', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va);
    memory.map(root, va, 0x22);
    assert.equal(frameOf(machine, 0, va), 0x11);
    assert.equal(frameOf(machine, 0, va, 16), 0x22, 'as if the entry had been dropped');
    memory.map(root, va, 0x33);
    invlpg(machine, 0, va);
    assert.equal(frameOf(machine, 0, va), 0x33);
  });

  it('what memory says can be asked without touching anything', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va);
    memory.map(root, va, 0x22);
    const before = machine.snapshot();
    assert.equal(machine.translation.peek(0, lo(va), hi(va), 0), 0);
    assert.equal(machine.translation.frame, 0x22);
    assert.equal(memory.get(root, va, 1) & A, 0n);
    assert.ok(machine.equals(before));
  });

  it('an upgrade heals itself: one spurious fault, which invalidates', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11, P | US);
    access(machine, 0, va, byUser);
    memory.map(root, va, 0x11, user);
    assert.equal(access(machine, 0, va, write | byUser), 14);
    assert.equal(machine.translation.hit, 1, 'a cached entry forbade it');
    assert.equal(access(machine, 0, va, write | byUser), 0);
  });

  it('a downgrade does not', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11, user | D);
    access(machine, 0, va, write | byUser);
    memory.map(root, va, 0x11, P | US);
    assert.equal(access(machine, 0, va, write | byUser), 0);
    invlpg(machine, 0, va);
    assert.equal(access(machine, 0, va, write | byUser), 14);
  });

  it('clearing D without a flush: the CPU does not set it again', () => {
    const { memory, machine, root } = bench();
    memory.map(root, va, 0x11);
    access(machine, 0, va, write);
    memory.map(root, va, 0x11);
    access(machine, 0, va, write);
    assert.equal(memory.get(root, va, 1) & D, 0n);
  });
});
