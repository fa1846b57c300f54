/** The TLBI instructions of Arm: their names, operands, and what a PE drops when it applies one. */
import type { Context } from './context';
import { pageNumber } from './tlb';

/** What a TLBI names. */
const scopeAll = 0;
const scopeAsid = 1;
const scopeVa = 2;
export const scopeRange = 3;

/** Bits of the code of a TLBI beside its scope. */
const lastLevel = 4;
const anyAsid = 8;
export const innerShareable = 16;

const forms: readonly (readonly [string, number])[] = [
  ['vmalle1', scopeAll],
  ['aside1', scopeAsid],
  ['vae1', scopeVa],
  ['vale1', scopeVa | lastLevel],
  ['vaae1', scopeVa | anyAsid],
  ['vaale1', scopeVa | anyAsid | lastLevel],
  ['rvae1', scopeRange],
  ['rvale1', scopeRange | lastLevel],
  ['rvaae1', scopeRange | anyAsid],
  ['rvaale1', scopeRange | anyAsid | lastLevel],
];

/** Codes by name: each form for this PE, for the Inner Shareable domain (`is`) and the outer one (`os`, which is as `is` here). */
export const tlbiCodes: ReadonlyMap<string, number> = new Map(
  forms.flatMap(([name, code]): [string, number][] => [
    [name, code],
    [`${name}is`, code | innerShareable],
    [`${name}os`, code | innerShareable],
  ]),
);

/** The operation that prices a TLBI; a range form costs as one by address. */
export function tlbiOperation(code: number): string {
  const scope = code & 3;
  const name = scope === scopeAll ? 'TLBI_ALL' : scope === scopeAsid ? 'TLBI_ASID' : 'TLBI_VA';
  return (code & innerShareable) !== 0 ? `${name}_IS` : name;
}

/** The 4K granule in a TTL and in the TG field. */
const granule4K = 1;

/** Level of the leaf that a TTL hint promises, in ours (1 to 3); 0: no hint; −1: a granule that the tables do not have. */
function hinted(ttl: number): number {
  if (ttl >>> 2 === 0) return 0;
  if (ttl >>> 2 !== granule4K) return -1;
  const level = ttl & 3;
  return level === 0 ? 0 : 4 - level;
}

/** What a range form names. */
export interface TlbiRange {
  /** Number of the first 4K page: bits 56:12 of its address. */
  readonly first: number;
  readonly pages: number;
  /** As for a TTL hint. */
  readonly leaf: number;
}

/** Decodes the operand of a range form: (NUM + 1) × 2^(5 × SCALE + 1) pages from BaseADDR. */
function tlbiRange(lo: number, hi: number): TlbiRange {
  const num = (hi >>> 7) & 31;
  const scale = (hi >>> 12) & 3;
  const granule = (hi >>> 14) & 3;
  const level = (hi >>> 5) & 3;
  // BaseADDR is 37 bits: VA[48:12], whose highest is repeated above.
  const top = (hi << 27) >> 27;
  return {
    first: pageNumber(lo << 12, (top << 12) | (lo >>> 20)),
    pages: (num + 1) * 2 ** (5 * scale + 1),
    leaf: granule !== granule4K ? -1 : level === 0 ? 0 : 4 - level,
  };
}

/** `base`: block of the PE that drops; `code` as in {@link tlbiCodes}; the operand Xt. */
export function applyTlbi(context: Context, base: number, code: number, lo: number, hi: number): void {
  const { tlb, paging } = context;
  const scope = code & 3;
  const asid = (code & anyAsid) !== 0 ? -1 : hi >>> 16;
  const upper = (code & lastLevel) === 0;
  if (scope === scopeAll) {
    tlb.dropAll(base, -1, true);
    paging.dropAll(base, -1);
  } else if (scope === scopeAsid) {
    tlb.dropAll(base, asid, false);
    paging.dropAll(base, asid);
  } else if (scope === scopeVa) {
    // VA[55:12] is in bits 43:0, TTL in 47:44.
    const leaf = hinted((hi >>> 12) & 15);
    const top = (hi << 20) >> 20;
    const addressHi = (top << 12) | (lo >>> 20);
    if (leaf >= 0) {
      tlb.dropPage(base, lo << 12, addressHi, asid, true, leaf);
      if (upper) paging.dropFor(base, lo << 12, addressHi, asid, Math.max(2, leaf + 1));
    }
  } else applyRange(context, base, tlbiRange(lo, hi), asid, upper);
  context.dropMore(base);
}

function applyRange(context: Context, base: number, range: TlbiRange, asid: number, upper: boolean): void {
  if (range.leaf < 0) return;
  context.tlb.dropRange(base, range.first, range.pages, asid, true, range.leaf);
  if (upper) context.paging.dropRange(base, range.first, range.pages, asid, Math.max(2, range.leaf + 1));
}
