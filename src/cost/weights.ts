/**
 * Rough weights that say which branch of an open condition is the dearer one. They are not prices: the answer must not
 * depend on the machine, because a machine changes no count.
 */
import { evaluate, symbolsOf, symbolValue, type Polynomial, type SymbolValues } from './polynomial';

const weights: Readonly<Record<string, number>> = {
  INVLPG: 180,
  INVPCID_ADDR: 320,
  INVPCID_CTX: 400,
  INVPCID_ALL_GLOBAL: 500,
  INVPCID_ALL: 480,
  CR3_READ: 10,
  CR3_FLUSH: 230,
  CR3_NOFLUSH: 190,
  CR4_READ: 10,
  CR4_WRITE: 500,
  CR4_WRITE_SAME_PGE: 200,
  LFENCE: 10,
  MFENCE: 35,
  SERIALIZE: 100,
  ATOMIC: 20,
  IPI: 1500,
  IPI_WAIT: 1000,
  HYPERCALL: 1500,
  VMEXIT: 1500,
  INVLPGB: 250,
  TLBSYNC: 500,
  TLBI_VA: 30,
  TLBI_VA_IS: 100,
  TLBI_ASID: 30,
  TLBI_ASID_IS: 100,
  TLBI_ALL: 30,
  TLBI_ALL_IS: 110,
  DSB: 200,
  ISB: 20,
  PLAIN: 0,
};

/** Stands for symbols of the source that have no value. */
const assumedTurns = 4;

/** The weight of a count of one operation. */
export function weightOf(operation: string, count: Polynomial, values: SymbolValues): number {
  const filled: Record<string, number> = { ...values };
  for (const name of symbolsOf(count)) if (symbolValue(name, values) === null) filled[name] = assumedTurns;
  return (weights[operation] ?? 100) * (evaluate(count, filled) ?? 0);
}
