/**
 * The per-CPU buffer of hypercalls of a Xen-PV guest, outside lazy mode: entries are reserved or extended, and one
 * issue sends what is queued, 21 `mmuext_op`s at most at a time (512 bytes of arguments, 24 bytes each).
 */
import type { Instruction } from '../code/ir';
import { no } from './guard';
import type { State } from './machineState';
import { ceilOf, constant, constantOf, parse, type Polynomial } from './polynomial';
import { countOf } from './quantity';
import type { Frame, Weight } from './frame';
import type { Runner } from './runner';
import type { Value } from './value';
import type { ValueSpace } from './values';

/** Operations of one entry's arguments that fit into the buffer. */
const opsPerHypercall = '21';

const queueing = new Set(['xen_mc_entry', '__xen_mc_entry', 'xen_extend_mmuext_op', 'xen_extend_mmu_update']);
const issuing = new Set(['xen_mc_issue', 'xen_mc_flush']);

export const isQueueCall = (name: string): boolean => queueing.has(name) || issuing.has(name);

/** A count that a loop left behind is a symbol named by its polynomial. */
function lengthOf(runner: Runner, queued: Value): Polynomial {
  if (queued.kind === 'symbol' && queued.key.startsWith('count:'))
    return parse(queued.key.slice('count:'.length)) ?? constant(1);
  if (queued.kind === 'linear') {
    let text = queued.constant.toString();
    for (const [term, factor] of queued.terms) {
      if (term.kind !== 'symbol' || !term.key.startsWith('count:')) return constant(1);
      text += `${factor < 0n ? '-' : '+'}${factor < 0n ? -factor : factor}*${term.key.slice('count:'.length)}`;
    }
    return parse(text) ?? constant(1);
  }
  return countOf(runner.space, queued);
}

/** How many operations are queued. It is empty when a priced function begins. */
export const queueCell = (space: ValueSpace): Value => space.address('xen_mc_buffer', 'per-cpu', '%xen');

/** Runs a call that queues or issues. */
export function runQueueCall(
  runner: Runner,
  frame: Frame,
  instruction: Instruction,
  name: string,
  state: State,
  weight: Weight,
): void {
  const { space } = runner;
  const cell = queueCell(space);
  const queued = state.memory.get(cell) ?? space.constant(0);
  if (queueing.has(name)) {
    state.memory.set(cell, space.add(queued, space.constant(1)));
    return;
  }
  state.memory.set(cell, space.constant(0));
  runner.recording.assumed.add('Xen-PV: outside lazy MMU mode, so that an issue sends what is queued');
  if (queued.kind === 'constant' && queued.value === 0n) {
    const repeats = weight.some(part => constantOf(part.count) === null);
    if (repeats && !runner.quiet)
      runner.recording.findings.push({
        kind: 'xen-batch-empty',
        at: { unit: frame.fn.unit, line: instruction.line },
        message:
          'Outside lazy mode the buffer is issued in the first turn of the loop and nothing is queued afterwards: only the first page is flushed. Reserve an entry in every turn (xen_extend_mmuext_op after xen_mc_batch) and issue once behind the loop.',
      });
    return;
  }
  const guard = space.guards.and(state.guard, space.truth(queued));
  if (guard === no) return;
  runner.perform(
    frame,
    instruction,
    guard,
    weight,
    'HYPERCALL',
    ceilOf(lengthOf(runner, queued), opsPerHypercall),
    name,
  );
}
