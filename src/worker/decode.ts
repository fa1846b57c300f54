/** The text of a part that had to be decoded to be read. */
import { readPatch } from '../patch/read';

/** Text of part `index` of the document, or null if it has no such part. */
export const decodedText = (text: string, index: number): string | null =>
  readPatch(text).decoded[index]?.source.text ?? null;
