/** What is known at one point of a function: when it is reached, its variables, and memory by name. */
import { no, type Guard } from './guard';
import type { Value } from './value';
import type { ValueSpace } from './values';

export interface State {
  guard: Guard;
  /** Registers that are set in more than one place, by slot. */
  readonly slots: (Value | null)[];
  /** Address → what was stored there. */
  readonly memory: Map<Value, Value>;
}

export const copyState = (state: State, guard: Guard): State => ({
  guard,
  slots: state.slots.slice(),
  memory: new Map(state.memory),
});

/** One state for a place where two paths meet. */
export function mergeStates(space: ValueSpace, a: State, b: State): State {
  if (a.guard === no) return b;
  if (b.guard === no) return a;
  const { guards } = space;
  const guard = guards.or(a.guard, b.guard);
  const select = guards.simplify(a.guard, guard);
  const slots = a.slots.map((value, slot) => {
    const other = b.slots[slot] ?? null;
    if (value === other || !other) return value;
    return value ? space.choice(select, value, other) : other;
  });
  const memory = new Map(a.memory);
  for (const [address, value] of b.memory) {
    const own = memory.get(address) ?? space.load(address, 0);
    if (own !== value) memory.set(address, space.choice(select, own, value));
  }
  for (const [address, value] of a.memory)
    if (!b.memory.has(address)) memory.set(address, space.choice(select, value, space.load(address, 0)));
  return { guard, slots, memory };
}

/** The object that an address points into. */
export function rootOf(address: Value): Value {
  let at = address;
  while (at.kind === 'field' || at.kind === 'index') at = at.base;
  return at;
}

/** Rebuilds a value with some values replaced. */
export function rewrite(
  space: ValueSpace,
  value: Value,
  by: ReadonlyMap<Value, Value>,
  memo: Map<Value, Value>,
): Value {
  const direct = by.get(value);
  if (direct) return direct;
  const known = memo.get(value);
  if (known) return known;
  memo.set(value, value);
  const inner = (v: Value): Value => rewrite(space, v, by, memo);
  let made = value;
  switch (value.kind) {
    case 'linear':
      made = space.linear(
        value.terms.map(([term, factor]) => [inner(term), factor] as const),
        value.constant,
      );
      break;
    case 'binary':
      made = space.binary(value.operator, inner(value.a), inner(value.b), { bits: 64, signed: true });
      break;
    case 'not':
      made = space.not(inner(value.a), { bits: 64, signed: false });
      break;
    case 'choice':
      made = space.choice(value.guard, inner(value.a), inner(value.b));
      break;
    case 'field':
      made = space.field(inner(value.base), value.member);
      break;
    case 'index':
      made = space.index(inner(value.base), inner(value.index));
      break;
    case 'load':
      made = space.load(inner(value.address), value.epoch);
      break;
    case 'call':
      made = space.call(value.name, value.args.map(inner), value.serial);
      break;
    default:
      break;
  }
  memo.set(value, made);
  return made;
}

/** True if any of `wanted` occurs in a value. */
export function mentions(value: Value, wanted: ReadonlySet<Value>, seen = new Set<Value>()): boolean {
  if (wanted.has(value)) return true;
  if (seen.has(value)) return false;
  seen.add(value);
  switch (value.kind) {
    case 'linear':
      return value.terms.some(([term]) => mentions(term, wanted, seen));
    case 'binary':
    case 'choice':
      return mentions(value.a, wanted, seen) || mentions(value.b, wanted, seen);
    case 'not':
      return mentions(value.a, wanted, seen);
    case 'field':
      return mentions(value.base, wanted, seen);
    case 'index':
      return mentions(value.base, wanted, seen) || mentions(value.index, wanted, seen);
    case 'load':
      return mentions(value.address, wanted, seen);
    case 'call':
      return value.args.some(arg => mentions(arg, wanted, seen));
    default:
      return false;
  }
}

/** The first value inside for which `test` holds, or null. */
export function findInside(value: Value, test: (v: Value) => boolean, seen = new Set<Value>()): Value | null {
  if (test(value)) return value;
  if (seen.has(value)) return null;
  seen.add(value);
  const children =
    value.kind === 'linear'
      ? value.terms.map(([term]) => term)
      : value.kind === 'binary' || value.kind === 'choice'
        ? [value.a, value.b]
        : value.kind === 'not'
          ? [value.a]
          : value.kind === 'field'
            ? [value.base]
            : value.kind === 'index'
              ? [value.base, value.index]
              : value.kind === 'load'
                ? [value.address]
                : value.kind === 'call'
                  ? value.args
                  : [];
  for (const child of children) {
    const found = findInside(child, test, seen);
    if (found) return found;
  }
  return null;
}
