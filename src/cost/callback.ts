/** Functions that a call runs on other CPUs, and perhaps here: `on_each_cpu` and its kind. */
import type { Instruction } from '../code/ir';
import { runNamed, runPointer, type NamedCall } from './calls';
import { cpuBehind, whereRuns } from './cpus';
import type { Frame } from './frame';
import { yes, type Guard } from './guard';
import { forgetLocals, isLocal } from './locals';
import { rootOf, type State } from './machineState';
import { onOneCpu, toOneCpu } from './oneCpu';
import { multiply, one, parse } from './polynomial';
import type { Runner } from './runner';

/** How a row of the catalogue says that a function is run: which argument it is, how often, and what asks to wait. */
export interface Callback {
  readonly argument: number;
  readonly runs: string;
  readonly wait: number | null;
}

/**
 * Runs the function that a primitive hands to other CPUs: once for this CPU, if it is one of them, once for the rest.
 * `whole`: when the others are reached.
 */
export function runCallback(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  call: NamedCall,
  callback: Callback,
  whole: Guard,
): void {
  const { space } = runner;
  const { args, state, weight } = call;
  const all = parse(callback.runs) ?? one;
  const target = args[callback.argument];
  if (target) {
    const single = toOneCpu(args);
    const parts = single ? [{ cpu: 'elsewhere' as const, count: onOneCpu(all) }] : whereRuns(all);
    const cpu = runner.cpu;
    for (const part of parts) {
      runner.cpu = cpuBehind(cpu, part.cpu);
      const reached = part.cpu === 'here' ? yes : whole;
      const each = weight.map(({ guard, count }) => ({
        guard: space.guards.and(guard, reached),
        count: multiply(count, part.count),
      }));
      const copy: State = { guard: state.guard, slots: state.slots, memory: new Map(state.memory) };
      try {
        runBody(runner, frame, instruction, { ...call, state: copy, weight: each }, callback.argument);
      } finally {
        runner.cpu = cpu;
      }
      for (const [address, value] of state.memory)
        if (copy.memory.get(address) !== value && isLocal(rootOf(address)))
          state.memory.set(address, space.symbol(call.name, `out:${call.name}:${address.id}`));
    }
  }
  const wait = callback.wait === null ? null : args[callback.wait];
  if (wait) {
    const guard = space.guards.and(state.guard, space.truth(wait));
    runner.perform(frame, instruction, guard, weight, 'IPI_WAIT', one, `catalogue: ${call.name}`);
  }
}

function runBody(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  call: NamedCall,
  argument: number,
): void {
  const target = call.args[argument]!;
  const named = (call.texts[argument] ?? '').replace('&', '');
  const args = call.args.slice(argument + 1, argument + 2);
  const inner: NamedCall = { ...call, name: named, args, texts: [], primitive: false };
  if (target.kind === 'address' || target.kind === 'choice')
    runPointer(runner, frame, instruction, target, inner);
  else if (/^\w+$/.test(named) && runner.program.find(named, frame.fn.unit))
    runNamed(runner, frame, instruction, inner);
  else {
    runPointer(runner, frame, instruction, target, inner);
    forgetLocals(runner, call.name, call.args, call.state);
  }
}
