/** Bytes to text. What is not valid is read as ISO 8859-1, line by line, so that nothing is lost or moved. */

/** Decodes bytes in `charset`; `invalid` says that some did not fit. An unknown charset is read as UTF-8. */
export function decodeText(
  bytes: Uint8Array,
  charset = 'utf-8',
): { text: string; invalid: boolean; firstInvalidLine: number | null } {
  const name = charset.trim().toLowerCase().replace(/^"|"$/g, '');
  if (name !== '' && name !== 'utf-8' && name !== 'utf8' && name !== 'us-ascii') {
    try {
      return {
        text: new TextDecoder(name, { fatal: true }).decode(bytes),
        invalid: false,
        firstInvalidLine: null,
      };
    } catch {
      // An unknown label, or bytes that do not fit it: read as UTF-8 below.
    }
  }
  try {
    return {
      text: new TextDecoder('utf-8', { fatal: true }).decode(bytes),
      invalid: false,
      firstInvalidLine: null,
    };
  } catch {
    return decodeLines(bytes);
  }
}

/** Decodes each line on its own: as UTF-8 if it is, else as ISO 8859-1. */
function decodeLines(bytes: Uint8Array): { text: string; invalid: boolean; firstInvalidLine: number } {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const latin1 = new TextDecoder('iso-8859-1');
  const pieces: string[] = [];
  let firstInvalidLine = -1;
  let line = 0;
  for (let at = 0; at < bytes.length; line++) {
    const next = bytes.indexOf(10, at);
    const end = next < 0 ? bytes.length : next + 1;
    const part = bytes.subarray(at, end);
    try {
      pieces.push(utf8.decode(part));
    } catch {
      if (firstInvalidLine < 0) firstInvalidLine = line + 1;
      pieces.push(latin1.decode(part));
    }
    at = end;
  }
  return { text: pieces.join(''), invalid: true, firstInvalidLine };
}

/** Decodes a whole document: UTF-16 with a byte order mark, else UTF-8. */
export function decodeDocument(bytes: Uint8Array): {
  text: string;
  invalid: boolean;
  firstInvalidLine: number | null;
} {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeText(bytes, 'utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeText(bytes, 'utf-16be');
  return decodeText(bytes);
}
