/** A scenario for the command line: a file, or a built-in one by its name. */
import { dirname } from 'node:path';
import { builtinScenarios } from '../scenario/builtin';
import { checkScenario } from '../scenario/check';
import type { Scenario } from '../scenario/model';
import { InputError } from './command';
import { readBytes } from './input';

export interface NamedScenario {
  /** The name of a built-in one, or the path. */
  readonly name: string;
  readonly scenario: Scenario;
}

/** Folder that paths in a scenario are relative to. */
export const folderOf = (path: string): string =>
  path === '-' || builtinScenarios.some(({ name }) => name === path) ? '.' : dirname(path);

/** `--set n=10,c=3`. */
export function readParameters(texts: readonly string[]): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const text of texts)
    for (const entry of text.split(',').filter(one => one.trim())) {
      const match = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(-?[0-9]{1,15})\s*$/.exec(entry);
      if (!match) throw new InputError(`--set wants NAME=NUMBER, not '${entry.trim()}'`);
      values.set(match[1]!, Number(match[2]));
    }
  return values;
}

/** Throws {@link InputError} with the place of the first mistake. */
export function openScenario(path: string, set: ReadonlyMap<string, number>): NamedScenario {
  const builtin = builtinScenarios.find(({ name }) => name === path);
  const text = builtin?.text ?? new TextDecoder().decode(readBytes(path));
  const checked = checkScenario(text, set);
  if (checked.ok) {
    for (const name of set.keys())
      if (!checked.scenario.parameters.some(parameter => parameter.name === name))
        throw new InputError(`--set ${name}: the scenario has no such parameter`);
    return { name: path, scenario: checked.scenario };
  }
  const lines = checked.diagnostics.map(
    ({ line, column, message }) => `${path === '-' ? 'standard input' : path}:${line}:${column}: ${message}`,
  );
  const more = lines.length > 1 ? ` (and ${lines.length - 1} more)` : '';
  throw new InputError(`${lines[0]!}${more}`);
}
