/** The whole state as words: copies, sparse copies, hash and equality. */
const blockWords = 32;

/**
 * A 64-bit hash of words `from` to `to` into two Int32. Words at even and odd places go through two multiplicative lanes
 * each, so that the processor can work on four chains at a time; every word reaches both halves.
 */
export function hashWords(w: Int32Array, from: number, to: number, out: Int32Array): void {
  let a = 0x9e3779b9 | 0;
  let b = 0x85ebca6b | 0;
  let c = 0x7feb352d | 0;
  let d = 0x846ca68b | 0;
  const paired = from + ((to - from) & ~1);
  for (let i = from; i < paired; i += 2) {
    const even = w[i]!;
    const odd = w[i + 1]!;
    a = Math.imul(a ^ even, 0x01000193);
    a ^= a >>> 15;
    b = (Math.imul(b, 0x27d4eb2f) + even) | 0;
    b ^= b << 13;
    c = Math.imul(c ^ odd, 0x2c1b3c6d);
    c ^= c >>> 15;
    d = (Math.imul(d, 0x297a2d39) + odd) | 0;
    d ^= d << 13;
  }
  if (paired < to) {
    a = Math.imul(a ^ w[paired]!, 0x01000193);
    b = (Math.imul(b, 0x27d4eb2f) + w[paired]!) | 0;
  }
  out[0] = mix(mix(a, c), b ^ d);
  out[1] = mix(mix(d, b), a ^ Math.imul(c, 0x9e3779b1));
}

function mix(a: number, b: number): number {
  let h = a ^ Math.imul(b, 0x5bd1e995);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

export function equalWords(a: Int32Array, b: Int32Array, to: number): boolean {
  for (let i = 0; i < to; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Blocks that are not all zero, each with its number before it. */
export function saveWords(w: Int32Array): Int32Array {
  const used: number[] = [];
  for (let at = 0; at < w.length; at += blockWords) {
    const end = Math.min(at + blockWords, w.length);
    let any = 0;
    for (let i = at; i < end; i++) any |= w[i]!;
    if (any !== 0) used.push(at);
  }
  const saved = new Int32Array(used.length * (blockWords + 1));
  used.forEach((at, index) => {
    const to = index * (blockWords + 1);
    saved[to] = at;
    saved.set(w.subarray(at, at + blockWords), to + 1);
  });
  return saved;
}

export function loadWords(w: Int32Array, saved: Int32Array): void {
  w.fill(0);
  for (let from = 0; from < saved.length; from += blockWords + 1) {
    const at = saved[from]!;
    w.set(saved.subarray(from + 1, from + 1 + Math.min(blockWords, w.length - at)), at);
  }
}
