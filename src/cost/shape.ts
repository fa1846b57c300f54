/** What about a function does not depend on its arguments: control flow, variables, and lines that are not shown. */
import type { Instruction, IrFunction } from '../code/ir';
import { flowOf, type Flow } from './flow';
import { BeyondBound } from './frame';

const instructionLimit = 20_000;
const loopLimit = 200;

export interface Shape {
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

/** Works out the shape of a function once; throws {@link BeyondBound} for one that is too big. */
export function shapeOf(fn: IrFunction): Shape {
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
export const isImplicitReturn = (fn: IrFunction, at: number): boolean => {
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

/** How lines of a function that the patch does not show are listed. */
export const unseenLines = {
  name: 'unseen lines',
  why: 'the patch does not show all of the function',
} as const;

/** The first instructions behind each gap of a C function, and its end where its last lines are not shown. */
function gapsOf(fn: IrFunction): Set<number> {
  const found = new Set<number>();
  if (fn.unit.whole || fn.language !== 'c') return found;
  for (let line = fn.firstLine + 1; line <= fn.lastLine; line++) {
    if (!isGap(fn, line)) continue;
    const at = fn.code.findIndex(instruction => instruction.line >= line);
    if (at >= 0) found.add(at);
  }
  // A brace further right closes a block.
  const closed = /^\}/.test(fn.unit.lines[fn.lastLine]?.text ?? '');
  if (fn.partial && !closed && isImplicitReturn(fn, fn.code.length - 1)) found.add(fn.code.length - 1);
  return found;
}
