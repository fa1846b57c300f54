/** Second entries of a routine: labels inside it that other code jumps to, as functions of their own. */
import type { IrFunction } from '../ir';
import { selectCode } from './builder';

/** A label with a name, or a macro expansion, inside a routine. */
export interface InnerPart {
  readonly name: string;
  /** Index of the first instruction; of an expansion also the one behind its last. */
  readonly at: number;
  readonly to: number;
  readonly isLabel: boolean;
}

/** A routine with the parts inside it that have a name of their own. */
export interface RoutineEntries {
  readonly routine: IrFunction;
  readonly parts: readonly InnerPart[];
}

/** Instructions that all entries of a module together may take. */
const most = 400_000;

/** `expands` of an IR function, left out where it is empty. */
export function expandsOf(names: readonly string[]): Pick<IrFunction, 'expands'> {
  return names.length > 0 ? { expands: [...new Set(names)] } : {};
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
  for (const { routine, parts } of all) {
    if (routine.unreadable !== null || parts.length === 0) {
      out.push(routine);
      continue;
    }
    const fromStart = reachable(routine, 0);
    const inner = parts.filter(part => part.isLabel && part.name !== routine.name);
    const entries = inner.filter(
      ({ name, at }) => named.has(name) || (fromStart[at] !== true && !name.startsWith('.L')),
    );
    const callees = [...parts.filter(part => !part.isLabel), ...entries];
    out.push(runningThrough(routine, fromStart, callees));
    for (const entry of entries) {
      spent += routine.code.length;
      if (spent > most || entry.at >= routine.code.length) break;
      const reached = reachable(routine, entry.at);
      out.push({
        ...runningThrough(
          routine,
          reached,
          callees.filter(part => part !== entry),
        ),
        name: entry.name,
        firstLine: routine.code[entry.at]!.line,
        code: startingAt(routine, entry.at, reached),
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
  callees: readonly InnerPart[],
): IrFunction {
  const through = callees.filter(({ at, to }) => {
    for (let index = at; index < to; index++) if (reached[index]) return true;
    return at === to && reached[at] === true;
  });
  return { ...routine, expands: [...new Set(through.map(({ name }) => name))] };
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
