/** The ranges of a hunk header, `@@ -a,b +c,d @@ heading`, or of a combined one (`@@@ -a,b -c,d +e,f @@@`). */
export interface HunkHeader {
  /** Start and length of every parent's range. */
  readonly oldStarts: readonly number[];
  readonly oldCounts: readonly number[];
  readonly newStart: number;
  readonly newLines: number;
  /** Offset of the heading, behind the second `@@`. */
  readonly headingAt: number;
  /** False when blanks are missing or a number is out of range. */
  readonly exact: boolean;
}

const AT = 64;
const BLANK = 32;
const COMMA = 44;
const MINUS = 45;
const PLUS = 43;
/** More parents than git's octopus merges have in practice. */
const MAX_PARENTS = 16;

/** Reads the header that begins at offset `from` of a line ending at `end`; null if it is none. */
export function parseHunkHeader(text: string, from: number, end: number): HunkHeader | null {
  let at = from;
  let exact = true;
  while (at < end && text.charCodeAt(at) === AT) at++;
  const parents = at - from - 1;
  if (parents < 1 || parents > MAX_PARENTS) return null;

  const skipBlank = (): void => {
    const before = at;
    while (at < end && text.charCodeAt(at) === BLANK) at++;
    if (at !== before + 1) exact = false;
  };
  const number = (): number => {
    let value = 0;
    const first = at;
    for (; at < end; at++) {
      const digit = text.charCodeAt(at) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      if (value > Number.MAX_SAFE_INTEGER) {
        value = Number.MAX_SAFE_INTEGER;
        exact = false;
      }
    }
    return at === first ? -1 : value;
  };
  const range = (sign: number): { start: number; count: number } | null => {
    skipBlank();
    if (text.charCodeAt(at) !== sign) return null;
    at++;
    const start = number();
    if (start < 0) return null;
    if (text.charCodeAt(at) !== COMMA) return { start, count: 1 };
    at++;
    const count = number();
    return count < 0 ? null : { start, count };
  };

  const oldStarts: number[] = [];
  const oldCounts: number[] = [];
  for (let parent = 0; parent < parents; parent++) {
    const old = range(MINUS);
    if (!old) return null;
    oldStarts.push(old.start);
    oldCounts.push(old.count);
  }
  const added = range(PLUS);
  if (!added) return null;
  skipBlank();
  let marks = 0;
  while (at < end && marks <= parents && text.charCodeAt(at) === AT) {
    at++;
    marks++;
  }
  if (marks === 0) return null;
  if (marks !== parents + 1) exact = false;
  return { oldStarts, oldCounts, newStart: added.start, newLines: added.count, headingAt: at, exact };
}
