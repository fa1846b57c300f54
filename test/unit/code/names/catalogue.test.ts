/** The catalogue as data, and the look-up by place and version. */
import { strict as assert } from 'node:assert';
import type { CatalogueEntry, OperationCounts } from '../../../../src/code/catalogue/entry';
import { loadHelpers } from '../../../../src/code/catalogue/load';
import {
  catalogueSections,
  chooseCost,
  compareVersions,
  inRange,
  kernelOfPath,
  lookup,
} from '../../../../src/code/catalogue/lookup';
import { operationNames } from '../../../../src/code/operationNames';
import { parse } from '../../../../src/cost/polynomial';

const entries = catalogueSections().flatMap(section => section.entries);
const known: ReadonlySet<string> = new Set([...operationNames, 'CR3_WRITE']);

const allCounts = (entry: CatalogueEntry): OperationCounts[] => [
  ...entry.costs.flatMap(({ ops, full, other, deferred }) => [
    ops,
    full ?? {},
    other ?? {},
    deferred?.ops ?? {},
  ]),
  ...Object.values(entry.select?.cases ?? {}),
];

describe('the catalogue', () => {
  it('counts known operations with polynomials', () => {
    for (const entry of [...entries, ...loadHelpers().map(group => group.entry)])
      for (const counts of allCounts(entry))
        for (const [operation, count] of Object.entries(counts)) {
          assert.ok(known.has(operation), `${entry.names[0]}: ${operation}`);
          assert.ok(parse(count), `${entry.names[0]}: ${count}`);
        }
  });

  it('always has an element without a condition, last', () => {
    for (const { names, costs } of entries) {
      assert.ok(costs.length > 0, names[0]);
      assert.deepEqual(costs.at(-1)!.when, [], names[0]);
      const before = costs.slice(0, -1);
      assert.ok(
        before.every(({ when }) => when.length > 0),
        `${names[0]}: nothing after an element without a condition is ever reached`,
      );
    }
  });

  it('says the condition of a second answer, and why what is unknown is unknown', () => {
    for (const { names, costs, effect, unknown, why } of entries) {
      for (const { other, condition } of costs)
        assert.equal(other !== undefined, condition !== undefined, names[0]);
      assert.equal(effect === 'unknown', unknown !== undefined, names[0]);
      assert.match(why, /^[A-Z0-9].*\.$/, names[0]);
      assert.ok(why.length < 200, names[0]);
    }
  });

  it('does not give one kernel two rows of a name, unless versions tell them apart', () => {
    const seen = new Map<string, CatalogueEntry>();
    for (const entry of entries)
      for (const name of entry.names)
        for (const kernel of entry.where) {
          const key = `${name} ${kernel}`;
          const other = seen.get(key);
          if (other) assert.ok(other.versions && entry.versions, key);
          seen.set(key, entry);
        }
  });

  it('has no helper that is also a row, and prefixes that end in an underscore', () => {
    const groups = loadHelpers();
    const rows = new Set(entries.flatMap(entry => entry.names));
    const helpers = groups.flatMap(group => group.entry.names);
    assert.equal(new Set(helpers).size, helpers.length);
    const both = helpers.filter(name => rows.has(name));
    // These two have a row for arm64 only.
    assert.deepEqual(both.sort(), ['smp_rmb', 'smp_wmb']);
    for (const { prefixes } of groups) for (const prefix of prefixes) assert.ok(prefix.endsWith('_'));
  });
});

describe('places', () => {
  it('are known by path', () => {
    assert.equal(kernelOfPath('arch/x86/mm/tlb.c'), 'Lx');
    assert.equal(kernelOfPath('arch/x86/xen/mmu_pv.c'), 'Lp');
    assert.equal(kernelOfPath('arch/arm64/include/asm/tlbflush.h'), 'La');
    assert.equal(kernelOfPath('arch/powerpc/mm/tlb.c'), 'Lo');
    assert.equal(kernelOfPath('xen/arch/x86/flushtlb.c'), 'X');
    assert.equal(kernelOfPath('xen/common/grant_table.c'), 'X');
    assert.equal(kernelOfPath('xen/arch/arm/mm.c'), 'other');
    assert.equal(kernelOfPath('drivers/xen/balloon.c'), 'Lg');
    assert.equal(kernelOfPath('mm/rmap.c'), 'Lg');
    assert.equal(kernelOfPath('models/linux/arch/x86/mm/tlb.c'), 'Lx');
  });

  it('compare versions number by number', () => {
    assert.ok(compareVersions('4.9', '4.20') < 0);
    assert.equal(compareVersions('5.0', '5'), 0);
    assert.ok(inRange('4.16.3', { from: null, to: '4.16' }));
    assert.ok(!inRange('4.17', { from: null, to: '4.16' }));
    assert.ok(!inRange('4.16', { from: '4.17', to: null }));
  });
});

const at = (name: string, path: string, ...features: string[]): OperationCounts => {
  const match = lookup(name, { path });
  assert.ok(match, name);
  assert.equal(match.entry.unknown, undefined, name);
  return chooseCost(match.entry, feature => features.includes(feature)).ops;
};

const tlb = 'arch/x86/mm/tlb.c';
const xen = 'xen/arch/x86/flushtlb.c';
const arm = 'arch/arm64/mm/mmu.c';
const pti = ['PTI', 'PCID', 'INVPCID', 'PGE'];

describe('rows, by hand', () => {
  it('of one-page flushes follow the features', () => {
    assert.deepEqual(at('__flush_tlb_one_user', tlb), { INVLPG: '1' });
    assert.deepEqual(at('__flush_tlb_one_user', tlb, ...pti), { INVLPG: '1', INVPCID_ADDR: '1' });
    // Without INVPCID the user's share is a mark that the next exit pays for.
    const match = lookup('flush_tlb_one_user', { path: tlb })!;
    const cost = chooseCost(match.entry, feature => feature === 'PTI' || feature === 'PCID');
    assert.deepEqual(cost.ops, { INVLPG: '1' });
    assert.deepEqual(cost.deferred?.ops, { CR3_FLUSH: '1', CR3_NOFLUSH: '-1' });
    assert.deepEqual(at('flush_tlb_one_user', tlb, 'XEN_PV', ...pti), { HYPERCALL: '1' });
    assert.deepEqual(at('native_flush_tlb_one_user', tlb, 'XEN_PV'), { INVLPG: '1' });
  });

  it('tell local from global by leading underscores', () => {
    assert.deepEqual(at('__flush_tlb_all', tlb, ...pti), { INVPCID_ALL_GLOBAL: '1' });
    assert.deepEqual(at('__flush_tlb_all', tlb, 'PGE'), { CR4_WRITE: '2' });
    assert.deepEqual(at('__flush_tlb_all', tlb), { CR3_READ: '1', CR3_FLUSH: '1' });
    assert.deepEqual(at('flush_tlb_all', tlb, ...pti), {
      IPI: 'c',
      IPI_WAIT: '1',
      INVPCID_ALL_GLOBAL: 'c+1',
    });
    assert.deepEqual(at('flush_tlb_all', tlb, ...pti, 'INVLPGB'), { INVLPGB: '1', TLBSYNC: '1' });
  });

  it('apply the range rule', () => {
    const match = lookup('flush_tlb_mm_range', { path: tlb })!;
    const cost = chooseCost(match.entry, () => false);
    assert.deepEqual(cost.ops, { ATOMIC: '1', INVLPG: 'c*n+n', IPI: 'c', IPI_WAIT: '1' });
    assert.deepEqual(cost.full, { ATOMIC: '1', CR3_READ: 'c+1', CR3_FLUSH: 'c+1', IPI: 'c', IPI_WAIT: '1' });
    assert.deepEqual(at('flush_tlb_kernel_range', 'mm/vmalloc.c', 'INVPCID'), {
      ...{ INVLPG: 'c*n+n', IPI: 'c', IPI_WAIT: '1' },
    });
    assert.deepEqual(at('do_kernel_range_flush', tlb), { INVLPG: 'n' });
    assert.deepEqual(at('flush_tlb_others', tlb), { IPI: 'c', IPI_WAIT: '1', INVLPG: 'c*n' });
    assert.deepEqual(at('flush_tlb_multi', tlb), { IPI: 'c', IPI_WAIT: '1', INVLPG: 'c*n+n' });
  });

  it('mean something else in Xen and on arm64', () => {
    assert.deepEqual(at('flush_tlb_all', arm), { DSB: '2', TLBI_ALL_IS: '1', ISB: '1' });
    assert.deepEqual(at('flush_tlb_all', xen), {
      IPI: 'c',
      IPI_WAIT: '1',
      CR3_READ: 'c+1',
      CR3_FLUSH: 'c+1',
    });
    assert.deepEqual(at('flush_tlb_local', xen, 'INVPCID'), { INVPCID_ALL_GLOBAL: '1' });
    assert.deepEqual(at('flush_tlb_local', tlb), { CR3_READ: '1', CR3_FLUSH: '1' });
    assert.deepEqual(at('flush_tlb_mask', xen, 'PGE'), { IPI: 'c', IPI_WAIT: '1', CR4_WRITE: '2*c+2' });
    assert.equal(lookup('flush_tlb_mask', { path: tlb }), null);
    assert.deepEqual(at('flush_tlb_one_local', xen, 'INVPCID', 'PCID', 'XPTI'), { INVPCID_ADDR: '4' });
    assert.deepEqual(at('read_cr4', xen), {});
    assert.deepEqual(at('flush_tlb_mm', arm, 'KPTI'), { DSB: '2', TLBI_ASID_IS: '2' });
    assert.deepEqual(at('local_flush_tlb_all', arm), { DSB: '2', TLBI_ALL: '1', ISB: '1' });
    assert.deepEqual(at('flush_tlb_page', arm), { DSB: '2', TLBI_VA_IS: '1' });
  });

  it('of generic code follow the architecture', () => {
    const generic = lookup('ptep_clear_flush', { path: 'mm/rmap.c', architecture: 'arm64' })!;
    assert.deepEqual(chooseCost(generic.entry, () => false).ops, { DSB: '2', TLBI_VA_IS: '1' });
    // No arm64 row: unknown rather than x86's counts.
    const other = lookup('vm_unmap_aliases', { path: 'mm/vmalloc.c', architecture: 'arm64' })!;
    assert.equal(other.entry.effect, 'unknown');
  });

  it('are unknown on architectures without figures, and Xen on Arm', () => {
    assert.equal(lookup('flush_tlb_range', { path: 'arch/powerpc/mm/x.c' })!.entry.effect, 'unknown');
    assert.equal(lookup('flush_tlb_all', { path: 'xen/arch/arm/mm.c' })!.entry.effect, 'unknown');
  });

  it('of instructions and registers', () => {
    assert.deepEqual(at('invlpg', xen), { INVLPG: '1' });
    assert.deepEqual(at('mov to %cr3', 'arch/x86/entry/calling.h'), { CR3_WRITE: '1' });
    assert.deepEqual(at('smp_mb', tlb), { ATOMIC: '1' });
    assert.deepEqual(at('smp_mb', arm), {});
    assert.deepEqual(at('mb', tlb), { MFENCE: '1' });
    assert.deepEqual(lookup('__invpcid', { path: tlb })!.entry.select!.cases['1'], { INVPCID_CTX: '1' });
    const tlbi = lookup('__tlbi', { path: arm })!.entry.select!.cases;
    assert.deepEqual(tlbi['vale1is'], { TLBI_VA_IS: '1' });
    assert.deepEqual(tlbi['aside1'], { TLBI_ASID: '1' });
    assert.deepEqual(tlbi['vmalle1is'], { TLBI_ALL_IS: '1' });
    assert.equal(tlbi['ipas2e1is'], undefined);
  });

  it('of entry code exist only with page-table isolation', () => {
    const entry = 'arch/x86/entry/entry_64.S';
    assert.deepEqual(at('SWITCH_TO_KERNEL_CR3', entry), {});
    assert.deepEqual(at('SWITCH_TO_KERNEL_CR3', entry, ...pti), { CR3_READ: '1', CR3_NOFLUSH: '1' });
    assert.deepEqual(at('SWITCH_TO_USER_CR3_STACK', entry, 'PTI'), { CR3_READ: '1', CR3_FLUSH: '1' });
  });

  it('of Xen-PV queue hypercalls', () => {
    const match = lookup('xen_mc_issue', { path: 'arch/x86/xen/mmu_pv.c' })!;
    const cost = chooseCost(match.entry, () => false);
    assert.deepEqual([cost.ops, cost.other], [{ HYPERCALL: '1' }, {}]);
    assert.deepEqual(at('MULTI_mmuext_op', 'arch/x86/xen/mmu_pv.c'), {});
  });

  it('of XPFO depend on the version of the series', () => {
    const path = 'mm/xpfo.c';
    const flush = (seriesVersion?: number) =>
      lookup('xpfo_flush_kernel_tlb', { path, ...(seriesVersion === undefined ? {} : { seriesVersion }) })!;
    const ops = (match: ReturnType<typeof flush>) => chooseCost(match.entry, () => false).ops;
    assert.deepEqual(ops(flush(7)), { INVLPG: 'c*2^order+2^order', IPI: 'c', IPI_WAIT: '1' });
    assert.equal(flush(7).assumption, null);
    assert.deepEqual(ops(flush(8)), { INVLPG: '2^order' });
    assert.match(flush().assumption!, /XPFO series 8 and later assumed/);
    const cond = lookup('xpfo_cond_flush_kernel_tlb', { path, seriesVersion: 7 })!;
    assert.deepEqual(ops(cond), {});
    assert.deepEqual(chooseCost(cond.entry, feature => feature === 'xpfo_do_tlb_flush').ops, {
      ...{ INVLPG: 'c*2^order+2^order', IPI: 'c', IPI_WAIT: '1' },
    });
  });

  it('say when a name belongs to another version', () => {
    assert.match(
      lookup('__flush_tlb_single', { path: tlb, kernelVersion: '6.1' })!.assumption!,
      /name is that of Linux up to 4\.16/,
    );
    assert.equal(lookup('__flush_tlb_single', { path: tlb, kernelVersion: '4.15' })!.assumption, null);
  });

  it('leave INVLPGB out where the kernel is too old for it', () => {
    const { entry } = lookup('flush_tlb_all', { path: tlb })!;
    const on = (feature: string) => ['INVLPGB', 'PGE', 'INVPCID'].includes(feature);
    assert.deepEqual(chooseCost(entry, on, '6.1').ops, {
      IPI: 'c',
      IPI_WAIT: '1',
      INVPCID_ALL_GLOBAL: 'c+1',
    });
    assert.deepEqual(chooseCost(entry, on, '6.16').ops, { INVLPGB: '1', TLBSYNC: '1' });
  });
});

describe('known and free', () => {
  const free = (name: string): boolean => {
    const match = lookup(name, { path: tlb });
    return (
      match !== null &&
      match.entry.effect !== 'unknown' &&
      allCounts(match.entry).every(c => !Object.keys(c).length)
    );
  };

  it('is not the same as not known', () => {
    for (const name of [
      'likely',
      'READ_ONCE',
      'min_t',
      'pr_info',
      'WARN_ON_ONCE',
      'cpumask_test_cpu',
      'kfree',
    ])
      assert.ok(free(name), name);
    for (const name of [
      'lockdep_assert_irqs_enabled',
      'trace_tlb_flush',
      'pte_mkdirty',
      'VM_WARN_ON',
      'this_cpu_write',
    ])
      assert.ok(free(name), name);
    for (const name of ['build_cr3', 'kern_pcid', 'set_pte_at', 'choose_new_asid', 'local_irq_save'])
      assert.ok(free(name), name);
    assert.equal(lookup('tq_unheard_of', { path: tlb }), null);
  });

  it('is not said of locked instructions', () => {
    for (const name of ['atomic64_inc_return', 'cmpxchg', 'spin_lock', 'cpumask_set_cpu', 'inc_mm_tlb_gen'])
      assert.deepEqual(at(name, tlb), { ATOMIC: '1' }, name);
    assert.deepEqual(at('atomic64_read', tlb), {});
    assert.deepEqual(at('__cpumask_set_cpu', tlb), {});
  });

  it('is not said of what has no figure', () => {
    for (const name of [
      'invept',
      'wbinvd',
      'clflush_cache_range',
      'stop_machine',
      'text_poke',
      'try_to_unmap',
    ])
      assert.equal(lookup(name, { path: tlb })!.entry.effect, 'unknown', name);
  });
});
