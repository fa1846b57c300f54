/** Templates of inline assembly with several instructions, as a piece of IR that a C function can take in. */
import type { Architecture } from '../configuration';
import type { Instruction, IntegerType } from '../ir';
import { Arm64Machine } from './arm64';
import { AsmBoundReached } from './bounds';
import { Expansion } from './expander';
import type { KeptFlag } from './flags';
import { Budget, Frame } from './frame';
import { makeStatement, splitStatements } from './statements';
import { X86Machine } from './x86Machine';

/** An operand of an asm statement, in the order outputs, inputs. */
export interface AsmTextOperand {
  /** `[name]`, or null. */
  readonly name: string | null;
  /**
   * `register`: a value (a fixed one such as `"a"` gives its 64-bit name in `fixed`); `memory`: an lvalue whose address
   * is given; `immediate`: a constant given as text.
   */
  readonly kind: 'register' | 'memory' | 'immediate';
  readonly fixed: string | null;
  /** Text of an immediate, without `$`. */
  readonly text: string;
}

/**
 * Code of a template. Registers 0 … n-1 are the operands: values going in, and for outputs the values coming out;
 * of a memory operand its address; of an immediate unused. Jump targets count from the first instruction; one equal to
 * `code.length` is the end. No `return` is in it.
 */
export interface AsmTextCode {
  readonly registers: readonly IntegerType[];
  readonly names: readonly string[];
  readonly code: readonly Instruction[];
}

/**
 * Lowers a template with its escapes undone (`\n`, `\t`, `%%`…): null where it cannot be taken in (it returns, jumps
 * out, or is too large). What is not understood is in it as `unknown`.
 */
export function lowerAsmText(
  template: string,
  operands: readonly AsmTextOperand[],
  architecture: Architecture,
  line: number,
): AsmTextCode | null {
  if (architecture === 'other') return null;
  const statements = template
    .split('\n')
    .flatMap(text =>
      splitStatements(withOperands(withoutComment(text), operands)).map(part =>
        makeStatement(part, line, line, -1),
      ),
    );
  try {
    let kept: ReadonlySet<KeptFlag> = new Set();
    for (;;) {
      const frame = new Frame(new Budget());
      frame.builder.line = line;
      operands.forEach((operand, index) => frame.parameter(parameterName(operand, index)));
      const machine = architecture === 'x86' ? new X86Machine(frame, kept) : new Arm64Machine(frame, kept);
      const expansion = new Expansion({
        frame,
        machine,
        macros: new Map(),
        preprocess: text => text,
        bombs: new Set(),
      });
      expansion.run(statements, null);
      expansion.finish();
      if (![...machine.wantedFlags].every(name => kept.has(name))) {
        kept = new Set([...kept, ...machine.wantedFlags]);
        continue;
      }
      if (frame.outside().length > 0) return null;
      const { builder } = frame;
      const code = builder.finish();
      if (code.some(instruction => instruction.op === 'return')) return null;
      return { registers: builder.registers, names: builder.names, code };
    }
  } catch (error) {
    if (error instanceof AsmBoundReached) return null;
    throw error;
  }
}

/** A fixed register is that register; others have a name of their own. */
function parameterName(operand: AsmTextOperand, index: number): string {
  return operand.kind === 'register' && operand.fixed !== null ? operand.fixed : `\\operand${index}`;
}

function withoutComment(text: string): string {
  return text.replace(/\/\*.*?\*\/|\/\/.*|(?:^|\s)#.*/g, ' ');
}

const reference = /%%|%=|%([a-zA-Z]?)(?:(\d{1,2})|\[(\w+)\])/g;

/** Narrower names of the machine registers, by operand modifier. */
function sized(name: string, modifier: string): string {
  if (!/^r[a-z0-9]+$/.test(name)) return name;
  const numbered = /^r\d/.test(name);
  const short = name.slice(1);
  switch (modifier) {
    case 'k':
      return numbered ? `${name}d` : `e${short}`;
    case 'w':
      return numbered ? `${name}w` : short;
    case 'b':
      return numbered ? `${name}b` : short.endsWith('x') ? `${short[0]!}l` : `${short}l`;
    default:
      return name;
  }
}

function withOperands(text: string, operands: readonly AsmTextOperand[]): string {
  return text.replace(reference, (all, modifier: string | undefined, position?: string, name?: string) => {
    if (all === '%%') return '%';
    if (all === '%=') return '0';
    const index =
      name === undefined ? Number(position) : operands.findIndex(operand => operand.name === name);
    const operand = operands[index];
    if (!operand) return all;
    if (operand.kind === 'immediate')
      return /^[cPp]$/.test(modifier ?? '') ? operand.text : `$${operand.text}`;
    const own = parameterName(operand, index);
    if (operand.kind === 'memory' || modifier === 'a') return `(${own.startsWith('\\') ? own : `%${own}`})`;
    if (own.startsWith('\\')) return modifier === 'k' ? `%e${own}` : own;
    return `%${sized(own, modifier ?? '')}`;
  });
}
