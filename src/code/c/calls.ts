/** Calls: ordinary ones, through pointers, and the kernel's names that are no functions. */
import { lowerSpecial } from './specialCalls';
import type { Lowering } from './context';
import { stripped } from './context';
import { functionAddress, lowerValue, typeNamed } from './expressions';
import { unknownLoop } from './grammarFixes';
import { callbackArguments, ruleFor } from './primitives';
import { unseenCall } from './unseen';
import type { Node } from './syntax';
import { child } from './syntax';
import type { CType } from './types';
import { decayed, unknownType, unsignedLong } from './types';
import type { Value } from './values';
import { constant, convert, inRegister, materialise, unknown } from './values';

export function lowerCall(l: Lowering, node: Node, wanted: boolean): Value {
  const callee = child(node, 'function')!;
  const args = child(node, 'arguments')?.children.filter(one => one.type !== 'comment') ?? [];
  const named = stripped(callee);
  if (named.type !== 'identifier') return callThrough(l, node, callee, args, wanted);
  const name = named.text;
  if (l.find(name)) return callThrough(l, node, named, args, wanted);
  if (callee.type === 'parenthesized_expression') {
    // `(pte_t)(x)`: the grammar cannot know that the name is a type.
    const type = typeNamed(l, name);
    if (type && args.length === 1) return convert(l, lowerValue(l, args[0]!), type);
  }
  const built = builtin(l, name, args, wanted);
  if (built) return built;
  const rule = ruleFor(name);
  if (rule) return lowerSpecial(l, node, { name, rule, args, wanted });
  if (isFunctionPointer(l, name)) return callThrough(l, node, named, args, wanted);
  return callByName(l, node, name, args, wanted);
}

function isFunctionPointer(l: Lowering, name: string): boolean {
  const type = l.program.variable(name, l.chunk.unit)?.type;
  return type?.kind === 'pointer' && l.program.functionChunk(name, l.chunk.unit) === null;
}

function callByName(l: Lowering, node: Node, name: string, args: readonly Node[], wanted: boolean): Value {
  const type = l.program.functionType(name, l.chunk.unit);
  l.used.add(name);
  const callbacks = callbackArguments.get(name) ?? [];
  const registers = args.map((arg, index) => {
    const value = callbacks.includes(index) ? callback(l, arg) : lowerValue(l, arg);
    const target = type?.parameters?.[index];
    return materialise(l, target ? convert(l, value, decayed(target)) : value);
  });
  const returns = type?.returns ?? unknownType;
  l.at(node);
  const dst = wanted && returns.kind !== 'void' ? l.code.register(returns) : null;
  l.code.emit({ op: 'call', dst, callee: name, pointer: null, args: registers, text: l.text(node) });
  return result(dst, returns);
}

/** A struct by value comes back as the address of an object, which the caller copies at once. */
function result(dst: number | null, returns: CType): Value {
  if (dst === null) return { kind: 'none', type: { kind: 'void' } };
  return returns.kind === 'struct'
    ? { kind: 'object', address: dst, type: returns }
    : inRegister(dst, returns);
}

/** An argument that is a function, whether or not the text at hand declares it. */
function callback(l: Lowering, node: Node): Value {
  const inner = stripped(node);
  const name = inner.type === 'pointer_expression' ? stripped(child(inner, 'argument')!) : inner;
  const plain = name.type === 'identifier' && !l.find(name.text) && name.text !== 'NULL';
  if (!plain || l.program.variable(name.text, l.chunk.unit)) return lowerValue(l, node);
  l.at(node);
  return functionAddress(l, name.text, l.program.functionType(name.text, l.chunk.unit) ?? unknownType);
}

function callThrough(l: Lowering, node: Node, callee: Node, args: readonly Node[], wanted: boolean): Value {
  const target = lowerValue(l, callee);
  const pointed = target.type.kind === 'pointer' ? target.type.to : unknownType;
  const type = pointed.kind === 'function' ? pointed : null;
  const registers = args.map((arg, index) => {
    const value = lowerValue(l, arg);
    const parameter = type?.parameters?.[index];
    return materialise(l, parameter ? convert(l, value, decayed(parameter)) : value);
  });
  const returns = type?.returns ?? unknownType;
  const pointer = materialise(l, target);
  l.at(node);
  const dst = wanted && returns.kind !== 'void' ? l.code.register(returns) : null;
  l.code.emit({ op: 'call', dst, callee: null, pointer, args: registers, text: l.text(node) });
  return result(dst, returns);
}

/** Compiler built-ins, and the names that repair and rewriting made up. */
function builtin(l: Lowering, name: string, args: readonly Node[], wanted: boolean): Value | null {
  switch (name) {
    case unseenCall:
      for (const arg of args) lowerValue(l, arg, false);
      return unknown(l, '', 'a call whose beginning the hunk does not show');
    case unknownLoop: {
      const [macro, ...rest] = args;
      const loopName = macro?.text ?? '';
      const registers = rest.map(arg => materialise(l, lowerValue(l, arg)));
      const dst = l.code.register(unsignedLong);
      l.code.emit({ op: 'primitive', name: loopName, dst, args: registers });
      return inRegister(dst, unsignedLong);
    }
    case '__builtin_constant_p': {
      const before = l.code.checkpoint();
      const value = args[0] ? lowerValue(l, args[0]) : constant(0n);
      l.code.rollBack(before);
      return constant(value.kind === 'constant' ? 1n : 0n);
    }
    case '__builtin_choose_expr': {
      const which = args[0] ? lowerValue(l, args[0]) : constant(0n);
      const chosen = which.kind === 'constant' && which.value === 0n ? args[2] : args[1];
      return chosen ? lowerValue(l, chosen, wanted) : null;
    }
    case '__builtin_types_compatible_p':
      return constant(0n);
    case '__builtin_return_address':
    case '__builtin_frame_address':
      return constant(0n, unsignedLong);
    default:
      return null;
  }
}
