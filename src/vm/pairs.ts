/**
 * 64-bit multiplication, division and remainder on pairs of Int32 halves. Each function returns the low half and leaves
 * the high half in {@link high}, so that nothing is allocated.
 */

/** High half of the last result. */
export const high = new Int32Array(1);

const two32 = 4_294_967_296;

/** Low 64 bits of a product. */
export function multiply(alo: number, ahi: number, blo: number, bhi: number): number {
  // 16-bit digits of the low halves give the carry into the high half exactly.
  const a0 = alo & 0xffff;
  const a1 = alo >>> 16;
  const b0 = blo & 0xffff;
  const b1 = blo >>> 16;
  const p00 = a0 * b0;
  const middle = a1 * b0 + (p00 >>> 16);
  const mid2 = a0 * b1 + (middle % 65_536);
  const carry = a1 * b1 + Math.floor(middle / 65_536) + Math.floor(mid2 / 65_536);
  high[0] = (carry + Math.imul(alo, bhi) + Math.imul(ahi, blo)) | 0;
  return Math.imul(alo, blo);
}

const quotient = new Int32Array(2);
const rest = new Int32Array(2);

/** Shift-and-subtract division of unsigned numbers; leaves quotient and remainder. The divisor is not zero. */
function divideUnsigned(alo: number, ahi: number, blo: number, bhi: number): void {
  if (ahi >>> 0 < 0x20_0000 && bhi >>> 0 < 0x20_0000) {
    // Both below 2^53: exact in doubles.
    const a = (ahi >>> 0) * two32 + (alo >>> 0);
    const b = (bhi >>> 0) * two32 + (blo >>> 0);
    const r = a % b;
    const q = (a - r) / b;
    setPair(quotient, q);
    setPair(rest, r);
    return;
  }
  let qlo = 0;
  let qhi = 0;
  let rlo = 0;
  let rhi = 0;
  for (let bit = 63; bit >= 0; bit--) {
    const out = rhi < 0;
    rhi = (rhi << 1) | (rlo >>> 31);
    const next = bit >= 32 ? (ahi >>> (bit - 32)) & 1 : (alo >>> bit) & 1;
    rlo = (rlo << 1) | next;
    const fits = out || rhi >>> 0 > bhi >>> 0 || (rhi === bhi && rlo >>> 0 >= blo >>> 0);
    if (!fits) continue;
    const low = (rlo - blo) | 0;
    rhi = (rhi - bhi - (rlo >>> 0 < blo >>> 0 ? 1 : 0)) | 0;
    rlo = low;
    if (bit >= 32) qhi |= 1 << (bit - 32);
    else qlo |= 1 << bit;
  }
  quotient[0] = qlo;
  quotient[1] = qhi;
  rest[0] = rlo;
  rest[1] = rhi;
}

function setPair(pair: Int32Array, value: number): void {
  pair[0] = (value % two32) | 0;
  pair[1] = (value / two32) | 0;
}

/** Quotient of numbers, truncated towards zero. The divisor is not zero. */
export function divide(alo: number, ahi: number, blo: number, bhi: number, signed: boolean): number {
  const negative = divideMagnitudes(alo, ahi, blo, bhi, signed);
  return taken(quotient, negative);
}

/** Remainder with the sign of the dividend. The divisor is not zero. */
export function remainder(alo: number, ahi: number, blo: number, bhi: number, signed: boolean): number {
  divideMagnitudes(alo, ahi, blo, bhi, signed);
  return taken(rest, signed && ahi < 0);
}

function divideMagnitudes(alo: number, ahi: number, blo: number, bhi: number, signed: boolean): boolean {
  if (!signed || (ahi >= 0 && bhi >= 0)) {
    divideUnsigned(alo, ahi, blo, bhi);
    return false;
  }
  const minusA = ahi < 0;
  const minusB = bhi < 0;
  divideUnsigned(
    minusA ? -alo | 0 : alo,
    minusA ? negatedHigh(alo, ahi) : ahi,
    minusB ? -blo | 0 : blo,
    minusB ? negatedHigh(blo, bhi) : bhi,
  );
  return minusA !== minusB;
}

function taken(pair: Int32Array, negative: boolean): number {
  const lo = pair[0]!;
  const hi = pair[1]!;
  high[0] = negative ? negatedHigh(lo, hi) : hi;
  return negative ? -lo | 0 : lo;
}

/** High half of the negated number. */
export function negatedHigh(lo: number, hi: number): number {
  return lo === 0 ? -hi | 0 : ~hi;
}

/** `value` as halves of 64 bits. */
export function halves(value: bigint): readonly [number, number] {
  const bits = BigInt.asUintN(64, value);
  return [Number(bits & 0xffff_ffffn) | 0, Number(bits >> 32n) | 0];
}

/** The unsigned number of two halves. */
export function whole(lo: number, hi: number): bigint {
  return (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0);
}
