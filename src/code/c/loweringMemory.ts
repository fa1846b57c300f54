/**
 * Remembers lowered functions, so that after an edit, and between the states of a file that a patch goes through, only
 * functions whose text, or what they use, is another are lowered again. A function is known by its own text and by the text
 * around all functions of the units (macros, types, heads); whatever else it asked for is compared when it is met again.
 */
import type { Configuration } from '../configuration';
import type { IrFunction } from '../ir';
import type { SourceUnit } from '../source';
import { TextHash } from '../textHash';
import { chunkKey, surroundingsKey } from './fingerprints';
import { lowerFunction, type LoweredFunction } from './lowerFunction';
import type { Program } from './program';
import type { Chunk } from './slice';
import type { DefinitionIndex, Trail } from './sources';

/** Instructions that are kept, of all functions together. */
const mostInstructions = 300_000;

/** A function that was looked up: its text, and whether its head could be read, where that was asked. */
interface Callee {
  readonly key: string | null;
  readonly hasHead: boolean | null;
}

interface Kept {
  readonly unit: SourceUnit;
  readonly firstLine: number;
  readonly lowered: LoweredFunction;
  readonly callees: ReadonlyMap<string, Callee>;
  /** CONFIG_ symbols that it asked for. */
  readonly asked: readonly string[];
  /** What it made a tree be searched for. */
  readonly searched: readonly string[];
}

const indexNumbers = new WeakMap<DefinitionIndex, number>();
let nextIndex = 1;

function numberOf(index: DefinitionIndex | null): number {
  if (!index) return 0;
  let number = indexNumbers.get(index);
  if (number === undefined) indexNumbers.set(index, (number = nextIndex++));
  return number;
}

/** Kept by whoever lowers the same code again and again. */
export class LoweringMemory {
  private readonly kept = new Map<string, Kept>();
  private instructions = 0;
  /** Functions that were lowered because they were not known. */
  lowered = 0;

  /** Lowers the functions of `program`. */
  with(program: Program, index: DefinitionIndex | null): (chunk: Chunk) => LoweredFunction {
    const around = new TextHash();
    around.add(program.configuration.signature);
    around.number(numberOf(index));
    for (const { unit, chunks } of program.unitsAtFirst) around.add(surroundingsKey(unit, chunks));
    return chunk => this.lower(program, chunk, around.key);
  }

  private lower(program: Program, chunk: Chunk, around: string): LoweredFunction {
    if (!isSettled(chunk)) return lowerFunction(program, chunk);
    const own = program.isOwn(chunk.unit);
    const key = [around, chunk.unit.unit.path, own, chunkKey(chunk)].join(' ');
    const known = this.kept.get(key);
    if (known && sameCallees(program, chunk, known.callees)) {
      this.kept.delete(key);
      this.kept.set(key, known);
      if (own) for (const name of known.asked) program.configuration.isOn(name);
      program.search(known.searched, chunk);
      return moved(known, chunk);
    }
    this.lowered++;
    const { configuration } = program;
    const asked = new Set<string>();
    const looked = new Set<string>();
    const searched = new Set<string>();
    const lowered = watching(program, configuration, { asked, looked, searched }, () =>
      lowerFunction(program, chunk),
    );
    if (canMove(lowered)) {
      const callees = new Map([...looked].map(name => [name, calleeOf(program, chunk, name)]));
      const { unit } = chunk.unit;
      this.keep(key, {
        unit,
        firstLine: chunk.firstLine,
        lowered,
        callees,
        asked: [...asked],
        searched: [...searched],
      });
    }
    return lowered;
  }

  private keep(key: string, made: Kept): void {
    const before = this.kept.get(key);
    if (before) this.instructions -= before.lowered.function.code.length;
    this.kept.delete(key);
    this.kept.set(key, made);
    this.instructions += made.lowered.function.code.length;
    for (const [oldest, { lowered }] of this.kept) {
      if (this.instructions <= mostInstructions || oldest === key) break;
      this.kept.delete(oldest);
      this.instructions -= lowered.function.code.length;
    }
  }
}

function watching<T>(
  program: Program,
  configuration: Configuration,
  trail: Trail & { readonly asked: Set<string> },
  work: () => T,
): T {
  configuration.trail = trail.asked;
  program.watch(trail);
  try {
    return work();
  } finally {
    configuration.trail = null;
    program.watch(null);
  }
}

/** No macro begins or ends inside it, and nothing of it was left out. */
function isSettled({ unit, firstLine, lastLine }: Chunk): boolean {
  if (unit.skipped.length) return false;
  for (const events of unit.events.values())
    for (const { line } of events) if (line >= firstLine && line <= lastLine) return false;
  return true;
}

const calleeOf = (program: Program, chunk: Chunk, name: string): Callee => {
  const found = program.functionChunk(name, chunk.unit);
  return { key: found && chunkKey(found), hasHead: found && program.knownHead(found) };
};

function sameCallees(program: Program, chunk: Chunk, callees: ReadonlyMap<string, Callee>): boolean {
  for (const [name, { key, hasHead }] of callees) {
    const found = program.functionChunk(name, chunk.unit);
    if (!found || key === null) {
      if (found || key !== null) return false;
    } else if (chunkKey(found) !== key && hasHead !== null && program.hasHead(found) !== hasHead)
      return false;
  }
  return true;
}

/** Static variables, and structs that are named after their place, cannot be moved. */
const canMove = ({ statics, function: fn }: LoweredFunction): boolean =>
  !statics.length && fn.code.every(one => one.op !== 'field' || !one.struct?.includes(':'));

/** The function as it stands where `chunk` does. */
function moved({ unit: from, firstLine, lowered }: Kept, chunk: Chunk): LoweredFunction {
  const { unit } = chunk.unit;
  const by = chunk.firstLine - firstLine;
  if (by === 0 && unit === from) return lowered;
  const { function: fn, findings } = lowered;
  const placed: IrFunction = {
    ...fn,
    unit,
    firstLine: fn.firstLine + by,
    lastLine: fn.lastLine + by,
    code: by === 0 ? fn.code : fn.code.map(one => ({ ...one, line: one.line + by })),
  };
  return {
    ...lowered,
    function: placed,
    findings: findings.map(finding => ({ ...finding, unit, line: finding.line + by })),
  };
}
