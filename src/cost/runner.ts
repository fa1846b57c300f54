/**
 * Runs a function symbolically, under one exact set of features, and records the operations it performs.
 *
 * Paths that meet are merged, never enumerated: a value that depends on the path becomes a choice, and an operation is
 * recorded once with the guard under which its block is reached. Loops are run as summaries (loops.ts), calls are
 * followed (calls.ts). Work is bounded by a budget of instructions.
 */
import type { Instruction, IrFunction } from '../code/ir';
import type { FeatureSet } from './features';
import { flowOf, type Flow, type Loop } from './flow';
import { no, yes, type Guard } from './guard';
import { copyState, mergeStates, type State } from './machineState';
import { constant, multiply, type Polynomial } from './polynomial';
import type { Program } from './program';
import { Recording, type Place } from './record';
import { step } from './instructions';
import { runLoop } from './loops';
import type { Value, ValueSpace } from './values';

/** How often something runs: alternatives that exclude each other. */
export type Weight = readonly { readonly guard: Guard; readonly count: Polynomial }[];

export const onceWeight: Weight = [{ guard: yes, count: constant(1) }];

/** Thrown when a bound is reached; the function is then unknown, never half-priced. */
export class BeyondBound extends Error {
  override readonly name = 'BeyondBound';
}

const instructionLimit = 20_000;
const loopLimit = 200;

/** One call of a function that is being run. */
export interface Frame {
  readonly fn: IrFunction;
  readonly gaps: ReadonlySet<number>;
  readonly flow: Flow;
  /** Temporaries, which are set in one place only. */
  readonly single: (Value | null)[];
  /** Slot of a variable, or of a register that is set in several places, else -1. */
  readonly slotOf: Int32Array;
  readonly slotCount: number;
  readonly depth: number;
  /** Names of the functions from the priced one to this one. */
  readonly chain: readonly string[];
  /** The line of the priced function that leads here; null in the priced function itself. */
  readonly site: Place | null;
  readonly returns: { guard: Guard; value: Value | null; state: State }[];
  /** Sums that were worked out while a loop's turns are looked for: addresses made of its counter are among them. */
  readonly sums: Set<Value>;
}

/** A way out of a block. */
export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly state: State;
}

/** A branch that leaves a loop, met while its turns are being worked out. */
export interface ExitTest {
  readonly block: number;
  readonly test: Value;
  /** The value of the test for which the loop is left. */
  readonly leaves: boolean;
  readonly text: string;
}

/** What a region is run for. */
export interface Mode {
  /** The loop whose body is run, or null for a whole function. */
  readonly loop: Loop | null;
  /** Turns are being worked out: exits are collected and nothing is recorded. */
  readonly exits: ExitTest[] | null;
  /** The block whose branch is the loop's counted exit: it is no condition of its own. */
  readonly countedExit: number | null;
  /** How often each block runs. */
  readonly weightOf: (block: number) => Weight;
}

interface Shape {
  /** Instructions before which the function has lines that are not shown. */
  readonly gaps: ReadonlySet<number>;
  readonly flow: Flow;
  readonly slotOf: Int32Array;
  readonly slotCount: number;
}

/** By code: a function that only moved in the document keeps its shape. */
const shapes = new WeakMap<IrFunction['code'], Shape>();

const destination = (instruction: Instruction): number | null =>
  'dst' in instruction ? instruction.dst : null;

function shapeOf(fn: IrFunction): Shape {
  const known = shapes.get(fn.code);
  if (known) return known;
  if (fn.code.length > instructionLimit) throw new BeyondBound(`more than ${instructionLimit} instructions`);
  const flow = flowOf(fn);
  if (flow.irreducible) throw new BeyondBound('a loop with more than one way in');
  if (flow.loops.size > loopLimit) throw new BeyondBound(`more than ${loopLimit} loops`);
  const sets = new Int32Array(fn.registers.length);
  fn.parameters.forEach((_, at) => sets[at]!++);
  for (const instruction of fn.code) {
    const dst = destination(instruction);
    if (dst !== null) sets[dst]!++;
  }
  const slotOf = new Int32Array(fn.registers.length).fill(-1);
  let slotCount = 0;
  sets.forEach((count, register) => {
    // A variable that is set once may be one whose first value stands in lines that are not shown.
    if (count > 1 || (count === 1 && fn.names[register])) slotOf[register] = slotCount++;
  });
  const shape = { flow, slotOf, slotCount, gaps: gapsOf(fn) };
  shapes.set(fn.code, shape);
  return shape;
}

/** The end of a function without a return of its own stands at its last statement, but does not belong to it. */
const isImplicitReturn = (fn: IrFunction, at: number): boolean => {
  const instruction = fn.code[at]!;
  return at === fn.code.length - 1 && instruction.op === 'return' && instruction.value === null;
};

/** Whether two neighbouring lines of a unit have lines between them that are not shown. */
const isGap = (fn: IrFunction, line: number): boolean => {
  const [above, here] = [fn.unit.lines[line - 1], fn.unit.lines[line]];
  return (
    above !== undefined &&
    here !== undefined &&
    above.hunk !== here.hunk &&
    here.fileLine !== above.fileLine + 1
  );
};

/** The first instructions behind each gap of a C function, and its end where its last lines are not shown. */
function gapsOf(fn: IrFunction): Set<number> {
  const found = new Set<number>();
  if (fn.unit.whole || fn.language !== 'c') return found;
  for (let line = fn.firstLine + 1; line <= fn.lastLine; line++) {
    if (!isGap(fn, line)) continue;
    const at = fn.code.findIndex(instruction => instruction.line >= line);
    if (at >= 0) found.add(at);
  }
  const closed = /^\s*\}/.test(fn.unit.lines[fn.lastLine]?.text ?? '');
  if (fn.partial && !closed && isImplicitReturn(fn, fn.code.length - 1)) found.add(fn.code.length - 1);
  return found;
}

export interface CallResult {
  /** The value returned, or null for none. */
  readonly value: Value | null;
  /** When the call comes back, with memory as it leaves it. */
  readonly state: State;
}

export class Runner {
  readonly recording = new Recording();
  /** False while a loop's turns are worked out. */
  quiet = false;
  private budget: number;

  constructor(
    readonly space: ValueSpace,
    readonly features: FeatureSet,
    readonly program: Program,
    budget = 400_000,
  ) {
    this.budget = budget;
  }

  spend(work: number): void {
    this.budget -= work;
    if (this.budget < 0) throw new BeyondBound('the work needed to follow its calls and loops');
  }

  /** Runs `fn`. `memory` and the guard come from `state`; its slots are the caller's and are left alone. */
  call(
    fn: IrFunction,
    args: readonly (Value | null)[],
    state: State,
    weight: Weight,
    chain: readonly string[],
    site: Place | null,
  ): CallResult {
    const { flow, slotOf, slotCount, gaps } = shapeOf(fn);
    const frame: Frame = {
      fn,
      gaps,
      flow,
      single: new Array<Value | null>(fn.registers.length).fill(null),
      slotOf,
      slotCount,
      depth: chain.length,
      chain: [...chain, fn.name],
      site,
      returns: [],
      sums: new Set(),
    };
    const inner: State = {
      guard: state.guard,
      slots: new Array<Value | null>(slotCount).fill(null),
      memory: new Map(state.memory),
    };
    fn.parameters.forEach(({ name }, at) =>
      this.write(frame, inner, at, args[at] ?? this.space.symbol(name, `${fn.name}:${name}`)),
    );
    const mode: Mode = { loop: null, exits: null, countedExit: null, weightOf: () => weight };
    if (flow.order.length) this.region(frame, flow.order, flow.order[0]!, inner, mode);
    if (!this.quiet)
      this.recording.frames.push({
        name: fn.name,
        entered: state.guard,
        returns: frame.returns.map(({ guard, value }) => ({ guard, value })),
      });
    return this.comeBack(frame, state);
  }

  private comeBack(frame: Frame, caller: State): CallResult {
    let merged: State | null = null;
    let value: Value | null = null;
    for (const back of frame.returns) {
      if (back.guard === no) continue;
      if (!merged) {
        merged = back.state;
        value = back.value;
        continue;
      }
      const guard = this.space.guards.or(merged.guard, back.guard);
      const select = this.space.guards.simplify(merged.guard, guard);
      value = value && back.value ? this.space.choice(select, value, back.value) : (value ?? back.value);
      merged = mergeStates(this.space, merged, back.state);
    }
    if (!merged) return { value: null, state: { ...caller, guard: no } };
    return { value, state: { guard: merged.guard, slots: caller.slots, memory: merged.memory } };
  }

  /** Runs the blocks of a region in order; gives the edges that leave it or go back to its loop's header. */
  region(
    frame: Frame,
    order: readonly number[],
    start: number,
    initial: State,
    mode: Mode,
  ): { readonly out: Edge[]; readonly back: State[] } {
    const pending = new Map<number, State>([[start, initial]]);
    const out: Edge[] = [];
    const back: State[] = [];
    for (const block of order) {
      const state = pending.get(block);
      if (!state || state.guard === no) continue;
      pending.delete(block);
      const inner = frame.flow.loops.get(block);
      const edges =
        inner && inner !== mode.loop
          ? runLoop(this, frame, inner, state, mode)
          : this.block(frame, block, state, mode);
      for (const edge of edges) {
        if (edge.state.guard === no) continue;
        if (mode.loop && edge.to === mode.loop.header) back.push(edge.state);
        else if (mode.loop && !mode.loop.blocks.has(edge.to)) out.push(edge);
        else {
          const known = pending.get(edge.to);
          pending.set(edge.to, known ? mergeStates(this.space, known, edge.state) : edge.state);
        }
      }
    }
    return { out, back };
  }

  /** The line of the priced function that an instruction counts for. */
  placeOf(frame: Frame, instruction: Instruction): Place {
    return frame.site ?? { unit: frame.fn.unit, line: instruction.line };
  }

  private markReached(frame: Frame, line: number, guard: Guard): void {
    const { unit } = frame.fn;
    if (!unit.lines[line]?.changed) return;
    let lines = this.recording.reached.get(unit);
    if (!lines) this.recording.reached.set(unit, (lines = new Map<number, Guard>()));
    lines.set(line, this.space.guards.or(lines.get(line) ?? no, guard));
  }

  private block(frame: Frame, index: number, state: State, mode: Mode): Edge[] {
    const { fn, flow } = frame;
    const { first, end, next } = flow.blocks[index]!;
    const weight = mode.weightOf(index);
    this.spend(end - first + 1);
    for (let at = first; at < end; at++) {
      const instruction = fn.code[at]!;
      if (!this.quiet && !isImplicitReturn(fn, at)) this.markReached(frame, instruction.line, state.guard);
      if (frame.gaps.has(at))
        this.notKnown(
          frame,
          instruction,
          state.guard,
          weight,
          'unseen lines',
          'the patch does not show all of the function',
        );
      if (instruction.op === 'branch') return this.branch(frame, index, instruction, state, mode);
      if (instruction.op === 'return') {
        const value = instruction.value === null ? null : this.read(frame, state, instruction.value);
        frame.returns.push({ guard: state.guard, value, state });
        return [];
      }
      if (instruction.op === 'jump') break;
      step(this, frame, instruction, state, weight);
      if (state.guard === no) return [];
    }
    if (!next.length) {
      frame.returns.push({ guard: state.guard, value: null, state });
      return [];
    }
    return next.map(to => ({ from: index, to, state }));
  }

  private branch(
    frame: Frame,
    index: number,
    instruction: Instruction & { op: 'branch' },
    state: State,
    mode: Mode,
  ): Edge[] {
    const { next } = frame.flow.blocks[index]!;
    const [taken, otherwise] = [next[0]!, next[1] ?? next[0]!];
    const test = this.read(frame, state, instruction.condition);
    const inLoop = (block: number): boolean => mode.loop?.blocks.has(block) ?? true;
    const leaving = inLoop(taken) !== inLoop(otherwise);
    const both = (): Edge[] => [
      { from: index, to: taken, state },
      { from: index, to: otherwise, state: copyState(state, state.guard) },
    ];
    if (leaving && mode.exits) {
      mode.exits.push({ block: index, test, leaves: inLoop(otherwise), text: instruction.text });
      return both();
    }
    if (leaving && mode.countedExit === index) return both();
    if (taken === otherwise) return [{ from: index, to: taken, state }];
    const truth = this.space.truth(test);
    const { guards } = this.space;
    const yesGuard = guards.and(state.guard, truth);
    const noGuard = guards.and(state.guard, guards.not(truth));
    if (!this.quiet && yesGuard !== no && noGuard !== no)
      this.recording.conditions.push({
        truth,
        context: state.guard,
        text: instruction.text,
        at: { unit: frame.fn.unit, line: instruction.line },
        depth: frame.depth,
      });
    if (noGuard === no) return [{ from: index, to: taken, state }];
    if (yesGuard === no) return [{ from: index, to: otherwise, state }];
    return [
      { from: index, to: taken, state: copyState(state, yesGuard) },
      { from: index, to: otherwise, state: copyState(state, noGuard) },
    ];
  }

  /** The value of a register; one that was never set is a symbol by its name. */
  read(frame: Frame, state: State, register: number): Value {
    const slot = frame.slotOf[register]!;
    const value = slot >= 0 ? state.slots[slot] : frame.single[register];
    return (
      value ??
      this.space.symbol(
        frame.fn.names[register] || `r${register}`,
        `${frame.depth}:unset:${frame.fn.names[register] || register}`,
      )
    );
  }

  write(frame: Frame, state: State, register: number, value: Value): void {
    const slot = frame.slotOf[register]!;
    if (slot >= 0) state.slots[slot] = value;
    else frame.single[register] = value;
  }

  /** Records an operation for every alternative of the weight. */
  perform(
    frame: Frame,
    instruction: Instruction,
    guard: Guard,
    weight: Weight,
    operation: string,
    count: Polynomial,
    source: string,
    via: readonly string[] = frame.chain.slice(1),
  ): void {
    if (this.quiet || count.terms.size === 0) return;
    for (const part of weight) {
      const both = this.space.guards.and(guard, part.guard);
      if (both === no || part.count.terms.size === 0) continue;
      this.recording.operations.push({
        operation,
        count: multiply(part.count, count),
        guard: both,
        at: this.placeOf(frame, instruction),
        inner: { unit: frame.fn.unit, line: instruction.line },
        via,
        source,
      });
    }
  }

  /** Lists something that has no count. */
  notKnown(
    frame: Frame,
    instruction: Instruction,
    guard: Guard,
    weight: Weight,
    name: string,
    why: string,
  ): void {
    if (this.quiet) return;
    for (const part of weight) {
      const both = this.space.guards.and(guard, part.guard);
      if (both === no || part.count.terms.size === 0) continue;
      this.recording.unknown.push({
        name,
        why,
        guard: both,
        count: part.count,
        at: this.placeOf(frame, instruction),
      });
    }
  }
}
