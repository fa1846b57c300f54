/** A tiny reader of IR as text, so that tests can state functions without a front end. */
import type { Instruction, IntegerType, IrFunction, IrModule } from '../../../src/code/ir';
import type { SourceUnit } from '../../../src/code/source';

const u64: IntegerType = { bits: 64, signed: false };
const i32: IntegerType = { bits: 32, signed: true };

/**
 * One instruction a line: `x = 5`, `x = add a b`, `x = &local r`, `x = field r start`, `x = [p]`, `[p] = x`,
 * `x = feature PTI`, `label:`, `jump label`, `if x label`, `call f a b`, `x = call f a`, `op INVLPG a`, `x = op CR4_READ`,
 * `return x`. Names that are not parameters become registers. A line that begins with `+` or `-` counts as changed.
 */
export function readFunction(
  text: string,
  path = 'arch/x86/mm/tq.c',
  side: 'old' | 'new' = 'new',
): IrFunction {
  const raw = text.split('\n').filter(line => line.trim());
  const changed = raw.map(line => /^\s*[+-]\s/.test(line));
  const lines = raw.map(line => line.replace(/^\s*[+-]\s/, ' ').trim());
  const head = /^fn (\w+)\(([^)]*)\)$/.exec(lines[0]!)!;
  const parameters = head[2]!
    .split(',')
    .map(name => name.trim())
    .filter(Boolean);
  const names: string[] = [];
  const register = (name: string): number => {
    const bare = name.replace(/^\*/, '');
    const at = names.indexOf(bare);
    return at >= 0 ? at : names.push(bare) - 1;
  };
  parameters.forEach(register);
  const code: Instruction[] = [];
  const labels = new Map<string, number>();
  const fixups: [number, string][] = [];
  const unit: SourceUnit = {
    path,
    side,
    whole: true,
    headings: [''],
    lines: lines.map((line, at) => ({
      text: line,
      fileLine: at + 1,
      documentLine: at + 1,
      changed: changed[at]!,
      hunk: 0,
    })),
  };
  lines.slice(1).forEach((line, index) => {
    const at = { line: index + 1 };
    const assign = /^(\w+) = (.*)$/.exec(line);
    const dst = assign ? register(assign[1]!) : null;
    const words = (assign ? assign[2]! : line).split(/\s+/);
    const [first, ...rest] = words;
    if (/^\w+:$/.test(line)) labels.set(line.slice(0, -1), code.length);
    else if (first === 'jump') {
      fixups.push([code.length, rest[0]!]);
      code.push({ op: 'jump', target: -1, ...at });
    } else if (first === 'if') {
      fixups.push([code.length, rest[1]!]);
      const likely = null;
      code.push({ op: 'branch', condition: register(rest[0]!), target: -1, text: rest[0]!, likely, ...at });
    } else if (first === 'return')
      code.push({ op: 'return', value: rest[0] ? register(rest[0]) : null, ...at });
    else if (first === 'call')
      code.push({
        ...{ op: 'call', dst, callee: rest[0]!, pointer: null, args: rest.slice(1).map(register) },
        text: `${rest[0]!}(${rest.slice(1).join(', ')})`,
        ...at,
      });
    else if (first === 'op')
      code.push({ op: 'operation', name: rest[0]!, dst, args: rest.slice(1).map(register), ...at });
    else if (first === 'feature')
      code.push({ op: 'feature', dst: dst!, feature: rest[0]!, kind: 'cpu', default: null, ...at });
    else if (first?.startsWith('[') && !assign)
      code.push({
        ...{ op: 'store', address: register(first.slice(1, -1)), value: register(rest[1]!), type: u64 },
        ...at,
      });
    else if (dst === null) throw new Error(`cannot read: ${line}`);
    else if (/^-?\d/.test(first!)) code.push({ op: 'const', dst, value: BigInt(first!), ...at });
    else if (first === '&local') code.push({ op: 'address', dst, name: rest[0]!, kind: 'local', ...at });
    else if (first === '&global') code.push({ op: 'address', dst, name: rest[0]!, kind: 'global', ...at });
    else if (first === '&function')
      code.push({ op: 'address', dst, name: rest[0]!, kind: 'function', ...at });
    else if (first === 'field')
      code.push({
        op: 'field',
        dst,
        base: register(rest[0]!),
        struct: null,
        member: rest[1]!,
        bits: null,
        ...at,
      });
    else if (first?.startsWith('['))
      code.push({ op: 'load', dst, address: register(first.slice(1, -1)), type: u64, ...at });
    else if (first === 'lnot')
      code.push({ op: 'unary', dst, operator: 'lnot', a: register(rest[0]!), type: i32, ...at });
    else if (rest.length === 0) code.push({ op: 'move', dst, a: register(first!), ...at });
    else
      code.push({
        ...{ op: 'binary', dst, operator: first, a: register(rest[0]!), b: register(rest[1]!), type: u64 },
        ...at,
      } as Instruction);
  });
  for (const [at, label] of fixups) code[at] = { ...code[at]!, target: labels.get(label)! } as Instruction;
  return {
    name: head[1]!,
    unit,
    language: 'c',
    kind: 'function',
    firstLine: 0,
    lastLine: lines.length - 1,
    parameters: parameters.map(name => ({
      name: name.replace(/^\*/, ''),
      type: name.startsWith('*') ? 'struct x *' : 'unsigned long',
    })),
    registers: names.map(() => u64),
    names,
    code,
    unreadable: null,
    partial: false,
    repaired: false,
  };
}

export const moduleOf = (functions: readonly IrFunction[]): IrModule => ({
  functions,
  findings: [],
  unread: [],
  assumedConfig: new Map(),
});
