/** Statements. */
import type { Label } from './codeBuilder';
import { lowerCondition } from './conditions';
import type { Lowering, SwitchCases } from './context';
import { stripped } from './context';
import { combine } from './arithmetic';
import { lowerValue } from './expressions';
import { caseRange } from './grammarFixes';
import { declareLocals } from './locals';
import type { Node } from './syntax';
import { child } from './syntax';
import { promoted } from './types';
import type { Value } from './values';
import { convert, inRegister, materialise, unknown } from './values';

export function lowerStatement(l: Lowering, node: Node): void {
  l.at(node);
  if (l.chunk.gaps.includes(l.code.line)) resume(l, l.code.line);
  switch (node.type) {
    case 'compound_statement':
      l.scopes.push(new Map());
      for (const one of node.children) lowerStatement(l, one);
      l.scopes.pop();
      return;
    case 'declaration':
      return declareLocals(l, node);
    case 'expression_statement':
      if (node.children[0]) lowerValue(l, node.children[0], false);
      return;
    case 'if_statement':
      return lowerIf(l, node);
    case 'while_statement':
      return lowerWhile(l, node);
    case 'do_statement':
      return lowerDo(l, node);
    case 'for_statement':
      return lowerFor(l, node);
    case 'switch_statement':
      return lowerSwitch(l, node);
    case 'case_statement':
      return lowerCase(l, node);
    case 'labeled_statement':
      return lowerLabel(l, node);
    case 'goto_statement':
      return l.code.jump(labelNamed(l, child(node, 'label')!));
    case 'break_statement':
      return leave(l, l.jumps.at(-1)?.breakTo ?? null, 'break');
    case 'continue_statement':
      return leave(l, l.jumps.findLast(one => one.continueTo)?.continueTo ?? null, 'continue');
    case 'return_statement':
      return lowerReturn(l, node);
    case 'attributed_statement':
      for (const one of node.children) if (one.type.endsWith('statement')) lowerStatement(l, one);
      return;
    case 'type_definition':
    case 'struct_specifier':
    case 'enum_specifier':
    case 'comment':
      return;
    default:
      lowerValue(l, node, false);
  }
}

/** Behind unseen lines control may come from anywhere, even if what is shown before them ends in a return. */
function resume(l: Lowering, line: number): void {
  const label = l.resumed.get(line);
  if (label && label.at < 0) l.code.place(label);
  else if (!label && !l.code.reachable) l.cutOff.add(line);
}

/** `else if` chains are walked, not nested: they may be long. */
function lowerIf(l: Lowering, node: Node): void {
  const { code } = l;
  const end = code.label();
  let current: Node | undefined = node;
  while (current) {
    const [yes, no] = [code.label(), code.label()];
    const alternative: Node | undefined = child(current, 'alternative')?.children[0];
    lowerCondition(l, child(current, 'condition')!, yes, no);
    code.place(yes);
    lowerStatement(l, child(current, 'consequence')!);
    if (alternative) code.jump(end);
    code.place(no);
    if (alternative?.type === 'if_statement') {
      l.at(alternative);
      current = alternative;
      continue;
    }
    if (alternative) lowerStatement(l, alternative);
    current = undefined;
  }
  code.place(end);
}

function body(l: Lowering, node: Node, breakTo: Label, continueTo: Label): void {
  l.jumps.push({ breakTo, continueTo });
  lowerStatement(l, node);
  l.jumps.pop();
}

function lowerWhile(l: Lowering, node: Node): void {
  const { code } = l;
  const [top, inside, end] = [code.label(), code.label(), code.label()];
  code.place(top);
  lowerCondition(l, child(node, 'condition')!, inside, end);
  code.place(inside);
  body(l, child(node, 'body')!, end, top);
  l.at(node);
  code.jump(top);
  code.place(end);
}

function lowerDo(l: Lowering, node: Node): void {
  const { code } = l;
  const [top, test, end] = [code.label(), code.label(), code.label()];
  code.place(top);
  body(l, child(node, 'body')!, end, test);
  code.place(test);
  lowerCondition(l, child(node, 'condition')!, top, end);
  code.place(end);
}

function lowerFor(l: Lowering, node: Node): void {
  const { code } = l;
  l.scopes.push(new Map());
  const start = child(node, 'initializer');
  if (start?.type === 'declaration') declareLocals(l, start);
  else if (start) lowerValue(l, start, false);
  const [top, inside, step, end] = [code.label(), code.label(), code.label(), code.label()];
  code.place(top);
  const condition = child(node, 'condition');
  if (condition) lowerCondition(l, condition, inside, end);
  code.place(inside);
  body(l, child(node, 'body')!, end, step);
  code.place(step);
  const update = child(node, 'update');
  if (update) lowerValue(l, update, false);
  l.at(node);
  code.jump(top);
  code.place(end);
  l.scopes.pop();
}

function lowerSwitch(l: Lowering, node: Node): void {
  const { code } = l;
  const condition = child(node, 'condition')!;
  const inside = child(node, 'body')!;
  const value = lowerValue(l, condition);
  const type = promoted(value.type);
  const tested = inRegister(materialise(l, convert(l, value, type)), type);
  const found: SwitchCases = { cases: [], fallback: null };
  collectCases(l, inside, found);
  const end = code.label();
  for (const one of found.cases) testCase(l, condition, tested, one);
  l.at(node);
  code.jump(found.fallback ?? end);
  l.switches.push(found);
  l.jumps.push({ breakTo: end, continueTo: null });
  lowerStatement(l, inside);
  l.jumps.pop();
  l.switches.pop();
  code.place(end);
}

/** Cases that belong to this switch, in order, however deep they stand. */
function collectCases(l: Lowering, node: Node, found: SwitchCases): void {
  for (const one of node.children) {
    if (one.type === 'switch_statement') continue;
    if (one.type === 'case_statement') {
      const value = child(one, 'value');
      const label = l.code.label();
      l.caseLabels.set(one, label);
      if (!value) found.fallback ??= label;
      else {
        const called = stripped(value);
        const range = called.type === 'call_expression' && child(called, 'function')?.text === caseRange;
        const bounds = range ? child(called, 'arguments')!.children : [value];
        found.cases.push({ low: bounds[0]!, high: bounds[1] ?? null, label });
      }
    }
    if (one.type.endsWith('statement') || one.type === 'else_clause') collectCases(l, one, found);
  }
}

function testCase(
  l: Lowering,
  condition: Node,
  value: Value & { kind: 'register' | 'constant' | 'object' | 'none' },
  one: SwitchCases['cases'][number],
): void {
  const { code } = l;
  const next = code.label();
  l.at(one.low);
  const text = `${l.bareText(condition)} == ${l.text(one.low)}`;
  if (one.high) {
    const above = code.label();
    const low = combine(l, 'ge', value, lowerValue(l, one.low), one.low);
    code.branch(materialise(l, low), above, next, `${l.bareText(condition)} >= ${l.text(one.low)}`, null);
    code.place(above);
    const high = combine(l, 'le', value, lowerValue(l, one.high), one.high);
    code.branch(
      materialise(l, high),
      one.label,
      next,
      `${l.bareText(condition)} <= ${l.text(one.high)}`,
      null,
    );
  } else {
    const equal = combine(l, 'eq', value, lowerValue(l, one.low), one.low);
    code.branch(materialise(l, equal), one.label, next, text, null);
  }
  code.place(next);
}

function lowerCase(l: Lowering, node: Node): void {
  const label = l.caseLabels.get(node);
  if (label) l.code.place(label);
  const value = child(node, 'value');
  for (const one of node.children) if (one !== value) lowerStatement(l, one);
}

function lowerLabel(l: Lowering, node: Node): void {
  const name = child(node, 'label')!;
  l.code.place(labelNamed(l, name, true));
  for (const one of node.children) if (one !== name) lowerStatement(l, one);
}

function labelNamed(l: Lowering, node: Node, placed = false): Label {
  const name = node.text;
  let label = l.labels.get(name);
  if (!label) l.labels.set(name, (label = l.code.label()));
  if (placed) l.wanted.delete(name);
  else if (label.at < 0) l.wanted.set(name, l.lineOf(node));
  return label;
}

/** `break` and `continue` whose loop the hunk does not show leave what is shown. */
function leave(l: Lowering, target: Label | null, word: string): void {
  if (target) {
    l.code.jump(target);
    return;
  }
  unknown(l, word, 'its loop is not shown by the hunk');
  l.code.jump(l.end);
}

function lowerReturn(l: Lowering, node: Node): void {
  const value = node.children[0];
  if (!value) {
    l.code.emit({ op: 'return', value: null });
    return;
  }
  const result = lowerValue(l, value, l.returns.kind !== 'void');
  l.at(node);
  if (result.kind === 'none') {
    l.code.emit({ op: 'return', value: null });
    return;
  }
  // Of a struct the address is returned; the caller copies it at once.
  const register = l.returns.kind === 'void' ? null : materialise(l, convert(l, result, l.returns));
  l.at(node);
  l.code.emit({ op: 'return', value: register });
}
