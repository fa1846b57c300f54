/** The two readers of code behind the one interface that pricing uses. */
import { lowerAsm } from '../code/asm/lower';
import { architectureOfPath, type Architecture } from '../code/configuration';
import type { IrModule } from '../code/ir';
import { loweringC, LoweringMemory, type CLoweringOptions, type DefinitionIndex } from '../code/lowerC';
import type { SourceUnit } from '../code/source';
import type { Breathe, FrontEnd } from './analysis';

export interface FrontEndOptions {
  /** CONFIG_ symbols that are set, by full name. */
  readonly config: ReadonlyMap<string, boolean>;
  /** Definitions of a kernel tree, or null. */
  readonly index: DefinitionIndex | null;
  /** What was made of functions before; without it the front end has a memory of its own. */
  readonly memory?: LoweringMemory;
  /** Called between two functions: whoever has other things to do does them there, or throws to end the reading. */
  readonly breathe?: Breathe;
}

async function lowered(
  units: readonly SourceUnit[],
  options: CLoweringOptions,
  breathe: Breathe | undefined,
): Promise<IrModule> {
  const steps = loweringC(units, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await breathe?.();
  }
}

/** The architecture of each unit; generic files go with the architecture that the others are of, else with x86. */
function byArchitecture(units: readonly SourceUnit[]): Map<Architecture, SourceUnit[]> {
  const known = units.flatMap(unit => architectureOfPath(unit.path) ?? []);
  const usual: Architecture = known.includes('x86') || !known.length ? 'x86' : known[0]!;
  const groups = new Map<Architecture, SourceUnit[]>();
  for (const unit of units) {
    const architecture = architectureOfPath(unit.path) ?? usual;
    const group = groups.get(architecture);
    if (group) group.push(unit);
    else groups.set(architecture, [unit]);
  }
  return groups;
}

/** Makes the front end. The C grammar must be loaded before anything in C is read. */
export function makeFrontEnd(options: FrontEndOptions): FrontEnd {
  const { config, index, memory = new LoweringMemory(), breathe } = options;
  return {
    c: async (units, context) => {
      const modules: IrModule[] = [];
      for (const [architecture, own] of byArchitecture(units)) {
        const given = { architecture, config, context, memory, ...(index ? { index } : {}) };
        modules.push(await lowered(own, given, breathe));
      }
      return joined(modules);
    },
    asm: (units, context) => lowerAsm(units, { architecture: 'x86', config, context }),
  };
}

function joined(modules: readonly IrModule[]): IrModule {
  if (modules.length === 1) return modules[0]!;
  return {
    functions: modules.flatMap(module => module.functions),
    findings: modules.flatMap(module => module.findings),
    variables: modules.flatMap(module => module.variables ?? []),
    structs: modules.flatMap(module => module.structs ?? []),
    unread: modules.flatMap(module => module.unread),
    assumedConfig: new Map(modules.flatMap(module => [...module.assumedConfig])),
  };
}
