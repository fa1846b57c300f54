/** Operands of x86-64 in AT&T syntax. */
import type { Width } from './builder';

export interface RegisterOperand {
  readonly kind: 'register';
  /** 64-bit name (`rax`, `r8`) or `\name` for a macro parameter. */
  readonly name: string;
  readonly bits: Width;
  /** `%ah` and its like: bits 15:8. */
  readonly high: boolean;
}

/** Base of an address: this CPU's data (GS in the kernel), FS, or none. */
export type Segment = 'per-cpu' | 'fs' | null;

export interface MemoryOperand {
  readonly kind: 'memory';
  readonly segment: Segment;
  /** Expression of the displacement, '' for none. */
  readonly displacement: string;
  readonly base: RegisterOperand | null;
  readonly index: RegisterOperand | null;
  readonly scale: number;
  readonly ripRelative: boolean;
}

export type Operand =
  | RegisterOperand
  | MemoryOperand
  | { readonly kind: 'immediate'; readonly expression: string }
  | { readonly kind: 'control'; readonly number: number }
  | { readonly kind: 'debug'; readonly name: string }
  | { readonly kind: 'segment'; readonly name: string }
  /** `*%rax`, `*mem`: target of an indirect jump or call. */
  | { readonly kind: 'indirect'; readonly of: Operand }
  | { readonly kind: 'unreadable' };

const names64 = ['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi'];
const registers = new Map<string, RegisterOperand>();
const add = (text: string, name: string, bits: Width, high = false): void => {
  registers.set(text, { kind: 'register', name, bits, high });
};
for (const name of names64) {
  const short = name.slice(1);
  add(name, name, 64);
  add(`e${short}`, name, 32);
  add(short, name, 16);
  if (short.endsWith('x')) {
    add(`${short[0]!}l`, name, 8);
    add(`${short[0]!}h`, name, 8, true);
  } else add(`${short}l`, name, 8);
}
for (let number = 8; number <= 15; number++) {
  const name = `r${number}`;
  add(name, name, 64);
  add(`${name}d`, name, 32);
  add(`${name}w`, name, 16);
  add(`${name}b`, name, 8);
}
// Kernel spellings that depend on the word size.
for (const short of ['ax', 'bx', 'cx', 'dx', 'si', 'di', 'bp', 'sp'])
  add(`_ASM_${short.toUpperCase()}`, `r${short}`, 64);

const segments = new Set(['cs', 'ds', 'es', 'fs', 'gs', 'ss']);

/** Reads `%rax`, `%r\reg`, `\reg`; null where it is no general register. */
export function readRegister(text: string): RegisterOperand | null {
  const parameter = /^(?:%([re])?)?\\([A-Za-z_]\w*)$/.exec(text);
  if (parameter)
    return {
      kind: 'register',
      name: `\\${parameter[2]!}`,
      bits: parameter[1] === 'e' ? 32 : 64,
      high: false,
    };
  if (!text.startsWith('%')) return null;
  return registers.get(text.slice(1)) ?? null;
}

/** Reads one operand. */
export function readOperand(source: string): Operand {
  const text = source.trim();
  if (text.startsWith('*')) return { kind: 'indirect', of: readOperand(text.slice(1)) };
  if (text.startsWith('$')) return { kind: 'immediate', expression: text.slice(1).trim() };
  const register = readRegister(text);
  if (register) return register;
  const control = /^%cr([0-8])$/.exec(text);
  if (control) return { kind: 'control', number: Number(control[1]) };
  if (/^%(?:db|dr)[0-7]$/.test(text)) return { kind: 'debug', name: text.slice(1) };
  if (text.startsWith('%') && segments.has(text.slice(1))) return { kind: 'segment', name: text.slice(1) };
  if (text === '' || text.startsWith('"')) return { kind: 'unreadable' };
  return readMemory(text) ?? { kind: 'unreadable' };
}

function readMemory(source: string): MemoryOperand | null {
  let text = source;
  let segment: Segment = null;
  const prefix = /^%(gs|fs|ds|ss|es|cs|__percpu_seg)\s*:\s*/.exec(text);
  if (prefix) {
    if (prefix[1] === 'gs' || prefix[1] === '__percpu_seg') segment = 'per-cpu';
    else if (prefix[1] === 'fs') segment = 'fs';
    text = text.slice(prefix[0].length);
  }
  const perCpu = text.indexOf('PER_CPU_VAR');
  if (perCpu >= 0) {
    segment = 'per-cpu';
    const inner = parenthesised(text, text.indexOf('(', perCpu));
    if (!inner) return null;
    text = text.slice(0, perCpu) + inner.content + text.slice(inner.end + 1);
  }
  const group = lastGroup(text);
  if (!group) return memory(segment, text, null, null, 1, false);
  const displacement = text.slice(0, group.start).trim();
  if (/^\s*%rip\s*$/.test(group.content)) return memory(segment, displacement, null, null, 1, true);
  const [base = '', index = '', scale = '1'] = group.content.split(',').map(part => part.trim());
  const baseRegister = base === '' ? null : readRegister(base);
  const indexRegister = index === '' ? null : readRegister(index);
  if ((base !== '' && !baseRegister) || (index !== '' && !indexRegister)) return null;
  const factor = /^[1248]$/.test(scale) ? Number(scale) : null;
  return memory(segment, displacement, baseRegister, indexRegister, factor ?? 0, false);
}

function memory(
  segment: Segment,
  displacement: string,
  base: RegisterOperand | null,
  index: RegisterOperand | null,
  scale: number,
  ripRelative: boolean,
): MemoryOperand {
  return { kind: 'memory', segment, displacement: displacement.trim(), base, index, scale, ripRelative };
}

function parenthesised(text: string, open: number): { content: string; end: number } | null {
  if (open < 0) return null;
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return { content: text.slice(open + 1, at), end: at };
  }
  return null;
}

/** The parentheses at the end of an operand, if they hold registers. */
function lastGroup(text: string): { content: string; start: number } | null {
  if (!text.endsWith(')')) return null;
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === ')') depth++;
    else if (text[at] === '(' && --depth === 0) {
      const content = text.slice(at + 1, -1).trim();
      const registersInside =
        /^%/.test(content) || content.startsWith(',') || /^\\\w+\s*(?:,|$)/.test(content);
      return registersInside ? { content, start: at } : null;
    }
  }
  return null;
}
