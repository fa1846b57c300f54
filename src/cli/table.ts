/** Plain-text tables for the terminal. */

/** Cells hold no character outside the basic plane, so units are columns. */
const widthOf = (text: string): number => text.length;

/**
 * Rows as lines, columns padded to the widest cell. The first row is the heading. `right` lists the columns that hold
 * numbers. The last column is not padded.
 */
export function tableText(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const padding = ' '.repeat(widths[column]! - widthOf(cell));
        if (right.includes(column)) return padding + cell;
        return column === row.length - 1 ? cell : cell + padding;
      })
      .join('  ')
      .trimEnd();
  return rows.map(row => `${lineOf(row)}\n`).join('');
}

/** `120`, `4.25`: no more digits than the figure has. */
export const numberText = (value: number): string => String(Math.round(value * 100) / 100);
