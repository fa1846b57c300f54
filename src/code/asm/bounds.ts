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
  statements: 20_000,
  /** Statements of all routines and macros together after expansion. */
  moduleStatements: 200_000,
  /** `.if` and repetitions inside each other, and `.elseif` after each other. */
  blocks: 200,
  /** Lines of one file that may fail to expand before the rest is left alone. */
  badLines: 10,
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
  blocks: '.if inside or behind each other',
  badLines: 'lines that are too long or expand without end',
  moduleStatements: 'statements in all routines after macro expansion',
  preprocessed: 'characters of one file after preprocessing',
  nesting: 'parentheses inside each other',
};

/** Stands for a line that could not be read, so that no routine is read without it. */
export const unreadableLine = '.unreadable_line';

/** Thrown inside the reader when a bound is reached; caught at the routine or file concerned. */
export class AsmBoundReached extends Error {
  constructor(readonly bound: AsmBoundName) {
    super(`more than ${asmBounds[bound]} ${texts[bound]}`);
  }
}
