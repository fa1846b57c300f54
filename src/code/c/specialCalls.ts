/** Lowers the calls that `primitives.ts` has a rule for. */
import { lowerChoiceOf } from './chooseCalls';
import type { Lowering } from './context';
import { stripped } from './context';
import { lowerValue } from './expressions';
import { testFeature, testNamed } from './featureTests';
import { lowerPerCpuLvalue, lowerPerCpuPointer } from './perCpu';
import { lowerPlace, lowerTarget } from './places';
import type { Rule } from './primitives';
import type { Node } from './syntax';
import { child } from './syntax';
import { tlbiOperation } from './tlbi';
import type { CType } from './types';
import { int, pointerTo, registerType, unknownType, unsignedLong } from './types';
import { keyDefault } from './kernelMacros';
import type { Place, Value } from './values';
import {
  constant,
  convert,
  inRegister,
  load,
  materialise,
  memory,
  notUnderstood,
  store,
  truth,
  unknown,
} from './values';

export interface SpecialCall {
  readonly name: string;
  readonly rule: Rule;
  readonly args: readonly Node[];
  readonly wanted: boolean;
}

const nothing: Value = { kind: 'none', type: { kind: 'void' } };

export function lowerSpecial(l: Lowering, node: Node, call: SpecialCall): Value {
  const { rule, args, wanted } = call;
  const first = args[0];
  switch (rule.rule) {
    case 'primitive':
      return lowerPrimitive(l, node, rule, call);
    case 'identity':
      return first ? lowerValue(l, first, wanted) : missing(l, call);
    case 'load':
      return first ? loadFrom(l, first, rule.from) : missing(l, call);
    case 'store':
      return lowerStore(l, node, call, rule);
    case 'per-cpu-pointer':
      return lowerPerCpuPointer(l, node, args, rule.cpu) ?? missing(l, call);
    case 'per-cpu-lvalue': {
      const place = lowerPerCpuLvalue(l, node, args, rule);
      return place ? load(l, place) : missing(l, call);
    }
    case 'feature': {
      const named = args[rule.argument];
      return named ? testNamed(l, node, named, rule.kind) : missing(l, call);
    }
    case 'fixed-feature':
      return testFeature(l, rule.feature, 'cpu');
    case 'config': {
      const name = first?.text ?? '';
      return testFeature(l, name, 'config', l.configuration.isOn(name));
    }
    case 'key':
      return lowerKey(l, args[rule.argument], call);
    case 'warn':
      return lowerWarning(l, node, call, rule.name);
    case 'wait':
      return lowerWait(l, node, args, rule.name) ?? missing(l, call);
    case 'nothing':
      return constant(0n);
    case 'choose':
      return lowerChoiceOf(l, node, args, rule.larger) ?? missing(l, call);
    case 'swap':
      return lowerSwap(l, args) ?? missing(l, call);
    case 'tlbi':
      return lowerTlbi(l, node, call, rule.user);
    case 'operation':
      l.at(node);
      l.code.emit({ op: 'operation', name: rule.name, ...formOf(l, first), dst: null, args: [] });
      return nothing;
    case 'paravirt':
      return lowerParavirt(l, node, call, rule.count);
  }
}

const missing = (l: Lowering, call: SpecialCall): Value =>
  unknown(l, call.name, 'it is used with fewer arguments than it takes');

function lowerPrimitive(
  l: Lowering,
  node: Node,
  rule: Rule & { rule: 'primitive' },
  call: SpecialCall,
): Value {
  const out = call.args.find((_, index) => rule.modes[index] === 'out');
  const designated: CType[] = [];
  const registers: number[] = [];
  call.args.forEach((arg, index) => {
    const mode = rule.modes[index] ?? 'value';
    if (mode === 'skip' || mode === 'out') return;
    if (mode === 'value') {
      const value = lowerValue(l, arg);
      if (value.type.kind === 'pointer') designated.push(value.type.to);
      registers.push(materialise(l, value));
      return;
    }
    const place = lowerPlace(l, arg, mode === 'per-cpu' ? 'per-cpu' : 'plain');
    designated.push(place.type);
    registers.push(place.kind === 'memory' ? place.address : place.register);
  });
  const type = rule.returns ?? designated[0] ?? unknownType;
  const dst = (call.wanted || out) && type.kind !== 'void' ? l.code.register(type) : null;
  l.at(node);
  const from = l.code.checkpoint().length;
  l.code.emit({ op: 'primitive', name: rule.name, dst, args: registers });
  if (dst === null) return nothing;
  const result = inRegister(dst, type);
  return out ? store(l, lowerTarget(l, out), result, from) : result;
}

function pointedBy(l: Lowering, node: Node): Place {
  const value = lowerValue(l, node);
  const to = value.type.kind === 'pointer' ? value.type.to : unknownType;
  return memory(materialise(l, value), to, false);
}

function loadFrom(l: Lowering, node: Node, from: 'lvalue' | 'pointer' | 'per-cpu'): Value {
  if (from === 'pointer') return load(l, pointedBy(l, node));
  if (from === 'lvalue') return lowerValue(l, node);
  const place = lowerPlace(l, node, 'per-cpu');
  l.at(node);
  return load(l, place);
}

function lowerStore(l: Lowering, node: Node, call: SpecialCall, rule: Rule & { rule: 'store' }): Value {
  const [target, source] = call.args;
  if (!target || !source) return missing(l, call);
  const from = l.code.checkpoint().length;
  const value = lowerValue(l, source);
  const place =
    rule.to === 'pointer'
      ? pointedBy(l, target)
      : lowerPlace(l, target, rule.to === 'per-cpu' ? 'per-cpu' : 'plain');
  l.at(node);
  const stored = store(l, place, value, from);
  if (rule.then !== undefined) l.code.emit({ op: 'primitive', name: rule.then, dst: null, args: [] });
  return stored;
}

/** A static key, with the default that its declaration gives. */
function lowerKey(l: Lowering, node: Node | undefined, call: SpecialCall): Value {
  if (!node) return missing(l, call);
  const inner = stripped(node);
  const key = inner.type === 'pointer_expression' ? child(inner, 'argument')! : inner;
  const name = l.spelled(stripped(key));
  const type = l.program.variable(name, l.chunk.unit)?.type;
  const byDefault = type?.kind === 'struct' ? (keyDefault.get(`struct ${type.tag}`) ?? null) : null;
  return testFeature(l, name, 'key', byDefault);
}

/** The condition is evaluated once and is the result. */
function lowerWarning(l: Lowering, node: Node, call: SpecialCall, name: string): Value {
  const [condition] = call.args;
  if (!condition) return missing(l, call);
  const value = truth(l, lowerValue(l, condition));
  l.at(node);
  if (value.kind === 'constant' && value.value === 0n) return value;
  const register = materialise(l, value);
  l.code.emit({ op: 'primitive', name, dst: null, args: [register] });
  return inRegister(register, int, true);
}

/** The load is one primitive, the test of what it gave (`VAL`) another: where it fails, the load is done again. */
function lowerWait(l: Lowering, node: Node, args: readonly Node[], name: string): Value | null {
  const [pointer, condition] = args;
  if (!pointer || !condition) return null;
  const place = pointedBy(l, pointer);
  if (place.kind !== 'memory') return null;
  l.at(node);
  const dst = l.code.register(place.type);
  l.code.emit({ op: 'primitive', name, dst, args: [place.address] });
  l.scopes.push(new Map([['VAL', { kind: 'register', register: dst, type: place.type }]]));
  const holds = materialise(l, truth(l, lowerValue(l, condition)));
  l.scopes.pop();
  l.at(node);
  l.code.emit({ op: 'primitive', name: 'smp_cond_check', dst: null, args: [holds] });
  return inRegister(dst, place.type);
}

function lowerSwap(l: Lowering, args: readonly Node[]): Value | null {
  const [left, right] = args;
  if (!left || !right) return null;
  const a = lowerTarget(l, left);
  const b = lowerTarget(l, right);
  const old = load(l, a);
  const kept = l.code.register(a.type);
  l.code.emit({ op: 'move', dst: kept, a: materialise(l, old) });
  store(l, a, load(l, b));
  store(l, b, inRegister(kept, a.type));
  return nothing;
}

/** `__tlbi(op, arg)`; for the user ASID only where the kernel is unmapped at EL0. */
function lowerTlbi(l: Lowering, node: Node, call: SpecialCall, user: boolean): Value {
  const [op, operand] = call.args;
  if (!op) return missing(l, call);
  const name = tlbiOperation(l.spelled(op));
  const { code } = l;
  const [yes, end] = [code.label(), code.label()];
  if (user) {
    const gate = materialise(l, testFeature(l, 'KPTI', 'cpu'));
    code.branch(gate, yes, end, 'arm64_kernel_unmapped_at_el0()', null);
    code.place(yes);
  }
  const args = operand ? [materialise(l, lowerValue(l, operand))] : [];
  l.at(node);
  if (name === null) notUnderstood(l, `tlbi ${l.spelled(op)}`, 'a TLBI that no operation stands for');
  else {
    const asid = user && args.length ? [userAsid(l, args[0]!)] : args;
    code.emit({ op: 'operation', name, ...formOf(l, op), dst: null, args: asid });
  }
  if (user) code.place(end);
  return nothing;
}

/** The spelling of the instruction, as `form` of the operation. */
function formOf(l: Lowering, node: Node | undefined): { form?: string } {
  const form = node ? l.spelled(node).toLowerCase() : '';
  return form === '' ? {} : { form };
}

/** The operand with the ASID of the user half: bit 48 set (the lowest bit of the ASID). */
function userAsid(l: Lowering, operand: number): number {
  const dst = l.code.register(unsignedLong);
  const flag = l.code.constant(1n << 48n, unsignedLong);
  l.code.emit({ op: 'binary', dst, operator: 'or', a: operand, b: flag, type: registerType(unsignedLong) });
  return dst;
}

/** A call through the member of `pv_ops` that the first argument names. */
function lowerParavirt(l: Lowering, node: Node, call: SpecialCall, count: number): Value {
  const [member, ...rest] = call.args;
  if (!member) return missing(l, call);
  const path = l.spelled(member).replace(/\s/g, '').split('.');
  const root = path[0]!.startsWith('pv_') ? path.shift()! : 'pv_ops';
  let type: CType = l.program.variable(root, l.chunk.unit)?.type ?? unknownType;
  let address = l.code.register(pointerTo(type));
  l.code.emit({ op: 'address', dst: address, name: root, kind: 'global' });
  for (const name of path) {
    const tag = type.kind === 'struct' ? type.tag : null;
    const known = type.kind === 'struct' ? (type.info?.member(name) ?? null) : null;
    type = known?.type ?? unknownType;
    const dst = l.code.register(pointerTo(type));
    l.code.emit({ op: 'field', dst, base: address, struct: tag, member: name, bits: null });
    address = dst;
  }
  const pointer = materialise(l, load(l, memory(address, pointerTo(type))));
  const args = rest.slice(0, count).map(arg => materialise(l, lowerValue(l, arg)));
  const dst = call.wanted ? l.code.register(unsignedLong) : null;
  l.at(node);
  l.code.emit({ op: 'call', dst, callee: null, pointer, args, text: l.text(node) });
  return dst === null ? nothing : convert(l, inRegister(dst, unsignedLong), unsignedLong);
}
