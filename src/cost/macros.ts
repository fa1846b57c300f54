/**
 * C macros with a body that can flush are priced like functions: `#define f(a) body` is read as
 * `static void f(unsigned long a) { body; }`, on the same lines.
 */
import type { SourceLine, SourceUnit } from '../code/source';

const heading = /^\s*#\s*define\s+([A-Za-z_]\w*)\(([^()]*)\)\s?/;

/** Longest macro that is read, in lines. */
const longest = 200;

/** A function-like macro of a unit, with the indexes of its first and last line. */
export interface MacroRange {
  readonly name: string;
  readonly parameters: string;
  /** Column in the first line at which its body begins. */
  readonly bodyColumn: number;
  readonly firstLine: number;
  readonly lastLine: number;
}

/** Function-like macros that have a changed line. */
export function changedMacros(unit: SourceUnit): MacroRange[] {
  const found: MacroRange[] = [];
  for (let at = 0; at < unit.lines.length; at++) {
    const match = heading.exec(unit.lines[at]!.text.slice(0, 400));
    if (!match) continue;
    const firstLine = at;
    while (
      at + 1 < unit.lines.length &&
      unit.lines[at]!.text.trimEnd().endsWith('\\') &&
      at - firstLine < longest
    )
      at++;
    if (!unit.lines.slice(firstLine, at + 1).some(line => line.changed)) continue;
    const [whole, name, parameters] = match;
    found.push({ name: name!, parameters: parameters!, bodyColumn: whole.length, firstLine, lastLine: at });
  }
  return found;
}

/** Units, one per function-like macro of `unit` that has a changed line and a body worth reading. */
export function macroUnits(unit: SourceUnit): SourceUnit[] {
  return changedMacros(unit).flatMap(({ name, parameters, bodyColumn, firstLine, lastLine }) => {
    const made = asFunction(unit.lines.slice(firstLine, lastLine + 1), name, parameters, bodyColumn);
    return made ? [{ ...unit, lines: made, whole: true }] : [];
  });
}

/** The unit without the macros that {@link macroUnits} made functions of: they would be expanded in their own heads. */
export function withoutMacros(unit: SourceUnit, macros: readonly SourceUnit[]): SourceUnit {
  const gone = new Set(macros.flatMap(macro => macro.lines.map(line => line.fileLine)));
  return {
    ...unit,
    lines: unit.lines.map(line => (gone.has(line.fileLine) ? { ...line, text: '' } : line)),
  };
}

const withoutBackslash = (text: string): string => text.trimEnd().replace(/\\$/, '');

function asFunction(
  lines: readonly SourceLine[],
  name: string,
  parameters: string,
  bodyColumn: number,
): SourceLine[] | null {
  const names = parameters.split(',').map(parameter => parameter.trim());
  if (names.some(parameter => parameter.includes('...'))) return null;
  const head = names.filter(Boolean).map(parameter => `unsigned long ${parameter}`);
  const bodies = lines.map((line, at) =>
    withoutBackslash(at === 0 ? line.text.slice(bodyColumn) : line.text),
  );
  if (!bodies.some(body => body.includes('('))) return null;
  return lines.map((line, at) => {
    const open = at === 0 ? `static void ${name}(${head.join(', ') || 'void'}) { ` : '';
    const close = at === lines.length - 1 ? ' ; }' : '';
    return { ...line, text: `${open}${bodies[at]!}${close}` };
  });
}
