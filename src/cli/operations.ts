/** `tlbscope operations`: the primitive operations with their prices, and the kernel names that perform them. */
import type { CatalogueEntry, OperationCounts } from '../code/catalogue/entry';
import { catalogueSections } from '../code/catalogue/lookup';
import type { MachineProfile } from '../machine/profile';
import { operations, type Operation } from '../machine/operations';
import { priceOf } from '../machine/price';
import { defaultMachineId, sourceLine, sources } from '../machine/registry';
import { Exit, InputError, type Command, type CommandContext } from './command';
import { machineNamed, priceText } from './machines';
import { tableText } from './table';

/** `INVLPG c*n+n, IPI c`, or `nothing`. */
export function countsText(counts: OperationCounts): string {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return parts.join(', ') || 'nothing';
}

/** What a row counts, one line for each set of features. */
function rowLines(entry: CatalogueEntry): string[] {
  if (entry.unknown !== undefined) return [`unknown: ${entry.unknown}`];
  if (entry.effect === 'memory') return ['memory only'];
  const lines = entry.costs.map(({ when, ops, full, other, condition, unknown }) => {
    const parts = [unknown === undefined ? countsText(ops) : `unknown: ${unknown}`];
    if (full) parts.push(`above the ceiling ${countsText(full)}`);
    if (other) parts.push(`else ${countsText(other)} (if not: ${condition ?? ''})`);
    return `${when.length ? `${when.join('+')}: ` : ''}${parts.join('; ')}`;
  });
  const { select, callback } = entry;
  if (select)
    return Object.entries(select.cases).map(
      ([text, ops]) => `argument ${select.argument + 1} is ${text}: ${countsText(ops)}`,
    );
  if (callback) lines.push(`runs argument ${callback.argument + 1} ${callback.runs} times`);
  return lines;
}

/** One row of the catalogue in full. */
function rowText(entry: CatalogueEntry): string {
  const gate = entry.gate.length ? `  needs ${entry.gate.join(', ')}\n` : '';
  const lines = rowLines(entry).map(line => `  ${line}\n`);
  return `${entry.names.join(' ')} [${entry.where.join(', ')}]\n  ${entry.why}\n${gate}${lines.join('')}`;
}

const matches = (entry: CatalogueEntry, name: string): boolean => entry.names.includes(name);

function operationRows(shown: readonly Operation[], machine: MachineProfile): string[][] {
  return shown.map(({ name, title }) => {
    const price = priceOf(machine, name);
    const source = 'unknown' in price ? price.unknown : price.source.join(', ');
    return [name, priceText(machine, name), title, source];
  });
}

function text(
  shown: readonly Operation[],
  entries: readonly CatalogueEntry[],
  machine: MachineProfile,
): string {
  const parts: string[] = [];
  if (shown.length) {
    parts.push(tableText([['operation', 'cycles', 'what', 'source'], ...operationRows(shown, machine)]));
    const used = new Set(
      shown.flatMap(({ name }) => {
        const price = priceOf(machine, name);
        return 'unknown' in price ? [] : price.source;
      }),
    );
    parts.push(`\nCycles on ${machine.name}.\n`);
    parts.push([...used].map(id => `${id}: ${sourceLine(id)}\n`).join(''));
  }
  parts.push(entries.map(rowText).join('\n'));
  return parts.join('');
}

function json(
  shown: readonly Operation[],
  entries: readonly CatalogueEntry[],
  machine: MachineProfile,
): string {
  const listed = shown.map(({ recipe, ...operation }) => ({
    ...operation,
    recipe,
    price: priceOf(machine, operation.name),
  }));
  return `${JSON.stringify({ machine: machine.id, operations: listed, names: entries, sources }, null, 2)}\n`;
}

export const operationsCommand: Command = {
  name: 'operations',
  usage: '[NAME] [--machine ID] [--names]',
  summary: 'List the operations with their prices, or the kernel names that perform them.',
  options: { machine: { type: 'string' }, names: { type: 'boolean' } },
  help: [
    'NAME           one operation or kernel name',
    `--machine ID   the machine whose prices are shown (default ${defaultMachineId})`,
    '--names        list the kernel names (with --json both lists are always there)',
  ],
  positionals: [0, 1],
  run({ positionals, options, json: asJson, write, note }: CommandContext) {
    const machine = machineNamed(
      typeof options['machine'] === 'string' ? options['machine'] : defaultMachineId,
      note,
    );
    const entries = catalogueSections().flatMap(section => section.entries);
    const [name] = positionals;
    const namesOnly = options['names'] === true;
    let shownOperations = namesOnly && !asJson ? [] : operations;
    let shownEntries = namesOnly || asJson ? entries : [];
    if (name !== undefined) {
      shownOperations = operations.filter(operation => operation.name === name);
      shownEntries = entries.filter(entry => matches(entry, name));
      if (!shownOperations.length && !shownEntries.length)
        throw new InputError(`'${name}' is neither an operation nor a kernel name of the catalogue`);
    }
    const render = asJson ? json : text;
    write(render(shownOperations, shownEntries, machine));
    return Exit.Fine;
  },
};
