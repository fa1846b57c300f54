/**
 * Real mail threads, with values derived by hand from each patch's text. The texts are not part of this repository:
 * `TLBSCOPE_SEEDS` names their folder.
 */
import { strict as assert } from 'node:assert';
import { readSeed, seedFolder } from '../patch/support';
import { analyse, hunkAt, optionsOf, shown } from './support';
import type { DocumentPricer } from '../../../src/cost/pricing';

const read = (number: string): Uint8Array => readSeed(Number(number));

describe('seeds', function () {
  this.timeout(20_000);
  before(function () {
    if (seedFolder() !== null) return;
    console.log('    skipped: the seed mails are not here (set TLBSCOPE_SEEDS)');
    this.skip();
  });

  const features = ['PTI', 'PCID', 'INVPCID'];
  const tlbflush = 'arch/x86/include/asm/tlbflush.h';
  const tlb = 'arch/x86/mm/tlb.c';
  const xen = 'arch/x86/xen/mmu_pv.c';

  describe('000, patch 1: the flush of one page becomes that of a range', () => {
    let thread: DocumentPricer;
    before(async () => (thread = await analyse(read('000'))));

    it('native: the user flush moves out of the one-page flush and is added beside it', () => {
      const document = thread.price(optionsOf({ features }));
      const delta = (file: string, at: number) => shown(hunkAt(document, file, at, 2).delta);
      // Before: INVLPG and INVPCID of one page. After: a loop of INVLPG over the range.
      assert.deepEqual(delta(tlbflush, 454), { INVLPG: 'n-1', INVPCID_ADDR: '-1' });
      // One kernel page: a range of one page now, without the user's PCID.
      assert.deepEqual(delta(tlbflush, 512), { INVPCID_ADDR: '-1' });
      assert.deepEqual(delta(tlb, 512), { INVPCID_ADDR: 'n' });
      assert.equal(hunkAt(document, tlb, 512, 2).presence, 'absent');
      // n times both becomes n INVLPG in one callee and n INVPCID in the other.
      assert.deepEqual(delta(tlb, 624), {});
    });

    it('in total the user flush is 0 and a kernel page saves its INVPCID', () => {
      const document = thread.price(optionsOf({ features }));
      const patch = document.total.patches.find(one => one.message === 2)!;
      assert.deepEqual(shown(patch.delta), { INVPCID_ADDR: '-1' });
      const root = (name: string) => shown(patch.roots.find(one => one.function === name)!.delta);
      assert.deepEqual(root('flush_tlb_func'), {});
      assert.deepEqual(root('__flush_tlb_one_kernel'), { INVPCID_ADDR: '-1' });
    });

    it('Xen-PV as posted: one hypercall where there were n, and a finding that says why', () => {
      const document = thread.price(optionsOf({ features: ['XEN_PV'] }));
      assert.deepEqual(shown(hunkAt(document, tlb, 624, 2).delta), { HYPERCALL: '-n+1' });
      assert.deepEqual(shown(hunkAt(document, xen, 1325, 2).delta), {});
      const finding = document.findings.find(one => one.kind === 'xen-batch-empty');
      assert.match(finding?.message ?? '', /only the first page is flushed/);
      assert.equal(finding?.documentLine, 296);
    });

    it('Xen-PV as revised in the reply: one hypercall per 21 pages, and that is what the total counts', () => {
      const document = thread.price(optionsOf({ features: ['XEN_PV'] }));
      assert.deepEqual(shown(hunkAt(document, xen, 1325, 4).delta), { HYPERCALL: 'ceil(n/21)-1' });
      assert.deepEqual(shown(document.total.delta), { HYPERCALL: 'ceil(n/21)-n' });
      assert.equal(document.total.patches.find(one => one.message === 4)!.revises, 2);
    });
  });

  describe('000, patches 2 and 3: the user flush is deferred, but not by the initiator of a shootdown', () => {
    let thread: DocumentPricer;
    before(async () => (thread = await analyse(read('000'))));

    it('per page INVPCID goes, INVLPG at exit comes, with a CR3 write that does not flush and one LFENCE', () => {
      const document = thread.price(optionsOf({ features }));
      assert.deepEqual(shown(hunkAt(document, tlb, 528, 6).delta), { INVPCID_ADDR: '-n' });
      const marks = hunkAt(document, tlb, 528, 6).deferred.map(({ name, change }) => [name, change]);
      assert.deepEqual(
        marks.filter(([name]) => name === 'user_pcid_flush_mask'),
        [['user_pcid_flush_mask', 1]],
      );
      const exit = hunkAt(document, 'arch/x86/entry/calling.h', 221, 6);
      assert.deepEqual(shown(exit.delta), { CR3_FLUSH: '-1', CR3_NOFLUSH: '1', INVLPG: 'n', LFENCE: '1' });
      // The last lines of the macro are not in the patch, and that is said.
      assert.ok(exit.unknown.some(({ name }) => name === 'unseen lines'));
    });

    it('every full-flush fallback is a mark that the exit pays for', () => {
      const document = thread.price(optionsOf({ features }));
      const marks = (at: number) => hunkAt(document, tlb, at, 6).deferred.map(({ name }) => name);
      assert.deepEqual(marks(407), ['user_flush_end']);
      assert.ok(hunkAt(document, tlbflush, 395, 6).deferred.some(({ name }) => name === 'user_flush_end'));
    });

    it('the initiator of a shootdown pays INVPCID again', () => {
      const hunk = hunkAt(thread.price(optionsOf({ features })), tlb, 592, 12);
      assert.deepEqual(shown(hunk.delta), { INVPCID_ADDR: 'n' });
      assert.deepEqual(hunk.other && shown(hunk.other.delta), {});
      const open = hunk.conditions.filter(({ taken }) => taken === 'both').map(({ text }) => text);
      assert.ok(open.includes('f->shootdown'), open.join());
    });

    it('the macros of the patch have two faults', () => {
      const kinds = thread.price(optionsOf({ features })).findings.map(({ kind }) => kind);
      assert.ok(kinds.includes('unused-parameter') && kinds.includes('clobbered-register'));
    });
  });

  it('001: three serialising writes per exit become one', async () => {
    const document = (await analyse(read('001'))).price(optionsOf({ features: ['XPTI'] }));
    const entry = hunkAt(document, 'xen/arch/x86/x86_64/entry.S', 154);
    assert.deepEqual(shown(entry.before), { CR3_FLUSH: '1', CR4_WRITE: '2' });
    assert.deepEqual(shown(entry.after), { CR3_FLUSH: '1' });
    assert.deepEqual(shown(hunkAt(document, 'xen/arch/x86/x86_64/entry.S', 216).delta), { CR4_WRITE: '-2' });
  });

  it('002: the flush of every CPU becomes conditional on a key that is off by default', async () => {
    const pricer = await analyse(read('002'));
    const off = hunkAt(pricer.price(optionsOf({ features: ['XPFO'] })), 'mm/xpfo.c', 221);
    assert.deepEqual(shown(off.delta), { INVLPG: '-c-1', IPI: '-c', IPI_WAIT: '-1' });
    assert.ok(off.gates.includes('xpfo_do_tlb_flush'));
    assert.ok(
      off.assumed.some(text => text.includes('up to 7')),
      off.assumed.join(),
    );
    const on = pricer.price(optionsOf({ features: ['XPFO', 'xpfo_do_tlb_flush'] }));
    assert.deepEqual(shown(hunkAt(on, 'mm/xpfo.c', 221).delta), {});
  });

  it('003: a refill flushes this CPU and marks the others, where a page was not yet tagged', async () => {
    const pricer = await analyse(read('003'));
    const hunk = hunkAt(pricer.price(optionsOf({ features: ['XPFO', 'INVPCID'] })), 'mm/page_alloc.c', 2513);
    assert.deepEqual(shown(hunk.delta), { INVPCID_ALL_GLOBAL: '1' });
    assert.ok(hunk.deferred.some(({ where }) => where.includes('other CPU')));
    assert.ok(hunk.conditions.some(({ text, taken }) => text === 'flush_tlb' && taken === true));
    // Without XPFO nothing is tagged, so nothing is flushed.
    assert.deepEqual(shown(hunkAt(pricer.price(optionsOf({})), 'mm/page_alloc.c', 2513).delta), {});
  });

  it('004: a mail without a patch prices nothing', async () => {
    const document = (await analyse(read('004'))).price(optionsOf({}));
    assert.deepEqual([document.hunks, document.total.patches], [[], []]);
  });
});
