/**
 * The CR3 macros of Linux 6.1's `calling.h` as they stand in Debian's source, run in routines of this file's own,
 * against what page-table isolation does by design: user CR3 = kernel CR3 with 0x1800 set; the user PCID is flushed by
 * the write if its bit is pending, which clears it; else bit 63 is set. RESTORE_CR3 leaves a kernel CR3 as it was.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lowerAsm } from '../../../src/code/asm/lower';
import type { IrModule } from '../../../src/code/ir';
import { whole } from '../../../src/vm/pairs';
import type { Vm } from '../../../src/vm/vm';
import { fileUnit, loadParser } from '../code/c/support';
import { hasTree } from './linuxTree';
import { lowered, machineFor } from './support';

const routines = `
SYM_CODE_START(tq_exit)
	movq	$0x5555, %rdi
	movq	$0x6666, %rax
	SWITCH_TO_USER_CR3_STACK scratch_reg=%rdi
	RET
SYM_CODE_END(tq_exit)
SYM_CODE_START(tq_exit_nostack)
	SWITCH_TO_USER_CR3_NOSTACK scratch_reg=%rdi scratch_reg2=%rsi
	RET
SYM_CODE_END(tq_exit_nostack)
SYM_CODE_START(tq_enter)
	SWITCH_TO_KERNEL_CR3 scratch_reg=%rdi
	RET
SYM_CODE_END(tq_enter)
SYM_CODE_START(tq_paranoid)
	SAVE_AND_SWITCH_TO_KERNEL_CR3 scratch_reg=%rax save_reg=%r14
	RESTORE_CR3 scratch_reg=%r15 save_reg=%r14
	RET
SYM_CODE_END(tq_paranoid)
`;

/** The state that the macros look at, with the kernel's names. */
const state = `
struct tlb_state { unsigned long other; unsigned short user_pcid_flush_mask; };
DEFINE_PER_CPU(struct tlb_state, cpu_tlbstate);
unsigned long tq_mask(void) { return this_cpu_read(cpu_tlbstate.user_pcid_flush_mask); }
`;

const root = 0x123_4000;
const slot = 2;
const kernelCr3 = root | (slot + 1);
const userCr3 = kernelCr3 | 0x1800;
const noFlush = 1n << 63n;

describe('entry and exit of Linux 6.1 on the VM', function () {
  let module: IrModule;

  before(async function () {
    if (!hasTree()) {
      console.log('      no tree: run node scripts/linux-source.mjs');
      this.skip();
    }
    await loadParser();
    const path = 'arch/x86/entry/calling.h';
    const header = fileUnit(path, readFileSync(join(process.cwd(), '.cache/linux-source-6.1', path), 'utf8'));
    module = lowerAsm([fileUnit('arch/x86/entry/tq_entry.S', routines)], {
      ...{ architecture: 'x86', config: new Map(), context: [header] },
    });
  });

  interface Run {
    readonly routine: string;
    readonly features?: readonly string[];
    readonly cr3?: number;
    readonly mask?: bigint;
  }

  /** Values written to CR3, in order, and the machine afterwards. */
  function run({ routine, features = ['PTI', 'PCID'], cr3 = kernelCr3, mask = 0n }: Run): {
    written: bigint[];
    vm: Vm;
  } {
    const vm = machineFor([lowered(state), module], {
      ...{ features: new Set(features), hardware: {}, tasks: [[{ function: routine }]] },
    });
    const x86 = vm.machine.x86!;
    x86.reset(0, root >> 12, features.includes('PCID') ? ['PCID', 'PGE'] : ['PGE']);
    assert.equal(x86.writeCr3(0, cr3, 0), 0);
    vm.write(['cpu_tlbstate', 'user_pcid_flush_mask'], mask);
    vm.run(10_000);
    const { verdict, name, why, position } = vm.ending;
    assert.equal(verdict, 'finished', `${name}: ${why} at ${position.file}:${position.line}`);
    const written: bigint[] = [];
    for (let seq = 0; seq < vm.trace!.recorded; seq++) {
      const { kind, code, lo, hi } = vm.trace!.event(seq);
      if (kind === 'operation' && vm.core.program.operations[code] === 'CR3_WRITE')
        written.push(whole(lo, hi));
    }
    return { written, vm };
  }

  const pending = (vm: Vm): bigint | null => vm.read(['cpu_tlbstate', 'user_pcid_flush_mask']);
  const register = (vm: Vm, name: string): number =>
    vm.core.machineRegisters[2 * vm.core.program.machineRegisters.indexOf(name)]!;

  for (const routine of ['tq_exit', 'tq_exit_nostack']) {
    it(`${routine}: keeps the user PCID when nothing is pending for it`, () => {
      const { written, vm } = run({ routine, mask: 1n << BigInt(slot + 2) });
      assert.deepEqual(written, [BigInt(userCr3) | noFlush]);
      assert.equal(pending(vm), 1n << BigInt(slot + 2));
    });

    it(`${routine}: flushes the user PCID when its bit is set, and clears the bit`, () => {
      const { written, vm } = run({ routine, mask: 0b11_1000n });
      assert.deepEqual(written, [BigInt(userCr3)]);
      assert.equal(pending(vm), 0b11_0000n);
    });

    it(`${routine}: without PCID sets the user root only; without PTI does nothing`, () => {
      assert.deepEqual(run({ routine, features: ['PTI'], cr3: root }).written, [BigInt(root | 0x1000)]);
      assert.deepEqual(run({ routine, features: ['PCID'], mask: 0xffffn }).written, []);
    });
  }

  it('keeps the register that it saves on the stack', () => {
    assert.equal(register(run({ routine: 'tq_exit' }).vm, 'rax'), 0x6666);
  });

  it('enters with the kernel’s root and PCID, without a flush', () => {
    assert.deepEqual(run({ routine: 'tq_enter', cr3: userCr3 }).written, [BigInt(kernelCr3) | noFlush]);
    assert.deepEqual(run({ routine: 'tq_enter', cr3: root | 0x1000, features: ['PTI'] }).written, [
      BigInt(root),
    ]);
  });

  it('gives back the CR3 that a paranoid entry found', () => {
    assert.deepEqual(run({ routine: 'tq_paranoid', cr3: kernelCr3 }).written, [BigInt(kernelCr3) | noFlush]);
    const fromUser = run({ routine: 'tq_paranoid', cr3: userCr3 });
    assert.deepEqual(fromUser.written, [BigInt(kernelCr3) | noFlush, BigInt(userCr3) | noFlush]);
    const owing = run({ routine: 'tq_paranoid', cr3: userCr3, mask: 0b1000n });
    assert.deepEqual(owing.written, [BigInt(kernelCr3) | noFlush, BigInt(userCr3)]);
    assert.equal(pending(owing.vm), 0n);
  });
});
