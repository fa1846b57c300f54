/**
 * The entry code of a real tree (Debian's linux-source-6.1, unpacked by `node scripts/linux-source.mjs`), against what
 * page-table isolation does by design: user CR3 = kernel CR3 with bits 12 and 11 set, bit 63 unless a flush is due.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAssembly } from '../../../../src/code/asm/detect';
import type { IrModule } from '../../../../src/code/ir';
import type { SourceUnit } from '../../../../src/code/source';
import { file, find, lower, operations, run, unknowns } from './support';

const tree = join(process.cwd(), '.cache/linux-source-6.1');

describe('entry code of Linux 6.1', function () {
  let module: IrModule;

  const unit = (path: string): SourceUnit => file(readFileSync(join(tree, path), 'utf8'), path);

  before(function () {
    if (!existsSync(join(tree, 'arch/x86/entry/calling.h'))) {
      console.log('      no tree: run node scripts/linux-source.mjs');
      this.skip();
    }
    module = lower([unit('arch/x86/entry/calling.h'), unit('arch/x86/entry/entry_64.S')], {
      context: [unit('arch/x86/include/asm/nospec-branch.h')],
    });
  });

  it('reads every macro that touches CR3 without anything unknown', () => {
    const touching = module.functions.filter(fn => operations(fn).some(name => name.startsWith('CR3')));
    const macros = touching.filter(fn => fn.kind === 'asm-macro');
    assert.deepEqual(macros.map(({ name }) => name).sort(), [
      'RESTORE_CR3',
      'SAVE_AND_SWITCH_TO_KERNEL_CR3',
      'SWITCH_TO_KERNEL_CR3',
      'SWITCH_TO_USER_CR3_NOSTACK',
      'SWITCH_TO_USER_CR3_STACK',
    ]);
    for (const macro of macros) {
      assert.deepEqual(unknowns(macro), [], macro.name);
      assert.equal(macro.partial, false);
    }
  });

  it('reads the routines around them, listing what it does not know', () => {
    const names = new Set(module.functions.flatMap(fn => unknowns(fn)));
    assert.deepEqual([...names].sort(), ['call', 'lsl', 'verw']);
    assert.deepEqual(
      module.functions.filter(fn => fn.unreadable !== null),
      [],
    );
    for (const name of ['entry_SYSCALL_64', 'paranoid_entry', 'paranoid_exit', 'error_entry', 'asm_exc_nmi'])
      assert.equal(find(module, name).kind, 'asm-routine');
    // An inner label that other routines jump to.
    assert.ok(find(module, 'swapgs_restore_regs_and_return_to_usermode').code.length > 100);
  });

  it('has no complaint about code that is in use', () => {
    assert.deepEqual(
      module.findings.map(({ message }) => message),
      [],
    );
  });

  const mask = 0x1000n;
  const addresses = { cpu_tlbstate: mask, 'tlb_state.user_pcid_flush_mask': 0n };
  const kernel = 0x123456001n;
  const memory = (flush: bigint) => new Map([[mask, flush]]);
  const noflush = 1n << 63n;

  it('enters: kernel half of the root, kernel PCID, no flush where there are PCIDs', () => {
    const macro = find(module, 'SWITCH_TO_KERNEL_CR3');
    const registers = { CR3_READ: kernel | 0x1800n };
    assert.deepEqual(run(macro, { registers }).trace, []);
    assert.deepEqual(run(macro, { registers, features: ['PTI'] }).trace, [
      'CR3_READ',
      `CR3_WRITE ${kernel.toString(16)}`,
    ]);
    assert.deepEqual(run(macro, { registers, features: ['PTI', 'PCID'] }).trace, [
      'CR3_READ',
      `CR3_WRITE ${(kernel | noflush).toString(16)}`,
    ]);
  });

  it('leaves: flushes the user PCID if and only if its bit is set, and clears the bit', () => {
    for (const name of ['SWITCH_TO_USER_CR3_STACK', 'SWITCH_TO_USER_CR3_NOSTACK']) {
      const macro = find(module, name);
      const go = (flush: bigint, features: string[]) =>
        run(macro, {
          registers: { CR3_READ: kernel, rax: 0xabcn, rsp: 0x8000n },
          addresses,
          features,
          memory: memory(flush),
        });
      assert.deepEqual(go(2n, []).trace, []);
      // Without PCIDs only the half of the root changes.
      assert.equal(go(2n, ['PTI']).trace[1], `CR3_WRITE ${(kernel | 0x1000n).toString(16)}`);
      const due = go(0x3n, ['PTI', 'PCID']);
      assert.equal(due.trace[1], `CR3_WRITE ${(kernel | 0x1800n).toString(16)}`);
      assert.equal(due.memory.get(mask), 0x1n);
      const clean = go(0x1n, ['PTI', 'PCID']);
      assert.equal(clean.trace[1], `CR3_WRITE ${(kernel | 0x1800n | noflush).toString(16)}`);
      assert.equal(clean.memory.get(mask), 0x1n);
      if (name.endsWith('_STACK')) assert.equal(clean.registers['rax'], 0xabcn);
    }
  });

  it('saves and restores: switches only from the user half, restores kernel values without a flush', () => {
    const save = find(module, 'SAVE_AND_SWITCH_TO_KERNEL_CR3');
    const features = ['PTI', 'PCID'];
    assert.deepEqual(run(save, { registers: { CR3_READ: kernel }, features }).trace, ['CR3_READ']);
    const user = kernel | 0x1800n;
    const switched = run(save, { registers: { CR3_READ: user }, features });
    assert.deepEqual(switched.trace, ['CR3_READ', `CR3_WRITE ${(kernel | noflush).toString(16)}`]);
    assert.equal(switched.registers['save_reg'], user);
    const restore = find(module, 'RESTORE_CR3');
    const go = (value: bigint, flush: bigint) =>
      run(restore, { registers: { save_reg: value }, addresses, features, memory: memory(flush) });
    assert.deepEqual(go(kernel, 2n).trace, [`CR3_WRITE ${(kernel | noflush).toString(16)}`]);
    const due = go(user, 0x2n);
    assert.deepEqual(due.trace, [`CR3_WRITE ${user.toString(16)}`]);
    assert.equal(due.memory.get(mask), 0n);
    assert.deepEqual(go(user, 0n).trace, [`CR3_WRITE ${(user | noflush).toString(16)}`]);
  });

  it('tells the assembly headers from the C ones', () => {
    const judge = (path: string): boolean =>
      isAssembly(path, readFileSync(join(tree, path), 'utf8').split('\n'));
    for (const path of [
      'arch/x86/entry/calling.h',
      'arch/x86/entry/entry_64.S',
      'arch/arm64/include/asm/assembler.h',
    ])
      assert.equal(judge(path), true, path);
    for (const path of [
      'arch/x86/include/asm/tlbflush.h',
      'arch/x86/include/asm/percpu.h',
      'include/linux/mm.h',
    ])
      assert.equal(judge(path), false, path);
  });
});
