/** `asm` statements. */
import type { AsmTextOperand } from '../asm/inline';
import { lowerAsmText } from '../asm/inline';
import { splice } from './asmSplice';
import type { Lowering } from './context';
import { stripped } from './context';
import { lowerValue } from './expressions';
import { opaqueTemplate } from './grammarFixes';
import type { AsmOperand, AsmStep } from './inlineAsm';
import { lowerInlineAsm } from './inlineAsm';
import { stringText } from './literals';
import { lowerPlace, lowerTarget } from './places';
import type { Node } from './syntax';
import { child } from './syntax';
import { unsignedLong } from './types';
import { convert, inRegister, load, materialise, notUnderstood, store, unknown } from './values';

interface Operand extends AsmOperand {
  readonly value: Node;
  readonly output: boolean;
}

export function lowerAsm(l: Lowering, node: Node): void {
  const template = textOf(l, child(node, 'assembly_code'));
  const operands = [...operandsOf(l, node, 'output_operands'), ...operandsOf(l, node, 'input_operands')];
  l.at(node);
  if (child(node, 'goto_labels')) {
    notUnderstood(l, 'asm goto', `'${template.trim().slice(0, 80)}' may jump`);
    return;
  }
  if (template.includes(opaqueTemplate)) {
    const text = template.slice(opaqueTemplate.length).trim();
    notUnderstood(l, 'asm', `its template is made by macros: '${text.slice(0, 80)}'`);
    clobber(l, operands);
    return;
  }
  const steps = lowerInlineAsm(template, operands);
  const strange = steps.find(step => step.kind === 'unknown');
  if (!strange) for (const step of steps) lowerStep(l, node, step, operands);
  else if (!lowerWhole(l, node, template, operands)) {
    // One unknown for the whole statement.
    notUnderstood(l, strange.name, strange.why);
    clobber(l, operands);
  }
}

function textOf(l: Lowering, node: Node | undefined): string {
  if (!node) return '';
  const strings = l.tokens.slice(node.from, node.to).filter(token => token.kind === 'string');
  return stringText(strings.map(token => token.text));
}

function operandsOf(l: Lowering, node: Node, field: string): Operand[] {
  const list = child(node, field)?.children ?? [];
  return list
    .filter(one => one.field === 'operand')
    .map(one => ({
      constraint: textOf(l, child(one, 'constraint')),
      name: child(one, 'symbol')?.text ?? null,
      value: stripped(child(one, 'value')!),
      output: field === 'output_operands',
    }));
}

function lowerStep(l: Lowering, node: Node, step: AsmStep, operands: readonly Operand[]): void {
  if (step.kind === 'unknown') return;
  const args = step.args.map(({ operand, address }) => {
    const { value } = operands[operand]!;
    return address ? addressOf(l, value) : materialise(l, lowerValue(l, value));
  });
  const target = step.result === null ? null : (operands[step.result] ?? null);
  const dst = target ? l.code.register(unsignedLong) : null;
  l.at(node);
  const from = l.code.checkpoint().length;
  if (step.kind === 'operation')
    l.code.emit({
      op: 'operation',
      name: step.name,
      ...(step.form === undefined ? {} : { form: step.form }),
      dst,
      args,
    });
  else l.code.emit({ op: 'primitive', name: step.name, dst, args });
  if (target && dst !== null) store(l, lowerTarget(l, target.value), inRegister(dst, unsignedLong), from);
}

function addressOf(l: Lowering, node: Node): number {
  const place = lowerPlace(l, node);
  return place.kind === 'memory' ? place.address : place.register;
}

const fixedRegisters: Readonly<Record<string, string>> = {
  a: 'rax',
  b: 'rbx',
  c: 'rcx',
  d: 'rdx',
  S: 'rsi',
  D: 'rdi',
};

/** Takes in a template of several instructions, through the assembly reader; false where it cannot. */
function lowerWhole(l: Lowering, node: Node, template: string, operands: readonly Operand[]): boolean {
  const described = operands.map(operand => describe(l, operand));
  const { architecture } = l.configuration;
  const text = lowerAsmText(template.replaceAll('%%', '%'), described, architecture, l.lineOf(node));
  // The stack is not the function's: what a template pushes or pops cannot be taken in.
  if (!text || text.names.includes('rsp')) return false;
  // Of instructions that are all strange the statement is the better name; beside an operation each has its own.
  const has = (op: 'unknown' | 'operation'): boolean => text.code.some(one => one.op === op);
  if (has('unknown') && !has('operation')) return false;
  const registers: number[] = [];
  operands.forEach((operand, index) => {
    const { kind } = described[index]!;
    const tied = /^\d+$/.test(operand.constraint) ? registers[Number(operand.constraint)] : undefined;
    if (kind === 'memory') registers.push(addressOf(l, operand.value));
    else if (kind === 'immediate') registers.push(l.code.register(unsignedLong));
    else if (tied !== undefined) registers.push(copyInto(l, tied, operand.value));
    else if (!operand.output) registers.push(copyInto(l, l.code.register(unsignedLong), operand.value));
    else registers.push(outputRegister(l, operand));
  });
  l.at(node);
  splice(
    l,
    text,
    registers,
    operands.map(operand => l.text(operand.value)),
  );
  operands.forEach((operand, index) => {
    if (!operand.output || described[index]!.kind !== 'register') return;
    store(l, lowerTarget(l, operand.value), inRegister(registers[index]!, unsignedLong));
  });
  return true;
}

function copyInto(l: Lowering, dst: number, node: Node): number {
  const value = convert(l, lowerValue(l, node), unsignedLong);
  l.code.emit({ op: 'move', dst, a: materialise(l, value) });
  return dst;
}

function outputRegister(l: Lowering, operand: Operand): number {
  const dst = l.code.register(unsignedLong);
  if (operand.constraint.includes('+'))
    l.code.emit({ op: 'move', dst, a: materialise(l, load(l, lowerPlace(l, operand.value))) });
  return dst;
}

function describe(l: Lowering, { constraint, name, value }: Operand): AsmTextOperand {
  const plain = constraint.replace(/[=+&%]/g, '');
  const fixed = fixedRegisters[plain] ?? null;
  if (/^[in]$/.test(plain)) return { name, kind: 'immediate', fixed, text: l.text(value) };
  return { name, kind: /^[mQoV]$/.test(plain) ? 'memory' : 'register', fixed, text: '' };
}

/** What an unknown instruction may have written is unknown too. */
function clobber(l: Lowering, operands: readonly Operand[]): void {
  for (const operand of operands)
    if (operand.output)
      store(l, lowerTarget(l, operand.value), unknown(l, 'asm', 'written by unknown assembly'));
}
