/** Templates of inline assembly with several instructions. */
import assert from 'node:assert/strict';
import { lowerAsmText, type AsmTextOperand } from '../../../../src/code/asm/inline';
import type { IrFunction } from '../../../../src/code/ir';
import { file, run, type RunState } from './support';

const value = (name: string | null = null, fixed: string | null = null): AsmTextOperand => ({
  name,
  kind: 'register',
  fixed,
  text: '',
});
const memory = (name: string | null = null): AsmTextOperand => ({
  name,
  kind: 'memory',
  fixed: null,
  text: '',
});
const immediate = (text: string, name: string | null = null): AsmTextOperand => ({
  name,
  kind: 'immediate',
  fixed: null,
  text,
});

/** Runs a template; gives the operands' registers afterwards. */
function go(
  template: string,
  operands: readonly AsmTextOperand[],
  values: readonly bigint[],
  state: RunState = {},
) {
  const lowered = lowerAsmText(template, operands, 'x86', 0);
  assert.ok(lowered);
  const names = operands.map((_, index) => `operand${index}`);
  const fn: IrFunction = {
    ...{
      name: 'tq',
      unit: file(''),
      language: 'c',
      kind: 'function',
      firstLine: 0,
      lastLine: 0,
      parameters: [],
    },
    ...{ unreadable: null, partial: false, repaired: false },
    registers: lowered.registers,
    names: lowered.names.map((name, index) => names[index] ?? name),
    code: [...lowered.code, { op: 'return', value: null, line: 0 }],
  };
  const registers = Object.fromEntries(names.map((name, index) => [name, values[index] ?? 0n]));
  const result = run(fn, { ...state, registers: { ...registers, ...state.registers } });
  return { trace: result.trace, memory: result.memory, values: names.map(name => result.registers[name]!) };
}

describe('inline assembly', () => {
  it('puts operands in by number and name', () => {
    const result = go('mov %%cr3, %0\n\tmov %[v], %%cr3', [value(), value('v')], [0n, 0x77n], {
      registers: { CR3_READ: 0x55n },
    });
    assert.deepEqual(result.trace, ['CR3_READ', 'CR3_WRITE 77']);
    assert.equal(result.values[0], 0x55n);
  });

  it('takes fixed registers and narrower forms', () => {
    assert.deepEqual(go('add $1, %k0\nmov %0, %%cr3', [value(null, 'rax')], [0xffffffffffn]).trace, [
      'CR3_WRITE 0',
    ]);
    assert.deepEqual(go('movb $7, %b0\nmov %%rcx, %%cr3', [value(null, 'rcx')], [0x100n]).trace, [
      'CR3_WRITE 107',
    ]);
  });

  it('takes memory by its address, immediates by their text', () => {
    const result = go('btr %2, %0; adc $0, %1', [memory(), value(), immediate('4')], [0x1000n, 5n], {
      memory: new Map([[0x1000n, 0x10n]]),
    });
    assert.equal(result.memory.get(0x1000n), 0n);
    assert.equal(result.values[1], 6n);
  });

  it('loops over local labels', () => {
    const template = '1: invlpg (%0)\n\tadd %2, %0\n\tcmp %1, %0\n\tjb 1b';
    assert.deepEqual(go(template, [value(), value(), immediate('0x1000')], [0x1000n, 0x3000n]).trace, [
      'INVLPG 1000',
      'INVLPG 2000',
    ]);
  });

  it('is refused where it leaves the template', () => {
    assert.equal(lowerAsmText('jmp tq_elsewhere', [], 'x86', 0), null);
    assert.equal(lowerAsmText('ret', [], 'x86', 0), null);
    assert.equal(lowerAsmText('.rept 1000000\nnop\n.endr', [], 'x86', 0), null);
    assert.equal(lowerAsmText('nop', [], 'other', 0), null);
  });

  it('keeps what it does not know', () => {
    const lowered = lowerAsmText('tqinsn %0, %1', [value(), value()], 'x86', 3);
    const steps = lowered?.code.map(step =>
      step.op === 'unknown' ? [step.name, step.dst, step.line] : [step.op],
    );
    assert.deepEqual(steps, [
      ['tqinsn', null, 3],
      ['tqinsn', 1, 3],
    ]);
  });

  it('reads arm64 as well', () => {
    const lowered = lowerAsmText('dsb ishst\ntlbi vae1is, %0\ndsb ish\nisb', [value()], 'arm64', 0);
    assert.deepEqual(
      lowered?.code.map(instruction => (instruction.op === 'operation' ? instruction.name : instruction.op)),
      ['DSB', 'TLBI_VA_IS', 'DSB', 'ISB'],
    );
  });
});
