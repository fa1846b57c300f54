/** The state is one buffer: snapshot, restore, sparse copies, hash, equality, and limits at the door. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { createHardware, hardwareBytes } from '../../../../src/machine/hardware/create';
import type { Hardware } from '../../../../src/machine/hardware';
import { defaultMachine } from '../../../../src/machine/registry';
import { A, access, bench, D, features, invlpg, load, Memory, structure, user } from './memory';

const hash = (machine: Hardware, part: 'all' | 'architecture' = 'all'): string => {
  const out = new Int32Array(2);
  machine.hash(out, part);
  return `${out[0]},${out[1]}`;
};

const small = { tlb: [structure('test2', 'L1', 'both', ['4K'], 4, 2)] } as const;

describe('state of a machine', () => {
  const steps = fc.array(
    fc.record({
      what: fc.nat(8),
      cpu: fc.nat(3),
      other: fc.nat(3),
      page: fc.nat(9),
      pcid: fc.nat(2),
    }),
    { maxLength: 40 },
  );
  type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never;

  const run = ({ machine, root }: ReturnType<typeof bench>, list: readonly Step[]): void => {
    for (const { what, cpu, other, page, pcid } of list) {
      const at = BigInt(page) << 12n;
      if (what < 3) access(machine, cpu, at, what === 2 ? 1 : 0);
      else if (what === 3) invlpg(machine, cpu, at);
      else if (what === 4) load(machine, cpu, root, pcid);
      else if (what === 5) machine.interrupts.send(cpu, other, page % 8);
      else if (what === 6) machine.stores.store(cpu, page, pcid, cpu);
      else if (what === 7) machine.mailboxes.post(cpu, other);
      else {
        const from = machine.mailboxes.take(cpu);
        if (from >= 0) machine.mailboxes.acknowledge(cpu, from);
      }
    }
  };
  /** Accessed and dirty bits, which are the memory's, are set from the start. */
  const make = (): ReturnType<typeof bench> => {
    const one = bench({ storeBuffer: 3 });
    for (let page = 0; page < 8; page++)
      one.memory.set(
        one.root,
        BigInt(page) << 12n,
        1,
        (BigInt(0x20 + page) << 12n) | user | A | D,
        4,
        user | A,
      );
    return one;
  };

  it('restore brings back every bit, and the same steps give the same state again', () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const one = make();
        run(one, before);
        const saved = one.machine.save();
        const snapshot = one.machine.snapshot();
        const start = hash(one.machine);
        run(one, after);
        const end = one.machine.snapshot();
        one.machine.restore(snapshot);
        assert.ok(one.machine.equals(snapshot));
        assert.equal(hash(one.machine), start);
        run(one, after);
        assert.ok(one.machine.equals(end));
        one.machine.load(saved);
        assert.ok(one.machine.equals(snapshot));
      }),
      { numRuns: 100 },
    );
  });

  it('two machines that do the same are equal, bit by bit', () => {
    fc.assert(
      fc.property(steps, list => {
        const [a, b] = [make(), make()];
        run(a, list);
        run(b, list);
        assert.ok(a.machine.equals(b.machine.snapshot()));
        assert.equal(hash(a.machine), hash(b.machine));
      }),
      { numRuns: 50 },
    );
  });

  it('lies in a buffer of the caller’s, if he wants', () => {
    const options = { cpus: 2, ...small };
    const bytes = hardwareBytes(defaultMachine(), options);
    const buffer = new ArrayBuffer(64 + bytes);
    const machine = createHardware(defaultMachine(), new Memory(), { ...options, buffer, byteOffset: 64 });
    machine.clocks.add(1, 5, 5, 5);
    assert.equal(machine.words * 4, bytes);
    assert.ok(new Int32Array(buffer, 64).some(word => word !== 0));
    const copy = createHardware(defaultMachine(), new Memory(), options);
    copy.restore(new Int32Array(buffer, 64, machine.words));
    assert.equal(copy.clocks.cycles(1), 5);
  });

  it('every word counts in the hash; clocks do not count as architecture', () => {
    const { machine } = bench({ cpus: 2, ...small });
    const words = new Int32Array(machine.buffer, machine.byteOffset, machine.words);
    const seen = new Set([hash(machine)]);
    for (let i = 0; i < words.length; i++) {
      words[i]! ^= 1;
      seen.add(hash(machine));
      words[i]! ^= 1;
    }
    assert.equal(seen.size, words.length + 1);
    const before = hash(machine, 'architecture');
    const snapshot = machine.snapshot();
    machine.clocks.add(0, 1, 1, 1);
    assert.equal(hash(machine, 'architecture'), before);
    assert.ok(machine.equals(snapshot, 'architecture'));
    assert.ok(!machine.equals(snapshot));
  });

  it('canonical states: the same contents by another way are the same words', () => {
    const make = (order: readonly bigint[]): Hardware => {
      const { memory, machine, root } = bench({ cpus: 1, features, ...small });
      for (const at of [0n, 0x2000n]) memory.map(root, at, 0x11);
      for (const at of order) access(machine, 0, at);
      return machine;
    };
    const same = (a: Hardware, b: Hardware, ages: 'rank' | 'forget'): boolean => {
      a.canonicalise(ages);
      b.canonicalise(ages);
      return a.equals(b.snapshot(), 'architecture');
    };
    const [x, y] = [0n, 0x2000n];
    assert.equal(same(make([x, y]), make([y, x, y]), 'rank'), true);
    assert.equal(same(make([x, y]), make([y, x]), 'rank'), false, 'another would leave next');
    assert.equal(same(make([x, y]), make([y, x]), 'forget'), true);
  });

  it('LRU stamps survive their end', () => {
    const { memory, machine, root } = bench({ cpus: 1, ...small });
    for (const page of [0n, 2n, 4n]) memory.map(root, page << 12n, 0x11);
    access(machine, 0, 0n);
    access(machine, 0, 0x2000n);
    access(machine, 0, 0n);
    const words = new Int32Array(machine.buffer, machine.byteOffset, machine.words);
    const tick = words.indexOf(4);
    assert.ok(tick > 0);
    const stamps = machine.translation.entries(0).map(({ stamp }) => stamp);
    assert.equal(Math.max(...stamps), 4);
    // The counter is a walk's touch ahead of the last access: set it to its last value.
    words[tick] = 0x7ffffffe;
    access(machine, 0, 0x4000n);
    assert.deepEqual(
      machine.translation
        .entries(0)
        .filter(({ structure: id }) => id === 'test2')
        .map(({ lo }) => lo)
        .sort(),
      [0, 0x4000],
    );
  });

  it('limits are checked at the door, with a message that names them', () => {
    const refuse = (options: object, pattern: RegExp): void => {
      assert.throws(() => createHardware(defaultMachine(), new Memory(), options), pattern);
    };
    refuse({ cpus: 0 }, /cpus is 0: it must be a whole number from 1 to 1024/);
    refuse({ cpus: 1e9 }, /cpus is 1000000000/);
    refuse({ cpus: 1.5 }, /cpus is 1.5/);
    refuse({ storeBuffer: 65 }, /storeBuffer is 65/);
    refuse({ vectors: 33 }, /vectors is 33/);
    refuse({ tlb: [structure('x', 'L1', 'both', ['4K'], 1e9, 4)] }, /x has 1000000000 entries/);
    refuse({ cpus: 1024, tlb: [structure('x', 'L1', 'both', ['4K'], 65536, 4)] }, /bytes: the limit is/);
    refuse({ cpus: 1, buffer: new ArrayBuffer(8) }, /the buffer must hold/);
  });

  it('no state outside the buffer: no operation leaves another machine of the same words different', () => {
    const one = make();
    run(one, [{ what: 0, cpu: 0, other: 0, page: 1, pcid: 0 }]);
    const other = make();
    other.machine.restore(one.machine.snapshot());
    assert.equal(access(other.machine, 0, 0x1000n), 0);
    assert.equal(other.machine.translation.hit, 1);
  });
});
