/**
 * Runs a function symbolically, under one exact set of features, and records the operations it performs.
 *
 * Paths that meet are merged, never enumerated: a value that depends on the path becomes a choice, and an operation is
 * recorded once with the guard under which its block is reached. Loops are run as summaries (loops.ts), calls are
 * followed (calls.ts). Work is bounded by a budget of instructions.
 */
import type { Instruction, IrFunction } from '../code/ir';
import type { FeatureSet } from './features';
import { cpuKey, thisCpu } from './cpus';
import type { Edge, Frame, Mode, Weight } from './frame';
import { BeyondBound } from './frame';
import { no, type Guard } from './guard';
import { copyState, mergeStates, type State } from './machineState';
import { multiply, type Polynomial } from './polynomial';
import type { Program } from './program';
import { Recording, type Place } from './record';
import { step } from './instructions';
import { runLoop } from './loops';
import { isImplicitReturn, shapeOf, unseenLines } from './shape';
import type { Value } from './value';
import type { ValueSpace } from './values';
import type { Work } from './work';

export interface CallResult {
  /** The value returned, or null for none. */
  readonly value: Value | null;
  /** When the call comes back, with memory as it leaves it. */
  readonly state: State;
}

/** What a call and a record take, in instructions. */
const callWork = 20;
const recordWork = 10;

export class Runner {
  readonly recording = new Recording();
  /** False while a loop's turns are worked out. */
  quiet = false;
  /** The CPU that runs what is run now. */
  cpu = thisCpu;
  private left: number;

  constructor(
    readonly space: ValueSpace,
    readonly features: FeatureSet,
    readonly program: Program,
    private readonly work: Work,
  ) {
    this.left = work.share();
  }

  spend(work: number): void {
    this.left -= work;
    this.work.spent(work);
    if (this.left < 0) throw new BeyondBound('the work needed to follow its calls and loops');
  }

  /** The number of the CPU that runs. */
  cpuNumber(): Value {
    return this.space.symbol('smp_processor_id()', cpuKey(this.cpu));
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
    this.spend(callWork + slotCount + state.memory.size);
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
        this.notKnown(frame, instruction, state.guard, weight, unseenLines.name, unseenLines.why);
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
      this.spend(recordWork);
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

  /** Lists something that has no count. `given`: what a callee is given; with other things it may do something else. */
  notKnown(
    frame: Frame,
    instruction: Instruction,
    guard: Guard,
    weight: Weight,
    name: string,
    why: string,
    given = '',
  ): void {
    if (this.quiet) return;
    for (const part of weight) {
      const both = this.space.guards.and(guard, part.guard);
      if (both === no || part.count.terms.size === 0) continue;
      this.recording.unknown.push({
        name,
        why,
        given,
        guard: both,
        count: part.count,
        at: this.placeOf(frame, instruction),
      });
    }
  }
}
