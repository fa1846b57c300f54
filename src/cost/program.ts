/** The code that calls are followed through: what one side of a patch, the series and the kernel tree define. */
import type { SourceUnit } from '../code/source';
import type { IrFunction } from '../code/ir';
import type { CatalogueMatch } from '../code/catalogue/entry';

export interface Definition {
  readonly fn: IrFunction;
  /** A line of its body is changed by the patch. */
  readonly touched: boolean;
}

/** One side (before or after) of a patch in its series and tree. */
export interface Program {
  /** The definition of a function or macro, that of the calling file first; null if no code at hand defines it. */
  find(name: string, from: SourceUnit | null): Definition | null;
  /** Functions that initialisers put into a table of operations, by member: `.flush_tlb_range = xen_flush_tlb_range`. */
  installed(member: string): readonly string[];
  /** The catalogue's row for a name used in a file. */
  lookup(name: string, path: string): CatalogueMatch | null;
}
