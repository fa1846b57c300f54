/** A unit, read into tokens: segments between unseen lines, conditionals resolved, macros collected. */
import { append } from './lists';
import type { SourceLine, SourceUnit } from '../source';
import type { ConditionContext, Macro, MacroEvent } from './conditionals';
import { Conditionals, eventAt } from './conditionals';
import type { Skipped, Token } from './tokens';
import { tokenise } from './tokens';

/** A stretch of lines without unseen lines in between. */
export interface Segment {
  readonly tokens: readonly Token[];
  readonly firstLine: number;
  readonly lastLine: number;
  /** Text after the second `@@` of the hunk that it starts with, or ''. */
  readonly heading: string;
}

export interface PreparedUnit {
  readonly unit: SourceUnit;
  /** All tokens of the unit; `from` and `to` of a token index this list. */
  readonly source: readonly Token[];
  readonly segments: readonly Segment[];
  readonly events: ReadonlyMap<string, readonly MacroEvent[]>;
  readonly weak: readonly { readonly firstLine: number; readonly lastLine: number }[];
  readonly skipped: readonly Skipped[];
}

export function prepare(unit: SourceUnit, context: ConditionContext): PreparedUnit {
  const source: Token[] = [];
  const segments: Segment[] = [];
  const events = new Map<string, MacroEvent[]>();
  const weak: { firstLine: number; lastLine: number }[] = [];
  const skipped: Skipped[] = [];
  for (const { first, last } of stretches(unit)) {
    const stream = tokenise(unit.lines, first, last, { fragment: !unit.whole, base: source.length });
    const { tokens } = stream;
    for (const token of tokens) source.push(token);
    const conditioned = new Conditionals(stream, context, events).run();
    append(weak, conditioned.weak);
    append(skipped, stream.skipped);
    const heading = unit.headings[unit.lines[first]?.hunk ?? -1] ?? '';
    segments.push({ tokens: conditioned.tokens, firstLine: first, lastLine: last, heading });
  }
  return { unit, source, segments, events, weak, skipped };
}

/** Ranges of neighbouring lines. */
function stretches(unit: SourceUnit): { first: number; last: number }[] {
  const { lines, whole } = unit;
  if (!lines.length) return [];
  if (whole) return [{ first: 0, last: lines.length - 1 }];
  const result: { first: number; last: number }[] = [];
  let first = 0;
  for (let line = 1; line <= lines.length; line++) {
    if (line < lines.length && !gapBetween(lines[line - 1]!, lines[line]!)) continue;
    result.push({ first, last: line - 1 });
    first = line;
  }
  return result;
}

function gapBetween(a: SourceLine, b: SourceLine): boolean {
  if (a.hunk === b.hunk) return false;
  return a.fileLine === 0 || b.fileLine !== a.fileLine + 1;
}

/** The macro of the unit that is in force at `line`: null where it is undefined there, undefined where unknown. */
export function macroAt(unit: PreparedUnit, name: string, line: number): Macro | null | undefined {
  return eventAt(unit.events.get(name), line)?.macro;
}

/** White space before the first token of a line, in columns with tabs of eight. */
export function indentation(line: SourceLine | undefined): number {
  let columns = 0;
  for (const char of line?.text ?? '') {
    if (char === '\t') columns += 8 - (columns % 8);
    else if (char === ' ') columns++;
    else break;
  }
  return columns;
}
