/** `asm` statements. */
import type { Lowering } from './context';
import { stripped } from './context';
import { lowerValue } from './expressions';
import { opaqueTemplate } from './grammarFixes';
import type { AsmOperand, AsmStep } from './inlineAsm';
import { lowerInlineAsm } from './inlineAsm';
import { stringText } from './literals';
import { lowerPlace } from './places';
import type { Node } from './syntax';
import { child } from './syntax';
import { unsignedLong } from './types';
import { inRegister, materialise, store, unknown } from './values';

interface Operand extends AsmOperand {
  readonly value: Node;
  readonly output: boolean;
}

export function lowerAsm(l: Lowering, node: Node): void {
  const template = textOf(l, child(node, 'assembly_code'));
  const operands = [...operandsOf(l, node, 'output_operands'), ...operandsOf(l, node, 'input_operands')];
  l.at(node);
  if (child(node, 'goto_labels')) {
    unknown(l, 'asm goto', `'${template.slice(0, 80)}' may jump`);
    return;
  }
  if (template.startsWith(opaqueTemplate)) {
    const text = template.slice(opaqueTemplate.length).trim();
    unknown(l, 'asm', `its template is made by macros: '${text.slice(0, 80)}'`);
    clobber(l, operands);
    return;
  }
  const steps = lowerInlineAsm(template, operands);
  for (const step of steps) lowerStep(l, node, step, operands);
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
  if (step.kind === 'unknown') {
    l.at(node);
    unknown(l, step.name, step.why);
    clobber(l, operands);
    return;
  }
  const args = step.args.map(({ operand, address }) => {
    const { value } = operands[operand]!;
    if (!address) return materialise(l, lowerValue(l, value));
    const place = lowerPlace(l, value);
    return place.kind === 'memory' ? place.address : place.register;
  });
  const target = step.result === null ? null : (operands[step.result] ?? null);
  const dst = target ? l.code.register(unsignedLong) : null;
  l.at(node);
  const from = l.code.checkpoint().length;
  l.code.emit({ op: step.kind, name: step.name, dst, args });
  if (target && dst !== null) store(l, lowerPlace(l, target.value), inRegister(dst, unsignedLong), from);
}

/** What an unknown instruction may have written is unknown too. */
function clobber(l: Lowering, operands: readonly Operand[]): void {
  for (const operand of operands)
    if (operand.output)
      store(l, lowerPlace(l, operand.value), unknown(l, 'asm', 'written by unknown assembly'));
}
