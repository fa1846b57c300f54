/** How a value is kept: width and sign of its C type. One number per class, used in code and in memory tags. */
import type { IntegerType } from '../code/ir';

export const enum Kind {
  /** 64 bits; the sign does not matter for what is stored. */
  Word,
  U8,
  S8,
  U16,
  S16,
  U32,
  S32,
  Bool,
}

/** Bits of a memory slot's tag. */
export const enum Tag {
  /** The low bits: the {@link Kind} of the slot. */
  KindMask = 7,
  /** The kind was declared, not assumed. */
  Declared = 8,
  /** The slot holds a value. */
  Defined = 128,
}

export function kindOf({ bits, signed }: IntegerType): Kind {
  switch (bits) {
    case 1:
      return Kind.Bool;
    case 8:
      return signed ? Kind.S8 : Kind.U8;
    case 16:
      return signed ? Kind.S16 : Kind.U16;
    case 32:
      return signed ? Kind.S32 : Kind.U32;
    case 64:
      return Kind.Word;
  }
}

/** Width of a kind in bits. */
export const kindBits: readonly number[] = [64, 8, 8, 16, 16, 32, 32, 1];

/** Low half of a value cut to a kind. */
export function cutLow(kind: Kind, lo: number, hi: number): number {
  switch (kind) {
    case Kind.U8:
      return lo & 0xff;
    case Kind.S8:
      return (lo << 24) >> 24;
    case Kind.U16:
      return lo & 0xffff;
    case Kind.S16:
      return (lo << 16) >> 16;
    case Kind.Bool:
      return (lo | hi) === 0 ? 0 : 1;
    default:
      return lo;
  }
}

/** High half of a value whose low half was cut to a kind: `lo` is that cut half. */
export function cutHigh(kind: Kind, lo: number, hi: number): number {
  switch (kind) {
    case Kind.Word:
      return hi;
    case Kind.S8:
    case Kind.S16:
    case Kind.S32:
      return lo >> 31;
    default:
      return 0;
  }
}
