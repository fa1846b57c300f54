/** Macros of the assembler: `.macro` headers, bodies, arguments and substitution. */
import { AsmBoundReached, asmBounds } from './bounds';
import type { SourceUnit } from '../source';
import { makeStatement, splitArguments, unquote, type Statement } from './statements';

export interface MacroParameter {
  readonly name: string;
  readonly required: boolean;
  readonly vararg: boolean;
  /** Default value, or null. */
  readonly fallback: string | null;
}

export interface MacroDefinition {
  readonly name: string;
  readonly parameters: readonly MacroParameter[];
  readonly body: readonly Statement[];
  readonly unit: SourceUnit;
  readonly firstLine: number;
  readonly lastLine: number;
  /** Lines are missing: its end, its beginning, or some between two hunks. */
  readonly partial: boolean;
  /** Its heading is not shown. */
  readonly headless: boolean;
  /** The assembler would refuse it: no `.endm` in a file that is all there. */
  readonly unclosed: boolean;
}

/** Reads `NAME a b=1, c:req d:vararg`. */
function readMacroHeading(text: string): { name: string; parameters: MacroParameter[] } | null {
  const match = /^\s*([\w.$]+)\s*,?\s*/.exec(text);
  if (!match) return null;
  const parameters: MacroParameter[] = [];
  for (const part of splitArguments(text.slice(match[0].length))) {
    const read = /^([\w.$]+)\s*(?::\s*(req|vararg))?\s*(?:=([^]*))?$/.exec(part);
    if (!read) continue;
    const fallback = read[3];
    parameters.push({
      name: read[1]!,
      required: read[2] === 'req',
      vararg: read[2] === 'vararg',
      fallback: fallback === undefined ? null : unquote(fallback),
    });
  }
  return { name: match[1]!, parameters };
}

/** What the parameters of one call stand for; required ones that are missing are empty. */
export function bindArguments(macro: MacroDefinition, text: string): Map<string, string> {
  const values = new Map<string, string>();
  const names = new Set(macro.parameters.map(parameter => parameter.name));
  const vararg = macro.parameters.findIndex(parameter => parameter.vararg);
  const args = splitArguments(text);
  let position = 0;
  for (const [index, argument] of args.entries()) {
    const named = /^([\w.$]+)\s*=(?!=)\s*([^]*)$/.exec(argument);
    if (named && names.has(named[1]!)) {
      values.set(named[1]!, unquote(named[2]!));
      continue;
    }
    const parameter = macro.parameters[position];
    if (!parameter) break;
    if (vararg >= 0 && position === vararg) {
      values.set(parameter.name, args.slice(index).map(unquote).join(','));
      break;
    }
    if (argument !== '') values.set(parameter.name, unquote(argument));
    position++;
  }
  for (const parameter of macro.parameters)
    if (!values.has(parameter.name)) values.set(parameter.name, parameter.fallback ?? '');
  return values;
}

const reference = /\\(@|\(\)|[A-Za-z_][\w.$]*)/g;

/**
 * Puts arguments in place of `\name`, the number of the expansion in place of `\@`, nothing in place of `\()`.
 * Also inside quotes. Names that are no parameter stay.
 */
export function substitute(text: string, values: ReadonlyMap<string, string>, expansion: number): string {
  if (!text.includes('\\')) return text;
  let length = text.length;
  return text.replace(reference, (all: string, name: string) => {
    if (name === '@') return String(expansion);
    if (name === '()') return '';
    let value = values.get(name);
    if (value === undefined) {
      const dot = name.search(/[.$]/);
      const short = dot > 0 ? values.get(name.slice(0, dot)) : undefined;
      value = short === undefined ? all : short + name.slice(dot);
    }
    length += value.length;
    if (length > 2 * asmBounds.lineLength) throw new AsmBoundReached('lineLength');
    return value;
  });
}

/** Names behind a backslash in a text. */
export function referencedNames(text: string): string[] {
  if (!text.includes('\\')) return [];
  return [...text.matchAll(reference)].map(match => match[1]!).filter(name => /^[A-Za-z_]/.test(name));
}

/** A run of statements of which some are macro definitions, sorted. */
export interface Sorted {
  readonly macros: readonly MacroDefinition[];
  /** Statements outside macros. */
  readonly rest: readonly Statement[];
  /** Lines of `.endm` that close nothing in a file that is all there. */
  readonly strayEnds: readonly number[];
}

/** Longest stretch of unseen lines across which a macro is taken to go on. */
const longestGap = 200;
/** Definitions of macros inside definitions of macros. */
const deepest = 8;

/** Takes the macro definitions out of the statements of a unit. */
export function sortMacros(unit: SourceUnit, statements: readonly Statement[], depth = 0): Sorted {
  const macros: MacroDefinition[] = [];
  let rest: Statement[] = [];
  const strayEnds: number[] = [];
  let hunkStart = 0;
  let at = 0;
  // A hunk that begins with a macro: what stands behind it outside is the first that shows the gap.
  let gap = -1;
  const next = nextMarkers(statements);
  while (at < statements.length) {
    const statement = statements[at]!;
    if (statement.gap >= 0) {
      hunkStart = rest.length;
      gap = statement.gap;
    }
    const { mnemonic, rest: text } = statement.parsed;
    if (mnemonic === '.endm') {
      if (unit.whole) strayEnds.push(statement.line);
      else {
        const body = rest.slice(hunkStart);
        rest = rest.slice(0, hunkStart);
        macros.push(headlessMacro(unit, body, (body[0] ?? statement).line, statement.lastLine));
      }
      at++;
    } else if (mnemonic === '.macro') {
      const heading = readMacroHeading(text);
      const end = macroEnd(unit, statements, at, next, heading?.parameters ?? []);
      const body = statements.slice(at + 1, end.at);
      const last = statements[end.closed ? end.at : end.at - 1]!;
      // Lines that are not shown before the end.
      if (end.closed && last.gap >= 0) body.push(makeStatement('', last.line, last.lastLine, last.gap));
      if (heading)
        macros.push({
          ...heading,
          body,
          unit,
          firstLine: statement.line,
          lastLine: last.lastLine,
          partial: !end.closed || body.some(line => line.gap >= 0),
          headless: false,
          unclosed: !end.closed && unit.whole,
        });
      if (depth < deepest)
        macros.push(...sortMacros(unit, body, depth + 1).macros.filter(inner => !inner.headless));
      gap = body.findLast(line => line.gap >= 0)?.gap ?? gap;
      at = end.at + (end.closed ? 1 : 0);
      hunkStart = rest.length;
    } else {
      rest.push(gap === statement.gap ? statement : { ...statement, gap });
      gap = -1;
      at++;
    }
  }
  return { macros, rest, strayEnds };
}

/** A macro of which a hunk shows lines but no heading. */
export function headlessMacro(
  unit: SourceUnit,
  body: readonly Statement[],
  firstLine: number,
  lastLine: number,
): MacroDefinition {
  const file = unit.path.slice(unit.path.lastIndexOf('/') + 1);
  const hunk = unit.lines[firstLine]?.hunk ?? -1;
  return {
    name: `macro of hunk ${hunk + 1} of ${file}`,
    parameters: [...new Set(body.flatMap(statement => referencedNames(statement.text)))].map(name => ({
      name,
      required: false,
      vararg: false,
      fallback: null,
    })),
    body,
    unit,
    firstLine,
    lastLine,
    partial: true,
    headless: true,
    unclosed: false,
  };
}

/** Per statement: kind of the next `.macro` or `.endm` at or behind it. */
function nextMarkers(statements: readonly Statement[]): ('.macro' | '.endm' | null)[] {
  const next: ('.macro' | '.endm' | null)[] = new Array<null>(statements.length + 1).fill(null);
  for (let at = statements.length - 1; at >= 0; at--) {
    const { mnemonic } = statements[at]!.parsed;
    next[at] = mnemonic === '.macro' || mnemonic === '.endm' ? mnemonic : next[at + 1]!;
  }
  return next;
}

/** Where the macro whose heading is at `start` ends: at its `.endm`, or where what is shown of it stops. */
function macroEnd(
  unit: SourceUnit,
  statements: readonly Statement[],
  start: number,
  next: readonly ('.macro' | '.endm' | null)[],
  parameters: readonly MacroParameter[],
): { at: number; closed: boolean } {
  let depth = 0;
  const names = new Set(parameters.map(parameter => parameter.name));
  for (let at = start + 1; at < statements.length; at++) {
    const statement = statements[at]!;
    if (statement.gap >= 0 && depth === 0 && !goesOn(unit, statements, at, next, names))
      return { at, closed: false };
    const { mnemonic } = statement.parsed;
    if (mnemonic === '.macro') depth++;
    else if (mnemonic === '.endm' && depth-- === 0) return { at, closed: true };
  }
  return { at: statements.length, closed: false };
}

/** Whether the hunk that begins at `at` still belongs to the macro that was open before it. */
function goesOn(
  unit: SourceUnit,
  statements: readonly Statement[],
  at: number,
  next: readonly ('.macro' | '.endm' | null)[],
  names: ReadonlySet<string>,
): boolean {
  if (next[at] !== '.endm') return false;
  const line = unit.lines[statements[at]!.line]!;
  const before = unit.lines[statements[at - 1]!.line]!;
  if (line.fileLine - before.fileLine > longestGap) return false;
  for (let index = at; index < statements.length; index++) {
    const { text, gap, parsed } = statements[index]!;
    if (index > at && gap >= 0) break;
    if (parsed.mnemonic === '.endm') break;
    if (referencedNames(text).some(name => !names.has(name))) return false;
  }
  return true;
}
