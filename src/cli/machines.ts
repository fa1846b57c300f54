/** `tlbscope machines`: the machine profiles, with the price of every operation and its sources. */
import { breakEven } from '../machine/breakEven';
import type { Dominant } from '../machine/dominant';
import type { MachineProfile } from '../machine/profile';
import { operations } from '../machine/operations';
import { priceOf } from '../machine/price';
import {
  defaultMachineId,
  figureTitles,
  findMachine,
  kernelConstants,
  machineProfiles,
  sourceLine,
  sources,
} from '../machine/registry';
import { checkMachineFile } from '../scenario/machineFile/check';
import { Exit, InputError, type Command, type CommandContext } from './command';
import { readBytes } from './input';
import { numberText, tableText } from './table';

/** A machine file. Figures that cannot be used are told by `note`; a file that gives no machine throws. */
function machineOfFile(path: string, note: (line: string) => void): MachineProfile {
  const { profile, diagnostics } = checkMachineFile(new TextDecoder().decode(readBytes(path)));
  const lines = diagnostics.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
  if (!profile)
    throw new InputError(`${lines[0] ?? path}${lines.length > 1 ? ` (and ${lines.length - 1} more)` : ''}`);
  lines.forEach(note);
  return profile;
}

/** The profile with that id, or of that machine file; throws {@link InputError}. */
export function machineNamed(id: string, note: (line: string) => void): MachineProfile {
  const machine = findMachine(id);
  if (machine) return machine;
  if (/\.jsonc?$/.test(id)) return machineOfFile(id, note);
  throw new InputError(
    `no machine '${id}'; known are ${machineProfiles.map(known => known.id).join(', ')}, and files that end with .json or .jsonc`,
  );
}

/** A price as one cell, with its range, kind, and a mark where a validation row went into it. */
export function priceText(profile: MachineProfile, operation: string): string {
  const price = priceOf(profile, operation);
  if ('unknown' in price) return 'unknown';
  return `${numberText(price.cycles)} (${numberText(price.low)} to ${numberText(price.high)}) ${price.kind}${price.holdout ? ' ‡' : ''}`;
}

/** A figure by its title, with how it was come by. */
export const figureText = ({ figure, kind }: Dominant): string =>
  `${figureTitles[figure] ?? figure} (${kind})`;

/** What a result's range hangs on. */
export const dominantText = (dominant: Dominant): string =>
  `the range is moved most by: ${figureText(dominant)}, ${Math.round(100 * dominant.share)} % of it`;

const pricesOf = (profile: MachineProfile) =>
  Object.fromEntries(operations.map(({ name }) => [name, priceOf(profile, name)]));

/** How many of a profile's figures are estimates. */
function estimatedText({ figures }: MachineProfile): string {
  const known = Object.values(figures).filter(({ value }) => value !== null);
  return `${known.filter(({ kind }) => kind === 'estimated').length} of ${known.length}`;
}

const overviewColumns = ['INVLPG', 'INVPCID_ADDR', 'CR3_FLUSH', 'CR3_NOFLUSH', 'IPI', 'DSB'];

function overview(): string {
  const cell = (profile: MachineProfile, operation: string): string => {
    const price = priceOf(profile, operation);
    return 'unknown' in price ? '-' : numberText(price.cycles);
  };
  const rows = machineProfiles.map(profile => [
    profile.id,
    ...overviewColumns.map(operation => cell(profile, operation)),
    estimatedText(profile),
    profile.features.join(',') || 'none',
  ]);
  const table = tableText(
    [['machine', ...overviewColumns, 'estimated', 'features on by default'], ...rows],
    [...overviewColumns, ''].map((_, column) => column + 1),
  );
  return `${table}\nCycles; - is not known or not there; estimated: how many of the machine's figures are estimates. The default machine is ${defaultMachineId}.\n'tlbscope machines ID' shows one with ranges and sources.\n`;
}

function figureRows(profile: MachineProfile): string[][] {
  return Object.entries(profile.figures).map(([id, figure]) => [
    figureTitles[id] ?? id,
    figure.value === null
      ? 'not there'
      : `${numberText(figure.value)} (${numberText(figure.low!)} to ${numberText(figure.high!)}) ${figure.unit}`,
    `${figure.kind}${figure.holdout ? ' ‡' : ''}`,
    figure.sources.join(', '),
  ]);
}

/** Every id of a source that the profile's figures name. */
function sourcesOf(profile: MachineProfile): string[] {
  const used = new Set(Object.values(profile.figures).flatMap(figure => figure.sources));
  return Object.keys(sources).filter(id => used.has(id));
}

/** Where the machine would have the kernel's ceiling. */
function breakEvenLines(profile: MachineProfile): string {
  const found = breakEven(profile);
  if (!found.length) return '';
  const list = found.map(
    ({ refilled, pages, low, high }) =>
      `${numberText(pages)} pages (${numberText(low)} to ${numberText(high)}) if ${refilled} entries are fetched again`,
  );
  return `\nA full flush breaks even with one page after the other at ${list.join(', ')}; Linux flushes everything above ${kernelConstants.flushCeiling.value}.\n`;
}

function details(profile: MachineProfile): string {
  const { topology, clock } = profile;
  const prices = operations.map(({ name, title }) => {
    const price = priceOf(profile, name);
    const source = 'unknown' in price ? price.unknown : price.source.join(', ');
    return [name, priceText(profile, name), title, source];
  });
  return [
    `${profile.name} (${profile.id})\n${profile.about}\n`,
    `${topology.sockets} socket(s), ${topology.coresPerSocket} cores each, ${topology.threadsPerCore} thread(s) per core; ` +
      `ns are converted at an assumed ${clock.assumedCoreGhz} GHz.\n`,
    `Features: ${profile.features.join(', ') || 'none'}. Lacks: ${profile.lacks.join(', ') || 'nothing listed'}.\n\n`,
    tableText([['operation', 'cycles', 'what', 'source'], ...prices]),
    '\n',
    tableText([['figure', 'value', 'kind', 'source'], ...figureRows(profile)]),
    breakEvenLines(profile),
    '\n‡ computed with a published row that is kept for validation.\n\n',
    sourcesOf(profile)
      .map(id => `${id}: ${sourceLine(id)}\n`)
      .join(''),
  ].join('');
}

function json(profiles: readonly MachineProfile[]): string {
  const machines = profiles.map(profile => ({
    ...profile,
    operations: pricesOf(profile),
    breakEven: breakEven(profile),
  }));
  return `${JSON.stringify({ default: defaultMachineId, machines, constants: kernelConstants, sources }, null, 2)}\n`;
}

export const machinesCommand: Command = {
  name: 'machines',
  usage: '[ID|FILE]',
  summary: 'List the machine profiles, with the source and range of every figure.',
  options: {},
  help: [
    'ID      show one machine with all its figures and sources',
    'FILE    the same for a machine file (*.tlbscope-machine.json), with what is wrong in it',
  ],
  positionals: [0, 1],
  run({ positionals, json: asJson, write, note }: CommandContext) {
    const [id] = positionals;
    const chosen = id === undefined ? null : machineNamed(id, note);
    if (asJson) write(json(chosen ? [chosen] : machineProfiles));
    else write(chosen ? details(chosen) : overview());
    return Exit.Fine;
  },
};
