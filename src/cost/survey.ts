/** What a loop changes from turn to turn, found by running its body quietly. */
import type { ExitTest, Frame, Mode } from './frame';
import type { Loop } from './flow';
import { yes } from './guard';
import { copyState, mentions, mergeStates, rewrite, type State } from './machineState';
import { one } from './polynomial';
import type { Runner } from './runner';
import { chunkOf, type Cell } from './trip';
import type { Value } from './value';

/** A variable or memory cell that the loop changes. */
export interface ChangingCell extends Cell {
  /** Slot of a variable, or null for memory. */
  readonly slot: number | null;
  readonly address: Value | null;
  readonly name: string;
  /** Its value when a turn ends. */
  readonly back: Value;
}

const roundLimit = 4;

export const readCell = (
  runner: Runner,
  state: State,
  slot: number | null,
  address: Value | null,
): Value | null =>
  slot !== null
    ? (state.slots[slot] ?? null)
    : (state.memory.get(address!) ?? runner.space.load(address!, 0));

/** A variable that was not set before the loop, where it is shown, has a value of which only the name is known. */
function initialOf(
  runner: Runner,
  frame: Frame,
  state: State,
  slot: number | null,
  address: Value | null,
): Value {
  return (
    readCell(runner, state, slot, address) ?? runner.read(frame, state, frame.slotOf.indexOf(slot ?? -1))
  );
}

export function writeCell(state: State, slot: number | null, address: Value | null, value: Value): void {
  if (slot !== null) state.slots[slot] = value;
  else state.memory.set(address!, value);
}

/** Blocks of a loop in the order of the function. */
export const bodyOrder = (frame: Frame, loop: Loop): number[] =>
  frame.flow.order.filter(block => loop.blocks.has(block));

const slotName = (frame: Frame, slot: number): string => {
  const register = frame.slotOf.indexOf(slot);
  return frame.fn.names[register] || `v${slot}`;
};

/** Slots that instructions of the loop write. */
function slotsWritten(frame: Frame, loop: Loop): number[] {
  const found = new Set<number>();
  for (const block of loop.blocks) {
    const { first, end } = frame.flow.blocks[block]!;
    for (let at = first; at < end; at++) {
      const instruction = frame.fn.code[at]!;
      if ('dst' in instruction && instruction.dst !== null && frame.slotOf[instruction.dst]! >= 0)
        found.add(frame.slotOf[instruction.dst]!);
    }
  }
  return [...found].sort((a, b) => a - b);
}

export interface Survey {
  readonly cells: readonly ChangingCell[];
  readonly exits: readonly ExitTest[];
}

/** Finds what changes in a loop and by how much, running its body quietly. */
export function survey(
  runner: Runner,
  frame: Frame,
  loop: Loop,
  entry: State,
  order: readonly number[],
): Survey {
  const { space } = runner;
  const key = (name: string): string => `loop:${frame.depth}:${loop.header}:${name}`;
  const slots = slotsWritten(frame, loop);
  const memory = new Set<Value>();
  const was = runner.quiet;
  runner.quiet = true;
  let cells: ChangingCell[] = [];
  let exits: ExitTest[] = [];
  try {
    for (let round = 0; round < roundLimit; round++) {
      const start = copyState(entry, entry.guard);
      const symbols: {
        slot: number | null;
        address: Value | null;
        name: string;
        symbol: Value;
        initial: Value;
      }[] = [];
      const open = (slot: number | null, address: Value | null, name: string): void => {
        const initial = initialOf(runner, frame, entry, slot, address);
        const stand = space.symbol(name, key(`${slot ?? address!.id}`));
        symbols.push({ slot, address, name, symbol: stand, initial });
        writeCell(start, slot, address, stand);
      };
      for (const slot of slots) open(slot, null, slotName(frame, slot));
      for (const address of memory) open(null, address, nameOfCell(address));
      // The body changes the state that it is given.
      const memoryAtStart = new Map(start.memory);
      exits = [];
      const mode: Mode = { loop, exits, countedExit: null, weightOf: () => [{ guard: yes, count: one }] };
      const { back } = runner.region(frame, order, loop.header, start, mode);
      const end = back.reduce<State | null>((a, b) => (a ? mergeStates(space, a, b) : b), null);
      cells = symbols.map(cell => {
        const value = (end && readCell(runner, end, cell.slot, cell.address)) ?? cell.symbol;
        return { ...cell, back: value, step: null };
      });
      const changing = new Set(symbols.map(cell => cell.symbol));
      cells = cells.map(cell => {
        const step = space.subtract(cell.back, cell.symbol);
        return mentions(step, changing)
          ? { ...cell, step: null, chunk: chunkOf(step, changing) }
          : { ...cell, step };
      });
      // Memory that the body stores to, other than what it stood at before.
      let found = false;
      if (end)
        for (const [address, value] of end.memory)
          if (
            !memory.has(address) &&
            !mentions(address, changing) &&
            value !== (memoryAtStart.get(address) ?? space.load(address, 0))
          ) {
            memory.add(address);
            found = true;
          }
      if (!found) break;
    }
  } finally {
    runner.quiet = was;
  }
  return { cells: settleUnchanged(runner, cells), exits };
}

/** Cells that keep their first value if all of them do: `flush |= 0`, `x = x != 0` of a flag. Their step is 0. */
function settleUnchanged(runner: Runner, cells: readonly ChangingCell[]): ChangingCell[] {
  const { space } = runner;
  let candidates = cells.filter(cell => cell.step === null);
  for (let before = -1; before !== candidates.length;) {
    before = candidates.length;
    const initial = new Map(candidates.map(cell => [cell.symbol, cell.initial]));
    const memo = new Map<Value, Value>();
    candidates = candidates.filter(cell => rewrite(space, cell.back, initial, memo) === cell.initial);
  }
  const unchanged = new Set(candidates);
  return cells.map(cell => (unchanged.has(cell) ? { ...cell, step: space.constant(0) } : cell));
}

const nameOfCell = (address: Value): string =>
  address.kind === 'address' ? address.name : address.kind === 'field' ? address.member : 'memory';

/**
 * Cells that are one constant before the loop and another from the second turn on, such as a flag for the first turn:
 * found by running two turns with their real values.
 */
export function jumpsOf(
  runner: Runner,
  frame: Frame,
  loop: Loop,
  entry: State,
  order: readonly number[],
  cells: readonly ChangingCell[],
): ChangingCell[] {
  const candidates = cells.filter(cell => cell.step === null && cell.initial.kind === 'constant');
  if (!candidates.length) return [];
  const was = runner.quiet;
  runner.quiet = true;
  try {
    const turn = (state: State): State | null => {
      const mode: Mode = { loop, exits: [], countedExit: null, weightOf: () => [{ guard: yes, count: one }] };
      const { back } = runner.region(frame, order, loop.header, copyState(state, state.guard), mode);
      return back.reduce<State | null>((a, b) => (a ? mergeStates(runner.space, a, b) : b), null);
    };
    const first = turn(entry);
    const second = first && turn(first);
    if (!second) return [];
    return candidates.filter(cell => {
      const [afterOne, afterTwo] = [first, second].map(state =>
        readCell(runner, state, cell.slot, cell.address),
      );
      return afterOne?.kind === 'constant' && afterOne !== cell.initial && afterOne === afterTwo;
    });
  } finally {
    runner.quiet = was;
  }
}
