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

// The place and the verdict of the header being read: plain variables, because closures made for each of 250,000
// headers cost more than the reading.
let at = 0;
let exact = true;

function skipBlank(text: string, end: number): void {
  const before = at;
  while (at < end && text.charCodeAt(at) === BLANK) at++;
  if (at !== before + 1) exact = false;
}

/** The number at the place; -1 if there is none. */
function number(text: string, end: number): number {
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
}

/** Reads the header that begins at offset `from` of a line ending at `end`; null if it is none. */
export function parseHunkHeader(text: string, from: number, end: number): HunkHeader | null {
  at = from;
  exact = true;
  while (at < end && text.charCodeAt(at) === AT) at++;
  const parents = at - from - 1;
  if (parents < 1 || parents > MAX_PARENTS) return null;
  const oldStarts: number[] = [];
  const oldCounts: number[] = [];
  let newStart = 0;
  let newLines = 0;
  for (let range = 0; range <= parents; range++) {
    skipBlank(text, end);
    if (text.charCodeAt(at++) !== (range < parents ? MINUS : PLUS)) return null;
    const start = number(text, end);
    if (start < 0) return null;
    let count = 1;
    if (text.charCodeAt(at) === COMMA) {
      at++;
      count = number(text, end);
      if (count < 0) return null;
    }
    if (range < parents) {
      oldStarts.push(start);
      oldCounts.push(count);
    } else {
      newStart = start;
      newLines = count;
    }
  }
  skipBlank(text, end);
  let marks = 0;
  while (at < end && marks <= parents && text.charCodeAt(at) === AT) {
    at++;
    marks++;
  }
  if (marks === 0) return null;
  if (marks !== parents + 1) exact = false;
  return { oldStarts, oldCounts, newStart, newLines, headingAt: at, exact };
}
