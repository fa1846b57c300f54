/** What the panel shows: a scenario with what it is run on, as plain data. */
import type { RunRequest } from '../../protocol/run';
import type { LibraryEntry } from '../../protocol/panel';

export interface PanelSubject {
  /** Address of the scenario, as a text. */
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly origin: string;
  readonly kernel: string;
  /** What `before` and `after` are, in a sentence without a full stop. */
  readonly compares: string;
  /** Without variants and values: those are chosen here. */
  readonly request: RunRequest;
  /** Address of the patch under review; null: none is compared. */
  readonly patch: string | null;
  readonly variants: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/** Where scenarios come from. */
export interface PanelSource {
  list(): Promise<readonly LibraryEntry[]>;
  /** For the document at hand; with `patch`, for that patch. undefined: there is no such scenario (any more). */
  subject(id: string, patch?: string | null): Promise<PanelSubject | undefined>;
  /** Values of `n` and `c` that are shown first, where the scenario has them. */
  usual(): Readonly<Record<string, number>>;
}
