/**
 * `flush_tlb_mm_range` and `flush_tlb_func` of Linux 6.1 as they stand in Debian's source, on one CPU, against an
 * independent statement of what they do. (6.1.192 carries some of 6.15: should_flush_tlb looks at loaded_mm.)
 */
import assert from 'node:assert/strict';
import type { IrModule } from '../../../src/code/ir';
import { loadParser } from '../code/c/support';
import { hasTree, lowerTree } from './linuxTree';
import { callHandlers, machineFor, operations, prelude } from './support';
import type { Vm } from '../../../src/vm/vm';

const pageSize = 4096n;
const all = (1n << 64n) - 1n;

/** Slot of the mm, its generation before, and its root. */
const slot = 2;
const generation = 7n;
const root = 0x123_4000n;

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

describe('flushes of Linux 6.1 on the VM', function () {
  this.timeout(60_000);
  let module: IrModule;

  before(async function () {
    if (!hasTree()) {
      console.log('      no tree: run node scripts/linux-source.mjs');
      this.skip();
    }
    await loadParser();
    module = lowerTree(['arch/x86/mm/tlb.c']);
  });

  function machine(pages: number, features: readonly string[], cpus = 1): Vm {
    const vm = machineFor([module], {
      cpus,
      features: new Set(features),
      handlers: callHandlers,
      link: {
        replacing: [prelude()],
        objects: [{ name: 'tq_mm', type: { kind: 'struct', tag: 'mm_struct' } }],
      },
      tasks: [],
    });
    pages;
    return vm;
  }

  function flush(pages: number, features: readonly string[]): Vm {
    const start = 0x7f00_0000_0000n;
    // Arguments need addresses, which the program has only after linking: one machine to ask, one to run.
    const asked = machine(pages, features);
    const mm = asked.address(['tq_mm']);
    const args = [mm, start, start + BigInt(pages) * pageSize, 12n, 0n];
    const vm = machineFor([module], {
      features: new Set(features),
      handlers: callHandlers,
      link: {
        replacing: [prelude()],
        objects: [{ name: 'tq_mm', type: { kind: 'struct', tag: 'mm_struct' } }],
      },
      tasks: [[{ function: 'flush_tlb_mm_range', args }]],
    });
    prepare(vm, mm);
    vm.run(1_000_000);
    const { verdict, name, why, position } = vm.ending;
    assert.equal(verdict, 'finished', `${name}: ${why} at ${position.file}:${position.line}`);
    return vm;
  }

  function prepare(vm: Vm, mm: bigint): void {
    for (const name of ['cpu_tlbstate', 'init_mm']) vm.define(name);
    vm.write(['nr_cpu_ids'], BigInt(vm.layout.cpus));
    vm.write(['tq_mm', 'context', 'ctx_id'], 99n);
    vm.write(['tq_mm', 'context', 'tlb_gen'], generation);
    vm.write(['tq_mm', 'pgd'], root);
    vm.write(['tq_mm', 'cpu_bitmap', 0], (1n << BigInt(vm.layout.cpus)) - 1n);
    for (let cpu = 0; cpu < vm.layout.cpus; cpu++) {
      vm.write(['cpu_tlbstate', 'loaded_mm'], mm, cpu);
      vm.write(['cpu_tlbstate', 'loaded_mm_asid'], BigInt(slot), cpu);
      vm.write(['cpu_tlbstate', 'ctxs', slot, 'ctx_id'], 99n, cpu);
      vm.write(['cpu_tlbstate', 'ctxs', slot, 'tlb_gen'], generation, cpu);
      vm.machine.x86!.writeCr3(cpu, Number(root) | (slot + 1), 0);
    }
  }

  for (const pti of [true, false])
    for (const invpcid of [true, false])
      for (const pages of [1, 10, 33, 34])
        it(`${pages} pages, PTI ${pti ? 'on' : 'off'}, INVPCID ${invpcid ? 'on' : 'off'}`, () => {
          const features = ['PCID', 'PGE', ...(pti ? ['PTI'] : []), ...(invpcid ? ['INVPCID'] : [])];
          const vm = flush(pages, features);
          const expected = flushOf(pages, pti, invpcid);
          assert.deepEqual(operations(vm), expected.operations);
          assert.equal(vm.read(['cpu_tlbstate', 'user_pcid_flush_mask']), expected.pending);
          assert.equal(vm.read(['cpu_tlbstate', 'ctxs', slot, 'tlb_gen']), generation + 1n);
          assert.equal(vm.read(['tq_mm', 'context', 'tlb_gen']), generation + 1n);
        });
  all;
});
