/** What the texts need to know about a machine profile; `../machines.ts` makes it of a profile of `src/machine`. */
import type { Figure } from '../../machine/profile';

export interface ShownMachine {
  readonly id: string;
  /** Full name. */
  readonly name: string;
  /** For the status bar and lenses: a word or two. */
  readonly shortName: string;
  /** Features that are on, named as on the command line. */
  readonly features: readonly string[];
  /** The figure of one operation, or null where the profile has none. */
  figure(operation: string): Figure | null;
  /** One line about a source of a figure. */
  source(id: string): string;
}
