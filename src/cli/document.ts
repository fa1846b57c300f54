/** Reads a patch document given on the command line. */
import { decodeDocument } from '../patch/decode';
import type { PatchDocument } from '../patch/model';
import { readPatch } from '../patch/read';
import { readPatchBytes } from './input';

/** The document at `path` (`-` is standard input). Throws `InputError` as {@link readPatchBytes} does. */
export function readDocument(path: string): PatchDocument {
  const { text, firstInvalidLine } = decodeDocument(readPatchBytes(path));
  return readPatch(text, { firstInvalidLine });
}
