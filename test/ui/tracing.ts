/** Runs a built-in scenario and returns its whole trace: the same text in Node and in a browser. */
import { loadCParser } from '../../src/code/lowerC';
import { findMachine } from '../../src/machine/registry';
import { builtinScenarios } from '../../src/scenario/builtin';
import { checkScenario } from '../../src/scenario/check';
import { runScenario } from '../../src/scenario/run';
import { traceLines } from '../../src/scenario/traceLines';
import { variantTree, worldBooter } from '../../src/scenario/variants';

export type LoadWasm = (name: string) => Promise<Uint8Array>;

export async function traceOf(
  name: string,
  parameters: readonly (readonly [string, number])[],
  load: LoadWasm,
): Promise<string> {
  await loadCParser(load);
  const { text } = builtinScenarios.find(scenario => scenario.name === name)!;
  const checked = checkScenario(text, new Map(parameters));
  if (!checked.ok) throw new Error(checked.diagnostics[0]?.message);
  const { scenario } = checked;
  const lines: string[] = [];
  const runs = runScenario(scenario, {
    machine: findMachine('broadwell-ep-e5-2660v4')!,
    features: null,
    treeOf: variant => variantTree(scenario.kernel, variant),
    boot: worldBooter(),
    variants: [],
    trace: true,
    ran: (_, world, index) => lines.push(...traceLines(world, index)),
  });
  for (const { verdict, counts } of runs) lines.push(JSON.stringify({ verdict, counts }));
  return lines.join('');
}
