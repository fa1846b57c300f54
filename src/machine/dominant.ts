/** Which published figure moves a range most: the first one to look at where a result is not sure enough. */
import type { Figure, FigureKind, FigurePart } from './profile';

export interface Dominant {
  /** Id of the figure, as in the profile. */
  readonly figure: string;
  readonly kind: FigureKind;
  /** Cycles between its low and its high, times how often it counts: what the range would lose without it. */
  readonly cycles: number;
  /** The part of all such widths, 0 to 1. */
  readonly share: number;
}

const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** null where nothing has a range. `counted`: prices, and how often each counts; negative where it is saved. */
export function dominantOf(
  counted: readonly { readonly figure: Figure; readonly times: number }[],
): Dominant | null {
  // A figure may go into several prices, and what one adds another may take off.
  const weights = new Map<string, { part: FigurePart; times: number }>();
  for (const { figure, times } of counted)
    for (const part of figure.parts ?? []) {
      const known = weights.get(part.id)?.times ?? 0;
      weights.set(part.id, { part, times: known + times * part.factor });
    }
  let all = 0;
  let widest: Dominant | null = null;
  for (const { part, times } of weights.values()) {
    const cycles = Math.abs(times) * (part.high - part.low);
    all += cycles;
    if (cycles > (widest?.cycles ?? 0)) widest = { figure: part.id, kind: part.kind, cycles, share: 0 };
  }
  return widest && { ...widest, cycles: round(widest.cycles, 2), share: round(widest.cycles / all, 3) };
}
