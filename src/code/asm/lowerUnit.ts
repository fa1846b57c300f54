/** Lowers one macro or one routine to an IR function. */
import type { Architecture } from '../configuration';
import type { CodeFinding, IrFunction } from '../ir';
import type { SourceUnit } from '../source';
import { Arm64Machine } from './arm64';
import { AsmBoundReached } from './bounds';
import { Expansion, type ExpansionContext } from './expander';
import { registerFindings } from './findings';
import type { KeptFlag } from './flags';
import { expandsOf, type InnerPart, type RoutineEntries } from './entries';
import { Frame, unseenLines, type Budget } from './frame';
import { type MacroDefinition } from './macros';
import type { Routine } from './routines';
import type { Statement } from './statements';
import { structureOf } from './structure';
import { X86Machine } from './x86Machine';

/** What all functions of a module share. */
export interface UnitContext {
  readonly architecture: Architecture;
  readonly macros: ReadonlyMap<string, MacroDefinition>;
  readonly preprocess: (text: string) => string;
  readonly budget: Budget;
  readonly findings: CodeFinding[];
  /** Macros without parameters that exceed a bound: so does whatever uses them. */
  readonly bombs: Set<string>;
  /** Labels `.L…` in the routines of a unit: code of one routine may jump into another. */
  readonly localLabels: (unit: SourceUnit) => ReadonlySet<string>;
  /** Comments of a unit, per line. */
  readonly comments: (unit: SourceUnit) => readonly string[];
}

interface Work {
  readonly name: string;
  readonly kind: 'asm-macro' | 'asm-routine';
  readonly unit: SourceUnit;
  readonly statements: readonly Statement[];
  readonly firstLine: number;
  readonly lastLine: number;
  readonly macro: MacroDefinition | null;
  readonly routine: Routine | null;
  readonly partial: boolean;
  readonly repaired: boolean;
}

export function lowerMacro(macro: MacroDefinition, context: UnitContext): IrFunction {
  return lower(
    {
      name: macro.name,
      kind: 'asm-macro',
      unit: macro.unit,
      statements: macro.body,
      firstLine: macro.firstLine,
      lastLine: macro.lastLine,
      macro,
      routine: null,
      partial: macro.partial,
      repaired: macro.headless,
    },
    context,
  );
}

/** A routine, with the places of the named labels inside it. */
export function lowerRoutine(routine: Routine, context: UnitContext): RoutineEntries {
  const parts: InnerPart[] = [];
  const lowered = lower(
    {
      name: routine.name,
      kind: 'asm-routine',
      unit: routine.unit,
      statements: routine.statements,
      firstLine: routine.firstLine,
      lastLine: routine.lastLine,
      macro: null,
      routine,
      partial: routine.cutStart || routine.cutEnd || routine.gaps,
      repaired: routine.nameless || routine.cutStart,
    },
    context,
    parts,
  );
  return { routine: lowered, parts };
}

/** What the parameters of a macro stand for where it is read by itself: their defaults, else themselves. */
function ownBinding(macro: MacroDefinition): Map<string, string> {
  const values = new Map<string, string>();
  const blankTests = new Set<string>();
  for (const { parsed } of macro.body) {
    const { mnemonic, rest } = parsed;
    if (mnemonic === '.ifb' || mnemonic === '.ifnb') blankTests.add(rest.trim().replace(/^\\/, ''));
  }
  for (const { name, fallback, vararg } of macro.parameters) {
    if (fallback !== null) values.set(name, fallback);
    else values.set(name, vararg || blankTests.has(name) ? '' : `\\${name}`);
  }
  return values;
}

type ParameterKind = 'register' | 'value' | 'text';

/** Parameters of one macro whose use is looked at. */
const mostParameters = 40;

/** How a macro uses a parameter: as a register, as a number, or as text. */
function parameterKind(name: string, body: readonly Statement[]): ParameterKind {
  const reference = `\\${name}`;
  let kind: ParameterKind = 'text';
  for (const { text } of body) {
    if (!text.includes(reference)) continue;
    if (/^\s*\.(?:else)?if/.test(text)) return 'value';
    if (text.includes(`$${reference}`) || text.includes(`$(${reference}`)) kind = 'value';
    else if (kind === 'text' && new RegExp(`(?:[\\s,("=]|%[re]?)\\\\${name}\\b`).test(text))
      kind = 'register';
  }
  return kind;
}

function lower(work: Work, context: UnitContext, entries: InnerPart[] | null = null): IrFunction {
  const base = {
    name: work.name,
    unit: work.unit,
    language: 'asm' as const,
    kind: work.kind,
    firstLine: work.firstLine,
    lastLine: work.lastLine,
    partial: work.partial,
    repaired: work.repaired,
  };
  const parameters = (work.macro?.parameters ?? []).map(({ name }, index) => ({
    name,
    type: index < mostParameters ? parameterKind(name, work.statements) : ('text' as const),
  }));
  const unreadable = (why: string): IrFunction => ({
    ...base,
    parameters,
    registers: parameters.map(() => ({ bits: 64 as const, signed: false })),
    names: parameters.map(({ name }) => name),
    code: [{ op: 'unknown', dst: null, name: work.name, why, line: work.firstLine }],
    unreadable: why,
  });
  const stray = structureOf(work.statements).problems.find(problem => problem.strayElse);
  if (stray) return unreadable(`${stray.message}: what belongs to it is not shown.`);
  if (context.architecture === 'other') return unreadable('Assembly of this architecture is not read.');
  try {
    let kept: ReadonlySet<KeptFlag> = new Set();
    for (;;) {
      const { frame, wanted } = attempt(work, context, kept);
      if ([...wanted].every(name => kept.has(name))) {
        const lowered = result(base, parameters, work, frame, context);
        if (work.routine && entries) entries.push(...entriesOf(frame));
        return lowered;
      }
      kept = new Set([...kept, ...wanted]);
    }
  } catch (error) {
    if (!(error instanceof AsmBoundReached)) throw error;
    if (work.macro?.parameters.length === 0 && error.bound === 'statements') context.bombs.add(work.name);
    const message = `${work.name} is not read: ${error.message}.`;
    context.findings.push({ kind: 'limit', unit: work.unit, line: work.firstLine, message });
    return unreadable(error.message);
  }
}

function attempt(
  work: Work,
  context: UnitContext,
  kept: ReadonlySet<KeptFlag>,
): { frame: Frame; wanted: ReadonlySet<KeptFlag> } {
  const frame = new Frame(context.budget);
  frame.builder.line = work.firstLine;
  for (const { name } of work.macro?.parameters ?? []) frame.parameter(`\\${name}`);
  const machine =
    context.architecture === 'arm64' ? new Arm64Machine(frame, kept) : new X86Machine(frame, kept);
  const expansion = new Expansion({
    frame,
    machine,
    macros: context.macros,
    preprocess: context.preprocess,
    bombs: context.bombs,
  } satisfies ExpansionContext);
  const binding = work.macro ? { values: ownBinding(work.macro), expansion: 0 } : null;
  if (work.routine?.cutStart) frame.unseen();
  expansion.run(work.statements, binding);
  expansion.finish();
  finish(work, frame, context);
  return { frame, wanted: machine.wantedFlags };
}

/** Named labels and macro expansions, with their places in the finished code. */
function entriesOf(frame: Frame): InnerPart[] {
  const { builder } = frame;
  return [
    ...frame.namedLabels().map(({ name, at }) => ({ name, at, to: at + 1, isLabel: true })),
    ...frame.expanded.map(({ name, from, to }) => ({
      name,
      at: builder.finalPlace(from),
      to: builder.finalPlace(to),
      isLabel: false,
    })),
  ];
}

/** The end of the code, and what jumps to labels that are not in it do. */
function finish(work: Work, frame: Frame, context: UnitContext): void {
  const { builder } = frame;
  builder.line = work.lastLine;
  const next = work.routine?.runsInto ?? null;
  if (next !== null && !builder.ended) {
    builder.emit({ op: 'call', dst: null, callee: next, pointer: null, args: [], text: next });
  }
  if (!builder.ended) builder.emit({ op: 'return', value: null });
  const stubs = new Map<string, number>();
  // A macro of which lines are missing may have been expanded into code that is all there.
  const partial = work.partial || frame.gaps.length > 0;
  for (const target of frame.outside()) {
    if (target.label.at >= 0) continue;
    const local = /^(?:\.L|\d|\\)|@/.test(target.name) && !context.localLabels(work.unit).has(target.name);
    const gaps = frame.gaps.filter(gap => gap >= target.from);
    if (local && partial && gaps.length === 1 && !target.name.endsWith('b')) {
      target.label.at = gaps[0]!;
      continue;
    }
    const known = stubs.get(target.name);
    if (known !== undefined) {
      target.label.at = known;
      continue;
    }
    stubs.set(target.name, builder.length);
    builder.place(target.label);
    builder.line = target.line;
    if (!local && !/^[\w.$]*\w$/.test(target.name)) {
      const why = 'The target of this jump cannot be read.';
      builder.emit({ op: 'unknown', dst: null, name: target.name.slice(0, 40), why });
    } else if (!local) {
      const { name } = target;
      builder.emit({ op: 'call', dst: null, callee: name, pointer: null, args: [], text: `jmp ${name}` });
    } else if (!(work.partial && gaps.length === 0 && !target.name.endsWith('b'))) {
      const why = partial
        ? `The label ${target.name} is in lines that the patch does not show.`
        : `There is no label ${target.name} in this code.`;
      builder.emit({ op: 'unknown', dst: null, name: partial ? unseenLines : target.name, why });
    }
    builder.emit({ op: 'return', value: null });
  }
  frame.linkUnseen();
}

function result(
  base: Omit<IrFunction, 'parameters' | 'registers' | 'names' | 'code' | 'unreadable'>,
  parameters: IrFunction['parameters'],
  work: Work,
  frame: Frame,
  context: UnitContext,
): IrFunction {
  if (work.macro && context.architecture === 'x86')
    context.findings.push(...registerFindings(work.macro, frame, context.comments(work.unit)));
  const { builder } = frame;
  return {
    ...base,
    parameters,
    registers: builder.registers,
    names: builder.names.map(name => name.replace(/^\\/, '')),
    code: builder.finish(),
    partial: base.partial || frame.gaps.length > 0,
    unreadable: null,
    ...expandsOf(frame.expanded.map(({ name }) => name)),
  };
}
