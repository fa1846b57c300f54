import { flattenedFields, isFlattened, unflatten } from './flattened';
import { scanFlattened } from './scanFlattened';
import { describeMessage, splitMessages, type MessageLines } from './messages';
import { textParts, type TextPart } from './mime';
import type { DecodedPart, PatchDiagnostic, PatchDocument, PatchFile, PatchMessage } from './model';
import { scanQuotations } from './quotes';
import { scanDiffs } from './scan';
import { DocumentTable, type LineTable } from './table';
import { DiffTables } from './tables';
import { unescapeSigned, unfoldFlowed } from './transfer';

/** What is known of the bytes a text was decoded from. */
export interface TextOrigin {
  /** 1-based line of the first byte sequence that is not UTF-8, or null. */
  readonly firstInvalidLine: number | null;
}

/**
 * Reads a document: a diff, a patch mail, an mbox, a whole thread. Never throws; what cannot be read as written is
 * named in `diagnostics`, each at its line. Time and memory are linear in the text.
 */
export function readPatch(text: string, origin: TextOrigin = { firstInvalidLine: null }): PatchDocument {
  const document = new DocumentTable(text);
  const files = new DiffTables();
  const quoted = new DiffTables();
  const decoded: DecodedPart[] = [];
  const messages: PatchMessage[] = [];
  if (origin.firstInvalidLine !== null) {
    files.diagnose(
      'non-utf8',
      origin.firstInvalidLine,
      'Not valid UTF-8 from here on in places; such lines were read as ISO 8859-1.',
    );
  }
  for (const lines of splitMessages(document)) {
    const fields = isFlattened(document, lines.first) ? flattenedFields(document, lines.first) : lines.fields;
    const message = describeMessage(document, { ...lines, fields }, messages.length + 1);
    messages.push(message);
    readMessage(document, lines, message.index, files, quoted, decoded);
  }
  let fileViews: readonly PatchFile[] | null = null;
  let quotedViews: readonly PatchFile[] | null = null;
  return {
    document,
    messages,
    decoded,
    diagnostics: sortDiagnostics(files.reported()),
    // Views are made when somebody asks: the tables are what was read.
    get files() {
      return (fileViews ??= files.files());
    },
    get quoted() {
      return (quotedViews ??= inOrder(quoted.files()));
    },
  };
}

function readMessage(
  document: DocumentTable,
  lines: MessageLines,
  message: number,
  files: DiffTables,
  quoted: DiffTables,
  decoded: DecodedPart[],
): void {
  const before = files.fileCount;
  const mail = lines.fields.size > 0;
  const parts = textParts(document, lines.fields, lines.body, lines.end, (kind, line, text) => {
    files.diagnose(kind, document.documentLine(line), text);
  });
  for (const part of parts) readPart(document, part, message, files, quoted, decoded, mail);
  if (files.fileCount > before) return;
  for (let line = lines.first; line < lines.end; line++) {
    if (isFlattened(document, line)) readFlattened(document, line, message, files);
  }
}

function readPart(
  document: DocumentTable,
  part: TextPart,
  message: number,
  files: DiffTables,
  quoted: DiffTables,
  decoded: DecodedPart[],
  mail: boolean,
): void {
  const prose = mail && part.name === '';
  const before = files.fileCount;
  const signed = unescapeSigned(part.table, part.from, part.to);
  let read: { table: LineTable; from: number; to: number } = signed
    ? { table: signed, from: 0, to: signed.lineCount }
    : part;
  if (part.flowed && !signed) {
    const best = bestOfFlowed(part, message, prose);
    files.append(best.tables);
    read = best;
  } else scanDiffs(read.table, read.from, read.to, files, message, 0, prose);
  if (files.fileCount > before && read.table.kind !== 'document') {
    decoded.push({
      source: read.table,
      message,
      name: part.name,
      documentLine: document.documentLine(part.rawLine),
    });
  }
  if (files.fileCount > before && part.table.kind === 'base64') {
    files.diagnose(
      'encoded-body',
      document.documentLine(part.rawLine),
      'The diff is base64: its lines have no place in this document. Open the decoded text to see them.',
    );
  }
  scanQuotations(read.table, read.from, read.to, quoted, message);
}

interface Scanned {
  readonly table: LineTable;
  readonly from: number;
  readonly to: number;
  readonly tables: DiffTables;
}

function scanned(table: LineTable, from: number, to: number, message: number, prose: boolean): Scanned {
  const tables = new DiffTables();
  scanDiffs(table, from, to, tables, message, 0, prose);
  return { table, from, to, tables };
}

/**
 * Many programs say `format=flowed` and neither fold nor stuff. The counts of the hunk headers tell which reading is
 * right: the text as it stands if it has no fault, else the reading with the fewest.
 */
function bestOfFlowed(part: TextPart, message: number, prose: boolean): Scanned {
  let best = scanned(part.table, part.from, part.to, message, prose);
  const faults = (found: Scanned): number => found.tables.diagnostics.length;
  if (faults(best) === 0 && best.tables.hunkCount > 0) return best;
  for (const unstuff of [true, false]) {
    const table = unfoldFlowed(part.table, part.from, part.to, part.delSp, unstuff);
    const found = scanned(table, 0, table.lineCount, message, prose);
    const better =
      found.tables.hunkCount > best.tables.hunkCount ||
      (found.tables.hunkCount === best.tables.hunkCount && faults(found) < faults(best));
    if (better) best = found;
  }
  return best;
}

function readFlattened(document: DocumentTable, line: number, message: number, files: DiffTables): void {
  const { table, certain } = unflatten(document, line);
  const tables = new DiffTables();
  scanFlattened(table, tables, message);
  if (!tables.fileCount) return;
  const place = document.documentLine(line);
  files.diagnose(
    'flattened-mail',
    place,
    `A whole mail on one line. ${tables.hunkCount} hunks were rebuilt from their headers${certain ? '; the marks agree with the counts' : ', some not with certainty'}. Context is approximate.`,
  );
  files.append(tables);
}

/** Quotations are found depth by depth; the reader of the document meets them line by line. */
function inOrder(files: PatchFile[]): PatchFile[] {
  return files.sort((a, b) => (a.documentLine ?? 0) - (b.documentLine ?? 0));
}

function sortDiagnostics(diagnostics: readonly PatchDiagnostic[]): PatchDiagnostic[] {
  const place = (diagnostic: PatchDiagnostic): number => diagnostic.documentLine ?? Number.MAX_SAFE_INTEGER;
  return [...diagnostics].sort((a, b) => place(a) - place(b));
}
