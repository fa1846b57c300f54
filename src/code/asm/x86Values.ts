/** Reading and writing the operands of x86-64 instructions. */
import type { Register } from '../ir';
import { signed, unsigned, word, type Width } from './builder';
import { looksLikeOffset, offsetMember } from './constants';
import { parseExpression, type Expression } from './expression';
import type { Snapshot } from './flags';
import type { Frame } from './frame';
import type { MemoryOperand, Operand, RegisterOperand, Segment } from './operands';

/** An operand with the text it came from. */
export interface Source {
  readonly operand: Operand;
  readonly text: string;
}

const slot = 'unsigned long';

export class X86Values {
  constructor(readonly frame: Frame) {}

  variable(register: RegisterOperand): Register {
    return this.frame.builder.variable(register.name);
  }

  machine(name: string): Register {
    return this.frame.builder.variable(name);
  }

  /** Notes that `name` is overwritten, and gives its register. */
  target(name: string): Register {
    this.frame.touch(name);
    return this.frame.builder.variable(name);
  }

  /** The value of an operand, `bits` wide. */
  read(operand: Operand, bits: Width): Register {
    const { builder } = this.frame;
    switch (operand.kind) {
      case 'register': {
        const whole = this.variable(operand);
        if (operand.high) {
          const shifted = builder.binary('shr', whole, builder.constant(8n));
          return builder.cast(shifted, unsigned(8));
        }
        return bits === 64 ? whole : builder.cast(whole, unsigned(bits));
      }
      case 'immediate':
        return this.frame.value(operand.expression, bits);
      case 'memory': {
        const address = this.address(operand);
        const dst = builder.temp(unsigned(bits));
        builder.emit({ op: 'load', dst, address, type: unsigned(bits) });
        return dst;
      }
      default: {
        const dst = builder.temp(unsigned(bits));
        builder.emit({ op: 'unknown', dst, name: 'operand', why: 'This operand cannot be read here.' });
        return dst;
      }
    }
  }

  /** The value with what is needed to tell later whether it still stands in its register. */
  snapshot({ operand, text }: Source, bits: Width): Snapshot {
    const register = this.read(operand, bits);
    const source = operand.kind === 'register' && bits === 64 && !operand.high ? operand.name : '';
    return { register, source, version: source === '' ? 0 : this.frame.version(source), text };
  }

  /** A temporary as a snapshot: it never changes. */
  fixed(register: Register, text: string): Snapshot {
    return { register, source: '', version: 0, text };
  }

  /** Stores a value (normalised to `bits`) in a register or in memory, by the rules for partial registers. */
  write(operand: Operand, value: Register, bits: Width): void {
    const { builder } = this.frame;
    if (operand.kind === 'memory') {
      const address = this.address(operand);
      builder.emit({ op: 'store', address, value, type: unsigned(bits) });
    } else if (operand.kind === 'register') {
      this.writeRegister(operand, value, bits);
    } else {
      builder.emit({
        op: 'unknown',
        dst: null,
        name: 'operand',
        why: 'This operand cannot be written here.',
      });
    }
  }

  private writeRegister(operand: RegisterOperand, value: Register, bits: Width): void {
    const { builder } = this.frame;
    const dst = this.variable(operand);
    if (bits >= 32) {
      // 32-bit results clear the upper half, which a value normalised to 32 bits has clear.
      builder.emit({ op: 'move', dst, a: value });
    } else {
      const shift = operand.high ? 8n : 0n;
      const mask = ~(((1n << BigInt(bits)) - 1n) << shift);
      const rest = builder.binary('and', dst, builder.constant(mask));
      const placed = shift ? builder.binary('shl', value, builder.constant(shift)) : value;
      builder.binary('or', rest, placed, word, dst);
    }
    this.frame.touch(operand.name);
  }

  /** The register to compute a result into: the machine register itself where the whole of it is written. */
  result(operand: Operand, bits: Width): Register | null {
    return operand.kind === 'register' && bits === 64 ? this.variable(operand) : null;
  }

  /** Address of a memory operand. */
  address(operand: MemoryOperand): Register {
    const { builder } = this.frame;
    const parts = this.displacement(operand);
    let address: Register;
    if (operand.base) address = this.variable(operand.base);
    else if (parts.symbol !== null) address = this.global(parts.symbol, operand.segment);
    else if (operand.index) address = builder.constant(0n);
    else {
      address = builder.constant(BigInt(parts.offset));
      if (operand.segment) return this.inSegment(address, operand.segment);
      parts.offset = 0;
    }
    if (operand.segment && (operand.base || operand.segment === 'fs'))
      address = this.inSegment(address, operand.segment);
    // A symbol beside a base register is an offset of a struct, or a table indexed by the register.
    if (operand.base && parts.symbol !== null)
      address = looksLikeOffset(parts.symbol)
        ? this.member(address, parts.symbol)
        : builder.binary('add', this.global(parts.symbol, operand.segment), address);
    if (operand.index) address = this.scaled(address, operand.index, operand.scale);
    for (const name of parts.offsets) address = this.member(address, name);
    for (const rest of parts.computed) address = builder.binary('add', address, rest);
    return parts.offset === 0 ? address : this.step(address, parts.offset);
  }

  /** Moves an address by bytes: whole words as an index, so that no layout is needed. */
  step(address: Register, bytes: number, dst = this.frame.builder.temp()): Register {
    const { builder } = this.frame;
    if (bytes % 8 !== 0) return builder.binary('add', address, builder.constant(BigInt(bytes)), word, dst);
    const index = builder.temp(signed(64));
    builder.emit({ op: 'const', dst: index, value: BigInt(bytes / 8) });
    builder.emit({ op: 'index', dst, base: address, index, element: slot });
    return dst;
  }

  private scaled(base: Register, register: RegisterOperand, scale: number): Register {
    const { builder } = this.frame;
    const index = this.variable(register);
    if (scale === 8 || scale === 4) {
      const dst = builder.temp();
      builder.emit({ op: 'index', dst, base, index, element: scale === 8 ? slot : 'unsigned int' });
      return dst;
    }
    const factor = scale === 1 ? index : builder.binary('mul', index, builder.constant(BigInt(scale)));
    return builder.binary('add', base, factor);
  }

  private member(base: Register, name: string): Register {
    const dst = this.frame.builder.temp();
    this.frame.builder.emit({ op: 'field', dst, base, ...offsetMember(name), bits: null });
    return dst;
  }

  global(name: string, segment: Segment): Register {
    const dst = this.frame.builder.temp();
    this.frame.builder.emit({ op: 'address', dst, name, kind: segment === 'per-cpu' ? 'per-cpu' : 'global' });
    return dst;
  }

  /** The address of this CPU's copy of a per-CPU object whose offset is in a register, or of an offset from FS. */
  private inSegment(offset: Register, segment: 'per-cpu' | 'fs'): Register {
    const dst = this.frame.builder.temp();
    const name = segment === 'fs' ? 'rdfsbase' : 'this_cpu_ptr';
    this.frame.builder.emit({ op: 'primitive', name, dst, args: segment === 'fs' ? [] : [offset] });
    return segment === 'fs' ? this.frame.builder.binary('add', dst, offset) : dst;
  }

  /** Takes a displacement apart: a symbol, a number of bytes, names of members, and what must be computed. */
  private displacement(operand: MemoryOperand): {
    symbol: string | null;
    offset: number;
    offsets: string[];
    computed: Register[];
  } {
    const parts = {
      symbol: null as string | null,
      offset: 0,
      offsets: [] as string[],
      computed: [] as Register[],
    };
    if (operand.displacement === '') return parts;
    const expression = parseExpression(operand.displacement);
    if (!expression) {
      parts.symbol = operand.displacement;
      return parts;
    }
    const known = this.frame.evaluate(expression);
    if (known !== null && fits(known)) {
      parts.offset = Number(known);
      return parts;
    }
    const names: string[] = [];
    for (const { term, negative } of terms(expression)) {
      const value = this.frame.evaluate(term);
      if (value !== null && fits(value)) parts.offset += Number(negative ? -value : value);
      else if (term.kind === 'name' && !negative && !term.name.startsWith('\\')) names.push(term.name);
      else if (term.kind === 'call' && !negative) names.push(callText(term));
      else if (!this.isSizeBias(term)) parts.computed.push(this.compute(term, negative));
    }
    const variable = names.findIndex(name => !looksLikeOffset(name));
    if (variable >= 0) parts.symbol = names.splice(variable, 1)[0]!;
    else if (!operand.base && names.length > 0) parts.symbol = names.shift()!;
    parts.offsets = names;
    // `1 - CPUINFO_sizeof + CPUINFO_x`: the member of a struct at the end of a stack.
    if (parts.offsets.length > 0 && expressionHasSize(expression)) parts.offset -= 1;
    return parts;
  }

  /** `…_sizeof` in a displacement belongs to the way in which Xen finds its `cpu_info` at the end of the stack. */
  private isSizeBias(term: Expression): boolean {
    return term.kind === 'name' && term.name.endsWith('_sizeof');
  }

  private compute(term: Expression, negative: boolean): Register {
    const value = this.frame.value(expressionText(term), 64);
    if (!negative) return value;
    const dst = this.frame.builder.temp();
    this.frame.builder.emit({ op: 'unary', dst, operator: 'neg', a: value, type: word });
    return dst;
  }
}

const fits = (value: bigint): boolean => value >= -(1n << 52n) && value <= 1n << 52n;

function* terms(
  expression: Expression,
  negative = false,
): Generator<{ readonly term: Expression; readonly negative: boolean }> {
  if (expression.kind === 'binary' && (expression.operator === '+' || expression.operator === '-')) {
    yield* terms(expression.a, negative);
    yield* terms(expression.b, (expression.operator === '-') !== negative);
  } else yield { term: expression, negative };
}

function expressionHasSize(expression: Expression): boolean {
  for (const { term, negative } of terms(expression))
    if (negative && term.kind === 'name' && term.name.endsWith('_sizeof')) return true;
  return false;
}

/** The text of an expression, in full parentheses. */
function expressionText(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
      return String(expression.value);
    case 'name':
      return expression.name;
    case 'unary':
      return `${expression.operator}(${expressionText(expression.a)})`;
    case 'binary':
      return `(${expressionText(expression.a)}) ${expression.operator} (${expressionText(expression.b)})`;
    case 'call':
      return callText(expression);
  }
}

function callText(call: Expression & { readonly kind: 'call' }): string {
  const args = call.args.map(expressionText).join(', ');
  // Xen's member of the per-CPU record at the end of the stack.
  if (call.name === 'STACK_CPUINFO_FIELD') return `CPUINFO_${args}`;
  return `${call.name}(${args})`;
}
