/** AMD: INVLPG and TCE, INVLPGB with its selectors and its weak order, TLBSYNC (section 2; APM volume 3). */
import { strict as assert } from 'node:assert';
import {
  access,
  bench,
  features,
  G,
  hi,
  invlpg,
  invpcid,
  lo,
  load,
  paging,
  translations,
  user,
} from './memory';
import type { Hardware } from '../../../../src/machine/hardware';
import { structure } from './memory';

const va = 0x7000_0000_1000n;
const next = 0x7000_0000_2000n;
const far = 0x7040_0000_1000n;
const kernel = 0xffff_8000_0000_3000n;

const addressValid = 1;
const pcidValid = 2;
const asidValid = 4;
const includeGlobals = 8;
const finalOnly = 16;

function filled(more: readonly string[] = [], cpus = 2): { machine: Hardware; root: number } {
  const { memory, machine, root } = bench({
    profile: 'zen4',
    features: [...features, ...more],
    cpus,
    tlb: [structure('test2', 'L1', 'both', ['4K', '2M'], 64, 8)],
  });
  memory.map(root, va, 0x11);
  memory.map(root, next, 0x12);
  memory.map(root, far, 0x13);
  memory.map(root, kernel, 0x14, user | G);
  for (let cpu = 0; cpu < cpus; cpu++) {
    for (const pcid of [5, 3]) {
      load(machine, cpu, root, pcid);
      for (const at of [va, next, far, kernel]) access(machine, cpu, at);
    }
  }
  return { machine, root };
}

const invlpgb = (machine: Hardware, selectors: number, at = 0n, extra = 0, pcid = 0, asid = 0): number =>
  machine.x86!.invlpgb(0, lo(at) | selectors, hi(at), extra, (pcid << 16) | asid);

const flush = (machine: Hardware, ...args: [number, bigint?, number?, number?, number?]): void => {
  assert.equal(invlpgb(machine, ...args), 0);
  assert.equal(machine.x86!.tlbsync(0, true), 0);
};

const everything = (machine: Hardware, cpu = 0): string[] => translations(machine, cpu);
const has = (machine: Hardware, what: string): boolean => everything(machine).includes(what);

describe('INVLPG and INVPCID on AMD', () => {
  it('with TCE clear: the page, and all upper-level entries of all PCIDs, related or not', () => {
    const { machine } = filled();
    invlpg(machine, 0, va);
    assert.deepEqual(paging(machine, 0), []);
    assert.equal(has(machine, '3:700000001000/1'), false);
    assert.equal(has(machine, '5:700000001000/1'), true);
    const other = filled().machine;
    invpcid(other, 0, 0, 5, va);
    assert.deepEqual(paging(other, 0), []);
    assert.equal(has(other, '5:700000001000/1'), false);
  });

  it('with TCE set: only the upper-level entries that lead to the address', () => {
    const { machine } = filled(['TCE']);
    const before = paging(machine, 0);
    invlpg(machine, 0, va);
    const gone = ['3:700000000000/2', '3:700000000000/3', '3:700000000000/4'];
    assert.deepEqual(
      paging(machine, 0),
      before.filter(entry => !gone.includes(entry)),
    );
  });

  it('setting TCE flushes nothing', () => {
    const { machine } = filled();
    const before = paging(machine, 0);
    machine.x86!.writeEfer(0, machine.x86!.efer(0) | (1 << 15), 0);
    assert.deepEqual(paging(machine, 0), before);
  });
});

describe('INVLPGB', () => {
  it('address and PCID: that page of that PCID, on every CPU', () => {
    const { machine } = filled();
    flush(machine, addressValid | pcidValid, va, 0, 5);
    for (const cpu of [0, 1])
      assert.deepEqual(
        everything(machine, cpu).filter(entry => entry.includes('700000001000')),
        ['3:700000001000/1'],
      );
  });

  it('extra pages of 4K and 2M', () => {
    const { machine } = filled();
    flush(machine, addressValid | pcidValid, va, 1, 3);
    assert.equal(has(machine, '3:700000001000/1'), false);
    assert.equal(has(machine, '3:700000002000/1'), false);
    const other = filled().machine;
    assert.equal(other.x86!.invlpgb(0, lo(va) | 3, hi(va), (1 << 31) | 1, 3 << 16), 0);
    other.x86!.tlbsync(0, true);
    assert.equal(has(other, '3:700000001000/1'), false, 'the first address itself');
    assert.equal(has(other, '3:700000002000/1'), true, 'the next is 2M on');
  });

  it('without a PCID: the page in every PCID; without globals they stay', () => {
    const { machine } = filled();
    flush(machine, addressValid, va);
    assert.deepEqual(
      everything(machine).filter(entry => entry.includes('700000001000')),
      [],
    );
    flush(machine, addressValid, kernel);
    assert.equal(has(machine, 'g:ffff800000003000/1'), true);
    flush(machine, addressValid | includeGlobals, kernel);
    assert.equal(has(machine, 'g:ffff800000003000/1'), false);
  });

  it('a PCID without address: all of it; neither: everything', () => {
    const { machine } = filled();
    flush(machine, pcidValid, 0n, 0, 5);
    assert.deepEqual(
      everything(machine).filter(entry => entry.startsWith('5:')),
      [],
    );
    assert.equal(everything(machine).length, 4);
    assert.ok(paging(machine, 0).every(entry => entry.startsWith('3:')));
    flush(machine, includeGlobals);
    assert.deepEqual([...everything(machine), ...paging(machine, 0)], []);
  });

  it('the ASID of a guest matches nothing of the host', () => {
    const { machine } = filled();
    const before = everything(machine);
    flush(machine, asidValid | includeGlobals, 0n, 0, 0, 7);
    assert.deepEqual(everything(machine), before);
    flush(machine, asidValid | includeGlobals, 0n, 0, 0, 0);
    assert.deepEqual(everything(machine), []);
  });

  it('final translation only: upper-level entries stay; else they go by TCE', () => {
    const { machine } = filled();
    const before = paging(machine, 0);
    flush(machine, addressValid | pcidValid | finalOnly, va, 0, 3);
    assert.deepEqual(paging(machine, 0), before);
    const tce = filled(['TCE']).machine;
    flush(tce, addressValid | pcidValid, va, 0, 3);
    assert.equal(paging(tce, 0).includes('3:700000000000/2'), false);
    assert.equal(paging(tce, 0).includes('3:704000000000/2'), true);
    flush(machine, addressValid | pcidValid, va, 0, 3);
    assert.deepEqual(paging(machine, 0), []);
  });

  it('more pages than CPUID reports, or reserved bits: #GP; no INVLPGB: #UD', () => {
    const { machine } = filled();
    // Zen 4: CPUID 8000_0008h EDX[15:0] = 7.
    assert.equal(invlpgb(machine, addressValid, va, 7), 0);
    assert.equal(invlpgb(machine, addressValid, va, 8), 13);
    assert.equal(invlpgb(machine, addressValid | 0x40, va), 13);
    assert.equal(invlpgb(machine, addressValid, 0x0000_8000_0000_0000n), 13);
    const intel = bench().machine;
    assert.equal(invlpgb(intel, addressValid, va), 6);
    assert.equal(intel.x86!.tlbsync(0), 6);
  });

  it('is weakly ordered: each CPU applies each at any moment', () => {
    const { machine } = filled([], 3);
    invlpgb(machine, addressValid | pcidValid, va, 0, 3);
    invlpgb(machine, addressValid | pcidValid, next, 0, 3);
    assert.equal(has(machine, '3:700000001000/1'), true, 'not even the issuer');
    machine.broadcasts.apply(1, 1);
    assert.equal(translations(machine, 1).includes('3:700000002000/1'), false);
    assert.equal(translations(machine, 1).includes('3:700000001000/1'), true);
    assert.equal(machine.broadcasts.pending(1), true);
    machine.broadcasts.applyAll(1);
    assert.equal(machine.broadcasts.pending(1), false);
    assert.equal(machine.broadcasts.inFlight, 2);
    machine.broadcasts.applyAll(0);
    machine.broadcasts.applyAll(2);
    assert.equal(machine.broadcasts.inFlight, 0);
  });

  it('a store to the page table after it may still be missed, and before it is the caller’s to order', () => {
    const { memory, machine, root } = bench({ profile: 'zen4', storeBuffer: 4, cpus: 2 });
    memory.map(root, va, 0x11);
    machine.stores.store(0, 1, 0, 0);
    invlpgb(machine, addressValid, va);
    assert.deepEqual(memory.written, [], 'INVLPGB drains nothing');
  });
});

describe('TLBSYNC', () => {
  it('waits until every CPU has applied the INVLPGBs of this CPU', () => {
    const { machine } = filled([], 3);
    const { x86, broadcasts } = machine;
    invlpgb(machine, addressValid | pcidValid, va, 0, 3);
    assert.equal(x86!.tlbsync(0), 65);
    broadcasts.apply(0, 0);
    broadcasts.apply(0, 1);
    assert.equal(x86!.tlbsync(0), 65);
    broadcasts.apply(0, 2);
    assert.equal(x86!.tlbsync(0), 0);
    assert.equal(machine.clocks.count(0, machine.clocks.operation('TLBSYNC')), 1);
  });

  it('knows nothing of those of other CPUs: a task must not migrate in between', () => {
    const { machine } = filled([], 3);
    invlpgb(machine, addressValid | pcidValid, va, 0, 3);
    assert.equal(machine.x86!.tlbsync(1), 0);
    assert.equal(translations(machine, 1).includes('3:700000001000/1'), true);
  });

  it('the list of those in flight is bounded: a full one completes its oldest', () => {
    const { memory, machine, root } = bench({ profile: 'zen4', cpus: 2, broadcasts: 2 });
    memory.map(root, va, 0x11);
    access(machine, 1, va);
    assert.equal(invlpgb(machine, addressValid, va), 0);
    invlpgb(machine, addressValid, next);
    assert.equal(machine.translation.cached(1, lo(va), hi(va)) > 0, true);
    invlpgb(machine, addressValid, far);
    assert.equal(machine.broadcasts.inFlight, 2);
    assert.equal(machine.translation.cached(1, lo(va), hi(va)), 0);
  });
});
