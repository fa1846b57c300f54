/**
 * Runs a loop as a summary. Its turns are counted from the test that leaves it; every block of its body then counts
 * that often (a block before the test once more). Variables that move by the same step each turn are followed; one that
 * is a constant before the loop and another constant after the first turn makes the first turn run by itself.
 */
import type { Loop } from './flow';
import { no, yes, type Guard } from './guard';
import { copyState, mentions, mergeStates, rewrite, type State } from './machineState';
import {
  add,
  constant,
  constantOf,
  equals,
  multiply,
  one,
  print,
  subtract,
  symbol,
  zero,
  type Polynomial,
} from './polynomial';
import { isStride, pageSize } from './quantity';
import type { Edge, ExitTest, Frame, Mode, Weight } from './frame';
import type { Runner } from './runner';
import { symbolText } from './show';
import { bodyOrder, jumpsOf, readCell, survey, writeCell, type ChangingCell, type Survey } from './survey';
import { tripOf, type Cell } from './trip';
import { settledBySecondTurn } from './loopValues';
import { isUnseenHead, turnsByStep } from './unseenHeads';
import type { Value } from './value';

interface Turns {
  readonly weight: Weight;
  readonly exit: ExitTest | null;
  /** Counted, rather than named after the source. */
  readonly known: boolean;
}

/** A test whose outcome depends on the path has one count per alternative. */
function alternatives(test: Value, guard: Guard, runner: Runner): { guard: Guard; test: Value }[] {
  if (test.kind !== 'choice') return [{ guard, test }];
  const { guards } = runner.space;
  return [
    ...alternatives(test.a, guards.and(guard, test.guard), runner),
    ...alternatives(test.b, guards.and(guard, guards.not(test.guard)), runner),
  ].filter(part => part.guard !== no);
}

const retried = /cmpxchg|trylock|seqretry|seqcount_retry|try_cmpxchg|xadd/;

function turnsOf(runner: Runner, frame: Frame, loop: Loop, { cells, exits }: Survey): Turns {
  const { space } = runner;
  const wide = cells.some(cell => {
    const register = cell.slot === null ? -1 : frame.slotOf.indexOf(cell.slot);
    return (
      cell.step !== null &&
      cell.step.id !== space.constant(0).id &&
      (register < 0 || (frame.fn.registers[register]!.bits === 64 && !frame.fn.registers[register]!.signed))
    );
  });
  const byPages = stepsPages(frame, cells) || countsPages(frame, loop);
  const context = { space, cells, wide, byPages };
  let best: Turns | null = null;
  for (const exit of exits) {
    const parts = alternatives(exit.test, yes, runner).map(part => ({
      guard: part.guard,
      trip: tripOf(context, part.test, !exit.leaves),
    }));
    if (parts.every(part => part.trip.how === 'unknown')) continue;
    const weight = parts.map(part => ({
      guard: part.guard,
      count: part.trip.how === 'unknown' ? named(exit) : spelled(part.trip.turns, exit),
    }));
    const settled = weight.every(part => constantOf(part.count) !== null);
    if (!best || (settled && !best.weight.every(part => constantOf(part.count) !== null)))
      best = { weight, exit, known: true };
  }
  if (best) return best;
  const hidden = exits.find(test => isUnseenHead(test.test));
  if (hidden && exits.length === 1) {
    const atEnd = frame.flow.blocks[hidden.block]!.next.includes(loop.header);
    const { turns, known } = turnsByStep(cells, atEnd);
    if (known && !runner.quiet)
      runner.recording.assumed.add('a loop whose condition is not shown walks the range');
    return { weight: [{ guard: yes, count: turns }], exit: hidden, known };
  }
  const exit = exits.find(test => test.block === loop.header) ?? exits.at(-1) ?? null;
  if (!exit) return { weight: [{ guard: yes, count: one }], exit: null, known: false };
  // A loop left at its end unless something failed is a retry: it runs once.
  const changing = new Set(cells.filter(({ step }) => step !== space.constant(0)).map(cell => cell.symbol));
  const bottom = goesBack(frame, loop, exit.block);
  const fresh = !mentions(exit.test, changing);
  if (bottom && (fresh || retried.test(exit.text))) {
    if (!runner.quiet) runner.recording.assumed.add(`no retry: ${exit.text}`);
    return { weight: [{ guard: yes, count: zero }], exit, known: true };
  }
  return { weight: [{ guard: yes, count: named(exit) }], exit, known: false };
}

/** Whether a block goes back to the head of its loop, perhaps by a block that only jumps there (`goto again`). */
function goesBack({ flow, fn }: Frame, loop: Loop, block: number): boolean {
  const onlyJumps = (at: number): boolean => {
    const { first, end, next } = flow.blocks[at]!;
    return end === first + 1 && fn.code[first]!.op === 'jump' && next[0] === loop.header;
  };
  return flow.blocks[block]!.next.some(next => next === loop.header || onlyJumps(next));
}

/** The length of an array is what the source calls it. */
function spelled(turns: Polynomial, exit: ExitTest): Polynomial {
  const array = /ARRAY_SIZE\([^()]*\)/.exec(exit.text.slice(0, 300));
  return array && print(turns).includes('sizeof') ? symbol(`(${array[0].replace(/\s+/g, '')})`) : turns;
}

/** The source's own expression as the number of turns. */
function named(exit: ExitTest): Polynomial {
  const text = exit.text.replace(/\s+/g, '').replace(/[^\w.,<>=!&|()*-]/g, '');
  if (text === '') return symbol(symbolText(exit.test));
  const balanced = text.length <= 70 && text.split('(').length === text.split(')').length;
  return symbol(`(${balanced ? text : text.slice(0, 60).replace(/[()]/g, '')})`);
}

/** Whether a counter of the loop is used times a page or more, as an address: `start + i * PAGE_SIZE`. */
function stepsPages(frame: Frame, cells: readonly Cell[]): boolean {
  const counters = new Set(cells.map(cell => cell.symbol));
  for (const value of frame.sums)
    if (value.kind === 'linear' && value.terms.some(([term, factor]) => byPage(term, factor, counters)))
      return true;
  return false;
}

/** Operations that take an address. */
const byAddress = new Set(['INVLPG', 'INVLPGB', 'TLBI_VA', 'TLBI_VA_IS']);

/**
 * Assembly that counts a register down around an operation by address counts pages: where the address moves (`add x0,
 * x0, #1` in units of pages) says no more than the operation does.
 */
function countsPages(frame: Frame, loop: Loop): boolean {
  if (frame.fn.language !== 'asm') return false;
  return [...loop.blocks].some(block => {
    const { first, end } = frame.flow.blocks[block]!;
    return frame.fn.code
      .slice(first, end)
      .some(instruction => instruction.op === 'operation' && byAddress.has(instruction.name));
  });
}

/** A counter times a page, or shifted left by some page shift. */
const byPage = (term: Value, factor: bigint, counters: ReadonlySet<Value>): boolean =>
  (factor % pageSize === 0n && counters.has(term)) ||
  (term.kind === 'binary' &&
    ((term.operator === 'shl' && counters.has(term.a)) ||
      (term.operator === 'mul' &&
        ((counters.has(term.a) && isStride(term.b)) || (counters.has(term.b) && isStride(term.a))))));

/** Blocks that run once more than the loop goes on: those on the way to the test that leaves it. */
function onTheWayToExit(frame: Frame, loop: Loop, exit: number): Set<number> {
  const { blocks } = frame.flow;
  const stay = blocks[exit]!.next.find(next => loop.blocks.has(next));
  const found = new Set<number>([loop.header]);
  const walk = [loop.header];
  while (walk.length) {
    const block = walk.pop()!;
    for (const next of blocks[block]!.next) {
      if (!loop.blocks.has(next) || next === loop.header || found.has(next)) continue;
      if (block === exit && next === stay) continue;
      found.add(next);
      walk.push(next);
    }
  }
  return found;
}

const scale = (runner: Runner, outer: Weight, turns: Weight, extra: bigint): Weight =>
  outer.flatMap(a =>
    turns.flatMap(b => {
      const guard = runner.space.guards.and(a.guard, b.guard);
      const count = multiply(a.count, add(b.count, constant(extra)));
      return guard === no ? [] : [{ guard, count }];
    }),
  );

/** A count of turns that only has the source's own words. */
const isNamed = (count: Polynomial): boolean =>
  [...count.terms.keys()].every(monomial => monomial.startsWith('('));

/**
 * A loop over parts of a range inside a loop over the range is one walk over the range: n, not n·n, and also where the
 * outer loop's turns (tables, sections) cannot be counted.
 */
function withinRange(outer: Weight, turns: Weight): Weight {
  const n = symbol('n');
  if (!turns.some(part => equals(part.count, n))) return outer;
  return outer.map(part =>
    equals(part.count, n) || isNamed(part.count) ? { guard: part.guard, count: one } : part,
  );
}

/** Runs a loop from the state in which its header is first reached; gives the edges that leave it. */
export function runLoop(runner: Runner, frame: Frame, loop: Loop, entry: State, outer: Mode): Edge[] {
  const { space } = runner;
  const order = bodyOrder(frame, loop);
  const found = survey(runner, frame, loop, entry, order);
  const turns = turnsOf(runner, frame, loop, found);
  const moving = found.cells.filter(
    cell => cell.step !== null && cell.step.kind === 'constant' && cell.step.value === 0n,
  );
  const still = new Set(moving);
  const outerWeight = outer.weightOf(loop.header);
  const nested = dependsOnOuter(found, outer) ? withinRange(outerWeight, turns.weight) : outerWeight;
  const early = turns.exit ? onTheWayToExit(frame, loop, turns.exit.block) : new Set(loop.blocks);
  const mode = (count: Weight): Mode => {
    const full = scale(runner, nested, count, 1n);
    const body = scale(runner, nested, count, 0n);
    return {
      loop,
      exits: null,
      countedExit: turns.exit?.block ?? null,
      weightOf: block => (early.has(block) ? full : body),
    };
  };
  // The first turn by itself where a cell changes from one constant to another.
  const jumps = jumpsOf(runner, frame, loop, entry, order, found.cells);
  const peeled = jumps.length > 0 && !turns.weight.every(part => constantOf(part.count) === 0n);
  let rest = turns.weight;
  let state = entry;
  const edges: Edge[] = [];
  if (peeled) {
    const first = runner.region(frame, order, loop.header, copyState(entry, entry.guard), {
      ...mode([{ guard: yes, count: zero }]),
      weightOf: () => nested,
    });
    edges.push(...first.out.filter(edge => edge.from !== turns.exit?.block));
    const back = first.back.reduce<State | null>((a, b) => (a ? mergeStates(space, a, b) : b), null);
    if (back) state = back;
    rest = turns.weight.map(part => ({ guard: part.guard, count: subtract(part.count, one) }));
  }
  const start = copyState(state, state.guard);
  const symbols = new Map<ChangingCell, Value>();
  for (const cell of found.cells) {
    if (still.has(cell) || (peeled && jumps.includes(cell))) continue;
    const initial = readCell(runner, state, cell.slot, cell.address) ?? cell.initial;
    const key = cell.step
      ? `iv:${frame.depth}:${loop.depth}:${initial.id}:${cell.step.id}`
      : `lv:${frame.depth}:${loop.depth}:${cell.name}`;
    const stand = space.symbol(cell.name, key);
    symbols.set(cell, stand);
    writeCell(start, cell.slot, cell.address, stand);
  }
  const { out } = runner.region(frame, order, loop.header, start, mode(rest));
  edges.push(...leave(runner, state, out, turns, symbols, rest));
  return edges;
}

/** Whether the bounds of a loop depend on what an outer loop changes. */
function dependsOnOuter(found: Survey, outer: Mode): boolean {
  if (!outer.loop) return false;
  return found.cells.some(cell => cell.initial.kind === 'symbol' && /^[il]v:/.test(cell.initial.key));
}

/** Edges out of a loop, with its variables at the values they end with. */
function leave(
  runner: Runner,
  entry: State,
  out: readonly Edge[],
  turns: Turns,
  symbols: ReadonlyMap<ChangingCell, Value>,
  rest: Weight,
): Edge[] {
  const { space } = runner;
  const { guards } = space;
  const others = out.filter(edge => edge.from !== turns.exit?.block);
  const elsewhere = others.reduce<Guard>((sum, edge) => guards.or(sum, edge.state.guard), no);
  const final = new Map<Value, Value>();
  for (const [cell, stand] of symbols) final.set(stand, finalValue(runner, cell, stand, rest));
  const memo = new Map<Value, Value>();
  const settle = (value: Value): Value => rewrite(space, value, final, memo);
  return out.map(edge => {
    if (edge.from !== turns.exit?.block) return edge;
    const state: State = {
      guard: guards.and(entry.guard, guards.not(elsewhere)),
      slots: edge.state.slots.map(value => value && settle(value)),
      memory: new Map([...edge.state.memory].map(([address, value]) => [address, settle(value)])),
    };
    return { ...edge, state };
  });
}

/** start + turns · step, as a value. */
function finalValue(runner: Runner, cell: ChangingCell, stand: Value, rest: Weight): Value {
  const { space } = runner;
  const { step, initial } = cell;
  if (!step) return settledBySecondTurn(runner, cell) ?? stand;
  return rest
    .map(part => {
      const turns = constantOf(part.count);
      const count =
        turns !== null
          ? space.constant(turns)
          : space.symbol(print(part.count), `count:${print(part.count)}`);
      const way = space.binary('mul', count, step, { bits: 64, signed: true });
      return { guard: part.guard, value: space.add(initial, way) };
    })
    .reduceRight<Value | null>(
      (sum, part) => (sum ? space.choice(part.guard, part.value, sum) : part.value),
      null,
    )!;
}
