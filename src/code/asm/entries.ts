/** Second entries of a routine: labels inside it that other code jumps to, as functions of their own. */
import type { IrFunction } from '../ir';
import { selectCode } from './builder';

/** A label inside a routine, with its place in the code. */
export interface EntryLabel {
  readonly name: string;
  /** Index of the instruction at which it stands. */
  readonly at: number;
}

/** Instructions that all entries of a module together may take. */
const most = 400_000;

/** A routine with the labels inside it that have a name of their own. */
export interface RoutineEntries {
  readonly routine: IrFunction;
  readonly labels: readonly EntryLabel[];
}

/**
 * Adds a function for each inner label that is not reached from the routine's start, or that other code names.
 * A function that runs through the code of another one names it in `expands`.
 */
export function withEntries(all: readonly RoutineEntries[]): IrFunction[] {
  const named = new Set<string>();
  for (const { routine } of all)
    for (const instruction of routine.code)
      if (instruction.op === 'call' && instruction.callee !== null) named.add(instruction.callee);
  const out: IrFunction[] = [];
  let spent = 0;
  for (const { routine, labels } of all) {
    const fromStart = reachable(routine, 0);
    const entries = labels.filter(
      ({ name, at }) => name !== routine.name && (named.has(name) || fromStart[at] !== true),
    );
    out.push(runningThrough(routine, fromStart, entries));
    for (const entry of entries) {
      spent += routine.code.length;
      if (spent > most || entry.at >= routine.code.length) break;
      const reached = reachable(routine, entry.at);
      const line = routine.code[entry.at]!.line;
      const whole = runningThrough(
        routine,
        reached,
        entries.filter(other => other.name !== entry.name),
      );
      out.push({
        ...whole,
        name: entry.name,
        firstLine: line,
        parameters: [],
        code: startingAt(whole, entry.at, reached),
      });
    }
  }
  return out;
}

/** Which instructions can be reached from one. */
function reachable(routine: IrFunction, start: number): readonly boolean[] {
  const { code } = routine;
  const seen = new Array<boolean>(code.length).fill(false);
  const open = [start];
  while (open.length > 0) {
    let at = open.pop()!;
    while (at < code.length && !seen[at]) {
      seen[at] = true;
      const instruction = code[at]!;
      if (instruction.op === 'return') break;
      if (instruction.op === 'jump') at = instruction.target;
      else {
        if (instruction.op === 'branch') open.push(instruction.target);
        at++;
      }
    }
  }
  return seen;
}

function runningThrough(
  routine: IrFunction,
  reached: readonly boolean[],
  entries: readonly EntryLabel[],
): IrFunction {
  const through = entries.filter(({ at }) => reached[at]).map(({ name }) => name);
  return through.length === 0 ? routine : { ...routine, expands: [...(routine.expands ?? []), ...through] };
}

/** The code that is reached from `start`, beginning there. */
function startingAt(routine: IrFunction, start: number, reached: readonly boolean[]): IrFunction['code'] {
  const { line } = routine.code[start]!;
  const shifted = routine.code.map(instruction =>
    instruction.op === 'jump' || instruction.op === 'branch'
      ? { ...instruction, target: instruction.target + 1 }
      : instruction,
  );
  const first = reached.indexOf(true);
  // Nothing needs a jump if the entry is the first thing that is reached.
  if (first === start) return selectCode(routine.code, reached);
  return selectCode([{ op: 'jump', target: start + 1, line }, ...shifted], [true, ...reached]);
}
