import { Column, DerivedTable, type LineTable } from './table';
import { scanDiffs } from './scan';
import type { DiffTables } from './tables';

/** Deeper quotations than any thread has are not looked at. */
const MAX_DEPTH = 20;

const GREATER = 62;
const BLANK = 32;

/** Depth of the quotation that line `line` is in, and the column behind its last `>`. */
function quoteOf(table: LineTable, line: number): { depth: number; column: number } {
  const start = table.lineStart(line);
  const { text } = table;
  let depth = 0;
  let at = start;
  let column = 0;
  while (depth <= MAX_DEPTH) {
    const code = text.charCodeAt(at);
    if (code === GREATER) {
      depth++;
      at++;
      column = at - start;
    } else if (code === BLANK && depth > 0 && text.charCodeAt(at + 1) === GREATER) at++;
    else break;
  }
  return { depth, column };
}

/** Whether the text behind the quote marks begins a diff. */
function beginsDiff(table: LineTable, line: number, column: number): boolean {
  let at = table.lineStart(line) + column;
  if (table.text.charCodeAt(at) === BLANK) at++;
  return table.text.startsWith('@@ -', at) || table.text.startsWith('diff --git ', at);
}

/**
 * Finds the diffs that lines `from` ≤ l < `to` quote, depth by depth, and adds them to `tables`.
 * A remark between quoted lines does not end a hunk if its counts come out right across it; else the hunk is partial.
 */
export function scanQuotations(
  table: LineTable,
  from: number,
  to: number,
  tables: DiffTables,
  message: number,
): void {
  if (!table.hasQuotes) return;
  const depths = new Map<number, { lines: Column; hasDiff: boolean }>();
  for (let line = from; line < to; line++) {
    if (table.text.charCodeAt(table.starts[line]!) !== GREATER) continue;
    const { depth, column } = quoteOf(table, line);
    if (depth > MAX_DEPTH) continue;
    let group = depths.get(depth);
    if (!group) depths.set(depth, (group = { lines: new Column(), hasDiff: false }));
    group.lines.push(line);
    group.hasDiff ||= beginsDiff(table, line, column);
  }
  for (const [depth, group] of [...depths].sort(([a], [b]) => a - b)) {
    if (!group.hasDiff) continue;
    const quotation = unquote(table, group.lines.finish());
    scanDiffs(quotation, 0, quotation.lineCount, tables, message, depth);
  }
}

/** The lines without their quote marks. One blank behind the marks is the mail program's, if the header lines have it. */
function unquote(table: LineTable, lines: Int32Array): DerivedTable {
  const pieces: string[] = [];
  let strip = true;
  for (const line of lines) {
    const { column } = quoteOf(table, line);
    const start = table.lineStart(line) + column;
    if (beginsDiff(table, line, column)) strip = table.text.charCodeAt(start) === BLANK;
    const skip = strip && table.text.charCodeAt(start) === BLANK ? 1 : 0;
    pieces.push(table.text.slice(Math.min(start + skip, table.lineEnd(line)), table.lineEnd(line)), '\n');
  }
  return new DerivedTable('quotation', pieces.join(''), table, lines, lines);
}
