/** What the reader reports about macros: parameters without a use, registers overwritten unasked, bad nesting. */
import type { CodeFinding } from '../ir';
import type { SourceUnit } from '../source';
import type { Frame } from './frame';
import { readRegister } from './operands';
import { referencedNames, type MacroDefinition } from './macros';
import { structureOf } from './structure';

/** Whether any line of a range is part of the change (all lines of a whole file of a tree count). */
function changed(unit: SourceUnit, firstLine: number, lastLine: number): boolean {
  if (unit.side === 'tree') return true;
  for (let line = firstLine; line <= lastLine; line++) if (unit.lines[line]?.changed) return true;
  return false;
}

/** Required parameters that the body never uses. A macro with an empty body is a stub and needs none. */
export function parameterFindings(macro: MacroDefinition): CodeFinding[] {
  if (macro.partial || macro.body.length === 0 || !changed(macro.unit, macro.firstLine, macro.lastLine))
    return [];
  const used = new Set<string>();
  for (const { text } of macro.body)
    for (const name of referencedNames(text)) {
      used.add(name);
      used.add(name.replace(/[.$][^]*$/, ''));
    }
  return macro.parameters
    .filter(({ name, required }) => required && !used.has(name))
    .map(({ name }) => ({
      kind: 'unused-parameter',
      unit: macro.unit,
      line: macro.firstLine,
      message: `${macro.name} requires the parameter ${name} and never uses it.`,
    }));
}

/** `.macro` and `.if` that do not pair up. In a patch only where all lines of the macro are shown. */
export function nestingFindings(macro: MacroDefinition): CodeFinding[] {
  const { unit } = macro;
  const findings: CodeFinding[] = [];
  if (macro.unclosed)
    findings.push({
      kind: 'nesting',
      unit,
      line: macro.firstLine,
      message: `.macro ${macro.name} has no .endm.`,
    });
  if (macro.partial && !macro.unclosed) return findings;
  if (!changed(unit, macro.firstLine, macro.lastLine)) return findings;
  for (const problem of structureOf(macro.body).problems)
    findings.push({
      kind: 'nesting',
      unit,
      line: problem.line,
      message: `${macro.name}: ${problem.message}.`,
    });
  return findings;
}

/**
 * Registers that a macro overwrites although its caller did not hand them over.
 *
 * Only macros that work in registers given by parameter are held to this: others clobber by convention. A register is
 * fine if its value went somewhere before (pushed, or moved away), if a parameter names it by default, or if a comment
 * at the macro speaks of what it clobbers.
 */
export function registerFindings(
  macro: MacroDefinition,
  frame: Frame,
  comments: readonly string[],
): CodeFinding[] {
  if (macro.partial || !worksInParameters(macro, frame) || documented(macro, comments)) return [];
  const handedOver = new Set<string>();
  for (const { fallback } of macro.parameters) {
    const register = fallback === null ? null : readRegister(fallback);
    if (register) handedOver.add(register.name);
  }
  const saved = new Set<string>();
  const findings: CodeFinding[] = [];
  const headingChanged = changed(macro.unit, macro.firstLine, macro.firstLine);
  for (const { what, register, line } of frame.events) {
    if (register === 'rsp' || register.startsWith('\\')) continue;
    if (what === 'save') saved.add(register);
    if (what !== 'write' || saved.has(register) || handedOver.has(register)) continue;
    saved.add(register);
    if (!headingChanged && !changed(macro.unit, line, line)) continue;
    findings.push({
      kind: 'clobbered-register',
      unit: macro.unit,
      line,
      message: `${macro.name} overwrites %${register}, which its caller did not hand over and which it does not save.`,
    });
  }
  return findings;
}

/** Whether the macro writes to a register that a parameter names. */
function worksInParameters(macro: MacroDefinition, frame: Frame): boolean {
  return (
    macro.parameters.length > 0 &&
    frame.events.some(({ what, register }) => what === 'write' && register.startsWith('\\'))
  );
}

/** Whether a comment in the macro or right above it speaks of clobbering. */
function documented(macro: MacroDefinition, comments: readonly string[]): boolean {
  let first = macro.firstLine;
  while (first > 0 && belongsAbove(macro.unit, comments, first - 1)) first--;
  for (let line = first; line <= macro.lastLine; line++) if (/clob/i.test(comments[line] ?? '')) return true;
  return false;
}

function belongsAbove(unit: SourceUnit, comments: readonly string[], line: number): boolean {
  const text = unit.lines[line]?.text.trim() ?? '';
  return text === '' || text.startsWith('/*') || text.startsWith('*') || (comments[line] ?? '').trim() !== '';
}
