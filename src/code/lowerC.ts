/** The C front end: units of source text in, IR out. */
import { Program } from './c/program';
import type { DefinitionIndex } from './c/sources';
import { bounds } from './c/bounds';
import type { LoweredFunction } from './c/lowerFunction';
import { lowerFunction } from './c/lowerFunction';
import type { LoweringMemory } from './c/loweringMemory';
import { moduleStructs, moduleVariables } from './c/moduleData';
import type { Chunk } from './c/slice';
import type { Architecture } from './configuration';
import { Configuration } from './configuration';
import type { CodeFinding, IrModule } from './ir';
import type { SourceUnit } from './source';

export type { DefinitionIndex, DefinitionKind } from './c/sources';
export { LoweringMemory } from './c/loweringMemory';
export type { WasmLoader } from './c/syntax';
export { isCParserLoaded, loadCParser } from './c/syntax';

export interface CLoweringOptions {
  readonly architecture: Architecture;
  /** Values of CONFIG_ symbols by full name; others have a default for the architecture. */
  readonly config: ReadonlyMap<string, boolean>;
  /** Files whose macros, types and functions may be used; a function of them is lowered when something reaches it. */
  readonly context?: readonly SourceUnit[];
  /** The same for a whole tree, looked up by name. */
  readonly index?: DefinitionIndex;
  /**
   * What earlier calls made of the same functions. With it the module has no `variables` and no `structs`: remembered
   * functions do not tell which they need.
   */
  readonly memory?: LoweringMemory;
}

/**
 * Lowers every function of `units` (one side of each file), and what they reach in the context.
 * {@link loadCParser} must have finished.
 */
export function lowerC(units: readonly SourceUnit[], options: CLoweringOptions): IrModule {
  const steps = loweringC(units, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in steps: it can be left between two functions. */
export function* loweringC(
  units: readonly SourceUnit[],
  options: CLoweringOptions,
): Generator<void, IrModule, void> {
  const configuration = new Configuration(options.architecture, options.config);
  const program = new Program(units, options.context ?? [], options.index ?? null, configuration);
  const lower =
    options.memory?.with(program, options.index ?? null) ?? (chunk => lowerFunction(program, chunk));
  const lowered = new Map<Chunk, LoweredFunction>();
  const findings: CodeFinding[] = [];
  const queue = program.ownChunks().filter(chunk => chunk.kind === 'function');
  const own = queue.length;
  for (let at = 0; at < queue.length; at++) {
    const chunk = queue[at]!;
    if (lowered.has(chunk)) continue;
    yield;
    if (at - own >= bounds.contextFunctions) {
      findings.push(tooMany(chunk));
      break;
    }
    const result = lower(chunk);
    lowered.set(chunk, result);
    findings.push(...result.findings);
    for (const name of result.used) {
      const target = program.functionChunk(name, chunk.unit);
      if (target && !lowered.has(target)) queue.push(target);
    }
  }
  const functions = [...lowered.values()].map(one => one.function);
  return {
    functions,
    findings,
    ...(options.memory ? {} : dataOf(program, lowered)),
    unread: [
      ...functions
        .filter(one => one.unreadable !== null)
        .map(({ unit, firstLine, lastLine, unreadable }) => ({
          unit,
          firstLine,
          lastLine,
          why: unreadable!,
        })),
      ...program.own.flatMap(({ unit, skipped }) => skipped.map(range => ({ unit, ...range }))),
    ],
    assumedConfig: configuration.asked,
  };
}

/** Variables, and the structs that the code names members of. */
function dataOf(
  program: Program,
  lowered: ReadonlyMap<Chunk, LoweredFunction>,
): Pick<IrModule, 'variables' | 'structs'> {
  const functions = [...lowered.values()].map(one => one.function);
  const statics = [...lowered].flatMap(([chunk, one]) => one.statics.map(local => ({ chunk, local })));
  const variables = moduleVariables(program, functions, statics);
  return { variables, structs: moduleStructs(program, functions, variables) };
}

const tooMany = (chunk: Chunk): CodeFinding => ({
  kind: 'limit',
  unit: chunk.unit.unit,
  line: chunk.firstLine,
  message: `more than ${bounds.contextFunctions} functions are reached; the rest is not read`,
});
