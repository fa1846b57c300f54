/** Operands of A64 instructions. */

export interface Arm64Register {
  readonly kind: 'register';
  /** `x0`…`x30`, `sp`, `xzr`, or `\name` for a macro parameter. */
  readonly name: string;
  readonly bits: 32 | 64;
}

export type Arm64Operand =
  | Arm64Register
  | { readonly kind: 'immediate'; readonly expression: string }
  | {
      readonly kind: 'memory';
      readonly base: Arm64Register;
      readonly index: Arm64Register | null;
      /** Left shift of the index. */
      readonly shift: number;
      readonly offset: string;
      /** `!`: the base is moved before. */
      readonly before: boolean;
    }
  | { readonly kind: 'other'; readonly text: string };

const aliases: Readonly<Record<string, string>> = { lr: 'x30', fp: 'x29', ip0: 'x16', ip1: 'x17' };

/** Reads a general register; null where the text is none. */
export function readArm64Register(source: string): Arm64Register | null {
  const text = source.trim();
  if (/^\\[A-Za-z_]\w*$/.test(text)) return { kind: 'register', name: text, bits: 64 };
  const alias = aliases[text];
  if (alias !== undefined) return { kind: 'register', name: alias, bits: 64 };
  if (text === 'sp' || text === 'wsp') return { kind: 'register', name: 'sp', bits: text === 'sp' ? 64 : 32 };
  if (text === 'xzr' || text === 'wzr')
    return { kind: 'register', name: 'xzr', bits: text === 'xzr' ? 64 : 32 };
  const match = /^([xw])(\d{1,2})$/.exec(text);
  if (!match || Number(match[2]) > 30) return null;
  return { kind: 'register', name: `x${match[2]!}`, bits: match[1] === 'x' ? 64 : 32 };
}

export function readArm64Operand(source: string): Arm64Operand {
  const text = source.trim();
  const register = readArm64Register(text);
  if (register) return register;
  if (text.startsWith('[')) return readMemory(text) ?? { kind: 'other', text };
  if (text.startsWith('#')) return { kind: 'immediate', expression: text.slice(1).trim() };
  return /^[-~(\d\\A-Z_]/.test(text) ? { kind: 'immediate', expression: text } : { kind: 'other', text };
}

function readMemory(text: string): Arm64Operand | null {
  const match = /^\[([^\]]*)\](!?)$/.exec(text);
  if (!match) return null;
  const [baseText = '', second = '', third = ''] = match[1]!.split(',').map(part => part.trim());
  const base = readArm64Register(baseText);
  if (!base) return null;
  const before = match[2] === '!';
  const index = readArm64Register(second);
  if (index && !second.startsWith('\\')) {
    const shift = /^(?:lsl|uxtw|sxtw)\s*#?\s*(\d)$/.exec(third);
    if (third !== '' && !shift) return null;
    return { kind: 'memory', base, index, shift: Number(shift?.[1] ?? 0), offset: '', before };
  }
  if (third !== '') return null;
  return { kind: 'memory', base, index: null, shift: 0, offset: second.replace(/^#/, '').trim(), before };
}
