/** The text of a file as it is on disk, where the editor's own differs from it. */
import * as vscode from 'vscode';
import { decodeText } from '../patch/decode';
import type { DocumentReport } from '../protocol/report';
import { hasLoneCr } from './lineMap';

/**
 * The editor turns a lone CR into a line end and bytes that are not UTF-8 into U+FFFD. The former matters only where it
 * has damaged a hunk, and then the reader has complained.
 */
export const mayDiffer = (text: string, report: DocumentReport): boolean =>
  report.diagnostics.length > 0 || text.includes('\ufffd');

const lineCount = (text: string): number => text.split(/\r\n|\r|\n/).length;

/**
 * The file's own text if the editor has changed it, else undefined (also when the document is being edited, has another
 * encoding, or its file system cannot be read).
 */
export async function rereadFromDisk(
  document: vscode.TextDocument,
  text: string,
): Promise<{ text: string; firstInvalidLine: number | null } | undefined> {
  if (document.isDirty || document.isUntitled || document.uri.scheme === 'git') return undefined;
  if (document.encoding !== 'utf8' && document.encoding !== 'utf8bom') return undefined;
  let bytes: Uint8Array;
  try {
    bytes = await vscode.workspace.fs.readFile(document.uri);
  } catch {
    // A virtual document has no file behind it: the editor's text is all there is.
    return undefined;
  }
  const { text: raw, invalid, firstInvalidLine } = decodeText(bytes);
  if ((!invalid && !hasLoneCr(raw)) || lineCount(raw) !== lineCount(text)) return undefined;
  return { text: raw, firstInvalidLine };
}
