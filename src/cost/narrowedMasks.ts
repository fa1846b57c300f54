/**
 * CPU masks that a loop fills, or thins out, by a test of each CPU: `if (is_lazy(cpu)) cpumask_clear_cpu(cpu, mask)`.
 * How many CPUs such a mask holds is not in the source: all of them or none are the bounds.
 */
import type { Instruction } from '../code/ir';
import type { Frame, Weight } from './frame';
import { support, yes, type Guard } from './guard';
import { mentions, type State } from './machineState';
import type { Runner } from './runner';
import type { Value } from './value';
import type { ValueSpace } from './values';

const changesMask = /^_{0,2}(?:cpumask|cpu)_(?:test_and_)?(?:set|clear)(?:_cpu)?$/;

const mark = (space: ValueSpace, mask: Value): Value => space.field(mask, '%narrowed');

/** Notes that a call puts a CPU into a mask, or takes it out, by a test of that CPU, in a loop over CPUs. */
export function noteNarrowed(
  { space, quiet }: Runner,
  name: string,
  args: readonly Value[],
  state: State,
  weight: Weight,
): void {
  const [cpu, mask] = args;
  if (!cpu || !mask || cpu.kind === 'constant' || !changesMask.test(name)) return;
  // While a loop's turns are looked for, how often it goes round is not known.
  if (
    !quiet &&
    !weight.some(({ count }) => [...count.terms.keys()].some(term => term.split('*').includes('c')))
  )
    return;
  const which = new Set([cpu]);
  const tested = [...support(state.guard)].some(atom => mentions(space.atoms[atom]!.value, which));
  if (tested) state.memory.set(mark(space, mask), space.constant(1));
}

/** When the CPUs of a call's mask are all reached: an open condition if a loop chose them, else always. */
export function wholeMask(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  args: readonly Value[],
  texts: readonly string[],
  state: State,
): Guard {
  const { space } = runner;
  const at = args.findIndex(arg => arg.kind !== 'constant' && state.memory.has(mark(space, arg)));
  if (at < 0) return yes;
  const text = `${texts[at] ?? 'the mask'} holds all of the CPUs that a loop chose from`;
  const truth = space.truth(space.symbol(text, `%whole:${args[at]!.id}`));
  if (!runner.quiet)
    runner.recording.conditions.push({
      truth,
      context: state.guard,
      text,
      at: { unit: frame.fn.unit, line: instruction.line },
      depth: frame.depth,
    });
  return truth;
}
