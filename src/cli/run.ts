/** `tlbscope run`: runs a scenario on simulated CPUs and prints what each run cost, and whether it was safe. */
import { defaultMachineId } from '../machine/registry';
import { compareRuns } from '../scenario/compare';
import type { RunResult } from '../scenario/run';
import { runScenario, ScenarioError } from '../scenario/run';
import { traceLines } from '../scenario/traceLines';
import { reviewedTree, underReview, variantTree, worldBooter } from '../scenario/variants';
import { Exit, InputError, type Command, type CommandContext, type CommandOptions } from './command';
import { readFeatures } from './costOptions';
import { readDocument } from './document';
import { loadCGrammar } from './frontEnd';
import { figureText, machineNamed } from './machines';
import { openScenario, readParameters, type NamedScenario } from './scenarioFile';
import { numberText, tableText } from './table';

const textsOf = (value: CommandOptions[string]): string[] =>
  (Array.isArray(value) ? value : [value]).filter(one => typeof one === 'string');

const parametersText = (run: RunResult): string =>
  Object.entries(run.parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ') || '-';

function cyclesText({ cycles: { total, low, high } }: RunResult): string {
  if (total !== null) return `${numberText(total)} (${numberText(low!)} to ${numberText(high!)})`;
  return low === null ? 'unknown' : `unknown, at least ${numberText(low)}`;
}

function report({ scenario }: NamedScenario, runs: readonly RunResult[]): string {
  const rows = runs.map(run => [
    run.variant,
    parametersText(run),
    run.verdict,
    cyclesText(run),
    String(run.misses),
    Object.entries(run.counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none',
  ]);
  const failed = runs.flatMap(run =>
    run.expect
      .filter(({ ok }) => !ok)
      .map(
        ({ text, line, found }) =>
          `line ${line}: ${run.variant}, ${parametersText(run)}: expected ${text}, found ${found ?? 'nothing known'}\n`,
      ),
  );
  const why = runs.flatMap(run =>
    run.why.map(reason => `${run.variant}, ${parametersText(run)}: ${reason}\n`),
  );
  const unknown = new Set(runs.flatMap(run => run.unknown.map(one => `unknown: ${one.name}: ${one.why}\n`)));
  const dominant = new Set(
    runs.flatMap(({ cycles }) => (cycles.dominant ? [figureText(cycles.dominant)] : [])),
  );
  const expectations = runs.reduce((all, run) => all + run.expect.length, 0);
  const machine = runs[0]
    ? `on ${runs[0].machine}, features ${runs[0].features.join(',') || 'none'}\n\n`
    : '';
  return [
    `${scenario.title}\n${machine}`,
    tableText([['variant', 'parameters', 'verdict', 'cycles', 'misses', 'operations'], ...rows], [4]),
    '\n',
    ...why,
    ...failed,
    ...unknown,
    dominant.size > 0 ? `ranges are moved most by: ${[...dominant].join('; ')}\n` : '',
    `${expectations - failed.length} of ${expectations} expectations hold.\n`,
  ].join('');
}

async function run({ positionals, options, json, write }: CommandContext): Promise<Exit> {
  const named = openScenario(positionals[0]!, readParameters(textsOf(options['set'])));
  const patch = typeof options['patch'] === 'string' ? readDocument(options['patch']).files : null;
  const { name } = named;
  const scenario = patch ? underReview(named.scenario) : named.scenario;
  const machineId = typeof options['machine'] === 'string' ? options['machine'] : scenario.machine;
  const machine = machineNamed(machineId ?? defaultMachineId);
  const features =
    typeof options['features'] === 'string' ? readFeatures(options['features'], machine) : null;
  await loadCGrammar();
  const traced = options['trace'] === true;
  const runs: RunResult[] = [];
  try {
    for (const result of runScenario(scenario, {
      machine,
      features: features?.features ?? null,
      treeOf: variant => {
        const tree = variantTree(scenario.kernel, variant);
        return patch && variant.name === 'after' ? reviewedTree(tree, patch) : tree;
      },
      boot: worldBooter(),
      variants: textsOf(options['variant']),
      trace: traced,
      ran: (_, world, index) => {
        if (!traced) return;
        let piece = '';
        for (const line of traceLines(world, index)) {
          piece += line;
          if (piece.length > 1 << 16) {
            write(piece);
            piece = '';
          }
        }
        write(piece);
      },
    }))
      runs.push(result);
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    const file = patch && error.line === 0 ? String(options['patch']) : name;
    throw new InputError(`${file}${error.line > 0 ? `:${error.line}` : ''}: ${error.message}`);
  }
  if (traced) return Exit.Fine;
  if (json)
    write(
      `${JSON.stringify({ scenario: scenario.title, name, runs, comparisons: compareRuns(runs) }, null, 2)}\n`,
    );
  else write(report(named, runs));
  const failed = runs.some(one => one.expect.some(({ ok }) => !ok));
  return options['check'] === true && failed ? Exit.Finding : Exit.Fine;
}

export const runCommand: Command = {
  name: 'run',
  usage: 'SCENARIO',
  summary: 'Run a scenario on simulated CPUs: operations, cycles, misses, verdict.',
  options: {
    variant: { type: 'string', multiple: true },
    patch: { type: 'string' },
    set: { type: 'string', multiple: true },
    machine: { type: 'string' },
    features: { type: 'string' },
    trace: { type: 'boolean' },
    check: { type: 'boolean' },
  },
  help: [
    "SCENARIO          a *.tlbscope.jsonc file, or the name of a built-in one ('tlbscope scenarios')",
    '--variant V       only this variant; may be given several times',
    '--patch FILE      instead of the variants: the tree before and after this patch',
    '--set NAME=N,…    one value for a parameter instead of those of the file',
    `--machine ID      machine profile (default: the scenario's, else ${defaultMachineId})`,
    "--features LIST   features that are on, such as PTI,PCID, or none (default: the scenario's)",
    '--trace           print the events as NDJSON instead',
    '--check           exit with 1 if an expectation does not hold',
  ],
  positionals: [1, 1],
  run,
};
