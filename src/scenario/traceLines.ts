/** The trace of a run as NDJSON: one event a line, in order. */
import { staleKinds } from '../kernel/surroundings';
import type { World } from '../kernel/world';
import { positionOf } from '../vm/program';
import type { TraceEvent } from '../vm/trace';
import { nameOfSlot } from '../vm/verdicts';
import { mostEvents } from './run';

const hex = ({ lo, hi }: TraceEvent): string =>
  `0x${((BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0)).toString(16)}`;

/** What is particular to a kind of event. */
function details(world: World, event: TraceEvent): Record<string, string | number> {
  const { core } = world.vm;
  const { program } = core;
  switch (event.kind) {
    case 'operation':
      return { name: program.operations[event.code] ?? '', operand: hex(event) };
    case 'primitive':
      return { name: program.primitives[event.code] ?? '', operand: hex(event) };
    case 'store':
      return { name: nameOfSlot(core, event.extra), value: hex(event) };
    case 'call':
    case 'task':
      return { name: program.functions[event.extra]?.name ?? '' };
    case 'task-end':
      return { result: hex(event) };
    case 'interrupt':
      return { vector: event.code };
    case 'ipi':
      return { vector: event.code, target: event.extra };
    case 'stale':
      return { name: staleKinds[event.code] ?? '', address: hex(event) };
    case 'verdict':
      return { name: world.ending.verdict };
    default:
      return {};
  }
}

/** `run` is the number of the run in the output, from 0. */
export function* traceLines(world: World, run: number): Generator<string> {
  const { trace, core } = world.vm;
  if (!trace) return;
  for (let seq = 0; seq < trace.recorded; seq++) {
    const event = trace.event(seq);
    const { file, line, function: name } = positionOf(core.program, event.pc);
    const { cpu, cycles, kind } = event;
    yield `${JSON.stringify({ seq, cpu, cycles, kind, file, line, function: name, run, ...details(world, event) })}\n`;
  }
  if (trace.full)
    yield `${JSON.stringify({ seq: trace.recorded, cpu: 0, cycles: 0, kind: 'cut', file: '', line: 0, run, kept: mostEvents })}\n`;
}
