/** A64: translation maintenance, branches, alternatives. Values by hand from the Arm ARM. */
import assert from 'node:assert/strict';
import type { IrFunction } from '../../../../src/code/ir';
import { branches, file, find, lower, operations, run, unknowns, type RunState } from './support';

const path = 'arch/arm64/mm/tq.S';

function routine(body: string): IrFunction {
  return find(lower(file(`SYM_FUNC_START(tq_it)\n${body}\n	ret\nSYM_FUNC_END(tq_it)`, path)), 'tq_it');
}

const after = (body: string, state: RunState = {}) => run(routine(body), state);

describe('arm64 assembly', () => {
  it('lowers TLBI, DSB and ISB by their forms', () => {
    const fn = routine(
      [
        'dsb nshst',
        'tlbi vmalle1',
        'dsb nsh',
        'isb',
        'tlbi vmalle1is',
        'tlbi aside1is, x0',
        'tlbi vale1is, x1 // last level',
        'tlbi vae1, x2',
        'tlbi rvae1is, x3',
      ].join('\n'),
    );
    assert.deepEqual(operations(fn), [
      ...[
        'DSB',
        'TLBI_ALL',
        'DSB',
        'ISB',
        'TLBI_ALL_IS',
        'TLBI_ASID_IS',
        'TLBI_VA_IS',
        'TLBI_VA',
        'TLBI_VA_IS',
      ],
    ]);
    assert.deepEqual(unknowns(routine('tlbi ipas2e1is, x0')), ['tlbi ipas2e1is']);
  });

  it('runs a loop over pages', () => {
    const loop = '1:	tlbi vaae1is, x0\n	add x0, x0, #1\n	cmp x0, x1\n	b.lo 1b\n	dsb ish';
    assert.deepEqual(after(loop, { registers: { x0: 4n, x1: 6n } }).trace, [
      'TLBI_VA_IS 4',
      'TLBI_VA_IS 5',
      'DSB',
    ]);
    assert.deepEqual(branches(routine(loop)), ['x0 < x1']);
  });

  it('branches on registers and bits', () => {
    const body = 'cbz x0, 1f\n	isb\n1:	tbnz x1, #3, 2f\n	dsb sy\n2:	tst x2, #1\n	b.eq 3f\n	tlbi vmalle1\n3:';
    assert.deepEqual(after(body).trace, ['DSB']);
    assert.deepEqual(after(body, { registers: { x0: 1n, x1: 8n, x2: 3n } }).trace, ['ISB', 'TLBI_ALL']);
  });

  it('computes in 32 and 64 bits', () => {
    const one = after('mov w0, #-1\n	add x1, x0, #1\n	orr x2, x1, x3, lsl #4\n	bic x4, x2, #0xff', {
      registers: { x3: 0x10n },
    }).registers;
    assert.deepEqual(
      [one['x0'], one['x1'], one['x2'], one['x4']],
      [0xffffffffn, 0x100000000n, 0x100000100n, 0x100000100n],
    );
  });

  it('loads and stores, with the base moved before or after', () => {
    const result = after('str x0, [sp, #-16]!\n	ldr x1, [x2], #8\n	ldp x3, x4, [x2]\n	ldrb w5, [x2, #1]', {
      registers: { x0: 7n, sp: 0x8000n, x2: 0x1000n },
      memory: new Map([
        [0x1000n, 5n],
        [0x1008n, 0x1122n],
        [0x1010n, 9n],
      ]),
    });
    assert.equal(result.memory.get(0x7ff0n), 7n);
    const { sp, x1, x2, x3, x4, x5 } = result.registers;
    assert.deepEqual([sp, x1, x2, x3, x4, x5], [0x7ff0n, 5n, 0x1008n, 0x1122n, 9n, 0x11n]);
  });

  it('moves system registers by primitives that name them', () => {
    assert.deepEqual(after('mrs x0, ttbr1_el1\n	msr ttbr0_el1, x0\n	isb\n	msr daifset, #3').trace, [
      ...['read_sysreg(ttbr1_el1)', 'write_sysreg(ttbr0_el1)', 'ISB', 'local_irq_disable'],
    ]);
  });

  it('follows alternatives by capability', () => {
    const body = `alternative_if ARM64_UNMAP_KERNEL_AT_EL0
	dsb ish
alternative_else_nop_endif
alternative_if_not ARM64_TQ_CAP
	isb
alternative_else
	tlbi vmalle1
alternative_endif`;
    assert.deepEqual(after(body).trace, ['ISB']);
    assert.deepEqual(after(body, { features: ['KPTI', 'ARM64_TQ_CAP'] }).trace, ['DSB', 'TLBI_ALL']);
  });

  it('expands macros with its own comments and immediates', () => {
    const text = '.macro tq_m, reg, n=1 // not this\n	add \\reg, \\reg, #\\n\n.endm\n';
    const fn = find(
      lower(
        file(
          `${text}SYM_FUNC_START(tq_it)\n	tq_m x0\n	tq_m x0, 4\n	tlbi vae1, x0\n	ret\nSYM_FUNC_END(tq_it)`,
          path,
        ),
      ),
      'tq_it',
    );
    assert.deepEqual(run(fn).trace, ['TLBI_VA 5']);
  });

  it('keeps what it does not know by name', () => {
    assert.deepEqual(unknowns(routine('stlxr w0, x1, [x2]\n	ubfx x0, x1, #4, #8')), ['stlxr', 'ubfx']);
  });
});
