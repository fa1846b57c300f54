/**
 * The fallback reader: finds operations by name, by tokens alone. It knows comments, strings, prototypes, definitions
 * and macros, inline assembly and assembler lines, but no control flow; what it finds is shown as "by name".
 * Linear in the text. `nameFilter.ts` has the cheap test that goes before it.
 */
import type { LookupHints } from './catalogue/entry';
import { NameScanner, type Recognised } from './nameScanner';

/** Whether the lines begin inside a block comment: an end comes before any beginning. */
function beginsInComment(lines: readonly string[], from: number, to: number): boolean {
  for (let index = from; index < to; index++) {
    const text = lines[index]!;
    const close = text.indexOf('*/');
    const open = text.indexOf('/*');
    if (close >= 0 && (open < 0 || close < open)) return true;
    if (open >= 0) return false;
  }
  return false;
}

const isAssemblyPath = (path: string): boolean => path.endsWith('.S') || path.endsWith('.s');

/**
 * What stands on each line, by name. `lines` are consecutive lines of *one* side of a change, without patch marks.
 * `breaks` are the indexes, ascending, at which a new hunk begins, so that unseen lines lie before them.
 */
export function recogniseLines(
  lines: readonly string[],
  hints: LookupHints,
  breaks: readonly number[] = [],
): readonly (readonly Recognised[])[] {
  const scanner = new NameScanner(lines, hints, isAssemblyPath(hints.path));
  const starts = [0, ...breaks.filter(at => at > 0 && at < lines.length)];
  const result: (readonly Recognised[])[] = [];
  for (const [part, from] of starts.entries()) {
    const to = starts[part + 1] ?? lines.length;
    scanner.restart(beginsInComment(lines, from, to));
    for (let index = from; index < to; index++) result.push(scanner.line(index));
  }
  return result;
}
