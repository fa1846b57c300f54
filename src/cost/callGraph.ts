/** Who calls whom, by name: for finding the functions in which a patch's price is taken. */
import type { IrFunction } from '../code/ir';

/** Names that a function calls or hands on as a callback; members of tables of operations as `.member`. */
export function calleesOf(fn: IrFunction): Set<string> {
  const found = new Set<string>();
  const known = cache.get(fn);
  if (known) return known;
  cache.set(fn, found);
  const members = new Map<number, string>();
  for (const instruction of fn.code) {
    if (instruction.op === 'address' && instruction.kind !== 'local' && instruction.kind !== 'string')
      found.add(instruction.name);
    if (instruction.op === 'field') members.set(instruction.dst, instruction.member);
    if (instruction.op === 'load') {
      const member = members.get(instruction.address);
      if (member !== undefined) members.set(instruction.dst, member);
    }
    if (instruction.op !== 'call') continue;
    if (instruction.callee !== null) found.add(instruction.callee);
    else {
      const member = members.get(instruction.pointer ?? -1);
      if (member !== undefined) found.add(`.${member}`);
    }
    const hook = /^PVOP_\w+\(\s*(?:\w+\s*,\s*)?\w+\.(\w+)/.exec(instruction.text);
    if (hook) found.add(`.${hook[1]!}`);
  }
  if (fn.language === 'asm') addMacroUses(fn, found);
  else addNamesUsed(fn, found);
  return found;
}

const cache = new WeakMap<IrFunction, Set<string>>();

/** Assembly macros are expanded where they are used, so their names are taken from the text. */
function addMacroUses(fn: IrFunction, into: Set<string>): void {
  for (let line = fn.firstLine; line <= fn.lastLine; line++) {
    const text = fn.unit.lines[line]?.text ?? '';
    for (const statement of text.slice(0, 400).split(';')) {
      const word = /^\s*(?:[\w.\\@]+:\s*)?([A-Za-z_]\w*)/.exec(statement);
      if (word) into.add(word[1]!);
    }
  }
}

const useOfName = /([A-Za-z_]\w*)\s?\(/g;

/** C macros are expanded before the code is read, so their names are taken from the text too. */
function addNamesUsed(fn: IrFunction, into: Set<string>): void {
  for (let line = fn.firstLine; line <= fn.lastLine; line++) {
    const text = fn.unit.lines[line]?.text ?? '';
    for (const match of text.slice(0, 400).matchAll(useOfName)) if (match[1] !== fn.name) into.add(match[1]!);
  }
}
