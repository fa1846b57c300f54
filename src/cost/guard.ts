/**
 * Guards: when a piece of code runs, as a Boolean function of conditions ("atoms"). Reduced ordered decision diagrams,
 * so equal functions are the same node and the two arms of a branch join again to what was there before it.
 */

/** A node; `no` and `yes` are the constants. Compare with ===. */
export interface Guard {
  readonly id: number;
  /** Index of the atom tested, or Infinity for a constant. */
  readonly atom: number;
  readonly low: Guard | null;
  readonly high: Guard | null;
}

export const no: Guard = { id: 0, atom: Infinity, low: null, high: null };
export const yes: Guard = { id: 1, atom: Infinity, low: null, high: null };

/** Thrown when a function has more conditions than can be kept apart. */
export class TooManyConditions extends Error {
  override readonly name = 'TooManyConditions';
}

/** Three ids below it fit into one number: its cube is less than 2^53. */
const mostNodes = 200_000;
const base = mostNodes + 2;

const triple = (a: number, b: number, c: number): number => (a * base + b) * base + c;

/** Makes and combines guards. Guards of different spaces must not be mixed. */
export class GuardSpace {
  // Three ids make one number, exactly.
  private readonly nodes = new Map<number, Guard>();
  private readonly joined = new Map<number, Guard>();
  private readonly restricted = new Map<number, Guard>();
  private readonly simplified = new Map<number, Guard>();
  private next = 2;

  /** `limit`: greatest number of nodes. */
  constructor(private readonly limit = mostNodes) {}

  /** Nodes and answers that are kept. */
  get size(): number {
    return this.nodes.size + this.joined.size + this.restricted.size + this.simplified.size;
  }

  private node(atom: number, low: Guard, high: Guard): Guard {
    if (low === high) return low;
    const key = triple(atom, low.id, high.id);
    const known = this.nodes.get(key);
    if (known) return known;
    if (this.next > this.limit) throw new TooManyConditions('too many conditions');
    const made: Guard = { id: this.next++, atom, low, high };
    this.nodes.set(key, made);
    return made;
  }

  /** The guard that holds when atom `index` does. */
  atom(index: number): Guard {
    return this.node(index, no, yes);
  }

  /** If-then-else; every other operation is made of it. */
  ite(test: Guard, then: Guard, otherwise: Guard): Guard {
    if (test === yes || then === otherwise) return then;
    if (test === no) return otherwise;
    if (then === yes && otherwise === no) return test;
    const key = triple(test.id, then.id, otherwise.id);
    const known = this.joined.get(key);
    if (known) return known;
    const atom = Math.min(test.atom, then.atom, otherwise.atom);
    const low = this.ite(
      cofactor(test, atom, false),
      cofactor(then, atom, false),
      cofactor(otherwise, atom, false),
    );
    const high = this.ite(
      cofactor(test, atom, true),
      cofactor(then, atom, true),
      cofactor(otherwise, atom, true),
    );
    const made = this.node(atom, low, high);
    this.joined.set(key, made);
    return made;
  }

  and(a: Guard, b: Guard): Guard {
    return this.ite(a, b, no);
  }

  or(a: Guard, b: Guard): Guard {
    return this.ite(a, yes, b);
  }

  not(a: Guard): Guard {
    return this.ite(a, no, yes);
  }

  /** `g` with atom `index` settled. */
  restrict(g: Guard, index: number, value: boolean): Guard {
    if (g.atom > index) return g;
    if (g.atom === index) return (value ? g.high : g.low)!;
    const key = triple(g.id, index, value ? 1 : 0);
    const known = this.restricted.get(key);
    if (known) return known;
    const made = this.node(g.atom, this.restrict(g.low!, index, value), this.restrict(g.high!, index, value));
    this.restricted.set(key, made);
    return made;
  }

  /** A guard that equals `g` wherever `care` holds, and is simpler if that is possible. */
  simplify(g: Guard, care: Guard): Guard {
    if (care === yes || g.atom === Infinity) return g;
    if (care === no) return no;
    const key = triple(0, g.id, care.id);
    const known = this.simplified.get(key);
    if (known) return known;
    let made: Guard;
    if (care.atom < g.atom) made = this.simplify(g, this.or(care.low!, care.high!));
    else {
      const careLow = cofactor(care, g.atom, false);
      const careHigh = cofactor(care, g.atom, true);
      if (careLow === no) made = this.simplify(g.high!, careHigh);
      else if (careHigh === no) made = this.simplify(g.low!, careLow);
      else made = this.node(g.atom, this.simplify(g.low!, careLow), this.simplify(g.high!, careHigh));
    }
    this.simplified.set(key, made);
    return made;
  }
}

const cofactor = (g: Guard, atom: number, value: boolean): Guard =>
  g.atom === atom ? (value ? g.high : g.low)! : g;

const supports = new WeakMap<Guard, readonly number[]>();

/** Atoms that the value of `g` depends on. */
export function atomsOf(g: Guard): readonly number[] {
  const known = supports.get(g);
  if (known) return known;
  const found = new Set<number>();
  const seen = new Set<Guard>();
  const walk = [g];
  while (walk.length) {
    const node = walk.pop()!;
    if (node.atom === Infinity || seen.has(node)) continue;
    seen.add(node);
    found.add(node.atom);
    walk.push(node.low!, node.high!);
  }
  const made = [...found];
  supports.set(g, made);
  return made;
}

export function support(g: Guard, into = new Set<number>()): Set<number> {
  for (const atom of atomsOf(g)) into.add(atom);
  return into;
}

/** The value of `g` under an assignment; atoms it does not mention count as false. */
export function holds(g: Guard, assignment: ReadonlyMap<number, boolean>): boolean {
  let node = g;
  while (node.atom !== Infinity) node = (assignment.get(node.atom) ? node.high : node.low)!;
  return node === yes;
}
