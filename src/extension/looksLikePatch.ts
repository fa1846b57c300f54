/** Whether a plain text, such as a mail saved as .txt, looks like a patch: a cheap look at its beginning. */

/** So much of a text is looked at (UTF-16 units). */
export const lookedAt = 64 * 1024;

const marks = [
  /^[> ]{0,20}diff --git \S/m,
  /^[> ]{0,20}@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@/m,
  /^--- \S.{0,400}\r?\n\+\+\+ \S/m,
  // A mail that was flattened onto one line.
  / diff --git a\/\S{1,300} b\/\S{1,300} /,
];

export const looksLikePatch = (text: string): boolean => {
  const beginning = text.slice(0, lookedAt);
  return marks.some(mark => mark.test(beginning));
};
