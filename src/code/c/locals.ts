/** Local variables: where they live, and their initialisers. */
import type { Local, Lowering } from './context';
import { baseType, declare } from './declarators';
import { initialise } from './initialisers';
import type { Node } from './syntax';
import { child } from './syntax';
import type { CType } from './types';
import { pointerTo } from './types';
import type { Place } from './values';
import { memory } from './values';

export function declareLocals(l: Lowering, node: Node): void {
  const storage = node.children.filter(one => one.type === 'storage_class_specifier').map(one => one.text);
  const base = baseType(node, l.names);
  for (const declarator of node.children) {
    if (declarator.field !== 'declarator') continue;
    const { name, type } = declare(base, declarator, l.names);
    if (!name || type.kind === 'function' || storage.includes('extern')) continue;
    l.at(declarator);
    const value = child(declarator, 'value');
    const sized = value && type.kind === 'array' && type.length === null ? measured(type, value) : type;
    if (storage.includes('static')) {
      // The initialiser of a static local has been stored before any code runs.
      const unique = `${l.chunk.name}.${name}`;
      l.scopes.at(-1)!.set(name, { kind: 'global', name: unique, type: sized });
      const { tokens } = l;
      l.statics.push({ name: unique, type: sized, initialiser: value ?? null, tokens, line: l.code.line });
      continue;
    }
    const local = makeLocal(l, name, sized);
    l.scopes.at(-1)!.set(name, local);
    if (value) initialise(l, placeOf(l, local), value);
  }
}

const measured = (type: CType & { kind: 'array' }, value: Node): CType => ({
  ...type,
  length: value.type === 'initializer_list' ? value.children.length : null,
});

/** A new variable; in memory when it is a struct or an array or its address is taken. */
export function makeLocal(l: Lowering, name: string, type: CType): Local {
  const aggregate = type.kind === 'struct' || type.kind === 'array';
  const dotted = type.kind === 'unknown' && l.dotted.has(name);
  if (!aggregate && !dotted && !l.addressTaken.has(name))
    return { kind: 'register', register: l.code.register(type, name), type };
  const taken = l.memoryLocals.filter(one => one.name === name || one.name.startsWith(`${name}@`)).length;
  const unique = taken ? `${name}@${taken + 1}` : name;
  l.memoryLocals.push({ name: unique, type });
  return { kind: 'memory', name: unique, type };
}

export function placeOf(l: Lowering, local: Local): Place {
  if (local.kind === 'register') return local;
  const address = l.code.register(pointerTo(local.type));
  const kind = local.kind === 'memory' ? 'local' : 'global';
  l.code.emit({ op: 'address', dst: address, name: local.name, kind });
  return memory(address, local.type);
}
