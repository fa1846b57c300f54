/**
 * The assembly front end: units of text in, IR out.
 *
 * Conventions of the IR that it makes:
 *
 * - A macro is an `asm-macro`: its parameters are its first registers, in order; `type` of a parameter says whether it
 *   stands for a register, a number or text. A parameter with a default stands for that. What callers expand of it is
 *   in their own code, with the line of the call; `expands` names the macros.
 * - A routine is an `asm-routine`. A label inside it that other code jumps to, or that its start does not reach, is one
 *   more function. Jumps to other routines are a call and a return.
 * - Machine registers are variables of one function, by their 64-bit names; their values at entry are not known, and
 *   calls do not hand them on: `args` of a call are the argument registers that the code has set, `dst` is RAX or X0.
 * - The stack pointer moves by `index` with the element `unsigned long`, so slots need no layout.
 * - A comparison and the jump behind it are one comparison of the operands. Where another path comes in between, CF,
 *   ZF, SF and OF are variables `cf`, `zf`, `sf`, `of`.
 * - Lines that a patch does not show are an `unknown` named `unseen lines`; from there, and from the beginning of a
 *   routine that is not shown, a branch on the variable `unseen jump` leads to each label that nothing shown leads to.
 * - What is not understood is an `unknown` without `dst`, named after the instruction; the register that it may have
 *   written is lost in a second one.
 */
import { architectureOfPath, Configuration, type Architecture } from '../configuration';
import type { CodeFinding, IrFunction, IrModule } from '../ir';
import type { SourceUnit } from '../source';
import { nestingFindings, parameterFindings } from './findings';
import { withEntries, type RoutineEntries } from './entries';
import { Budget } from './frame';
import { lowerMacro, lowerRoutine, type UnitContext } from './lowerUnit';
import { headlessMacro, sortMacros, type MacroDefinition } from './macros';
import { Preprocessor } from './preprocess';
import { sortRoutines, type Routine } from './routines';
import { makeStatement, splitStatements, type Statement } from './statements';
import { readLines, type AsmLine, type AsmText } from './text';

export interface AsmOptions {
  /** For files whose path does not tell. */
  readonly architecture: Architecture;
  /** CONFIG_ symbols that are set, by full name; others have the default of the architecture. */
  readonly config: ReadonlyMap<string, boolean>;
  /** Files of the same side that are read for their macros and constants only. */
  readonly context?: readonly SourceUnit[];
}

type Unread = IrModule['unread'][number];

/** Lowers assembly of one side of a patch, or of a tree. Units of several architectures do not see each other. */
export function lowerAsm(units: readonly SourceUnit[], options: AsmOptions): IrModule {
  const code = units.filter(unit => !unit.path.endsWith('.lds.S'));
  const functions: IrFunction[] = [];
  const findings: CodeFinding[] = [];
  const unread: Unread[] = [];
  const assumedConfig = new Map<string, boolean>();
  const budget = new Budget();
  const architectureOf = (unit: SourceUnit): Architecture =>
    architectureOfPath(unit.path) ?? options.architecture;
  for (const architecture of new Set(code.map(architectureOf))) {
    const configuration = new Configuration(architecture, options.config);
    const own = code.filter(unit => architectureOf(unit) === architecture);
    const context = (options.context ?? []).filter(unit => architectureOf(unit) === architecture);
    const reader = new ModuleReader(architecture, configuration, budget, findings, unread);
    functions.push(...reader.run(own, context));
    for (const [name, value] of configuration.asked) assumedConfig.set(name, value);
  }
  return { functions, findings, unread, assumedConfig };
}

class ModuleReader {
  private readonly texts = new Map<SourceUnit, AsmText>();
  private readonly preprocessor: Preprocessor;
  private readonly macros = new Map<string, MacroDefinition>();

  constructor(
    private readonly architecture: Architecture,
    configuration: Configuration,
    private readonly budget: Budget,
    private readonly findings: CodeFinding[],
    private readonly unread: Unread[],
  ) {
    this.preprocessor = new Preprocessor(configuration);
  }

  run(units: readonly SourceUnit[], contextUnits: readonly SourceUnit[]): IrFunction[] {
    for (const unit of [...contextUnits, ...units]) {
      const text = readLines(unit, this.architecture);
      this.texts.set(unit, text);
      if (!unit.whole) this.preprocessor.announce(text.lines);
    }
    for (const unit of contextUnits) this.remember(sortMacros(unit, this.statements(unit, false)).macros);
    const sorted = units.map(unit => ({ unit, ...sortMacros(unit, this.statements(unit, true)) }));
    for (const { macros } of sorted) this.remember(macros);
    const localLabels = new Map(sorted.map(({ unit, rest }) => [unit, localLabelsOf(rest)]));
    const context: UnitContext = {
      architecture: this.architecture,
      macros: this.macros,
      preprocess: text => this.preprocessor.expand(text),
      budget: this.budget,
      findings: this.findings,
      bombs: new Set(),
      localLabels: unit => localLabels.get(unit) ?? new Set(),
      comments: unit => this.texts.get(unit)?.comments ?? [],
    };
    const functions: IrFunction[] = [];
    const routines: RoutineEntries[] = [];
    for (const { unit, macros, rest, strayEnds } of sorted) {
      for (const line of strayEnds)
        this.findings.push({ kind: 'nesting', unit, line, message: '.endm without .macro.' });
      for (const macro of macros) {
        this.findings.push(...nestingFindings(macro), ...parameterFindings(macro));
        functions.push(lowerMacro(macro, context));
      }
      for (const routine of sortRoutines(unit, rest)) {
        const macro = asMacro(routine);
        if (macro) functions.push(lowerMacro(macro, context));
        else routines.push(lowerRoutine(routine, context));
      }
    }
    return [...functions, ...withEntries(routines)];
  }

  private remember(macros: readonly MacroDefinition[]): void {
    for (const macro of macros) if (!macro.headless) this.macros.set(macro.name, macro);
  }

  /** The statements of a unit after the preprocessor. */
  private statements(unit: SourceUnit, report: boolean): Statement[] {
    const text = this.texts.get(unit)!;
    const { lines, unread, unreadable, cutOff } = this.preprocessor.run(text.lines);
    if (report) {
      for (const range of unread) if (rangeChanged(unit, range)) this.unread.push({ unit, ...range });
      for (const line of text.tooLong) this.limit(unit, line, line, 'The line is too long to be read.');
      for (const { firstLine, lastLine, why } of unreadable)
        this.limit(unit, firstLine, lastLine, `Not read: ${why}.`);
      if (cutOff)
        this.limit(unit, cutOff.line, unit.lines.length - 1, `Not read from here on: ${cutOff.why}.`);
    }
    return lines.flatMap((line, index) =>
      splitLine(!unit.whole && (index === 0 || line.gap >= 0) ? withoutTail(line) : line),
    );
  }

  private limit(unit: SourceUnit, firstLine: number, lastLine: number, why: string): void {
    this.findings.push({ kind: 'limit', unit, line: firstLine, message: why });
    this.unread.push({ unit, firstLine, lastLine, why });
  }
}

/** Lines that use arguments are the middle of a macro whose heading is not shown. */
function asMacro(routine: Routine): MacroDefinition | null {
  if (!routine.nameless || !routine.statements.some(({ text }) => text.includes('\\'))) return null;
  return headlessMacro(routine.unit, routine.statements, routine.firstLine, routine.lastLine);
}

function localLabelsOf(statements: readonly Statement[]): Set<string> {
  const names = statements.flatMap(({ text, parsed }) => (text.includes('.L') ? parsed.labels : []));
  return new Set(names.filter(name => name.startsWith('.L')));
}

function splitLine({ text, line, lastLine, gap }: AsmLine): Statement[] {
  const parts = splitStatements(text);
  // A gap must not get lost with an empty line.
  if (parts.length === 0) return gap >= 0 ? [makeStatement('', line, lastLine, gap)] : [];
  return parts.map((part, index) => makeStatement(part, line, lastLine, index === 0 ? gap : -1));
}

/** The first line of a hunk may be the end of a statement that is not shown: it closes more than it opens. */
function withoutTail(line: AsmLine): AsmLine {
  let depth = 0;
  for (const char of line.text) {
    if (char === '(') depth++;
    else if (char === ')' && --depth < 0) return { ...line, text: '' };
  }
  return line;
}

function rangeChanged(
  unit: SourceUnit,
  range: { readonly firstLine: number; readonly lastLine: number },
): boolean {
  for (let line = range.firstLine; line <= range.lastLine; line++) if (unit.lines[line]?.changed) return true;
  return false;
}
