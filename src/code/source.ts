/**
 * What the front ends read: a whole file, or one side of a file's hunks, as plain data.
 * The rooms above build these from patches and trees; this room knows neither.
 */

/** Which side of a change a text is, or `tree` for a whole file of a kernel tree. */
export type Side = 'old' | 'new' | 'tree';

/** One line of a {@link SourceUnit}. */
export interface SourceLine {
  /** The text without its line end. */
  readonly text: string;
  /** 1-based line in the file on this side, or 0 where it is not known. */
  readonly fileLine: number;
  /** 1-based line in the document the reader has open (the patch), or 0 where no line of it holds this text. */
  readonly documentLine: number;
  /** True for a `+` line of the new side or a `-` line of the old side. */
  readonly changed: boolean;
  /** Index of the hunk of the file that this line belongs to, or -1 (a line of the tree between hunks). */
  readonly hunk: number;
}

/**
 * A file, or what the hunks of a patch show of it, in file order.
 * `gapBefore` of {@link SourceLine} is not stored: two neighbours whose `hunk` differs have unseen lines between them
 * unless their `fileLine`s follow each other.
 */
export interface SourceUnit {
  /** Path in the kernel tree, such as `arch/x86/mm/tlb.c`. */
  readonly path: string;
  readonly side: Side;
  readonly lines: readonly SourceLine[];
  /** True when `lines` is the whole file, so nothing is missing between hunks. */
  readonly whole: boolean;
  /** Per hunk: the text after the second `@@` (a function heading, perhaps cut short), or ''. */
  readonly headings: readonly string[];
}
