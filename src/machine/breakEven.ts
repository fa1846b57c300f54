/**
 * From how many pages on a flush of everything is cheaper than one page after the other: the place where a machine would
 * have the kernel's ceiling.
 */
import { cyclesOf, priceOf, type PricedFigure } from './price';
import type { MachineProfile } from './profile';

export interface BreakEven {
  /** Entries that are fetched again after the full flush. */
  readonly refilled: number;
  /** Pages, with the range of the figures. */
  readonly pages: number;
  readonly low: number;
  readonly high: number;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Entries of the largest translation cache for data of 4K pages. */
function mostEntries({ tlb }: MachineProfile): number {
  const data = tlb.filter(({ holds, pageSizes }) => holds !== 'code' && pageSizes.includes('4K'));
  return Math.max(0, ...data.map(({ entries }) => entries));
}

/**
 * `pages · (INVLPG, and INVPCID under PTI) = CR3 read and written + refilled · walk`, for few entries, for 512 and for all.
 * None where a figure is not known: arm64, or a machine without INVLPG.
 */
export function breakEven(profile: MachineProfile): BreakEven[] {
  const both = profile.features.includes('PTI') && profile.features.includes('INVPCID');
  const page = [priceOf(profile, 'INVLPG'), ...(both ? [priceOf(profile, 'INVPCID_ADDR')] : [])];
  const full = [priceOf(profile, 'CR3_READ'), priceOf(profile, 'CR3_FLUSH')];
  const walk = cyclesOf(profile, 'page_walk_cached');
  const known = (
    figures: readonly (PricedFigure | { readonly unknown: string })[],
  ): readonly PricedFigure[] | null => {
    const priced = figures.flatMap(figure => ('unknown' in figure ? [] : [figure]));
    return priced.length === figures.length ? priced : null;
  };
  const [pages, fulls, walks] = [known(page), known(full), known([walk])];
  if (!pages || !fulls || !walks) return [];
  const sum = (figures: readonly PricedFigure[], of: 'cycles' | 'low' | 'high'): number =>
    figures.reduce((all, figure) => all + figure[of], 0);
  return [...new Set([0, 64, 512, mostEntries(profile)])].map(refilled => ({
    refilled,
    pages: round((sum(fulls, 'cycles') + refilled * walks[0]!.cycles) / sum(pages, 'cycles')),
    low: round((sum(fulls, 'low') + refilled * walks[0]!.low) / sum(pages, 'high')),
    high: round((sum(fulls, 'high') + refilled * walks[0]!.high) / sum(pages, 'low')),
  }));
}
