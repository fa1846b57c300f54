/** `tlbscope cost`: what the hunks, functions and patches of a document change, in operations and cycles. */
import { print } from '../cost/polynomial';
import type { Cycles, PricedDocument, PricedHunk, PricedPart } from '../cost/priced';
import { dominantChange } from '../cost/dominant';
import { analysePatch } from '../cost/price';
import { costJson, type Weigh } from '../cost/report';
import type { Counts } from '../cost/resolve';
import { defaultMachineId } from '../machine/registry';
import { Exit, type Command, type CommandContext } from './command';
import { readFeatures, readLimit, readSymbols, strangeFeatures } from './costOptions';
import { readDocument } from './document';
import { frontEndFor } from './frontEnd';
import { openTree } from './kernelTree';
import { dominantText, machineNamed } from './machines';

const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

const plain = (text: string): string => text.replace(controls, '\ufffd');

const countsText = (counts: Counts): string =>
  counts.size ? [...counts].map(([name, count]) => `${name} ${print(count)}`).join(', ') : 'nothing';

const number = (value: number): string =>
  (Math.round(value * 10) / 10).toLocaleString('en-US', { useGrouping: false });

const cyclesText = (cycles: Cycles | null, why: string): string =>
  cycles
    ? `${cycles.delta > 0 ? '+' : ''}${number(cycles.delta)} cycles (${number(cycles.low)} to ${number(cycles.high)})`
    : `cycles unknown: ${why}`;

function detailLines(part: PricedPart): string[] {
  const lines: string[] = [];
  if (part.other)
    lines.push(`or ${countsText(part.other.delta)}, where an open condition goes the other way`);
  for (const { documentLine, text, taken } of part.conditions)
    lines.push(
      `condition, line ${documentLine ?? '?'}: ${text} — ${taken === 'both' ? 'both ways' : taken ? 'taken as true' : 'taken as false'}`,
    );
  for (const { gate, delta } of part.alternatives)
    lines.push(`with ${gate} the other way: ${countsText(delta)}`);
  for (const { name, documentLine, why } of part.unknown)
    lines.push(`unknown${documentLine === null ? '' : `, line ${documentLine}`}: ${name}: ${why}`);
  for (const { name, where, change } of part.deferred)
    lines.push(`${change > 0 ? 'defers' : 'no longer defers'} work to the ${where}: ${name}`);
  return lines;
}

function hunkLinesOf(hunk: PricedHunk): string[] {
  const where = hunk.documentLine === null ? '' : `line ${hunk.documentLine}: `;
  const name = hunk.function === null ? '' : ` ${hunk.function}`;
  const mark = hunk.byName ? ' [by name]' : '';
  const head = `${where}${hunk.file} @ ${hunk.oldStart}${name}${mark}: ${countsText(hunk.delta)}`;
  const cycles = hunk.delta.size ? [`  ${cyclesText(hunk.cycles, hunk.noCycles)}`] : [];
  return [head, ...cycles, ...detailLines(hunk).map(line => `  ${line}`)];
}

/** Names of unknown things that the last line gives. */
const mostNamed = 6;

function report(priced: PricedDocument, weigh: Weigh): string {
  const symbols = Object.entries(priced.symbols).map(([name, value]) => `${name}=${value}`);
  const lines = [
    `on ${priced.machine}, features ${priced.features.join(',') || 'none'}, ${symbols.join(', ')}`,
    ...priced.hunks.flatMap(hunkLinesOf),
  ];
  for (const patch of priced.total.patches) {
    const mark = patch.supersededBy === null ? '' : ` (replaced by message ${patch.supersededBy})`;
    lines.push(`patch ${patch.message}${mark} ${patch.subject}: ${countsText(patch.delta)}`);
    for (const root of patch.roots)
      if (root.delta.size || root.unknown.length)
        lines.push(
          `  ${root.function}: ${countsText(root.delta)}; ${cyclesText(root.cycles, root.noCycles)}`,
        );
  }
  for (const { documentLine, message } of priced.findings)
    lines.push(`finding${documentLine === null ? '' : `, line ${documentLine}`}: ${message}`);
  const { delta, cycles, noCycles, unknown } = priced.total;
  const names = [...new Set(unknown.map(({ name }) => name))];
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  const left = names.length
    ? `; without what is unknown: ${names.slice(0, mostNamed).join(', ')}${more}`
    : '';
  lines.push(`total: ${countsText(delta)}; ${cyclesText(cycles, noCycles)}${left}`);
  const dominant = cycles && weigh(delta);
  if (dominant) lines.push(dominantText(dominant));
  return `${lines.map(plain).join('\n')}\n`;
}

const list = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter(item => typeof item === 'string');

async function run({ positionals, options, json, write, note }: CommandContext): Promise<Exit> {
  const machine = machineNamed(list(options['machine'])[0] ?? defaultMachineId, note);
  const { values, nGiven } = readSymbols(list(options['set']));
  const settings = readFeatures(list(options['features'])[0], machine);
  const { features, switched, config } = settings;
  const limits = list(options['check']).map(readLimit);
  const treePath = list(options['tree'])[0];
  const document = readDocument(positionals[0]!);
  const given = options['features'] === undefined ? [] : strangeFeatures(settings, document.document.text);
  if (given.length)
    note(
      `--features: ${given.join(', ')}: no such feature is known, and the document names none of that name`,
    );
  const arm64 = document.files.some(file => /(^|\/)arch\/arm64\//.test(file.newPath ?? file.oldPath ?? ''));
  const opened = treePath === undefined ? null : openTree(treePath, arm64 ? 'arm64' : 'x86');
  const frontEnd = await frontEndFor(config, opened?.index ?? null);
  const pricer = await analysePatch(document, { frontEnd, tree: opened?.tree ?? null });
  const priced = pricer.price({ machine, features, switched, values, nGiven });
  const weigh: Weigh = delta => dominantChange(delta, machine, { max: 8, ...values });
  write(json ? `${JSON.stringify(costJson(priced, weigh))}\n` : report(priced, weigh));
  const broken = limits.filter(limit => !limit.holds(priced.total.cycles?.delta ?? null));
  for (const limit of broken)
    note(
      `the total (${cyclesText(priced.total.cycles, priced.total.noCycles)}) does not keep to ${limit.text}`,
    );
  return broken.length ? Exit.Finding : Exit.Fine;
}

export const costCommand: Command = {
  name: 'cost',
  usage: 'FILE [--machine ID] [--set n=10,c=3] [--features LIST|none] [--tree DIR] [--check LIMIT]',
  summary: 'Price a patch: operations and cycles that each hunk, function and patch changes.',
  options: {
    machine: { type: 'string' },
    set: { type: 'string', multiple: true },
    features: { type: 'string' },
    tree: { type: 'string' },
    check: { type: 'string', multiple: true },
  },
  help: [
    'FILE               a diff, mail, mbox or archive text; - is standard input',
    `--machine ID|FILE  whose prices are used, or a machine file (default ${defaultMachineId})`,
    '--set n=10,c=3     values of symbols: n pages of the range, c other CPUs, names of loop bounds',
    "--features LIST    exactly the features that are on, or none (default: the machine's); CONFIG_X=n and key=y too",
    '--tree DIR         a kernel tree: whole files instead of fragments, and callees that the patch does not show',
    "--check LIMIT      exit with 1 unless the total keeps to a limit such as 'cycles<=200'",
  ],
  positionals: [1, 1],
  run,
};
