/**
 * Bounds of the C front end. Input may be hostile or broken; every one of these is checked, and what is cut off is
 * reported with the bound's name, so that nothing hangs and nothing is half-read.
 */
export const bounds = {
  /** Characters of one source line; longer lines are not read. */
  lineLength: 20_000,
  /** Lines of one function. */
  functionLines: 20_000,
  /** Tokens of one function after macro expansion. */
  expandedTokens: 200_000,
  /** Macros inside macros. */
  macroDepth: 200,
  /** Parentheses, braces and brackets inside each other. */
  nesting: 200,
  /** Depth of the syntax tree of one function. */
  treeDepth: 600,
  /** IR instructions of one function. */
  instructions: 100_000,
  /** Functions taken from the context because the code at hand calls them. */
  contextFunctions: 1_000,
} as const;

export type BoundName = keyof typeof bounds;

/** Thrown inside the front end when a bound is reached; caught at the function concerned. */
export class BoundReached extends Error {
  constructor(readonly bound: BoundName) {
    super(`more than ${bounds[bound]} (${boundTexts[bound]})`);
  }
}

const boundTexts: Readonly<Record<BoundName, string>> = {
  lineLength: 'characters in one line',
  functionLines: 'lines in one function',
  expandedTokens: 'tokens in one function after macro expansion',
  macroDepth: 'macros inside each other',
  nesting: 'brackets inside each other',
  treeDepth: 'levels of syntax inside each other',
  instructions: 'instructions in one function',
  contextFunctions: 'functions taken from other files',
};
