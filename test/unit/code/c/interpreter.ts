/**
 * A small, slow interpreter of the IR for tests, independent of the product's: BigInt values, a map for memory,
 * addresses made from hashed member offsets so that no layout is needed.
 */
import type { Instruction, IntegerType, IrFunction, IrModule } from '../../../../src/code/ir';

type External = (args: readonly bigint[], machine: Interpreter) => bigint;

export class Interpreter {
  readonly memory = new Map<bigint, bigint>();
  /** Operations and calls of unknown functions, in order. */
  readonly trace: string[] = [];
  readonly features = new Set<string>();
  readonly externals = new Map<string, External>();
  private readonly symbols = new Map<string, bigint>();
  private readonly names = new Map<bigint, string>();
  private readonly derived = new Map<bigint, Set<bigint>>();
  private next = 1n << 20n;
  private steps = 0;
  private frames = 0;

  constructor(private readonly module: IrModule) {
    for (const variable of module.variables ?? []) {
      for (const { path, value } of variable.initialisers) {
        let address = this.symbol(variable.name);
        let type = variable.type;
        for (const key of path) {
          if (typeof key === 'string') {
            address = this.derive(address, memberOffset(key));
            const tag = type.kind === 'struct' ? type.tag : '';
            const struct = module.structs?.find(one => one.tag === tag);
            type = struct?.members.find(one => one.name === key)?.type ?? { kind: 'unknown', name: '' };
          } else {
            const of = type.kind === 'array' ? type.of : type;
            const text = of.kind === 'integer' ? `u${of.bits}` : of.kind === 'pointer' ? ' *' : 'struct';
            address = this.derive(address, BigInt(key) * elementSize(text));
            type = of;
          }
        }
        if (value.kind === 'constant') this.memory.set(address, value.value);
        else if (value.kind === 'address') this.memory.set(address, this.symbol(value.name));
      }
    }
  }

  symbol(name: string): bigint {
    let address = this.symbols.get(name);
    if (address === undefined) {
      address = this.next += 1n << 16n;
      this.symbols.set(name, address);
      this.names.set(address, name);
    }
    return address;
  }

  /** The address of `variable.member.member`; of an array, of its first element. */
  place(path: string): bigint {
    const [name, ...members] = path.split('.');
    return members.reduce((at, one) => at + memberOffset(one), this.symbol(name!));
  }

  read(path: string): bigint {
    return this.memory.get(this.place(path)) ?? 0n;
  }

  run(name: string, ...args: readonly (bigint | number)[]): bigint {
    const fn = this.module.functions.find(one => one.name === name);
    if (!fn) throw new Error(`no function ${name}`);
    return this.call(fn, args.map(BigInt));
  }

  private call(fn: IrFunction, args: readonly bigint[]): bigint {
    if (fn.unreadable !== null) throw new Error(`${fn.name}: ${fn.unreadable}`);
    const registers = fn.registers.map(() => 0n);
    args.forEach((arg, index) => (registers[index] = pattern(normal(arg, fn.registers[index] ?? word))));
    const frame = this.frames++;
    for (let at = 0; at < fn.code.length;) {
      if (++this.steps > 100_000) throw new Error('too many steps');
      const one = fn.code[at]!;
      if (one.op === 'return') return one.value === null ? 0n : registers[one.value]!;
      if (one.op === 'jump') at = one.target;
      else if (one.op === 'branch') at = registers[one.condition] === 0n ? at + 1 : one.target;
      else {
        this.step(one, registers, frame, fn);
        if ('dst' in one && one.dst !== null)
          checkNormal(registers[one.dst]!, fn.registers[one.dst]!, one, fn);
        at++;
      }
    }
    throw new Error(`${fn.name} runs past its end`);
  }

  private derive(base: bigint, offset: bigint): bigint {
    const address = pattern(base + offset);
    const set = this.derived.get(base);
    if (set) set.add(address);
    else this.derived.set(base, new Set([address]));
    return address;
  }

  /** Everything inside the object at `base`, itself included. */
  private inside(base: bigint, found = new Set<bigint>()): Set<bigint> {
    if (found.has(base)) return found;
    found.add(base);
    for (const one of this.derived.get(base) ?? []) this.inside(one, found);
    return found;
  }

  private step(one: Instruction, r: bigint[], frame: number, fn: IrFunction): void {
    switch (one.op) {
      case 'const':
        r[one.dst] = one.value;
        return;
      case 'address':
        r[one.dst] = this.symbol(one.kind === 'local' ? `${fn.name}#${frame}.${one.name}` : one.name);
        return;
      case 'move':
        r[one.dst] = r[one.a]!;
        return;
      case 'unary': {
        const a = normal(r[one.a]!, one.type);
        const value = one.operator === 'neg' ? -a : one.operator === 'not' ? ~a : a === 0n ? 1n : 0n;
        r[one.dst] = pattern(one.operator === 'lnot' ? value : normal(value, one.type));
        return;
      }
      case 'binary':
        r[one.dst] = binary(one, normal(r[one.a]!, one.type), normal(r[one.b]!, one.type), r[one.b]!);
        return;
      case 'cast':
        r[one.dst] = pattern(normal(r[one.a]!, one.type));
        return;
      case 'field':
        r[one.dst] = this.derive(r[one.base]!, memberOffset(one.member));
        return;
      case 'index': {
        const index = BigInt.asIntN(64, r[one.index]!);
        r[one.dst] = this.derive(r[one.base]!, index * elementSize(one.element));
        return;
      }
      case 'load':
        r[one.dst] = pattern(normal(this.memory.get(r[one.address]!) ?? 0n, one.type));
        return;
      case 'store':
        this.memory.set(r[one.address]!, pattern(normal(r[one.value]!, one.type)));
        return;
      case 'sizeof':
        r[one.dst] = elementSize(one.type);
        return;
      case 'feature':
        r[one.dst] = (one.kind === 'config' ? one.default : this.features.has(one.feature)) ? 1n : 0n;
        return;
      case 'call': {
        const name = one.callee ?? this.names.get(r[one.pointer!]!) ?? '?';
        const args = one.args.map(arg => r[arg]!);
        const target = this.module.functions.find(candidate => candidate.name === name);
        const value = target ? this.call(target, args) : this.external(name, args);
        if (one.dst !== null) r[one.dst] = value;
        return;
      }
      case 'operation':
      case 'primitive': {
        const value = this.primitive(
          one.name,
          one.args.map(arg => r[arg]!),
        );
        if (one.dst !== null) r[one.dst] = value;
        return;
      }
      case 'unknown':
        throw new Error(`unknown ${one.name}: ${one.why}`);
      default:
        throw new Error(one.op);
    }
  }

  private external(name: string, args: readonly bigint[]): bigint {
    const known = this.externals.get(name);
    if (known) return known(args, this);
    this.trace.push(`${name}(${args.map(arg => this.names.get(arg) ?? arg).join(', ')})`);
    return 0n;
  }

  private primitive(name: string, args: readonly bigint[]): bigint {
    const [a = 0n, b = 0n] = args;
    switch (name) {
      case 'struct_zero':
        for (const address of this.inside(a)) this.memory.delete(address);
        return 0n;
      case 'struct_copy': {
        const values = [...this.inside(b)].map(address => [address - b, this.memory.get(address)] as const);
        for (const address of this.inside(a)) this.memory.delete(address);
        for (const [offset, value] of values) {
          if (offset !== 0n) this.derive(a, offset);
          if (value !== undefined) this.memory.set(a + offset, value);
        }
        return 0n;
      }
      default:
        return this.external(name, args);
    }
  }
}

const word: IntegerType = { bits: 64, signed: false };
const pattern = (value: bigint): bigint => BigInt.asUintN(64, value);

function normal(value: bigint, type: IntegerType): bigint {
  if (type.bits === 1) return BigInt.asUintN(64, value) === 0n ? 0n : 1n;
  return type.signed ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value);
}

function checkNormal(value: bigint, type: IntegerType, one: Instruction, fn: IrFunction): void {
  if (one.op === 'call' || one.op === 'primitive' || one.op === 'operation') return;
  if (pattern(normal(value, type)) !== value)
    throw new Error(`${fn.name}: ${one.op} leaves ${value} in ${type.bits}`);
}

function binary(one: Instruction & { op: 'binary' }, a: bigint, b: bigint, amount: bigint): bigint {
  const truth = (value: boolean): bigint => (value ? 1n : 0n);
  const shift = BigInt.asUintN(6, amount);
  const values: Record<typeof one.operator, () => bigint> = {
    add: () => a + b,
    sub: () => a - b,
    mul: () => a * b,
    div: () => a / b,
    mod: () => a % b,
    and: () => a & b,
    or: () => a | b,
    xor: () => a ^ b,
    shl: () => a << shift,
    shr: () => a >> shift,
    eq: () => truth(a === b),
    ne: () => truth(a !== b),
    lt: () => truth(a < b),
    le: () => truth(a <= b),
    gt: () => truth(a > b),
    ge: () => truth(a >= b),
  };
  return pattern(normal(values[one.operator](), one.type));
}

function memberOffset(name: string): bigint {
  let hash = 7n;
  for (const char of name) hash = (hash * 131n + BigInt(char.charCodeAt(0))) % ((1n << 31n) - 1n);
  return hash << 12n;
}

function elementSize(text: string): bigint {
  const integer = /^[us](8|16|32|64)$/.exec(text);
  if (integer) return BigInt(Number(integer[1]) / 8);
  return text.endsWith('*') ? 8n : text === 'bool' ? 1n : 512n;
}
