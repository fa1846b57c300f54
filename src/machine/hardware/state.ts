/** The whole state as words: copies, sparse copies, hash and equality. */
const blockWords = 32;

/** A 64-bit hash of words `from` to `to` into two Int32: two multiplicative lanes with a final mix. */
export function hashWords(w: Int32Array, from: number, to: number, out: Int32Array): void {
  let a = 0x9e3779b9 | 0;
  let b = 0x85ebca6b | 0;
  for (let i = from; i < to; i++) {
    const word = w[i]!;
    a = Math.imul(a ^ word, 0x01000193);
    a ^= a >>> 15;
    b = (Math.imul(b, 0x27d4eb2f) + word) | 0;
    b ^= b << 13;
  }
  out[0] = mix(a, b);
  out[1] = mix(b, a);
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
