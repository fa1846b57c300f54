import { strict as assert } from 'node:assert';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { indexTree } from '../../../../src/code/c/treeIndex';
import type { IrModule } from '../../../../src/code/ir';
import { lowerC } from '../../../../src/code/lowerC';
import { Interpreter } from './interpreter';
import { defaults, functionNamed, loadParser } from './support';

const archive = process.env['TLBSCOPE_LINUX_SOURCE'] ?? '/usr/src/linux-source-6.1.tar.xz';
const cache = join(process.cwd(), '.cache/linux-source-6.1');

function readTree(): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (path: string): void => {
    for (const name of readdirSync(join(cache, path))) {
      const below = path ? `${path}/${name}` : name;
      if (statSync(join(cache, below)).isDirectory()) walk(below);
      else if (/\.[ch]$/.test(name)) files.set(below, readFileSync(join(cache, below), 'utf8'));
    }
  };
  for (const folder of ['arch/x86', 'include', 'kernel', 'lib', 'mm']) walk(folder);
  return files;
}

/** Functions of other files that the six reach and that the tree at hand does not define, as listed in the result. */
const outside = new Set([
  ...['force_sig', 'task_work_add', 'perf_clear_dirty_counters', 'switch_ldt', 'cr4_read_shadow'],
  ...['send_call_function_single_ipi', 'cr4_update_irqsoff'],
]);
/** A template whose feature is an operand: which feature it is only a caller knows. */
const listedUnknown = /^alternative_msr_write: /;
const six = [
  ...['flush_tlb_func', 'flush_tlb_mm_range', 'switch_mm_irqs_off', 'flush_tlb_kernel_range'],
  ...['arch_tlbbatch_flush', 'native_flush_tlb_multi'],
];

describe("arch/x86/mm/tlb.c of Debian's linux-source-6.1", function () {
  this.timeout(120_000);
  let module: IrModule;
  /** The same with the file that holds pv_ops. */
  let withTable: IrModule;

  before(async function () {
    if (!existsSync(cache) && !existsSync(archive)) {
      console.log(`skipped: ${archive} is not installed`);
      this.skip();
    }
    if (!existsSync(cache)) execFileSync('node', ['scripts/linux-source.mjs', archive]);
    await loadParser();
    const index = indexTree(readTree(), 'x86');
    module = lowerC([index.unit('arch/x86/mm/tlb.c')!], { ...defaults, index });
    const both = ['arch/x86/mm/tlb.c', 'arch/x86/kernel/paravirt.c'].map(path => index.unit(path)!);
    withTable = lowerC(both, { ...defaults, index });
  });

  it('every function of the file is read, and so is all that they reach', () => {
    assert.deepEqual(
      module.functions.filter(one => one.unreadable !== null).map(one => `${one.name}: ${one.unreadable}`),
      [],
    );
    assert.ok(module.functions.filter(one => one.unit.path === 'arch/x86/mm/tlb.c').length >= 40);
    assert.deepEqual(module.unread, []);
  });

  it('the six functions and what they reach hold nothing unknown but what is listed', () => {
    const seen = new Set<string>();
    const queue = [...six];
    const unknown: string[] = [];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const found = module.functions.find(one => one.name === name);
      if (!found) {
        if (!outside.has(name)) unknown.push(`no definition of ${name}`);
        continue;
      }
      for (const one of found.code) {
        if (one.op === 'unknown') unknown.push(`${name}: ${one.name}: ${one.why}`);
        if (one.op === 'call' && one.callee !== null) queue.push(one.callee);
        if (one.op === 'address' && one.kind === 'function') queue.push(one.name);
        if (one.op === 'call' && one.callee === null)
          unknown.push(`${name}: ${one.text} goes through a pointer`);
      }
    }
    // On bare metal these go through pv_ops; the table is not part of this file.
    const paravirt = unknown.filter(one => one.includes('PVOP_') || one.includes('through a pointer'));
    assert.deepEqual(
      unknown.filter(one => !paravirt.includes(one) && !listedUnknown.test(one)),
      [],
    );
    assert.ok(seen.size > 30, String(seen.size));
  });

  it('the range flush issues one INVLPG for each page, at the source line of its asm', () => {
    const single = functionNamed(module, 'native_flush_tlb_one_user');
    const flush = single.code.find(one => one.op === 'operation' && one.name === 'INVLPG');
    assert.match(single.unit.lines[flush!.line]!.text, /invlpg/);
  });

  it('building a CR3 value: the PCID is the slot plus one, bit 63 set for the non-flushing kind', () => {
    const machine = new Interpreter(module);
    machine.features.add('PCID');
    machine.externals.set('__sme_pa', ([address]) => address!);
    assert.equal(machine.run('build_cr3', 0x1000n, 2n), 0x1003n);
    assert.equal(machine.run('build_cr3_noflush', 0x1000n, 2n), (1n << 63n) | 0x1003n);
    assert.equal(machine.run('user_pcid', 2n), 3n | (1n << 11n));
  });

  /** Runs the flush of `pages` pages (null: everything) of the loaded address space in slot 0. */
  function flush(pages: number | null, features: readonly string[]) {
    const machine = new Interpreter(withTable);
    for (const feature of features) machine.features.add(feature);
    machine.externals.set('smp_processor_id', () => 0n);
    machine.externals.set('atomic64_read', ([address]) => machine.memory.get(address!) ?? 0n);
    machine.externals.set('__set_bit', ([bit, address]) => {
      machine.memory.set(address!, (machine.memory.get(address!) ?? 0n) | (1n << bit!));
      return 0n;
    });
    const set = (path: string, value: bigint): unknown => machine.memory.set(machine.place(path), value);
    set('cpu_tlbstate.loaded_mm', machine.symbol('mm'));
    set('cpu_tlbstate.ctxs.tlb_gen', 1n);
    set('mm.context.tlb_gen', 2n);
    set('info.mm', machine.symbol('mm'));
    set('info.start', 0x100000n);
    set('info.end', pages === null ? (1n << 64n) - 1n : 0x100000n + BigInt(pages) * 4096n);
    set('info.new_tlb_gen', 2n);
    set('info.stride_shift', 12n);
    machine.run('flush_tlb_func', machine.symbol('info'));
    const count = (name: string): number => machine.trace.filter(one => one.startsWith(`${name}(`)).length;
    return {
      invlpg: count('INVLPG'),
      invpcid: count('INVPCID'),
      cr3: count('CR3_WRITE'),
      pending: machine.read('cpu_tlbstate.user_pcid_flush_mask'),
      generation: machine.read('cpu_tlbstate.ctxs.tlb_gen'),
    };
  }

  it('the flush handler runs: one INVLPG a page, and with PTI one INVPCID or the bit of PCID 1 in the mask', () => {
    for (const pages of [1, 2, 10, 33]) {
      const plain = { invlpg: pages, invpcid: 0, cr3: 0, pending: 0n, generation: 2n };
      assert.deepEqual(flush(pages, ['PCID', 'INVPCID']), plain);
      assert.deepEqual(flush(pages, ['PTI', 'PCID', 'INVPCID']), { ...plain, invpcid: pages });
      assert.deepEqual(flush(pages, ['PTI', 'PCID']), { ...plain, pending: 2n });
    }
  });

  it('a full flush writes CR3 once, and with PTI leaves the user half to the way out', () => {
    const full = { invlpg: 0, invpcid: 0, cr3: 1, pending: 0n, generation: 2n };
    assert.deepEqual(flush(null, ['PCID']), full);
    assert.deepEqual(flush(null, ['PTI', 'PCID', 'INVPCID']), { ...full, pending: 2n });
  });

  it('declarations come with their types', () => {
    const state = module.variables?.find(one => one.name === 'cpu_tlbstate');
    assert.equal(state?.perCpu, true);
    const members = module.structs?.find(one => one.tag === 'tlb_state')?.members;
    const asid = members?.find(one => one.name === 'loaded_mm_asid')?.type;
    assert.deepEqual(asid, { kind: 'integer', bits: 16, signed: false });
    const ceiling = module.variables?.find(one => one.name === 'tlb_single_page_flush_ceiling');
    assert.deepEqual(ceiling?.initialisers[0]?.value, { kind: 'constant', value: 33n });
  });
});
