/** Machine profiles: what one operation costs on one machine, each figure with its source, kind and range. */

/** How a figure was come by. */
export type FigureKind = 'measured' | 'vendor' | 'derived' | 'estimated';

/** One figure, in cycles of the profile's clock. */
export interface Figure {
  /** null: the operation does not exist on this machine, or nobody knows; `note` says which. */
  readonly cycles: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly kind: FigureKind;
  /** Ids of the profile's sources. */
  readonly source: readonly string[];
  readonly note: string;
  /** Set when the published figure was in another unit, with the conversion said. */
  readonly converted: string | null;
}
