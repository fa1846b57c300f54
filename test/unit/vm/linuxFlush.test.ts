/**
 * `flush_tlb_mm_range` and `flush_tlb_func` of Linux 6.1 as they stand in Debian's source, on one CPU, against an
 * independent statement of what they do. (6.1.192 carries some of 6.15: should_flush_tlb looks at loaded_mm.)
 */
import assert from 'node:assert/strict';
import type { IrModule } from '../../../src/code/ir';
import { loadParser } from '../code/c/support';
import { hasTree, lowerTree } from './linuxTree';
import { callHandlers, lowered, machineFor, operations, prelude } from './support';
import type { ExtraObject } from '../../../src/vm/memory';
import { whole } from '../../../src/vm/pairs';
import { positionOf } from '../../../src/vm/program';
import type { TraceEvent } from '../../../src/vm/trace';
import type { Vm, VmOptions } from '../../../src/vm/vm';

const pageSize = 4096n;

/** Slot of the mm, its generation before, and its root. */
const slot = 2;
const generation = 7n;
const root = 0x123_4000n;
const initRoot = 0x20_0000n;
const flushFeatures = ['PCID', 'PGE', 'SMEP', 'INVPCID'];

const events = (vm: Vm): TraceEvent[] =>
  Array.from({ length: vm.trace!.recorded }, (_, seq) => vm.trace!.event(seq));

interface Expected {
  readonly operations: readonly string[];
  readonly pending: bigint;
}

/**
 * What a flush of `pages` pages does on the only CPU that runs the mm. Up to 33 strides go page by page: INVLPG, then
 * under PTI the same page of the user PCID: by INVPCID where the CPU has it (with PCID), else by marking the user PCID
 * of the slot for a flush. Above: the mark (under PTI), and a CR3 write of what CR3 holds. The bit is the slot's number
 * plus 1: PCID 0 is left free.
 */
function flushOf(pages: number, pti: boolean, invpcid: boolean): Expected {
  const mark = 1n << BigInt(slot + 1);
  if (pages > 33) return { operations: ['CR3_READ', 'CR3_WRITE'], pending: pti ? mark : 0n };
  const page = ['INVLPG', ...(pti && invpcid ? ['INVPCID'] : [])];
  return {
    operations: Array.from({ length: pages }, () => page).flat(),
    pending: pti && !invpcid && pages > 0 ? mark : 0n,
  };
}

/** What tlb.c needs of files that are not unpacked: PCE is never set here, and no process has an LDT. */
const rest = `
void cr4_update_irqsoff(unsigned long set, unsigned long clear)
{
	BUG_ON(set != 0);
}
void switch_ldt(struct mm_struct *prev, struct mm_struct *next)
{
}
`;

for (const paravirt of [false, true])
  describe(`flushes of Linux 6.1 on the VM, ${paravirt ? 'with' : 'without'} CONFIG_PARAVIRT`, function () {
    this.timeout(60_000);
    let module: IrModule;

    before(async function () {
      if (!hasTree()) {
        console.log('      no tree: run node scripts/linux-source.mjs');
        this.skip();
      }
      await loadParser();
      module = lowerTree(
        ['arch/x86/mm/tlb.c', ...(paravirt ? ['arch/x86/kernel/paravirt.c'] : [])],
        paravirt,
      );
    });

    const start = 0x7f00_0000_0000n;

    interface Flush {
      readonly pages: number;
      readonly features: readonly string[];
      readonly cpus?: number;
      readonly freed?: boolean;
      readonly change?: (vm: Vm) => void;
    }

    function build(flush: Flush, tasks: VmOptions['tasks'], more: readonly ExtraObject[] = []): Vm {
      return machineFor([module, lowered(rest)], {
        cpus: flush.cpus ?? 1,
        features: new Set(flush.features),
        handlers: callHandlers,
        hardware: {},
        link: {
          replacing: [prelude()],
          objects: [{ name: 'tq_mm', type: { kind: 'struct', tag: 'mm_struct' } }, ...more],
        },
        tasks,
      });
    }

    /** Runs `flush_tlb_mm_range` on CPU 0, all CPUs running the mm. */
    function flush(flush: Flush): Vm {
      // The arguments are addresses, which a program has only when it is linked: one machine to ask, one to run.
      const mm = build(flush, []).address(['tq_mm']);
      const args = [mm, start, start + BigInt(flush.pages) * pageSize, 12n, flush.freed ? 1n : 0n];
      const vm = build(flush, [[{ function: 'flush_tlb_mm_range', args }]]);
      prepare(vm, mm);
      flush.change?.(vm);
      vm.run(1_000_000);
      const { verdict, name, why, position } = vm.ending;
      assert.equal(verdict, 'finished', `${name}: ${why} at ${position.file}:${position.line}`);
      return vm;
    }

    function prepare(vm: Vm, mm: bigint): void {
      for (const name of ['cpu_tlbstate', 'init_mm']) vm.define(name);
      vm.write(['nr_cpu_ids'], BigInt(vm.layout.cpus));
      vm.write(['jiffies'], 1000n);
      vm.write(['tq_mm', 'context', 'ctx_id'], 99n);
      vm.write(['tq_mm', 'context', 'tlb_gen'], generation);
      vm.write(['tq_mm', 'context', 'next_trim_cpumask'], 2000n);
      vm.write(['tq_mm', 'pgd'], root);
      vm.write(['init_mm', 'pgd'], initRoot);
      vm.write(['tq_mm', 'cpu_bitmap', 0], (1n << BigInt(vm.layout.cpus)) - 1n);
      for (let cpu = 0; cpu < vm.layout.cpus; cpu++) {
        vm.write(['cpu_tlbstate', 'loaded_mm'], mm, cpu);
        vm.write(['cpu_tlbstate', 'loaded_mm_asid'], BigInt(slot), cpu);
        vm.write(['cpu_tlbstate', 'ctxs', slot, 'ctx_id'], 99n, cpu);
        vm.write(['cpu_tlbstate', 'ctxs', slot, 'tlb_gen'], generation, cpu);
        vm.machine.x86!.reset(cpu, Number(root >> 12n), flushFeatures);
        assert.equal(vm.machine.x86!.writeCr3(cpu, Number(root) | (slot + 1), 0), 0);
      }
    }

    for (const pti of [true, false])
      for (const invpcid of [true, false])
        for (const pages of [1, 10, 33, 34])
          it(`${pages} pages, PTI ${pti ? 'on' : 'off'}, INVPCID ${invpcid ? 'on' : 'off'}`, () => {
            const features = ['PCID', 'PGE', ...(pti ? ['PTI'] : []), ...(invpcid ? ['INVPCID'] : [])];
            const vm = flush({ pages, features });
            const expected = flushOf(pages, pti, invpcid);
            assert.deepEqual(operations(vm), expected.operations);
            assert.equal(vm.read(['cpu_tlbstate', 'user_pcid_flush_mask']), expected.pending);
            assert.equal(vm.read(['cpu_tlbstate', 'ctxs', slot, 'tlb_gen']), generation + 1n);
            assert.equal(vm.read(['tq_mm', 'context', 'tlb_gen']), generation + 1n);
          });

    const full = ['PCID', 'PGE', 'PTI', 'INVPCID'];

    it('invalidates the pages of the range, in order, in both PCIDs of the slot', () => {
      const vm = flush({ pages: 3, features: full });
      const userPcid = (slot + 1) | 0x800;
      const operands = events(vm)
        .filter(({ kind }) => kind === 'operation')
        .map(({ lo, hi, extra }) => [whole(lo, hi), extra]);
      assert.deepEqual(
        operands,
        [0n, 1n, 2n].flatMap(page => [
          [start + page * pageSize, 0],
          [start + page * pageSize, userPcid],
        ]),
      );
    });

    it('knows the line of each operation', () => {
      const vm = flush({ pages: 1, features: full });
      // With it, the function is reached through the table of operations.
      assert.equal(vm.slot(['pv_ops', 'mmu', 'flush_tlb_one_user']) !== null, paravirt);
      const places = events(vm)
        .filter(({ kind }) => kind === 'operation')
        .map(({ pc }) => positionOf(vm.core.program, pc))
        .map(({ file, function: name }) => `${file} ${name}`);
      assert.deepEqual(places, [
        'arch/x86/mm/tlb.c native_flush_tlb_one_user',
        'arch/x86/include/asm/invpcid.h __invpcid',
      ]);
    });

    it('interrupts the other CPUs that run the mm, which do the same', () => {
      const vm = flush({ pages: 2, features: full, cpus: 3 });
      for (const cpu of [0, 1, 2]) {
        assert.deepEqual(operations(vm, cpu), flushOf(2, true, true).operations);
        assert.equal(vm.read(['cpu_tlbstate', 'ctxs', slot, 'tlb_gen'], cpu), generation + 1n);
      }
      const sent = events(vm).filter(({ kind }) => kind === 'ipi');
      assert.deepEqual(
        sent.map(({ cpu, extra }) => [cpu, extra]),
        [
          [0, 1],
          [0, 2],
        ],
      );
      // The initiator waits for the slowest.
      const { clocks } = vm.machine;
      assert.ok(clocks.cycles(0) > clocks.cycles(1) && clocks.cycles(0) > clocks.cycles(2));
    });

    it('leaves a lazy CPU alone, unless page tables were freed: then it drops the root', () => {
      const lazy = (vm: Vm): void => vm.write(['cpu_tlbstate_shared', 'is_lazy'], 1n, 1);
      const kept = flush({ pages: 1, features: full, cpus: 2, change: lazy });
      assert.deepEqual(operations(kept, 1), []);
      assert.equal(kept.read(['cpu_tlbstate', 'ctxs', slot, 'tlb_gen'], 1), generation);
      const freed = flush({ pages: 1, features: full, cpus: 2, freed: true, change: lazy });
      assert.deepEqual(operations(freed, 1), ['CR3_WRITE']);
      assert.equal(freed.read(['cpu_tlbstate', 'loaded_mm'], 1), freed.address(['init_mm']));
      assert.equal(BigInt(freed.machine.x86!.cr3Lo(1)) & ~0xfffn, initRoot);
    });

    describe('flush_tlb_func', () => {
      const ceiling = (1n << 64n) - 1n;

      interface Request {
        readonly local: number;
        readonly request: number;
        readonly newest: number;
        readonly end: 'all' | 'page';
        readonly of: 'mm' | 'any' | 'other';
        readonly loaded: 'mm' | 'init';
      }

      /**
       * What handling a request does (semantics of 6.1): nothing for another mm, for init_mm, for a generation that the
       * slot has passed, or if the slot is up to date; page by page only if the request is for a range, follows the
       * slot's generation directly and is the newest; else everything. Then the slot has the newest generation.
       */
      function handled(one: Request): { operations: readonly string[]; generation: number } {
        const nothing = { operations: [], generation: one.local };
        if (one.of === 'other' || one.loaded === 'init') return nothing;
        if (one.request !== 0 && one.request <= one.local) return nothing;
        if (one.local === one.newest) return nothing;
        const pages = one.end === 'page' && one.request === one.local + 1 && one.request === one.newest;
        return { operations: flushOf(pages ? 1 : 99, true, true).operations, generation: one.newest };
      }

      it('compares generations as the protocol says, in every small case', () => {
        const info = [{ name: 'tq_info', type: { kind: 'struct', tag: 'flush_tlb_info' } } as const];
        const make = (tasks: VmOptions['tasks']): Vm => build({ pages: 0, features: full }, tasks, info);
        const asked = make([]);
        const mm = asked.address(['tq_mm']);
        const args = [asked.address(['tq_info'])];
        for (const loaded of ['mm', 'init'] as const)
          for (const of of ['mm', 'any', 'other'] as const)
            for (const end of ['all', 'page'] as const)
              for (let newest = 1; newest <= 4; newest++)
                for (let local = 1; local <= newest; local++)
                  for (
                    let request = of === 'any' ? 0 : 1;
                    request <= (of === 'any' ? 0 : newest);
                    request++
                  ) {
                    const one: Request = { local, request, newest, end, of, loaded };
                    // Other mms and init_mm need no more than a few cases.
                    if ((of === 'other' || loaded === 'init') && newest > 2) continue;
                    const vm = make([[{ function: 'flush_tlb_func', args }]]);
                    prepare(vm, mm);
                    if (loaded === 'init') vm.write(['cpu_tlbstate', 'loaded_mm'], vm.address(['init_mm']));
                    vm.write(['tq_mm', 'context', 'tlb_gen'], BigInt(newest));
                    vm.write(['cpu_tlbstate', 'ctxs', slot, 'tlb_gen'], BigInt(local));
                    const mmOf = of === 'mm' ? mm : of === 'any' ? 0n : 0x9990n * 8n;
                    const values = {
                      mm: mmOf,
                      start,
                      end: end === 'all' ? ceiling : start + pageSize,
                      new_tlb_gen: BigInt(request),
                    };
                    for (const [name, value] of Object.entries(values)) vm.write(['tq_info', name], value);
                    vm.write(['tq_info', 'stride_shift'], 12n);
                    vm.write(['tq_info', 'initiating_cpu'], 1n);
                    vm.machine.interrupts.setEnabled(0, false);
                    vm.run(100_000);
                    const { verdict, name, why } = vm.ending;
                    assert.equal(verdict, 'finished', `${name}: ${why}`);
                    const expected = handled(one);
                    const label = JSON.stringify(one);
                    assert.deepEqual(operations(vm), expected.operations, label);
                    const seen = vm.read(['cpu_tlbstate', 'ctxs', slot, 'tlb_gen']);
                    assert.equal(seen, BigInt(expected.generation), label);
                  }
      });
    });
  });
