/**
 * Bounds of the assembly reader. Input may be hostile or broken: each of these is checked, and what is cut off is
 * named in a finding, so that nothing hangs and nothing is half-read.
 */
export const asmBounds = {
  /** Characters of one line, also after macro expansion; longer lines are not read. */
  lineLength: 20_000,
  /** Macros inside macros (the assembler itself stops at 100). */
  macroDepth: 60,
  /** Statements of one routine or macro after expansion. */
  statements: 40_000,
  /** Statements of all routines and macros together after expansion. */
  moduleStatements: 400_000,
  /** Characters that the C preprocessor may produce for one file. */
  preprocessed: 20_000_000,
  /** Parentheses inside each other in an expression. */
  nesting: 100,
} as const;

export type AsmBoundName = keyof typeof asmBounds;

const texts: Readonly<Record<AsmBoundName, string>> = {
  lineLength: 'characters in one line',
  macroDepth: 'macros inside each other',
  statements: 'statements in one routine after macro expansion',
  moduleStatements: 'statements in all routines after macro expansion',
  preprocessed: 'characters of one file after preprocessing',
  nesting: 'parentheses inside each other',
};

/** Thrown inside the reader when a bound is reached; caught at the routine or file concerned. */
export class AsmBoundReached extends Error {
  constructor(readonly bound: AsmBoundName) {
    super(`more than ${asmBounds[bound]} ${texts[bound]}`);
  }
}
