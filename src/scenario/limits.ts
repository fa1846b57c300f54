/** The largest of everything that a scenario may ask for: checked before anything runs, and named in the message. */
export const limits = {
  /** Characters of a file. */
  characters: 262_144,
  /** Values in values, counted in brackets. */
  depth: 16,
  cpus: 256,
  sockets: 8,
  titleCharacters: 200,
  appliesTo: 64,
  features: 64,
  parameters: 8,
  /** Values of one parameter. */
  values: 1_000,
  variants: 16,
  patchesOfVariant: 16,
  /** Combinations of parameters and variants. */
  runs: 2_000,
  /** Steps as written, of all tasks. */
  steps: 1_000,
  /** Repetitions of one `repeat`. */
  times: 10_000,
  /** Steps of one CPU once the repetitions are written out. */
  expandedSteps: 20_000,
  spaces: 8,
  /** Pages of a space's region. */
  pages: 16_384,
  seed: 2_147_483_647,
  expectations: 64,
  /** Characters of an expression. */
  expression: 200,
  /** Characters of a name: of a parameter, a variant, an mm, a barrier. */
  name: 64,
  /** Characters of a path. */
  path: 200,
  /** Diagnostics of one file. */
  diagnostics: 100,
} as const;
