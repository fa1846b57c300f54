/** What the registers of a function point to, as far as types in the text say: for members without a struct's name. */
import type { Instruction, IrFunction, IrType } from '../code/ir';
import type { Layout } from './layout';
import { typeOfText } from './layout';
import { isMemoryCall } from './primitiveBytes';

export interface Pointees {
  /** Struct that a `field` instruction names a member of. */
  tag(at: number): string;
  /** The type that an address instruction's register points to, after it; null where unknown. */
  type(at: number, which: 'base' | 'first' | 'second'): IrType | null;
}

/** Tags of members whose struct nothing tells: all of them share this one. */
export const unknownStruct = '?';

/** Follows the code once, in order: temporaries are set once, so joins hardly matter. */
export function followPointees(
  fn: IrFunction,
  layout: Layout,
  variable: (name: string) => IrType | null,
): Pointees {
  const types: (IrType | null)[] = fn.registers.map((_, at) => {
    const parameter = fn.parameters[at];
    const type = parameter && fn.language === 'c' ? typeOfText(parameter.type) : null;
    return type?.kind === 'pointer' ? typeOfText(type.to) : null;
  });
  const tags = new Map<number, string>();
  const before = new Map<number, readonly (IrType | null)[]>();
  const locals = new Map((fn.locals ?? []).map(local => [local.name, local.type]));
  fn.code.forEach((one, at) => {
    const step = stepOver(one, types, { layout, variable, locals });
    if (one.op === 'field') tags.set(at, step.tag);
    if (one.op === 'primitive' || (one.op === 'call' && one.callee !== null && isMemoryCall(one.callee)))
      before.set(
        at,
        one.args.map(arg => types[arg] ?? null),
      );
    if (one.op === 'index') before.set(at, [types[one.base] ?? null]);
    if (step.dst !== null) types[step.dst] = step.type;
  });
  return {
    tag: at => tags.get(at) ?? unknownStruct,
    type: (at, which) => before.get(at)?.[which === 'second' ? 1 : 0] ?? null,
  };
}

interface Knowledge {
  readonly layout: Layout;
  variable(name: string): IrType | null;
  readonly locals: ReadonlyMap<string, IrType>;
}

interface Step {
  readonly dst: number | null;
  readonly type: IrType | null;
  readonly tag: string;
}

const nothing: Step = { dst: null, type: null, tag: unknownStruct };

/** What an instruction makes of the types. */
function stepOver(one: Instruction, types: readonly (IrType | null)[], known: Knowledge): Step {
  switch (one.op) {
    case 'address': {
      const type = one.kind === 'local' ? (known.locals.get(one.name) ?? null) : known.variable(one.name);
      return { ...nothing, dst: one.dst, type };
    }
    case 'move':
    case 'cast':
      return { ...nothing, dst: one.dst, type: types[one.a] ?? null };
    case 'field':
      return stepField(one, types[one.base] ?? null, known.layout);
    case 'index': {
      const base = types[one.base] ?? null;
      const element = typeOfText(one.element);
      const named = element.kind !== 'unknown' || element.name !== '';
      const type = named ? element : base?.kind === 'array' ? base.of : base;
      return { ...nothing, dst: one.dst, type };
    }
    case 'load': {
      const from = types[one.address] ?? null;
      return { ...nothing, dst: one.dst, type: from?.kind === 'pointer' ? typeOfText(from.to) : null };
    }
    case 'primitive': {
      const keeps = one.name === 'per_cpu_ptr' || one.name === 'this_cpu_ptr';
      const first = one.args[0];
      return { ...nothing, dst: one.dst, type: keeps && first !== undefined ? (types[first] ?? null) : null };
    }
    case 'const':
    case 'unary':
    case 'binary':
    case 'sizeof':
    case 'feature':
    case 'call':
    case 'operation':
    case 'unknown':
      return { ...nothing, dst: one.dst };
    default:
      return nothing;
  }
}

function stepField(one: Extract<Instruction, { op: 'field' }>, base: IrType | null, layout: Layout): Step {
  let tag = one.struct;
  if (tag === null && base) {
    const type = base.kind === 'array' ? base.of : base;
    if (type.kind === 'struct' || type.kind === 'unknown') tag = layout.tagOf(type, '') || null;
  }
  tag ??= layout.onlyStructWith(one.member) ?? unknownStruct;
  layout.need(tag, one.member);
  const type = layout.memberType(tag, one.member);
  return { dst: one.dst, type, tag };
}
