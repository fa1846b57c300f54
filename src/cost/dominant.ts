/** The figure of the machine that moves a change's range most. */
import { dominantOf, type Dominant } from '../machine/dominant';
import { priceOf } from '../machine/price';
import type { MachineProfile } from '../machine/profile';
import { evaluate, type SymbolValues } from './polynomial';
import type { Counts } from './resolve';

/** `values` has `max`, the strides of one INVLPGB, too. null where no counted operation has a price with a range. */
export function dominantChange(
  delta: Counts,
  machine: MachineProfile,
  values: SymbolValues,
): Dominant | null {
  return dominantOf(
    [...delta].flatMap(([operation, count]) => {
      const times = evaluate(count, values);
      const figure = priceOf(machine, operation);
      return times === null || 'unknown' in figure ? [] : [{ figure, times }];
    }),
  );
}
