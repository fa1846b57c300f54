/** Hostile and broken input: everything ends at a bound that a finding names, and nothing is half-read. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { asmBounds } from '../../../../src/code/asm/bounds';
import { isAssembly } from '../../../../src/code/asm/detect';
import { lowerAsmText } from '../../../../src/code/asm/inline';
import type { IrModule } from '../../../../src/code/ir';
import type { SourceUnit } from '../../../../src/code/source';
import { file, find, hunks, lower } from './support';

const repeat = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const routine = (body: string): string => `SYM_CODE_START(tq_it)\n${body}\nSYM_CODE_END(tq_it)`;

function cutOff(text: string, bound: RegExp, name = 'tq_it'): void {
  const module = lower(file(text));
  assert.match(find(module, name).unreadable ?? 'readable', bound);
  assert.ok(module.findings.some(({ kind, message }) => kind === 'limit' && bound.test(message)));
}

/** Every register, target and line is one that exists. */
function sound(module: IrModule, units: readonly SourceUnit[]): void {
  for (const fn of module.functions) {
    assert.equal(fn.names.length, fn.registers.length);
    assert.ok(units.includes(fn.unit));
    assert.ok(fn.firstLine <= fn.lastLine && fn.lastLine < fn.unit.lines.length);
    for (const instruction of fn.code) {
      assert.ok(instruction.line >= 0 && instruction.line < fn.unit.lines.length);
      if (instruction.op === 'jump' || instruction.op === 'branch')
        assert.ok(instruction.target >= 0 && instruction.target < fn.code.length);
      for (const key of ['dst', 'a', 'b', 'base', 'index', 'address', 'value', 'condition', 'pointer']) {
        const value: unknown = (instruction as unknown as Record<string, unknown>)[key];
        if (typeof value === 'number')
          assert.ok(value >= 0 && value < fn.registers.length, `${key} of ${instruction.op}`);
      }
    }
  }
}

describe('bounds of the assembly reader', () => {
  it('stop macros that double', () => {
    const doubling = repeat(40, index => `.macro tq${index + 1}\n	tq${index}\n	tq${index}\n.endm`);
    cutOff(`.macro tq0\n	nop\n.endm\n${doubling}\n${routine('	tq40')}`, /more than 20000 statements/);
  });

  it('stop macros that call themselves', () => {
    cutOff(`.macro tq_m\n	tq_m\n.endm\n${routine('	tq_m')}`, /macros inside each other/);
  });

  it('stop repetitions inside repetitions', () => {
    cutOff(routine('.rept 1000000\n.rept 1000000\n	nop\n.endr\n.endr'), /more than 20000 statements/);
  });

  it('stop preprocessor macros that double, and go on behind them', () => {
    const doubling = repeat(40, index => `#define TQ${index + 1} TQ${index} TQ${index}`);
    const text = `#define TQ0 nop;\n${doubling}\n${routine('	TQ40')}\nSYM_CODE_START(tq_after)\n	lfence\nSYM_CODE_END(tq_after)`;
    cutOff(text, /characters in one line/);
    assert.equal(find(lower(file(text)), 'tq_after').unreadable, null);
  });

  it('give up on a file that keeps doubling', () => {
    const doubling = repeat(40, index => `#define TQ${index + 1} TQ${index} TQ${index}`);
    const module = lower(file(`#define TQ0 nop;\n${doubling}\n${routine(repeat(100, () => '	TQ40'))}`));
    assert.ok(module.findings.some(({ message }) => message.startsWith('Not read from here on')));
    assert.notEqual(find(module, 'tq_it').unreadable, null);
  });

  it('stop arguments that grow', () => {
    const text = `.macro tq_m a\n	${'\\a'.repeat(5000)}\n.endm\n${routine(`	tq_m ${'x'.repeat(5000)}`)}`;
    cutOff(text, /characters in one line/);
  });

  it('refuse a line that is too long, and the routine around it', () => {
    const text = routine(`	lfence\n	${'x'.repeat(asmBounds.lineLength)}`);
    cutOff(text, /line/);
  });

  it('refuse a routine of 100,000 lines', () => {
    cutOff(routine(repeat(100_000, () => '	nop')), /more than 20000 statements/);
  });

  it('refuse conditionals that go too deep', () => {
    const text = routine(`${repeat(5000, () => '.if 1')}\n	lfence\n${repeat(5000, () => '.endif')}`);
    cutOff(text, /\.if inside or behind each other/);
    cutOff(routine(`.if 0\n${repeat(5000, () => '.elseif 0')}\n	lfence\n.endif`), /\.if inside or behind/);
  });

  it('keep expressions that nest too deep as unknown', () => {
    const fn = find(lower(file(routine(`	movq $${'('.repeat(500)}1${')'.repeat(500)}, %rax`))), 'tq_it');
    assert.equal(fn.unreadable, null);
  });

  it('take names of JavaScript for names', () => {
    const names = [
      'constructor',
      'toString',
      '__proto__',
      'hasOwnProperty',
      'valueOf',
      'jconstructor',
      'setvalueOf',
    ];
    for (const path of ['arch/x86/entry/tq.S', 'arch/arm64/kernel/tq.S'])
      for (const name of names) {
        const text = routine(
          `	${name} %rax, x0\n	msr ${name}, x0\n	.${name}\n	b.${name} 1f\n	movq $${name}, %rax`,
        );
        const unit = file(text, path);
        sound(lower(unit), [unit]);
        for (const fn of lower(unit).functions)
          for (const instruction of fn.code)
            if ('name' in instruction) assert.equal(typeof instruction.name, 'string');
      }
  });

  it('read damaged lines without failing', () => {
    const pieces = fc.constantFrom(
      ...[
        '\\',
        '"',
        '(',
        ')',
        '/*',
        '*/',
        '#',
        '\\@',
        '\\reg',
        ';',
        ',',
        '%',
        '$',
        '{',
        '\u0000',
        'ü',
        ' ',
        '\t',
      ],
      ...[
        '.if 1',
        '.if \\x',
        '.endif',
        '.macro tq a b:req',
        '.endm',
        '.else',
        '.rept 9',
        '.endr',
        '.irp x,1,2',
      ],
      ...['#if 0', '#else', '#endif', '#define A A A', '1:', 'jmp 1b', 'jne 1f', 'ALTERNATIVE "', '.Lx_\\@:'],
      ...[
        'movq %rax, ',
        '%cr3',
        '8(%rsp)',
        'bt $1, ',
        'SYM_CODE_START(tq)',
        'SYM_CODE_END(tq)',
        'tq %rax',
        'ret',
      ],
      ...[
        'UNLIKELY_START(z, a)',
        'GET_STACK_END(dx)',
        '.pushsection .x',
        '.popsection',
        'tlbi vae1is, x0',
        'b.eq 1f',
      ],
    );
    const line = fc.array(pieces, { maxLength: 6 }).map(parts => parts.join(''));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.boolean(), fc.nat(29), (lines, arm64, cut) => {
        const path = arm64 ? 'arch/arm64/kernel/tq.S' : 'arch/x86/entry/tq.S';
        const whole = file(lines.join('\n'), path);
        const parts = hunks(
          [
            { at: 1, text: lines.slice(0, cut).join('\n') },
            { at: 100, heading: 'tq:', text: lines.slice(cut).join('\n') },
          ],
          path,
        );
        for (const unit of [whole, parts]) sound(lower(unit), [unit]);
        isAssembly('tq.h', lines);
        lowerAsmText(lines.join('\n'), [], arm64 ? 'arm64' : 'x86', 0);
      }),
      { numRuns: 200 },
    );
  });
});
