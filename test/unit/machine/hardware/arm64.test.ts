/** arm64: each TLBI form, TTL and ranges, completion at the issuer's DSB, ISB, ASIDs, walks (section 3; Arm ARM D8). */
import { strict as assert } from 'node:assert';
import type { Hardware } from '../../../../src/machine/hardware';
import type { HardwareOptions } from '../../../../src/machine/hardwareOptions';
import { access, bench, hi, lo, type Memory, paging, structure, translations } from './memory';

/** Descriptor bits: valid, table or page, AP[1] (EL0), AP[2] (read-only), AF, nG, DBM, PXN, UXN. */
const valid = 1n;
const table = 3n;
const el0 = 1n << 6n;
const readOnly = 1n << 7n;
const af = 1n << 10n;
const nG = 1n << 11n;
const dbm = 1n << 51n;
const pxn = 1n << 53n;
const uxn = 1n << 54n;
const userPage = table | el0 | af | nG;
const kernelPage = table | af;

const va = 0x0000_7000_0000_1000n;
const next = 0x0000_7000_0000_2000n;
const far = 0x0000_7040_0000_1000n;
const kernel = 0xffff_8000_0000_3000n;

interface Arm {
  memory: Memory;
  machine: Hardware;
  user: number;
  kernelRoot: number;
}

function set(memory: Memory, root: number, at: bigint, frame: number, flags: bigint, level = 1): void {
  memory.set(root, at, level, (BigInt(frame) << 12n) | flags, 4, table);
}

function arm(options: HardwareOptions = {}): Arm {
  const { memory, machine } = bench({
    profile: 'neoverse-n1',
    cpus: 2,
    tlb: [structure('test2', 'L1', 'both', ['4K', '2M', '1G'], 64, 8)],
    ...options,
  });
  const user = memory.table();
  const kernelRoot = memory.table();
  for (const at of [va, next, far]) set(memory, user, at, Number(at & 0xffffn) >> 12, userPage);
  set(memory, kernelRoot, kernel, 0x14, kernelPage);
  for (let cpu = 0; cpu < 2; cpu++) machine.arm64!.reset(cpu, user, kernelRoot, 3);
  return { memory, machine, user, kernelRoot };
}

const asid = (machine: Hardware, cpu: number, value: number): void => {
  const { arm64 } = machine;
  arm64!.writeTtbr(cpu, 1, arm64!.ttbrLo(cpu, 1), (arm64!.ttbrHi(cpu, 1) & 0xffff) | (value << 16));
  arm64!.isb(cpu);
};

/** Both ASIDs 5 and 3 (current) have all pages cached, on both PEs. */
function filled(options: HardwareOptions = {}): Arm {
  const one = arm(options);
  for (let cpu = 0; cpu < 2; cpu++)
    for (const value of [5, 3]) {
      asid(one.machine, cpu, value);
      for (const at of [va, next, far, kernel]) assert.equal(access(one.machine, cpu, at), 0);
    }
  return one;
}

/** Xt of a TLBI by address: ASID, TTL, VA[55:12]. */
const operand = (at: bigint, of: number, ttl = 0): bigint =>
  (BigInt(of) << 48n) | (BigInt(ttl) << 44n) | ((at >> 12n) & 0xfffffffffffn);

const tlbi = (machine: Hardware, name: string, xt = 0n, cpu = 0): number =>
  machine.arm64!.tlbi(cpu, name, lo(xt), hi(xt));

const flush = (machine: Hardware, name: string, xt = 0n): void => {
  assert.equal(tlbi(machine, name, xt), 0);
  assert.equal(machine.arm64!.dsb(0, name.endsWith('is') ? 'ish' : 'nsh', true), 0);
};

const own = (of: number): string[] =>
  ['700000001000/1', '700000002000/1', '704000001000/1'].map(entry => `${of}:${entry}`);
const global = 'g:ffff800000003000/1';
const all = [...own(3), ...own(5), global].sort();
const tables = (of: number): string[] =>
  ['700000000000/2', '700000000000/3', '700000000000/4', '704000000000/2', '704000000000/3'].map(
    entry => `${of}:${entry}`,
  );
const kernelTables = ['5:ffff800000000000/2', '5:ffff800000000000/3', '5:ffff800000000000/4'];
const allTables = [...tables(3), ...tables(5), ...kernelTables].sort();
const without = (list: readonly string[], ...gone: string[]): string[] =>
  list.filter(entry => !gone.includes(entry));

function expect(machine: Hardware, tlb: readonly string[], walk: readonly string[], cpu = 0): void {
  assert.deepEqual(translations(machine, cpu), [...tlb].sort());
  assert.deepEqual(paging(machine, cpu), [...walk].sort());
}

const path = (of: number): string[] => ['2', '3', '4'].map(level => `${of}:700000000000/${level}`);

describe('what a TLBI drops', () => {
  it('starts from what the accesses cached', () => {
    expect(filled().machine, all, allTables);
  });

  it('VMALLE1: everything, on this PE; VMALLE1IS: on all', () => {
    const { machine } = filled();
    flush(machine, 'vmalle1');
    expect(machine, [], []);
    expect(machine, all, allTables, 1);
    flush(machine, 'vmalle1is');
    expect(machine, [], [], 1);
  });

  it('ASIDE1, ASIDE1IS: what is not global of the ASID, walk cache included', () => {
    for (const name of ['aside1', 'aside1is']) {
      const { machine } = filled();
      flush(machine, name, operand(0n, 5));
      expect(machine, [...own(3), global], tables(3));
      assert.equal(translations(machine, 1).length, name === 'aside1' ? 7 : 4);
    }
  });

  it('VAE1, VAE1IS: the page in the ASID or global, all levels', () => {
    for (const name of ['vae1', 'vae1is']) {
      const { machine } = filled();
      flush(machine, name, operand(va, 5));
      expect(machine, without(all, '5:700000001000/1'), without(allTables, ...path(5)));
      flush(machine, name, operand(kernel, 3));
      assert.equal(translations(machine, 0).includes(global), false);
      assert.equal(translations(machine, 1).length, name === 'vae1' ? 7 : 5);
    }
  });

  it('VALE1, VALE1IS: the last level only; walk caches stay', () => {
    for (const name of ['vale1', 'vale1is']) {
      const { machine } = filled();
      flush(machine, name, operand(va, 5));
      expect(machine, without(all, '5:700000001000/1'), allTables);
    }
  });

  it('VAAE1, VAAE1IS: any ASID, all levels', () => {
    for (const name of ['vaae1', 'vaae1is']) {
      const { machine } = filled();
      flush(machine, name, operand(va, 0));
      expect(
        machine,
        without(all, '5:700000001000/1', '3:700000001000/1'),
        without(allTables, ...path(3), ...path(5)),
      );
    }
  });

  it('VAALE1, VAALE1IS: any ASID, last level', () => {
    for (const name of ['vaale1', 'vaale1is']) {
      const { machine } = filled();
      flush(machine, name, operand(va, 0));
      expect(machine, without(all, '5:700000001000/1', '3:700000001000/1'), allTables);
    }
  });

  it('a name that is none: undefined', () => {
    assert.equal(tlbi(arm().machine, 'vae7is'), 6);
  });
});

describe('range forms of TLBI', () => {
  const ranges = { lacks: [] };
  /** ASID, TG = 4K, SCALE, NUM, TTL, BaseADDR = VA[48:12]. */
  const range = (at: bigint, of: number, scale: number, num: number, ttl = 0, granule = 1): bigint =>
    (BigInt(of) << 48n) |
    (BigInt(granule) << 46n) |
    (BigInt(scale) << 44n) |
    (BigInt(num) << 39n) |
    (BigInt(ttl) << 37n) |
    ((at >> 12n) & 0x1fffffffffn);

  it('cover (NUM + 1) × 2^(5 × SCALE + 1) pages', () => {
    const { machine } = filled(ranges);
    // Two pages from one before `va`: `va` is in, `next` is not.
    flush(machine, 'rvale1is', range(va - 0x1000n, 3, 0, 0));
    expect(machine, without(all, '3:700000001000/1'), allTables);
    // SCALE 1: 64 pages a unit.
    flush(machine, 'rvale1is', range(va, 3, 1, 0));
    expect(machine, without(all, '3:700000001000/1', '3:700000002000/1'), allTables);
    // SCALE 3, NUM 31: 2 Mi pages, 8 GiB.
    flush(machine, 'rvale1is', range(far - 0x2_0000_0000n, 3, 3, 31));
    expect(machine, [...own(5), global, '3:704000001000/1'], allTables);
    flush(machine, 'rvale1is', range(far - 0x1_ffff_f000n, 3, 3, 31));
    expect(machine, [...own(5), global], allTables);
  });

  it('RVAE1IS drops the walk cache of the range too, RVAAE1IS in every ASID', () => {
    const { machine } = filled(ranges);
    flush(machine, 'rvae1is', range(va, 3, 0, 0));
    expect(machine, without(all, '3:700000001000/1', '3:700000002000/1'), without(allTables, ...path(3)));
    flush(machine, 'rvaae1is', range(va, 0, 0, 0));
    assert.deepEqual(translations(machine, 0), ['3:704000001000/1', '5:704000001000/1', global].sort());
    const other = filled(ranges).machine;
    flush(other, 'rvaale1is', range(kernel, 0, 0, 0));
    expect(other, without(all, global), allTables);
  });

  it('of another granule guarantee nothing', () => {
    const { machine } = filled(ranges);
    flush(machine, 'rvae1is', range(va, 3, 0, 0, 0, 2));
    expect(machine, all, allTables);
  });

  it('are undefined without TLBIRANGE', () => {
    assert.equal(tlbi(arm().machine, 'rvae1is', range(va, 3, 0, 0)), 6);
  });
});

describe('the TTL hint', () => {
  const level3 = 0b0111;
  const level2 = 0b0110;

  it('right: as without it', () => {
    const { machine } = filled();
    flush(machine, 'vale1is', operand(va, 3, level3));
    expect(machine, without(all, '3:700000001000/1'), allTables);
  });

  it('wrong: nothing is invalidated', () => {
    const { machine } = filled();
    flush(machine, 'vale1is', operand(va, 3, level2));
    expect(machine, all, allTables);
    flush(machine, 'vale1is', operand(va, 3, 0b1011));
    expect(machine, all, allTables);
  });

  it('of a block: its level, and the walk cache above it', () => {
    const { memory, machine, user } = arm();
    set(memory, user, 0x80000000n, 0x200, valid | el0 | af | nG, 2);
    access(machine, 0, 0x80012000n);
    assert.deepEqual(translations(machine, 0), ['3:80000000/2']);
    flush(machine, 'vae1is', operand(0x80000000n, 3, level3));
    assert.equal(translations(machine, 0).length, 1);
    flush(machine, 'vae1is', operand(0x80000000n, 3, level2));
    expect(machine, [], []);
  });
});

describe('completion', () => {
  it('nothing is guaranteed before the DSB of the PE that issued, not even there', () => {
    const { machine } = filled();
    tlbi(machine, 'vale1is', operand(va, 3));
    expect(machine, all, allTables);
    assert.equal(machine.arm64!.dsb(1, 'ish'), 0, 'another PE’s DSB waits for nothing');
    assert.equal(machine.arm64!.dsb(0, 'ish'), 65);
    machine.broadcasts.applyAll(0);
    assert.equal(machine.arm64!.dsb(0, 'ish'), 65);
    machine.broadcasts.applyAll(1);
    assert.equal(machine.arm64!.dsb(0, 'ish'), 0);
    assert.equal(machine.clocks.count(0, machine.clocks.operation('DSB')), 1);
  });

  it('one DSB completes a batch', () => {
    const { machine } = filled();
    for (const at of [va, next, far]) tlbi(machine, 'vale1is', operand(at, 3));
    assert.equal(machine.arm64!.dsb(0, 'ish', true), 0);
    for (const cpu of [0, 1]) expect(machine, [...own(5), global], allTables, cpu);
    assert.equal(machine.broadcasts.inFlight, 0);
  });

  it('DSB NSH completes local forms only; DSB ISHST and ISHLD complete none', () => {
    const { machine } = filled();
    tlbi(machine, 'vale1', operand(va, 3));
    tlbi(machine, 'vale1is', operand(next, 3));
    for (const kind of ['ishst', 'nshst', 'ishld']) assert.equal(machine.arm64!.dsb(0, kind, true), 0);
    expect(machine, all, allTables);
    assert.equal(machine.arm64!.dsb(0, 'nsh', true), 0);
    expect(machine, without(all, '3:700000001000/1'), allTables);
    assert.equal(machine.arm64!.dsb(0, 'sy', true), 0);
    expect(machine, without(all, '3:700000001000/1', '3:700000002000/1'), allTables);
  });

  it('a TLBI may take effect early on any PE', () => {
    const { machine } = filled();
    tlbi(machine, 'vale1is', operand(va, 3));
    machine.broadcasts.apply(0, 1);
    expect(machine, without(all, '3:700000001000/1'), allTables, 1);
    expect(machine, all, allTables, 0);
  });

  it('a walker can refill from the old entry unless DSB ISHST came first', () => {
    const { memory, machine, user } = arm({ storeBuffer: 4 });
    const write = (): void => machine.stores.store(0, 1, 0, 0);
    memory.write = () => set(memory, user, va, 0, 0n);
    access(machine, 0, va);
    write();
    flush(machine, 'vale1is', operand(va, 3));
    // This DSB made the store visible as well; what was refilled before it stays.
    const other = arm({ storeBuffer: 4 });
    other.memory.write = () => set(other.memory, other.user, va, 0, 0n);
    other.machine.stores.store(0, 1, 0, 0);
    tlbi(other.machine, 'vale1is', operand(va, 3));
    other.machine.broadcasts.applyAll(0);
    other.machine.broadcasts.applyAll(1);
    assert.equal(access(other.machine, 1, va), 0, 'refilled from the old entry');
    assert.equal(other.machine.arm64!.dsb(0, 'ish'), 0);
    assert.equal(access(other.machine, 1, va), 0, 'and still there after the DSB');
    const right = arm({ storeBuffer: 4 });
    right.memory.write = () => set(right.memory, right.user, va, 0, 0n);
    access(right.machine, 1, va);
    right.machine.stores.store(0, 1, 0, 0);
    right.machine.arm64!.dsb(0, 'ishst');
    flush(right.machine, 'vale1is', operand(va, 3));
    assert.equal(access(right.machine, 1, va), 14);
  });

  it('repeat-TLBI: it holds only after an identical second one, each completed by a DSB', () => {
    const { machine } = filled({ repeatTlbi: true });
    const { arm64 } = machine;
    tlbi(machine, 'vale1is', operand(va, 3));
    assert.equal(arm64!.dsb(0, 'ish', true), 0);
    expect(machine, all, allTables);
    tlbi(machine, 'vale1is', operand(next, 3));
    assert.equal(arm64!.dsb(0, 'ish', true), 0);
    expect(machine, all, allTables);
    tlbi(machine, 'vale1is', operand(va, 3));
    assert.equal(arm64!.dsb(0, 'ish'), 65);
    assert.equal(arm64!.dsb(0, 'ish', true), 0);
    for (const cpu of [0, 1]) expect(machine, without(all, '3:700000001000/1'), allTables, cpu);
  });

  it('repeat-TLBI: the second without a DSB in between is no repetition', () => {
    const { machine } = filled({ repeatTlbi: true });
    tlbi(machine, 'vale1is', operand(va, 3));
    tlbi(machine, 'vale1is', operand(va, 3));
    assert.equal(machine.arm64!.dsb(0, 'ish', true), 0);
    expect(machine, all, allTables);
  });
});

describe('context of a PE', () => {
  it('a TTBR write takes effect at the ISB, or at exception entry and return', () => {
    const { memory, machine, user } = arm();
    const other = memory.table();
    set(memory, other, va, 0x99, userPage);
    const { arm64, translation } = machine;
    arm64!.writeTtbr(0, 0, other << 12, 0);
    assert.equal(arm64!.unsynchronised(0), true);
    assert.equal(translation.peek(0, lo(va), hi(va), 0), 0);
    assert.equal(translation.frame, 1);
    arm64!.isb(0);
    assert.equal(arm64!.unsynchronised(0), false);
    translation.peek(0, lo(va), hi(va), 0);
    assert.equal(translation.frame, 0x99);
    arm64!.writeTtbr(0, 0, user << 12, 0);
    machine.interrupts.raise(0, 1);
    machine.interrupts.accept(0, 1);
    translation.peek(0, lo(va), hi(va), 0);
    assert.equal(translation.frame, 1);
  });

  it('the DSB that completes a TLBI leaves the own context to an ISB', () => {
    const { machine } = filled();
    flush(machine, 'vale1is', operand(va, 3));
    assert.equal(machine.arm64!.unsynchronised(0), true);
    assert.equal(machine.arm64!.unsynchronised(1), false);
    machine.arm64!.isb(0);
    assert.equal(machine.arm64!.unsynchronised(0), false);
  });

  it('nG = 0 is global, nG = 1 belongs to the ASID of TTBR1, 16 bits wide', () => {
    const { machine } = arm();
    asid(machine, 0, 0xfffe);
    access(machine, 0, va);
    access(machine, 0, kernel);
    assert.deepEqual(translations(machine, 0), ['65534:700000001000/1', global]);
    asid(machine, 0, 0xffff);
    assert.equal(machine.arm64!.asid(0), 0xffff);
    assert.equal(machine.translation.cached(0, lo(va), hi(va)), 0);
    assert.equal(machine.translation.cached(0, lo(kernel), hi(kernel)), 1);
  });

  it('bit 63 of the address chooses TTBR0 or TTBR1; between them lies nothing', () => {
    const { machine } = arm();
    assert.equal(access(machine, 0, 0x0001_0000_0000_0000n), 14);
    assert.equal(machine.translation.errorCode, 0b000100, 'translation fault, level 0');
  });
});

describe('walks of arm64', () => {
  const fault = (flags: bigint, kind: number, options: HardwareOptions = {}): number => {
    const { memory, machine, user } = arm(options);
    set(memory, user, va, 0x11, flags);
    return access(machine, 0, va, kind) === 14 ? machine.translation.errorCode : -1;
  };

  it('faults name their kind and level (FSC), and a write (WnR)', () => {
    assert.equal(fault(0n, 0), 0b000111, 'translation, level 3');
    assert.equal(fault(valid | af, 0), 0b000111, 'a block at level 3 is reserved');
    assert.equal(fault(table | el0 | nG, 0), 0b001011, 'access flag, level 3');
    assert.equal(fault(userPage | readOnly, 1 | 4), 0b1001111, 'permission, level 3');
    assert.equal(fault(kernelPage, 4), 0b001111);
    assert.equal(fault(userPage | uxn, 2 | 4), 0b001111);
    assert.equal(fault(kernelPage | pxn, 2), 0b001111);
    assert.equal(fault(kernelPage, 2), -1);
    assert.equal(fault(userPage, 2), 0b001111, 'what EL0 can write, EL1 cannot execute');
  });

  it('with the hardware’s access flag and dirty state: AF is set, DBM makes writable', () => {
    const { memory, machine, user } = arm({ hardwareAccessFlag: true });
    set(memory, user, va, 0x11, table | el0 | nG | readOnly | dbm);
    assert.equal(access(machine, 0, va), 0);
    assert.notEqual(memory.get(user, va, 1) & af, 0n);
    assert.notEqual(memory.get(user, va, 1) & readOnly, 0n);
    assert.equal(access(machine, 0, va, 1), 0);
    assert.equal(memory.get(user, va, 1) & readOnly, 0n);
    assert.equal(fault(table | el0 | nG | readOnly | dbm | af, 1), 0b1001111, 'not without it');
  });

  it('table descriptors restrict what lies below', () => {
    const { memory, machine } = arm();
    const root = memory.table();
    memory.set(root, va, 1, (0x11n << 12n) | userPage, 4, table | (1n << 62n));
    machine.arm64!.reset(0, root, root, 3);
    assert.equal(access(machine, 0, va), 0);
    assert.equal(access(machine, 0, va, 1), 14, 'APTable: read-only');
  });

  it('a fault invalidates nothing', () => {
    const { memory, machine, user } = filled();
    set(memory, user, va + 0x5000n, 0, 0n);
    assert.equal(access(machine, 0, va + 0x5000n), 14);
    expect(machine, all, allTables);
  });

  it('an entry without its access flag is not cached, nor filled by speculation', () => {
    const { memory, machine, user } = arm();
    set(memory, user, va, 0x11, table | el0 | nG);
    assert.equal(machine.translation.speculate(0, lo(va), hi(va), 0), false);
    assert.deepEqual(translations(machine, 0), []);
  });

  it('a change of the size of a live entry without break-before-make leaves both: a conflict', () => {
    const { memory, machine, user } = arm();
    set(memory, user, 0x80001000n, 0x11, userPage);
    access(machine, 0, 0x80001000n);
    memory.set(user, 0x80000000n, 2, (0x200n << 12n) | valid | el0 | af | nG);
    machine.translation.speculate(0, lo(0x80001000n), 0, 0, 0);
    assert.equal(machine.translation.conflict, true);
  });
});
