import { parseHunkHeader } from './hunkHeader';
import { LineKind } from './model';
import { gitNames, headerName, stripPrefixes } from './names';
import type { FlattenedTable } from './table';
import { HunkFlag, type DiffTables } from './tables';

/** Adds the files and hunks of a flattened mail: its pseudo-lines begin with header words or markers. */
export function scanFlattened(table: FlattenedTable, tables: DiffTables, message: number): void {
  let git: { oldName: string; newName: string } | null = null;
  let old: string | null = null;
  let open = false;
  let header = -1;
  let flags = 0;
  const count = { added: 0, removed: 0 };

  const closeHunk = (end: number): void => {
    if (header < 0) return;
    const start = table.lineStart(header);
    const ranges = parseHunkHeader(table.text, start, table.text.length)!;
    // Context lines cannot be counted; the marks can be checked against the header.
    const agrees = ranges.newLines - count.added === ranges.oldCounts[0]! - count.removed;
    flags = HunkFlag.Approximate | (agrees ? 0 : HunkFlag.Mismatch);
    if (!agrees)
      tables.diagnose(
        'hunk-count-mismatch',
        table.documentLine(),
        'The marks of this hunk do not agree with its header.',
      );
    tables.addHunk(table, header, end, count.added, count.removed, flags, 0);
    header = -1;
    count.added = count.removed = 0;
  };

  for (let line = 0; line < table.lineCount; line++) {
    const text = table.lineText(line);
    if (text.startsWith('diff --git ')) {
      closeHunk(line);
      git = gitNames(text.slice(11).trim());
      old = null;
      open = false;
    } else if (text.startsWith('@@ -')) {
      closeHunk(line);
      if (!open) continue;
      header = line;
      table.kinds[line] = LineKind.HunkHeader;
    } else if (header < 0 && text.startsWith('--- ')) old = headerName(text.slice(4).trim()).name;
    else if (header < 0 && text.startsWith('+++ ') && (old !== null || git)) {
      const { oldName, newName } = stripPrefixes(old ?? git!.oldName, headerName(text.slice(4).trim()).name);
      const oldPath = oldName === '/dev/null' ? null : oldName;
      const newPath = newName === '/dev/null' ? null : newName;
      const status = oldPath === null ? 'added' : newPath === null ? 'deleted' : 'modified';
      tables.addFile({
        oldPath,
        newPath,
        status,
        message,
        oldMode: null,
        newMode: null,
        source: table,
        headerLine: line,
        oldAt: -1,
        newAt: -1,
      });
      open = true;
    } else if (header >= 0 && text.startsWith('+')) {
      count.added++;
      table.kinds[line] = LineKind.Added;
    } else if (header >= 0 && text.startsWith('-')) {
      count.removed++;
      table.kinds[line] = LineKind.Removed;
    } else closeHunk(line);
  }
  closeHunk(table.lineCount);
}
