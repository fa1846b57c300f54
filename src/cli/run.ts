/** `tlbscope run`: runs a scenario on simulated CPUs and prints what each run cost, and whether it was safe. */
import { defaultMachineId } from '../machine/registry';
import { compareRuns } from '../scenario/compare';
import type { RunResult } from '../scenario/run';
import { runScenario, ScenarioError } from '../scenario/run';
import { traceLines } from '../scenario/traceLines';
import { worldBooter } from '../scenario/variants';
import { Exit, InputError, type Command, type CommandContext, type CommandOptions } from './command';
import { readFeatures, strangeFeatures } from './costOptions';
import { loadCGrammar } from './frontEnd';
import { figureText, machineNamed } from './machines';
import { runTrees } from './runTrees';
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

/** So many notes are printed; `--json` has them all. */
const mostNotes = 12;

function noteLines(runs: readonly RunResult[]): string[] {
  const lines = runs.flatMap(run =>
    run.notes.map(note => `${run.variant}, ${parametersText(run)}: ${note}\n`),
  );
  const more = lines.length - mostNotes;
  return more > 0 ? [...lines.slice(0, mostNotes), `${more} more notes: --json has them\n`] : lines;
}

/** Which files of a folder ran, and what stood around them. */
function sourceLines(runs: readonly RunResult[], folder: string | null): string[] {
  const sources = runs.at(-1)?.sources ?? [];
  if (folder === null) return [];
  const named = { tree: `from ${folder}`, model: "from TLBScope's model", 'built in': 'built in' } as const;
  return (['tree', 'model', 'built in'] as const).flatMap(from => {
    const files = sources.filter(one => one.from === from).map(({ file }) => file);
    return files.length > 0 ? [`${named[from]}: ${files.join(', ')}\n`] : [];
  });
}

function report({ scenario }: NamedScenario, runs: readonly RunResult[], folder: string | null): string {
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
    ...noteLines(runs),
    ...sourceLines(runs, folder),
    dominant.size > 0 ? `ranges are moved most by: ${[...dominant].join('; ')}\n` : '',
    `${expectations - failed.length} of ${expectations} expectations hold.\n`,
  ].join('');
}

async function run({ positionals, options, json, write, note }: CommandContext): Promise<Exit> {
  const named = openScenario(positionals[0]!, readParameters(textsOf(options['set'])));
  const optional = (key: string): string | null => {
    const value = options[key];
    return typeof value === 'string' ? value : null;
  };
  const patch = optional('patch');
  const { name } = named;
  const path = positionals[0]!;
  const trees = runTrees({
    ...{ path, scenario: named.scenario, tree: optional('tree'), patch },
    ownCalls: options['smp'] === true,
  });
  const { scenario } = trees;
  const machineId = typeof options['machine'] === 'string' ? options['machine'] : scenario.machine;
  const machine = machineNamed(machineId ?? defaultMachineId, note);
  const features =
    typeof options['features'] === 'string' ? readFeatures(options['features'], machine) : null;
  const strange = features ? strangeFeatures(features, '') : [];
  if (strange.length) note(`--features: ${strange.join(', ')}: no such feature is known`);
  await loadCGrammar();
  const traced = options['trace'] === true;
  const runs: RunResult[] = [];
  try {
    for (const result of runScenario(scenario, {
      machine,
      features: features?.features ?? null,
      treeOf: trees.treeOf,
      touched: trees.touched,
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
    const file = patch !== null && error.line === 0 ? patch : name;
    throw new InputError(`${file}${error.line > 0 ? `:${error.line}` : ''}: ${error.message}`);
  }
  if (json && !traced)
    write(
      `${JSON.stringify({ scenario: scenario.title, name, tree: trees.folder, runs, comparisons: compareRuns(runs) }, null, 2)}\n`,
    );
  else if (!traced) write(report(named, runs, trees.folder));
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
    tree: { type: 'string' },
    smp: { type: 'boolean' },
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
    "--tree DIR        a kernel tree instead of the model's: its TLB code, with the model around it",
    "--smp             with --tree: calls between CPUs by the tree's kernel/smp.c, whose waiting has no price of its own",
    '--set NAME=N,…    one value for a parameter instead of those of the file',
    `--machine ID|FILE machine profile, or a machine file (default: the scenario's, else ${defaultMachineId})`,
    "--features LIST   features that are on, such as PTI,PCID, or none (default: the scenario's)",
    '--trace           print the events as NDJSON instead',
    '--check           exit with 1 if an expectation does not hold',
  ],
  positionals: [1, 1],
  run,
};
